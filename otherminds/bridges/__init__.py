"""Ways in from other people's tools, and out to them: benchmarks, Inspect, lm-evaluation-harness, data sets, trackers.

Nothing below imports this room, and whatever a bridge needs beyond the package is an extra that is imported late.
"""
