"""The studies: each asks one question about minds, with the verbs build, run, measure and show."""
