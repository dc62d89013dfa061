"""Explore: stories that a given model gets wrong, found by search, with labels proved by their events."""
