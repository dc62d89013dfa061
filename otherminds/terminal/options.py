"""Options that several commands share, and what their words mean.

Nothing heavy is imported at the top of any file in this folder: `otherminds --help` reads them all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.errors import UsageError

if TYPE_CHECKING:
    from otherminds.calling.costs import Budget
    from otherminds.models.specs import Spec

STORE = Path("otherminds.db")
PARTIAL = 3
"""The exit code of work in which something is missing, with everything so far kept."""
DOUBTFUL = 4
"""The exit code of work that is all there, but may be of more than one model."""
SETTINGS = ("base_url", "patience", "extra", "on", "replicas", "gpus")
"""The options that set a model up."""


def _remember_debug(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        context.meta["otherminds.debug"] = True


debug_option = click.option(
    "--debug", is_flag=True, expose_value=False, callback=_remember_debug, help="Show the traceback of an error."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else on stdout.")
store_option = click.option(
    "--store",
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


def dry_run_option(help: str) -> Callable[..., Any]:
    """--dry-run, with what it says of this command."""
    return click.option("--dry-run", is_flag=True, help=help)


def common(function: Callable[..., Any]) -> Callable[..., Any]:
    """What every command has: --json and --debug."""
    return json_option(debug_option(function))


# ── models ──


def model_option(names: str = "", help: str | None = None, *, several: bool = False) -> Callable[..., Any]:
    """-m and what it takes; `names` are more of its names, and what stands for the value."""
    words = names.split()
    return click.option(
        *("-m", "--model", *(word for word in words if word.startswith("-")), "models" if several else "model"),
        multiple=not names,
        default="smollm2" if names else ("smollm2",),
        show_default=bool(several or names) or "smollm2",
        metavar=next((word for word in words if not word.startswith("-")), None),
        callback=None if several or names else _one,
        help=help or "See `otherminds models`. Its settings may follow: NAME,KEY=VALUE,…",
    )


extra_option = click.option(
    "-M", "extra", multiple=True, metavar="KEY=VALUE", help="A setting, such as temperature=0.7."
)


def _one(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> str:
    if len(given) > 1:
        # Taking the last without a word would leave somebody with another model's numbers.
        raise UsageError(f"this command takes one model, not {len(given)}; `otherminds profile` takes several")
    return given[0]


def named_models(given: dict[str, Any], names: Sequence[str]) -> None:
    """Replace the names of models by all that the options tell of them; a model's own settings count first."""
    from otherminds.models.specs import SERVED, Spec, one_model, read_setting, several_models

    options = {name: given.pop(name) for name in SETTINGS if name in given}
    specs: dict[str, list[Spec]] = {}
    for name in names:
        texts = given.get(name)
        if texts is not None:
            specs[name] = [one_model(texts)] if isinstance(texts, str) else several_models(texts)
    every = [spec for some in specs.values() for spec in some]
    served = [spec for spec in every if spec.kind in SERVED]
    extra = dict(map(read_setting, options.get("extra", ())))
    placed = {name: options[name] for name in ("on", "replicas", "gpus") if options.get(name) is not None}

    def set_up(spec: Spec) -> Spec:
        settings = placed | extra
        if spec.kind in SERVED and options.get("patience") is not None:
            settings = {"patience": seconds(options["patience"])} | settings
        # The address belongs to whoever is on a server; if nobody is, the first one says that it has no use for it.
        if options.get("base_url") is not None and (spec in served or not served):
            settings["base_url"] = options["base_url"]
        if spec.kind == "baseline" and len(every) > 1:
            settings = {}
        return Spec(spec.name, settings | spec.settings)

    for name, some in specs.items():
        found = list(map(set_up, some))
        given[name] = found[0] if isinstance(given[name], str) else found


# ── what words mean ──


def seconds(text: str) -> float:
    """90, 90s, 15m or 2h as seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text.strip().lower(), re.ASCII)
    if not found:
        raise UsageError(f"--patience {text!r} should be a time such as 90s, 15m or 2h")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]


def read_budget(given: Budget | str | None, prices: str | Path | None = None) -> Budget | None:
    """calls=100,tokens=20000,seconds=60 as a Budget; one that is made already is as it is."""
    from otherminds.calling.costs import Budget, read_prices

    if given is None or isinstance(given, Budget):
        return given
    parts: dict[str, float] = {}
    for part in given.split(","):
        name, _, amount = (word.strip() for word in part.partition("="))
        if name not in ("calls", "tokens", "seconds", "money"):
            raise UsageError(f"--budget knows calls, tokens, seconds and money, not {name!r}")
        try:
            parts[name] = float(amount)
        except ValueError:
            raise UsageError(f"--budget {part!r} should be NAME=NUMBER, such as calls=100") from None
    return Budget(**parts, prices=read_prices(prices) if prices else {})


def read_numbers(name: str, given: str | Sequence[int]) -> tuple[int, ...]:
    """2,3,4 as numbers from 1 on."""
    try:
        numbers = tuple(map(int, given.split(",") if isinstance(given, str) else given))
    except ValueError:
        raise UsageError(f"--{name} {given!r} should be numbers with commas, such as 2,3,4") from None
    if min(numbers) < 1:
        raise UsageError(f"--{name} {given!r} should be numbers from 1 on")
    return numbers


def known_secrets() -> list[str]:
    """Values in the environment that look like keys, so that no text of ours ever shows one."""
    return [
        value
        for name, value in os.environ.items()
        if name.upper().endswith(("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")) and len(value) >= 8
    ]
