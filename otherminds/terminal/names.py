"""From what a person writes to what is meant: models, stores and runs by name, as the shell and Python take them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherminds.errors import ModelError, UsageError, WeightsError
from otherminds.terminal.bars import quietly
from otherminds.terminal.options import seconds
from otherminds.terminal.screen import note, progress

if TYPE_CHECKING:
    from otherminds.calling.costs import Budget
    from otherminds.calling.recorded import Recorded
    from otherminds.items import Suite
    from otherminds.models import Model
    from otherminds.models.replicas import Cluster
    from otherminds.models.specs import Spec
    from otherminds.runs.runs import Run
    from otherminds.store.store import Store
    from otherminds.terminal.derived import Amount, Count

Bars = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Makes a bar with a title."""
NO_QUESTIONS = "is made from the questions that it answers, and here there are none"
CANNOT_WRITE = "answers questions; it can neither write nor judge"
"""Why a baseline will not do."""


def bars(quiet: bool, instead: Callable[[int, int], None] | None = None) -> Bars:
    """Bars, or nothing at all; or what somebody wants to be called in place of one."""
    if instead:
        return lambda _: nullcontext(instead)
    return quietly if quiet else progress


@contextmanager
def bars_in_turn(quiet: bool, title: str, words: Mapping[str, str]) -> Iterator[Callable[[str, int, int], None]]:
    """One bar after another, for what is named with (done, total); `words` are what it is called on its bar."""
    shown: dict[str, Callable[[int, int], None]] = {}
    with ExitStack() as under_way:

        def show(name: str, done: int, total: int) -> None:
            if name not in shown:
                under_way.close()
                shown[name] = under_way.enter_context(bars(quiet)(f"{words[name]}: {title}"))
            shown[name](done, total)

        yield show


# ── models ──


def get_model(
    spec: str,
    *,
    base_url: str | None = None,
    patience: float | str | None = None,
    on: str | None = None,
    replicas: Count | None = None,
    gpus: Amount | None = None,
    **settings: Any,
) -> Model:
    """The model called `smollm2`, `gguf:PATH`, `hf:NAME`, `openai:NAME`, `baseline:NAME` and so on, as in the shell.

    Settings may stand behind its name too, as in `vllm:qwen,temperature=0`; `name` is what it goes by in reports. A
    baseline is made from the questions that it answers, so it can be put to suites and asked nothing else.

    base_url: The address of the server; several, parted by spaces, share the work.
    patience (TIME): How long to wait for a server that is away, such as 2h.  [default: 15m]
    on (ray[:ADDRESS]): Compute the model on a Ray cluster, many replicas at once.  [default: in this process]
    replicas: With --on: how many.  [default: as many as there is room for]
    gpus: With --on: GPUs for each replica.  [default: 1 for hf: where there are any]
    """
    from otherminds.models.specs import Spec, read_spec

    if not isinstance(spec, str):
        raise UsageError(f"a model is named by a text such as 'smollm2', not by a {type(spec).__name__}")
    wait = seconds(patience) if isinstance(patience, str) else patience
    more = {"base_url": base_url, "on": on, "replicas": replicas, "gpus": gpus, "patience": wait}
    name, own = read_spec(spec)
    return _made(Spec(name, settings | {word: value for word, value in more.items() if value is not None} | own))


def model_of(
    model: Model | str | Spec, *, suite: Suite | None = None, quiet: bool = False, here: bool = False
) -> Model:
    """A model, or the one of that name; a baseline is made for the suite, if there is one.

    Weights that are not here yet are fetched under a bar. `here` keeps it in this process whatever `on` says, for
    whoever asks nothing.
    """
    from otherminds.heuristics.readers import Baseline
    from otherminds.models import completed
    from otherminds.models.specs import Spec, one_model

    if isinstance(model, str | Spec):
        spec = one_model(model)
        model = _made(spec) if spec.kind == "baseline" else open_model(spec, quiet=quiet, here=here)
    elif not callable(getattr(model, "ask", None)):
        raise UsageError(f"a model is one of get_model, or its name, such as 'smollm2'; not a {type(model).__name__}")
    else:
        model = completed(model)
    return model.made_for(suite) if suite is not None and isinstance(model, Baseline) else model


def real_model(model: Model | str | Spec, *, lacks: str = NO_QUESTIONS, quiet: bool = False) -> Model:
    """The same where a baseline will not do; `lacks` says why not."""
    from otherminds.heuristics.readers import Baseline

    found = model_of(model, quiet=quiet)
    if isinstance(found, Baseline):
        raise UsageError(f"a baseline {lacks}; take a model")
    return found


def recorded(
    models: Sequence[Model | str | Spec], store: Store, budget: Budget | None, *, lacks: str, quiet: bool = False
) -> list[Recorded]:
    """Models with a memory; one that is named twice is one."""
    from otherminds.calling.recorded import Recorded

    found: dict[str, Recorded] = {}
    for model in models:
        if repr(model) not in found:
            found[repr(model)] = Recorded(real_model(model, lacks=lacks, quiet=quiet), store, budget=budget)
    return [found[repr(model)] for model in models]


def open_model(spec: Spec, *, quiet: bool = False, here: bool = False) -> Model:
    """The model of this name with these settings, and a word on what takes long."""
    from otherminds.models.adapters import split
    from otherminds.models.api.background import OUTAGES
    from otherminds.models.local.weights import WEIGHTS, present

    settings = dict(spec.settings)
    base, _ = split(spec.name)
    if not quiet:
        OUTAGES.tell = note
        if "on" not in settings and (base in WEIGHTS or spec.kind == "gguf"):
            settings["progress"] = _noted()
    model = _made(spec._replace(settings=settings), here=here)
    if not quiet and base in WEIGHTS and not present(base):
        fetch(base, accept_licence=bool(settings.get("accept_licence")))
    return model


def _made(spec: Spec, *, here: bool = False) -> Model:
    from otherminds.heuristics.readers import Baseline
    from otherminds.models import get_model as backend
    from otherminds.models.replicas import Replicas

    settings = dict(spec.settings)
    placed = {name: settings.pop(name, None) for name in ("on", "replicas", "gpus")}
    if spec.kind == "baseline":
        if settings:
            raise UsageError(f"a baseline has no settings, so leave out {', '.join(sorted(settings))}")
        return Baseline(spec.name.partition(":")[2])
    cluster = None if here else _cluster(spec, **placed)
    try:
        return Replicas(spec.name, settings, cluster=cluster) if cluster else backend(spec.name, **settings)
    except TypeError as error:
        raise UsageError(f"{spec.name} cannot be made with these settings: {error}") from None


def _cluster(spec: Spec, on: str | None, replicas: int | None, gpus: float | None) -> Cluster | None:
    """The cluster on which a model is computed."""
    from otherminds.models.replicas import read_cluster
    from otherminds.models.specs import SERVED

    if on is None:
        if alone := "replicas" if replicas is not None else "gpus" if gpus is not None else "":
            raise UsageError(f"--{alone} is for models on a cluster; give --on ray too")
        return None
    cluster = read_cluster(on, replicas=replicas, gpus=gpus)
    if spec.kind in SERVED:
        note(f"{spec.name} is asked over the network, from here; --on is for models that compute")
        return None
    return cluster


def prepared(model: Model | str | Spec, *, store: Store, wanted: Collection[str], quiet: bool = False) -> Model:
    """A model that is named, tried out before it is asked: what it lacks, and room for one that thinks first."""
    from otherminds.calling.probing import THINKING, lacking, thinks
    from otherminds.models.specs import Spec, one_model

    made = model_of(model, quiet=quiet)
    if not isinstance(model, str | Spec) or not made.is_served:
        return made
    try:
        if not {"thinking", "max_tokens"} & made.identity.keys() and thinks(made):
            if not quiet:
                note(f"{made.name} thinks before it answers, and gets {THINKING} tokens more for that")
            name, settings = one_model(model)
            made = model_of(Spec(name, settings | {"thinking": THINKING}), quiet=quiet)
        made.found_lacking = lacking(made, wanted, store)
    except ModelError:
        pass  # whoever asks it will hear the same, and tell what becomes of the others
    return made


def fetch(name: str, *, accept_licence: bool = False) -> Path:
    """The weights of a model, fetched with a progress bar if they are not here yet."""
    from otherminds.models.local import weights

    source = weights.WEIGHTS.get(name)
    if source and source.terms and not accept_licence and not weights.present(name):
        raise WeightsError(
            f"{name} has terms to accept first: {source.terms} To accept them, run"
            f" `otherminds models get {name} --accept-licence`"
        )
    size = source.download // 1_000_000 if source else 0
    title = f"fetching {name}{' again, since what was kept is damaged' if weights.present(name) else ''}, MB"
    with progress(title) as show:
        return weights.get(name, accept_licence=accept_licence, progress=lambda _, done: show(round(done * size), size))


def _noted() -> Callable[[str, float], None]:
    """Says once what is being made of weights, so that nobody wonders what takes so long."""
    said: set[str] = set()

    def hear(what: str, done: float) -> None:
        if what not in said:
            said.add(what)
            note(what)

    return hear


# ── stores and runs ──


@contextmanager
def store_of(store: Store | str | Path | None, *, create: bool = True, read_only: bool = False) -> Iterator[Store]:
    """A store that is open already, or the one in that file for as long as it is needed; None: in memory."""
    from otherminds.store.store import MEMORY, Store

    if isinstance(store, Store):
        opened: AbstractContextManager[Store] = nullcontext(store)
    else:
        opened = Store(MEMORY if store is None else store, create=create, read_only=read_only)
    with opened as found:
        yield found


def looked_at(store: Store | str | Path | None) -> AbstractContextManager[Store]:
    """A store that is only read: a question about cost should leave no file behind."""
    return store_of(None if isinstance(store, str | Path) and not os.path.exists(store) else store)


def open_run(store: Store, id: str, *, texts: bool = True, most: int = -1) -> Run:
    """A run by its id, the beginning of it, or `last`, or its first answers; without `texts`, only what was scored."""
    from otherminds.results.labels import not_clean
    from otherminds.runs.runs import load

    if id == "last":
        row = store.last_run()
        if row is None:
            raise UsageError(f"{store.path} has no run with an answer yet; `otherminds run` makes one")
        id = row.id
    found = load(store, id, texts=texts, most=most)
    if not found.partial and store.run(found.id).sealed is None:
        note(f"run {found.id} is not sealed: an older otherminds wrote it, so nothing tells whether all of it is here")
    if doubt := not_clean(found):
        note(doubt)
    return found


def runs_of(store: Store | str | Path, *runs: Run | str, texts: bool = True) -> list[Run]:
    """Runs themselves, or those of these ids in a store."""
    from otherminds.runs.runs import Run

    if all(isinstance(run, Run) for run in runs):
        return [run for run in runs if isinstance(run, Run)]
    with store_of(store, create=False) as kept:
        return [run if isinstance(run, Run) else open_run(kept, run, texts=texts) for run in runs]
