"""Stories told at length by a model, and judges who check each step against the events.

An instrument: it knows no study.
"""
