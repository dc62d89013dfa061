"""What is made of the stories found: suites, pairs, folders, numbers. Instruments: they know no page or command."""
