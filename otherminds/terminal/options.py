"""Options that several commands share, and what their words mean.

Nothing heavy is imported at the top of any file in this folder: `otherminds --help` reads them all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.errors import ModelError, UsageError, WeightsError
from otherminds.terminal.screen import note, progress

if TYPE_CHECKING:
    from otherminds.items import Suite
    from otherminds.models import Model
    from otherminds.models.replicas import Cluster
    from otherminds.models.specs import Spec
    from otherminds.runs.runs import Budget, Run
    from otherminds.store.store import Store

STORE = Path("otherminds.db")
PATIENCE = "otherminds.patience"
ON, REPLICAS, GPUS = "otherminds.on", "otherminds.replicas", "otherminds.gpus"
PARTIAL = 3
"""The exit code of work in which something is missing, with everything so far kept."""
DOUBTFUL = 4
"""The exit code of work that is all there, but may be of more than one model."""


def _remember_debug(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        context.meta["otherminds.debug"] = True


debug_option = click.option(
    "--debug", is_flag=True, expose_value=False, callback=_remember_debug, help="Show the traceback of an error."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else on stdout.")
store_option = click.option(
    "--store",
    "store_path",
    type=click.Path(path_type=Path, dir_okay=False),
    default=STORE,
    envvar="OTHERMINDS_STORE",
    show_default=True,
    show_envvar=True,
    help="The SQLite file that keeps runs and answers.",
)


speed_option = click.option(
    "--speed",
    metavar="READ,WRITTEN",
    help="With --dry-run: tokens a second that all replicas together read and write, to tell how long it takes.",
)


def common(function: Callable[..., Any]) -> Callable[..., Any]:
    """What every command has: --json and --debug."""
    return json_option(debug_option(function))


def _remember_patience(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.meta[PATIENCE] = _seconds(value)


def _seconds(text: str) -> float:
    """90, 90s, 15m or 2h as seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text.strip().lower(), re.ASCII)
    if not found:
        raise UsageError(f"--patience {text!r} should be a time such as 90s, 15m or 2h")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]


def model_settings(function: Callable[..., Any]) -> Callable[..., Any]:
    """How a model is set up on the command line."""
    patience = click.option(
        "--patience",
        metavar="TIME",
        expose_value=False,
        callback=_remember_patience,
        help="How long to wait for a server that is away, such as 2h.  [default: 15m]",
    )
    base_url = click.option("--base-url", help="The address of the server; several, parted by spaces, share the work.")
    extra = click.option("-M", "extra", multiple=True, metavar="KEY=VALUE", help="A setting, such as temperature=0.7.")
    return base_url(patience(extra(_placement(function))))


def _placement(function: Callable[..., Any]) -> Callable[..., Any]:
    """Where a model is computed."""

    def remember(key: str) -> Callable[[click.Context, click.Parameter, Any], None]:
        def note_it(context: click.Context, _: click.Parameter, value: Any) -> None:
            if value is not None:
                context.meta[key] = value

        return note_it

    on = click.option(
        "--on",
        metavar="ray[:ADDRESS]",
        expose_value=False,
        callback=remember(ON),
        help="Compute the model on a Ray cluster, many replicas at once.  [default: in this process]",
    )
    replicas = click.option(
        "--replicas",
        type=click.IntRange(min=1),
        expose_value=False,
        callback=remember(REPLICAS),
        help="With --on: how many.  [default: as many as there is room for]",
    )
    gpus = click.option(
        "--gpus",
        type=click.FloatRange(min=0),
        expose_value=False,
        callback=remember(GPUS),
        help="With --on: GPUs for each replica.  [default: 1 for hf: where there are any]",
    )
    return on(replicas(gpus(function)))


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """How a model is named and set up on the command line."""
    named = click.option(
        *("-m", "--model", "spec"),
        multiple=True,
        default=("smollm2",),
        show_default="smollm2",
        callback=_one,
        help="See `otherminds models`. Its settings may follow: NAME,KEY=VALUE,…",
    )
    return named(model_settings(function))


def _one(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> str:
    if len(given) > 1:
        # Taking the last without a word would leave somebody with another model's numbers.
        raise UsageError(f"this command takes one model, not {len(given)}; `otherminds profile` takes several")
    return given[0]


def open_model(
    spec: str | Spec, base_url: str | None, extra: tuple[str, ...], *, suite: Suite | None = None, here: bool = False
) -> Model:
    """The model that the options name; its own settings come first. baseline:NAME is made from the suite it answers.

    `here` keeps it in this process whatever --on says, for whoever asks nothing.
    """
    from otherminds.models.specs import SERVED, read_setting

    spec = _named(spec) if isinstance(spec, str) else spec
    settings = dict(map(read_setting, extra))
    if base_url is not None:
        settings["base_url"] = base_url
    settings |= spec.settings
    given = click.get_current_context(silent=True)
    if spec.kind in SERVED and given and PATIENCE in given.meta:
        settings.setdefault("patience", given.meta[PATIENCE])
    if spec.kind == "baseline":
        return _baseline(spec.name.partition(":")[2], suite, settings)
    from otherminds.models import get_model
    from otherminds.models.adapters import split
    from otherminds.models.api.background import OUTAGES
    from otherminds.models.local.weights import WEIGHTS, present

    OUTAGES.tell = note
    base, _ = split(spec.name)
    cluster = None if here else _cluster()
    if cluster and spec.kind in SERVED:
        note(f"{spec.name} is asked over the network, from here; --on is for models that compute")
        cluster = None
    if not cluster and (base in WEIGHTS or spec.kind == "gguf"):
        settings["progress"] = _noted()
    try:
        model = _replicated(spec.name, settings, cluster) if cluster else get_model(spec.name, **settings)
    except TypeError as error:
        raise UsageError(f"{spec.name} cannot be made with these settings: {error}") from None
    if base in WEIGHTS and not present(base):
        fetch(base, accept_licence=bool(settings.get("accept_licence")))
    return model


def _cluster() -> Cluster | None:
    """The cluster that --on names."""
    from otherminds.models.replicas import read_cluster

    context = click.get_current_context(silent=True)
    given = context.meta if context else {}
    if ON in given:
        return read_cluster(given[ON], replicas=given.get(REPLICAS), gpus=given.get(GPUS))
    if alone := next((name for name in (REPLICAS, GPUS) if name in given), ""):
        raise UsageError(f"--{alone.rpartition('.')[2]} is for models on a cluster; give --on ray too")
    return None


def _replicated(spec: str, settings: dict[str, Any], cluster: Cluster) -> Model:
    from otherminds.models.replicas import Replicas

    return Replicas(spec, settings, cluster=cluster)


def prepared(opened: Callable[..., Model], *, store: Store, wanted: Collection[str]) -> Model:
    """A model, tried out before it is asked: what it lacks of what is wanted, and room for one that thinks first.

    `opened` makes it, with more settings if any are given.
    """
    from otherminds.calling.probing import THINKING, lacking, thinks

    model = opened()
    if not model.is_served:
        return model
    try:
        if not {"thinking", "max_tokens"} & model.identity.keys() and thinks(model):
            note(f"{model.name} thinks before it answers, and gets {THINKING} tokens more for that")
            model = opened(f"thinking={THINKING}")
        model.found_lacking = lacking(model, wanted, store)
    except ModelError:
        # Whoever asks it will hear the same, and tell what becomes of the others.
        return model
    return model


def _named(text: str) -> Spec:
    found = several_models([text])
    if len(found) > 1:
        raise UsageError(
            f"{text} has {len(found)} models, and here is room for one; `otherminds profile` takes several"
        )
    return found[0]


def several_models(given: Sequence[str]) -> list[Spec]:
    """What -m names: models, or YAML files of them."""
    from otherminds.models.specs import read_models, read_spec

    found: list[Spec] = []
    for text in given:
        found += read_models(text) if text.endswith((".yaml", ".yml")) else [read_spec(text)]
    return found


def for_server(spec: Spec, base_url: str | None) -> str | None:
    """The address of --base-url, for those of several models that are asked over one."""
    from otherminds.models.specs import SERVED

    return base_url if spec.kind in SERVED else None


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


def _baseline(name: str, suite: Suite | None, settings: dict[str, Any]) -> Model:
    from otherminds.heuristics.readers import Baseline

    baseline = Baseline(name)
    if suite is None:
        raise UsageError("a baseline is made from the questions that it answers, and here there are none; take a model")
    if settings:
        raise UsageError(f"a baseline has no settings, so leave out {', '.join(sorted(settings))}")
    return baseline.made_for(suite)


def read_budget(text: str | None, prices: Path | None) -> Budget | None:
    """calls=100,tokens=20000,seconds=60 as a Budget."""
    from otherminds.runs.runs import Budget, read_prices

    if text is None:
        return None
    parts: dict[str, float] = {}
    for part in text.split(","):
        name, _, amount = (word.strip() for word in part.partition("="))
        if name not in ("calls", "tokens", "seconds", "money"):
            raise UsageError(f"--budget knows calls, tokens, seconds and money, not {name!r}")
        try:
            parts[name] = float(amount)
        except ValueError:
            raise UsageError(f"--budget {part!r} should be NAME=NUMBER, such as calls=100") from None
    return Budget(**parts, prices=read_prices(prices) if prices else {})


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


def known_secrets() -> list[str]:
    """Values in the environment that look like keys, so that no text of ours ever shows one."""
    return [
        value
        for name, value in os.environ.items()
        if name.upper().endswith(("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")) and len(value) >= 8
    ]
