"""A profile: all studies on some models, as one page and its files.

Imports `studies` and all below.
"""
