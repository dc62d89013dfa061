"""Models that run in this process: GGUF files, their weights, and the engine that reads them.

Imports the contract of `models`, and nothing of other backends.
"""
