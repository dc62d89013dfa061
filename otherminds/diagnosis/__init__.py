"""What a model does: known ways of reading, fitted to its answers item by item.

Readers predict every item, a mixture of them is fitted to runs, and what comes out is said in words with its numbers.
Knows no study; imports `asking` and what lies below.
"""
