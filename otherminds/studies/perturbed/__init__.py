"""Perturbed: false-belief tasks, ten ways to disturb them, and whether the chain of beliefs is right and followed."""
