"""What `import otherminds as om` does in one call: names in place of objects, bars, and how notebooks show it all.

One file a verb, as `commands` has one a command; display.py draws.
"""
