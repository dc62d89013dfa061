"""`otherminds models` and `doctor`: what models there are, and what this machine offers."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click

from otherminds.errors import ModelError
from otherminds.files import read_words
from otherminds.terminal.derived import command, model_settings
from otherminds.terminal.names import fetch, real_model
from otherminds.terminal.options import common
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


@command(before={"": model_settings()}, configured=["named"], named={"metavar": "MODEL"})
def probe(as_json: bool, named: str | Spec) -> int:
    """Try MODEL out: what it can do, how fast, and who it is."""
    from otherminds.calling.probing import IN_CHAT, SCHEMA, thinks, trials, try_out
    from otherminds.formats.question_formats import LETTERS_IN_CHAT, possible
    from otherminds.models import fingerprint

    model = real_model(named)
    tried = {name: asdict(try_out(model, prompt)) for name, prompt in trials().items()}
    shown = {LETTERS_IN_CHAT: IN_CHAT, "schema": SCHEMA}
    lacks = frozenset(name for name, trial in shown.items() if tried[trial]["ok"] is False)
    forms = [str(form) for form in possible(model.cannot | lacks)]
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
    from otherminds.models.local.weights import WEIGHTS, present
    from otherminds.models.specs import PROVIDERS

    rows = [
        {"name": name, "about": source.about, "weights": "here" if present(name) else f"{source.download / 1e6:.0f} MB"}
        for name, source in WEIGHTS.items()
    ]
    taught = {f"smollm2+{name}": TAUGHT.get(name, "an adapter") for name in shipped()}
    served = {f"{name}:NAME": f"{each['about']}; its key in {each['key_env']}" for name, each in PROVIDERS.items()}
    rows += [{"name": name, "about": about, "weights": ""} for name, about in {**taught, **OTHERS, **served}.items()]
    if as_json:
        print_json(rows)
    else:
        print_table(["model", "what it is", "weights"], [list(row.values()) for row in rows])


EXTRAS = {
    "hf": ("torch", "transformers"),
    "train": ("torch", "tokenizers", "gguf"),
    "inspect": ("inspect_ai",),
    "parquet": ("pyarrow",),
    "harness": ("lm_eval",),
}
STEADY = 2e-3
"""How far S may move between two ways of asking the same thing; the same bound as in the contract of models."""


@command()
def doctor(as_json: bool, *, determinism: bool = False) -> int:
    """Look at this machine: memory, disk, weights, engine, extras.

    determinism: Weigh the same prompts with the default model in several ways.
    """
    found = _machine() | _weights() | _packages()
    if determinism:
        found["determinism"] = _determinism()
    if as_json:
        print_json(found)
    else:
        print_table(["this machine", ""], [[name.replace("_", " "), _words(value)] for name, value in found.items()])
    return 1 if determinism and not found["determinism"]["steady"] else 0


def _machine() -> dict[str, Any]:
    import otherminds

    pages = os.sysconf("SC_PHYS_PAGES") if "SC_PHYS_PAGES" in os.sysconf_names else 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "otherminds": otherminds.__version__,
        "python": f"{platform.python_version()} at {sys.executable}",
        "system": platform.platform(),
        "cores": cores,
        "memory": f"{pages * os.sysconf('SC_PAGE_SIZE') / 1e9:.1f} GB" if pages else "unknown",
        "key": f"OPENAI_API_KEY is {'set' if os.environ.get('OPENAI_API_KEY') else 'not set'}",
    }


def _weights() -> dict[str, Any]:
    from otherminds.models.local.weights import WEIGHTS, cache, present

    home = cache()
    standing = next(folder for folder in (home, *home.parents) if folder.exists())
    return {
        "cache": str(home),
        "disk_free_there": f"{shutil.disk_usage(standing).free / 1e9:.1f} GB",
        "weights": {name: "here" if present(name) else f"otherminds models get {name}" for name in WEIGHTS},
    }


def _packages() -> dict[str, Any]:
    from otherminds.models.local.weights import engine_version

    missing = "no cyllama: smollm2 is scored by numpy, and no text is written"
    return {
        "engine": f"cyllama {engine_version()}" if find_spec("cyllama") else missing,
        "extras": {
            name: "found" if all(map(find_spec, modules)) else f"pip install 'otherminds[{name}]'"
            for name, modules in EXTRAS.items()
        },
    }


def _determinism() -> dict[str, Any]:
    """How far S moves when the same prompts come twice, one by one, and in another order."""
    from otherminds.formats.scores import scoring
    from otherminds.models import get_model
    from otherminds.studies.suites import get_suite

    model, posed = get_model("smollm2"), scoring("letters").pose
    prompts = [asked.prompt for item in get_suite("starter").items[:6] for asked in posed(item, prompt="raw", seed=0)]
    together = model.weigh(prompts)
    others = {
        "again": model.weigh(prompts),
        "one_by_one": [model.weigh([prompt])[0] for prompt in prompts],
        "backwards": model.weigh(prompts[::-1])[::-1],
    }
    trouble = next((result.error for results in (together, *others.values()) for result in results if result.error), "")
    if trouble:
        raise ModelError(f"the default model could not weigh a prompt: {trouble}")
    moved = {
        name: max(abs(_first_share(one) - _first_share(two)) for one, two in zip(together, results, strict=True))
        for name, results in others.items()
    }
    return {"prompts": len(prompts), "largest_change_of_S": moved, "steady": max(moved.values()) <= STEADY}


def _first_share(weighing: Any) -> float:
    from math import exp

    first, second = weighing.logprobs.values()
    return 1 / (1 + exp(second - first))


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "\n".join(f"{name.replace('_', ' ')}: {_words(part)}" for name, part in value.items())
    return f"{value:.1e}" if isinstance(value, float) else str(value)
