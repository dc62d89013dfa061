"""Stories as events, and what every mind makes of them: the labels.

No model, no file of results. Imports `items`, and what lies below everything: `errors` and `files`.
"""
