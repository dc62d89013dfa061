"""Simple rules that answer questions without understanding them, and the models made of these rules.

Imports `formats`; knows no study.
"""
