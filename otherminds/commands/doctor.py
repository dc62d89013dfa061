"""`otherminds doctor`: what this machine offers, and whether the default model is steady on it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from importlib.util import find_spec
from typing import Any

from otherminds.errors import ModelError
from otherminds.terminal.derived import command
from otherminds.terminal.screen import print_json, print_table

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
    from otherminds.formats.scores import way
    from otherminds.models import get_model
    from otherminds.studies.suites import get_suite

    model, posed = get_model("smollm2"), way("letters").pose
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
