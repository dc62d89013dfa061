"""Conversations of two models, each with thoughts that the other does not see: scenes, roles, play and judging.

An instrument: it knows no study.
"""
