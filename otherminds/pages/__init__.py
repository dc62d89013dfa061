"""Numbers and words as something to look at: plots, timelines, tables, one HTML file.

Knows neither stories nor models; imports nothing but `errors` and `files`.
"""
