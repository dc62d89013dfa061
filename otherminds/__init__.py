"""otherminds."""
