"""How values show themselves: short in a shell (`brief`), as a picture or a table in a notebook (`notebook`).

It knows nothing of what is shown.
"""
