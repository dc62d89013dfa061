"""Calls to a model: many at once, each kept when it comes back, within a budget, and checked to come from one model.

Imports `store`, `formats` and `models`; knows no run.
"""
