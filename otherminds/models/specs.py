"""What a person writes to name a model: `vllm:qwen,base_url=http://…/v1,temperature=0`, or a YAML file of several.

models:
  - openai:gpt-4o-mini
  - {spec: "vllm:qwen", name: qwen, settings: {base_url: ["http://a:8000/v1", "http://b:8000/v1"], temperature: 0}}

The settings that all backends have are checked and written alike: they are part of a model's identity, and there 0 and
0.0 would be two models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from math import inf, isfinite, nan
from pathlib import Path
from typing import Any, NamedTuple

from otherminds.errors import BadFile, UsageError
from otherminds.files import parse_json, read_words, read_yaml

_SEAM = re.compile(r",(?=\s*[A-Za-z_][\w-]*=)")
"""Names of models and paths may have commas, but not with a setting behind."""
_FIELDS = ("spec", "name", "settings")
PROVIDERS: dict[str, dict[str, Any]] = read_words("models")["providers"]
"""Who serves models: under which address, and in which environment variable the key for it lies."""
SERVED = ("api", *PROVIDERS)
"""What a name begins with whose model is behind a server."""


class Spec(NamedTuple):
    """The name of a model and its own settings."""

    name: str
    settings: dict[str, Any]

    @property
    def kind(self) -> str:
        """What stands before the colon."""
        return self.name.partition(":")[0]


def read_spec(text: str) -> Spec:
    """A model's name with its settings; an address that is given several times stands for several servers."""
    name, *pairs = _SEAM.split(text)
    settings: dict[str, Any] = {}
    for pair in pairs:
        key, value = read_setting(pair, where=f"-m {name}")
        if key == "base_url" and key in settings:
            value = f"{settings[key]} {value}"
        elif key in settings:
            raise UsageError(f"-m {name} has {key} twice; give it once")
        settings[key] = value
    return Spec(name.strip(), settings)


def read_setting(pair: str, *, where: str = "-M") -> tuple[str, Any]:
    """One KEY=VALUE: a JSON value where it is one, else the text."""
    name, equals, text = pair.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or not name:
        raise UsageError(f"{where} {pair!r} should be KEY=VALUE, such as -M temperature=0.7")
    if name == "api_key":
        # The command line is kept by the shell and shown to every user of the machine.
        raise UsageError(
            "a key does not belong on the command line; put it into OPENAI_API_KEY, or into another environment"
            " variable and name that with -M key_env=NAME"
        )
    try:
        return name, parse_json(text)
    except ValueError:
        return name, text


def several_models(given: Iterable[str | Spec]) -> list[Spec]:
    """What is named: models, or YAML files of them."""
    found: list[Spec] = []
    for each in given:
        if isinstance(each, Spec):
            found.append(each)
        else:
            found += read_models(each) if each.endswith((".yaml", ".yml")) else [read_spec(each)]
    return found


def one_model(given: str | Spec) -> Spec:
    """The same where there is room for one."""
    found = several_models([given])
    if len(found) > 1:
        raise UsageError(
            f"{given} has {len(found)} models, and here is room for one; `otherminds profile` takes several"
        )
    return found[0]


def read_models(path: str | Path) -> list[Spec]:
    """The models of a YAML file; what is wrong with one is said with its number."""
    data = read_yaml(path)
    entries = data.get("models") if isinstance(data, dict) else None
    if not isinstance(entries, list) or not entries:
        raise BadFile(f"{path} should have a list `models` with at least one model")
    return [_entry(entry, f"{path}, model {number}") for number, entry in enumerate(entries, start=1)]


def _entry(entry: object, where: str) -> Spec:
    if isinstance(entry, str):
        return read_spec(entry)
    if not isinstance(entry, dict) or not isinstance(entry.get("spec"), str):
        raise BadFile(f"{where} should be a name, or have a field `spec` with one")
    if odd := sorted(map(str, set(entry) - {*_FIELDS})):
        raise BadFile(f"{where}: unknown field {odd[0]!r}; there are {', '.join(_FIELDS)}")
    given = entry.get("settings") or {}
    if not isinstance(given, dict) or not all(isinstance(key, str) for key in given):
        raise BadFile(f"{where}: settings should map names to values")
    if "api_key" in given:
        raise BadFile(f"{where}: a key does not belong in a file; put it into the environment, and its name in key_env")
    named = {"name": entry["name"]} if "name" in entry else {}
    name, own = read_spec(entry["spec"])
    return Spec(name, own | given | named)


def settings(*, optional: tuple[str, ...] = ("top_p", "max_tokens"), **given: object) -> dict[str, float | int]:
    """Of temperature, seed, top_p and max_tokens those that were given; None is one that was not, if it is optional."""
    return {
        name: _SETTINGS[name](name, value) for name, value in given.items() if value is not None or name not in optional
    }


def number(name: str, value: object, *, least: float = -inf, most: float = inf) -> float:
    """A setting as a number."""
    try:
        found = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else nan
    except OverflowError:
        found = inf
    if not isfinite(found):
        raise UsageError(f"{name} should be a number, not {str(value)[:40]!r}")
    if found < least:
        raise UsageError(f"{name} should be at least {least:g}, not {value}")
    if found > most:
        raise UsageError(f"{name} should be at most {most:g}, not {value}")
    return found


def whole(name: str, value: object, *, least: float = -inf) -> int:
    """A setting as a whole number."""
    if not number(name, value, least=least).is_integer():
        raise UsageError(f"{name} should be a whole number, not {value}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def _share(name: str, value: object) -> float:
    share = number(name, value, least=0, most=1)
    if not share:
        raise UsageError(f"{name} should be above 0, or there is nothing to draw from")
    return share


_SETTINGS: dict[str, Callable[[str, object], float | int]] = {
    "temperature": lambda name, value: number(name, value, least=0),
    "seed": whole,
    "top_p": _share,
    "max_tokens": lambda name, value: whole(name, value, least=1),
}
NAMES = tuple(_SETTINGS)
