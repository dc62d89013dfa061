"""Questions about conversations, with their labels. An instrument: it knows no page, table or command."""
