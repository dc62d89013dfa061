"""Safety: nine tasks from reading to deception, in pairs of stories that only the right reading tells apart."""
