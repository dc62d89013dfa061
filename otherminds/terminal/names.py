"""From what a person writes to what is meant: models and stores by name, as the shell and Python take them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherminds.errors import UsageError
from otherminds.terminal.bars import quietly
from otherminds.terminal.options import fetch
from otherminds.terminal.screen import progress

if TYPE_CHECKING:
    from otherminds.models import Model
    from otherminds.store.store import Store

Bars = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Makes a bar with a title."""


def bars(quiet: bool) -> Bars:
    """Bars, or nothing at all."""
    return quietly if quiet else progress


def get_model(spec: str, **settings: Any) -> Model:
    """The model called `smollm2`, `gguf:PATH`, `hf:NAME`, `openai:NAME`, `baseline:NAME` and so on, as in the shell.

    Settings may stand behind its name too, as in `vllm:qwen,temperature=0`; `name` is what it goes by in reports. A
    baseline is made from the questions that it answers, so it can be put to suites and asked nothing else.
    """
    from otherminds.models import get_model as backend
    from otherminds.models.specs import read_spec

    if not isinstance(spec, str):
        raise UsageError(f"a model is named by a text such as 'smollm2', not by a {type(spec).__name__}")
    named = read_spec(spec)
    if named.kind != "baseline":
        return backend(spec, **settings)
    from otherminds.heuristics.readers import Baseline

    if given := sorted({**named.settings, **settings}):
        raise UsageError(f"a baseline has no settings, so leave out {', '.join(given)}")
    return Baseline(named.name.partition(":")[2])


def model_of(model: Model | str, *, quiet: bool = False) -> Model:
    """A model, or the one of that name; weights that are not here yet are fetched under a bar."""
    from otherminds.models import completed
    from otherminds.models.adapters import split
    from otherminds.models.local.weights import WEIGHTS, present
    from otherminds.models.specs import read_spec

    if not isinstance(model, str):
        if not callable(getattr(model, "ask", None)):
            raise UsageError(
                f"a model is one of get_model, or its name, such as 'smollm2'; not a {type(model).__name__}"
            )
        return completed(model)
    made = get_model(model)
    base, _ = split(read_spec(model).name)
    if not quiet and base in WEIGHTS and not present(base):
        fetch(base)
    return made


@contextmanager
def store_of(store: Store | str | Path) -> Iterator[Store]:
    """A store that is open already, or the one in that file for as long as it is needed."""
    from otherminds.store.store import Store

    with nullcontext(store) if isinstance(store, Store) else Store(store) as opened:
        yield opened
