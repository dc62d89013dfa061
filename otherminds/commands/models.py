"""`otherminds models`: what there is, getting weights, and trying a model out."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import click

from otherminds.errors import ModelError
from otherminds.terminal.options import common, fetch, model_settings, open_model
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.models import Model, Prompt

TAUGHT = {
    "beliefs": "taught on stories of beliefs (docs/train.md)",
    "beliefs-1": "the same lessons after 8 steps: a series from cannot to can",
    "beliefs-2": "after 16 steps",
    "beliefs-3": "after 80 steps",
    "beliefs-4": "after 280 steps",
}
"""The adapters that come with the package, which are all for smollm2."""
OTHERS = {
    "gguf:PATH": "any GGUF file, in process",
    "hf:NAME": "a Hugging Face name or folder, on CPU or GPU (extra `hf`)",
    "MODEL+FILE": "any of these two or of the named ones, with an adapter of yours",
    "api:NAME": "an OpenAI-compatible server, with --base-url",
    "baseline:NAME": "known answers to compare with: oracle, realist and others",
}


WORKS = {True: "yes", False: "no", None: "cannot be told"}
ODD = "Quarvelstrom"
ODD_SCHEMA = {
    "type": "object",
    "properties": {"town": {"type": "string", "enum": [ODD]}},
    "required": ["town"],
    "additionalProperties": False,
}
"""Nobody who is asked for the capital of France says so of their own accord."""


@click.group(invoke_without_command=True)
@common
@click.pass_context
def models(context: click.Context, as_json: bool) -> None:
    """List the models; get weights; try a model out."""
    if context.invoked_subcommand is not None:
        return
    from otherminds.models.adapters import shipped
    from otherminds.models.local.weights import WEIGHTS, present

    rows = [
        {"name": name, "about": source.about, "weights": "here" if present(name) else f"{source.download / 1e6:.0f} MB"}
        for name, source in WEIGHTS.items()
    ]
    taught = {f"smollm2+{name}": TAUGHT.get(name, "an adapter") for name in shipped()}
    rows += [{"name": name, "about": about, "weights": ""} for name, about in (taught | OTHERS).items()]
    if as_json:
        print_json(rows)
    else:
        print_table(["model", "what it is", "weights"], [list(row.values()) for row in rows])


@models.command()
@click.argument("name")
@click.option("--accept-licence", is_flag=True, help="Accept the terms that the model comes with.")
@common
def get(name: str, accept_licence: bool, as_json: bool) -> None:
    """Fetch the weights of NAME, check their digest and keep them."""
    from otherminds.models.local import weights

    path = fetch(name, accept_licence=accept_licence)
    if as_json:
        print_json({"name": name, "path": str(path), "sha256": weights.WEIGHTS[name].sha256})
    else:
        note(f"{name} is here, with the right digest")
        say(str(path))


@models.command()
@click.argument("spec", metavar="MODEL")
@model_settings
@common
@click.pass_context
def probe(context: click.Context, spec: str, base_url: str | None, extra: tuple[str, ...], as_json: bool) -> None:
    """Try MODEL out: what it can do, how fast, and who it is."""
    from otherminds.models import fingerprint

    model = open_model(spec, base_url, extra)
    tried = {name: _try(model, prompt) for name, prompt in _trials().items()}
    found = {"model": model.name, "fingerprint": fingerprint(model), "identity": dict(model.identity), "tried": tried}
    if as_json:
        print_json(found)
    else:
        say(f"{model.name}, fingerprint {found['fingerprint']}")
        rows = [[name, WORKS[part["ok"]], f"{part['ms']:.0f}", part["said"]] for name, part in tried.items()]
        print_table(["", "works", "ms", "what came back"], rows, right=["ms"])
        print_table(["identity", ""], [[name, _short(value)] for name, value in model.identity.items()])
    if not any(part["ok"] for part in tried.values()):
        context.exit(1)


def _trials() -> dict[str, Prompt]:
    """One small prompt for everything a model may be able to do, in either way of asking."""
    from otherminds.models import Message, Prompt

    asked, begun = "What is the capital of France?", "The capital of France is"
    question = (Message("user", f"{asked} Answer with one word."),)
    lettered = f"{asked}\nA. Paris\nB. Rome\n"
    letters = (Message("user", f"{lettered}Answer with one letter."),)
    return {
        "raw text": Prompt(text=begun, max_tokens=8),
        "chat": Prompt(messages=question, max_tokens=8),
        "chat, turn begun": Prompt(messages=question, prefill=begun, max_tokens=8),
        "JSON schema": Prompt(messages=question, schema=json.dumps(ODD_SCHEMA), max_tokens=64),
        "weigh letters, raw": Prompt(text=f"{lettered}Answer:", choices=("A", "B"), labels=True),
        "weigh letters, in chat": Prompt(messages=letters, choices=("A", "B"), labels=True),
        "weigh words, raw": Prompt(text=begun, choices=(" Paris", " Rome")),
        "weigh words, turn begun": Prompt(messages=question, prefill=begun, choices=(" Paris", " Rome")),
    }


def _try(model: Model, prompt: Prompt) -> dict[str, Any]:
    """Whether it works, how long it took, and what came back or why nothing did."""
    start = time.perf_counter()
    try:
        ok, said = _weighed(model, prompt) if prompt.choices else _asked(model, prompt)
    except ModelError as refusal:
        ok, said = False, str(refusal)
    return {"ok": ok, "ms": (time.perf_counter() - start) * 1e3, "said": said}


def _weighed(model: Model, prompt: Prompt) -> tuple[bool, str]:
    (found,) = model.weigh([prompt])
    if found.error:
        return False, found.error
    said = [f"{choice.strip()} {value:.2f}" for choice, value in found.logprobs.items()]
    rest = {choice: high for choice, (_, high) in found.bounds.items() if choice not in found.logprobs}
    said += [f"{choice.strip()} not reported, at most {high:.2f}" for choice, high in rest.items()]
    return bool(found.logprobs), ", ".join(said)


def _asked(model: Model, prompt: Prompt) -> tuple[bool | None, str]:
    """A text that came back is not enough where it should have a form, or go on from a beginning."""
    (found,) = model.ask([prompt])
    said = repr(found.text)
    if found.error:
        return False, found.error
    if prompt.prefill and found.text.lstrip().startswith(prompt.prefill):
        return False, f"began anew: {said}"
    if prompt.schema and not _follows(found.text):
        cut = found.finish == "length"
        return (None, f"cut off too early: {said}") if cut else (False, f"not held to the schema: {said}")
    return True, said


def _follows(text: str) -> bool:
    """Whether a text is the one object that the odd schema allows."""
    try:
        return bool(json.loads(text) == {"town": ODD})
    except ValueError:
        return False


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 90 else text[:87] + "…"
