"""What runs come to: numbers with intervals, one record as a person reads it, plain reports, files for other tools.

Imports `asking`, `stats` and `pages`; knows no study.
"""
