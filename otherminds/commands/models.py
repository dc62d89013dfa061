"""`otherminds models`: what there is, getting weights, and trying a model out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from otherminds.commands.options import common, fetch, model_settings, open_model
from otherminds.commands.screen import note, print_json, print_table, say
from otherminds.errors import ModelError

if TYPE_CHECKING:
    from otherminds.models import Model, Prompt

OTHERS = {
    "gguf:PATH": "any GGUF file, in process",
    "hf:NAME": "a Hugging Face name or folder, on CPU or GPU (extra `hf`)",
    "api:NAME": "an OpenAI-compatible server, with --base-url",
    "baseline:NAME": "known answers to compare with: oracle, realist and others",
}


@click.group(invoke_without_command=True)
@common
@click.pass_context
def models(context: click.Context, as_json: bool) -> None:
    """List the models; get weights; try a model out."""
    if context.invoked_subcommand is not None:
        return
    from otherminds.models.weights import WEIGHTS, present

    rows = [
        {"name": name, "about": source.about, "weights": "here" if present(name) else f"{source.download / 1e6:.0f} MB"}
        for name, source in WEIGHTS.items()
    ]
    rows += [{"name": name, "about": about, "weights": ""} for name, about in OTHERS.items()]
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
    from otherminds.models import weights

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
        rows = [
            [name, "yes" if part["ok"] else "no", f"{part['ms']:.0f}", part["said"]] for name, part in tried.items()
        ]
        print_table(["", "works", "ms", "what came back"], rows, right=["ms"])
        print_table(["identity", ""], [[name, _short(value)] for name, value in model.identity.items()])
    if not any(part["ok"] for part in tried.values()):
        context.exit(1)


def _trials() -> dict[str, Prompt]:
    """One small prompt for everything a model may be able to do."""
    from otherminds.models import Message, Prompt

    question = (Message("user", "What is the capital of France? Answer with one word."),)
    raw = "The capital of France is"
    return {
        "raw text": Prompt(text=raw, max_tokens=8),
        "chat": Prompt(messages=question, max_tokens=8),
        "chat, turn begun": Prompt(messages=question, prefill="The capital of France is", max_tokens=8),
        "JSON schema": Prompt(
            messages=question,
            schema='{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}',
            max_tokens=32,
        ),
        "weigh letters": Prompt(text=f"{raw}\nA. Paris\nB. Rome\nAnswer:", choices=("A", "B"), labels=True),
        "weigh words": Prompt(text=raw, choices=(" Paris", " Rome")),
    }


def _try(model: Model, prompt: Prompt) -> dict[str, Any]:
    start = time.perf_counter()
    try:
        if prompt.choices:
            weighing = model.weigh([prompt])[0]
            error = weighing.error
            said = ", ".join(f"{choice.strip()} {value:.2f}" for choice, value in weighing.logprobs.items())
        else:
            response = model.ask([prompt])[0]
            error, said = response.error, repr(response.text)
    except ModelError as refusal:
        error, said = str(refusal), ""
    return {"ok": not error, "ms": (time.perf_counter() - start) * 1e3, "said": error or said}


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 90 else text[:87] + "…"
