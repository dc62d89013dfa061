"""Search for stories that a model answers wrongly, and training files of drawn ones. It knows no study or page."""
