"""What commands share: options and what they mean, and how a terminal is written to.

It may import asking and what lies below; a study whose own command asks a model uses it as every other command does.
"""
