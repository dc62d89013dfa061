"""What is made of the stories found: suites, pairs, folders. Instruments: they know no page or command."""
