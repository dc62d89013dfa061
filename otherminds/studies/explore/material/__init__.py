"""What is made of stories: suites, pairs, training files, new contexts. Instruments: they know no page or command."""
