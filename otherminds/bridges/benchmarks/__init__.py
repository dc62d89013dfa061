"""Other people's benchmarks, one file each, read into suites and scored as published and as repaired.

Licences forbid some of them to be passed on, so there are readers here and no data.
"""
