"""The store: one SQLite file that keeps every call that was answered, the runs made of them, and seals of both.

Imports `models`; knows no question and no run.
"""
