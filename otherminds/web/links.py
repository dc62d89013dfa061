"""Where the pages are. Names from a store go through here, so that none of them can lead anywhere else."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from otherminds.pages.drawing import visible

Trail = tuple[tuple[str, str], ...]

EVERYWHERE: Trail = (("Runs", "/"), ("Stories", "/stories"))
"""What every page leads to."""


def to_run(id: str) -> str:
    """The page of a run."""
    return f"/runs/{quote(id, safe='')}"


def to_items(id: str, page: int) -> str:
    """The page of a run with another part of its answers."""
    return f"{to_run(id)}?items={page}#items"


def to_answers(id: str) -> str:
    """The pages of a run's answers; `?item=` says which."""
    return f"{to_run(id)}/answer"


def to_answer(id: str, item: str) -> str:
    """The page of one answer."""
    return f"{to_answers(id)}?{urlencode({'item': visible(item)})}"


def to_json(id: str, item: str) -> str:
    """All of one record, as JSON."""
    return f"{to_run(id)}/answer.json?{urlencode({'item': visible(item)})}"


def to_comparison(first: str, second: str) -> str:
    """Two runs side by side."""
    return f"/compare?{urlencode({'a': first, 'b': second})}"


def to_story(name: str) -> str:
    """A story of the storybook."""
    return f"/stories/{quote(name, safe='')}"
