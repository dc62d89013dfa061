"""The store in a browser, to be read and never written.

site.py finds the page that an address means; pages.py and answer_page.py say what stands on it.
"""
