"""Stories told at length by a model, judges who check each step against the events, and invented contexts.

An instrument: it knows no study.
"""
