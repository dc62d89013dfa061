"""Inspect, both ways: our suites as its tasks, our models as its provider, and its providers and logs as ours.

Needs the extra `inspect`. Inspect finds `registry` by an entry point; nothing else here is imported by it.
"""
