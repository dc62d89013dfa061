"""Models by transformers and torch, imported late: they are an extra.

Imports the contract of `models`, and nothing of other backends.
"""
