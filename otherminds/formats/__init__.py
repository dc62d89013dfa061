"""How a question is put to a model, and how its answer is read: prompts, scores and what each needs of a model.

Imports `items` and `models`; asks nobody.
"""
