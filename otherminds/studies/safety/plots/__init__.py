"""Items of the nine tasks with their labels. An instrument: it knows no page, table or command."""
