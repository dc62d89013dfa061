"""Search for stories that a model answers wrongly. An instrument: it knows no page, table or command."""
