"""Runs: a suite is put to a model, its answers are kept, and its scores are read again as columns.

Imports `calling`; knows no study and no page.
"""
