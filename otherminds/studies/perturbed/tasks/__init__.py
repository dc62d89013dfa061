"""The perturbed tasks: stages and their rules, the suite made of them, chains of beliefs, and chains given to a model.

Knows no page, no table of answers and no command.
"""
