"""Items meet models: prompts, what is read out of answers, scores, runs, and the store that keeps them.

Imports `items`, `minds` and `models`; knows no study and no page.
"""
