"""Training: stories that teach, in many words; a model that learns from them; adapters that keep what it learned.

Stands above studies: it draws stories from `minds` and from the settings of `explore`, and trains what `models` reads.
"""
