"""Dialogue: two people talk, each with thoughts that the other cannot hear; the thoughts become questions."""
