"""Random stories: the events that they may use, places to set them in, and what they must have.

Imports `minds`; knows no model and no study.
"""
