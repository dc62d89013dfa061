"""`otherminds models`: what there is, getting weights, and trying a model out."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from otherminds.files import read_words
from otherminds.terminal.derived import command
from otherminds.terminal.names import fetch, real_model
from otherminds.terminal.options import common, model_settings
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.models.specs import Spec

TAUGHT: dict[str, str] = read_words("models")["taught"]
"""The adapters that come with the package, which are all for smollm2."""
OTHERS: dict[str, str] = read_words("models")["others"]


WORKS = {True: "yes", False: "no", None: "cannot be told"}


@command()
def get(as_json: bool, name: str, *, accept_licence: bool = False) -> None:
    """Fetch the weights of NAME, check their digest and keep them.

    accept_licence: Accept the terms that the model comes with.
    """
    from otherminds.models.local import weights

    path = fetch(name, accept_licence=accept_licence)
    if as_json:
        print_json({"name": name, "path": str(path), "sha256": weights.WEIGHTS[name].sha256})
    else:
        note(f"{name} is here, with the right digest")
        say(str(path))


@command(before={"": [model_settings]}, configured=["named"], named={"metavar": "MODEL"})
def probe(as_json: bool, named: str | Spec) -> int:
    """Try MODEL out: what it can do, how fast, and who it is."""
    from otherminds.calling.probing import IN_CHAT, SCHEMA, thinks, trials, try_out
    from otherminds.formats.forms import FORMS, LETTERS_IN_CHAT, possible
    from otherminds.models import fingerprint

    model = real_model(named)
    tried = {name: asdict(try_out(model, prompt)) for name, prompt in trials().items()}
    shown = {LETTERS_IN_CHAT: IN_CHAT, "schema": SCHEMA}
    lacks = frozenset(name for name, trial in shown.items() if tried[trial]["ok"] is False)
    forms = [str(form) for form in possible(model.cannot | lacks, FORMS)]
    found: dict[str, Any] = {"model": model.name, "fingerprint": fingerprint(model), "identity": dict(model.identity)}
    found |= {"tried": tried, "thinks": thinks(model), "forms": forms}
    if as_json:
        print_json(found)
    else:
        say(f"{model.name}, fingerprint {found['fingerprint']}")
        rows = [[name, WORKS[part["ok"]], f"{part['ms']:.0f}", part["said"]] for name, part in tried.items()]
        print_table(["", "works", "ms", "what came back"], rows, right=["ms"])
        say(f"it can be asked {'; '.join(forms)}" if forms else "there is no form in which it can be asked")
        if found["thinks"]:
            say("it thinks before it answers, for which -M thinking=N makes room")
        print_table(["identity", ""], [[name, _short(value)] for name, value in model.identity.items()])
    return 0 if any(part["ok"] for part in tried.values()) else 1


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 90 else text[:87] + "…"


@click.group(commands=[get, probe], invoke_without_command=True)
@common
@click.pass_context
def models(context: click.Context, as_json: bool) -> None:
    """List the models; get weights; try a model out."""
    if context.invoked_subcommand is not None:
        return
    from otherminds.models.adapters import shipped
    from otherminds.models.api.providers import PROVIDERS
    from otherminds.models.local.weights import WEIGHTS, present

    rows = [
        {"name": name, "about": source.about, "weights": "here" if present(name) else f"{source.download / 1e6:.0f} MB"}
        for name, source in WEIGHTS.items()
    ]
    taught = {f"smollm2+{name}": TAUGHT.get(name, "an adapter") for name in shipped()}
    served = {f"{name}:NAME": f"{each.about}; its key in {each.key_env}" for name, each in PROVIDERS.items()}
    rows += [{"name": name, "about": about, "weights": ""} for name, about in {**taught, **OTHERS, **served}.items()]
    if as_json:
        print_json(rows)
    else:
        print_table(["model", "what it is", "weights"], [list(row.values()) for row in rows])
