"""Models behind OpenAI-compatible servers: what is asked, how it travels, what may come back.

Imports the contract of `models`, and nothing of other backends.
"""
