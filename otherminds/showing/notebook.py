"""Shown: what a notebook shows as a picture or a table."""

from __future__ import annotations

from importlib import import_module


class Shown:
    """Has `_repr_html_`, by which notebooks show it."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        # By name: what draws it stands above what it draws, and nobody but a notebook calls this.
        return str(import_module("otherminds.python.display").html(self))
