"""Starter: two classic kinds of false belief, each story told twice, and three ways of asking about them.

A study like the others; imports `results` and all below.
"""
