"""Everything that the package prints about fixed runs: pages, tables, JSON and help, kept as texts under tests/golden.

    python -m tests.goldens                    # compare with what was recorded
    python -m tests.goldens --write [NAME …]   # record again, where a change is intended; `git diff` shows it

Moving code must change none of it. Dates, durations and the machine's own facts are left out.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import chdir
from html.parser import HTMLParser
from pathlib import Path
from unittest.mock import patch

import click
from click.testing import CliRunner

import otherminds as om
from otherminds.cli import cli
from otherminds.formats.plans import plan
from otherminds.heuristics.readers import baselines
from otherminds.models import fingerprint
from otherminds.store.packing import call_key
from tests.personas import by_frequency, letters_only, text_only

FOLDER = Path(__file__).parent / "golden" / "printed"
BASELINES = ("oracle", "realist", "first_order")
KEYS = 1_000

_VOLATILE = [
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z| UTC)?"), "DATE"),
    (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "DATE"),
    (re.compile(r"/tmp/\w+"), "FOLDER"),
    (re.compile(r'"(seconds|waited|elapsed)": [\d.e-]+'), r'"\1": SECONDS'),
    (re.compile(r"\b\d+(\.\d+)? (s|min|ms)\b"), "TIME"),
    (re.compile(r"[\d,.]+ a second"), "RATE"),
    (re.compile(r"Python \d[\d.]+, [^\s,;]+[\w)]"), "PYTHON"),
    (re.compile(r'"weights": "[^"]*"'), '"weights": "…"'),
    (re.compile(r'"(python|platform|otherminds|started|ended|created|finished)": "[^"]*"'), r'"\1": "…"'),
    (re.compile(r"^(python|platform|otherminds|started|ended|asked)\b.*$", re.MULTILINE), r"\1 …"),
]


class _VisibleText(HTMLParser):
    """The text of a page, one cell or line of text a line, with where its links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("script", "style")
        link = dict(attrs).get("href") if tag == "a" else None
        if link:
            self.lines.append(f"-> {link}")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._hidden and (line := " ".join(data.split())):
            self.lines.append(line)


def page_text(path: Path) -> str:
    """Return the visible text of a page."""
    reader = _VisibleText()
    reader.feed(path.read_text(encoding="utf-8"))
    return "\n".join(reader.lines)


def folder_text(folder: Path) -> str:
    """Return pages, JSON and tables of a folder as one text; figures by their digests."""
    parts = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".html":
            parts.append(f"=== {name}\n{page_text(path)}")
        elif path.suffix in (".csv", ".json", ".tex"):
            parts.append(f"=== {name}\n{path.read_text(encoding='utf-8').strip()}")
        elif path.suffix == ".svg":
            parts.append(f"=== {name} {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}")
    return "\n".join(parts)


def invoke(*words: str) -> str:
    """Return what a command prints, and its exit code."""
    done = CliRunner().invoke(cli, list(words))
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return f"$ otherminds {' '.join(words)}\n{done.output.rstrip()}\n[exit code {done.exit_code}]\n"


def _profile_of_baselines() -> str:
    models = [word for name in BASELINES for word in ("-m", f"baseline:{name}")]
    invoke("profile", *models, "--size", "quick", "-o", "profile")
    return folder_text(Path("profile"))


def _profile_of_two_models() -> str:
    om.profile(letters_only(), by_frequency(), output="profile", quiet=True)
    return folder_text(Path("profile"))


def _profile_of_three_models() -> str:
    om.profile(letters_only(), by_frequency(), text_only(), output="profile", quiet=True)
    return folder_text(Path("profile"))


def _series() -> str:
    models = "\n".join(
        f"  - {{name: {name}, spec: 'baseline:{name}', series: rules, rank: {size}, parameters: {10**size}}}"
        for size, name in enumerate(("random", *BASELINES), start=1)
    )
    Path("lineup.yaml").write_text(f"models:\n{models}\n", encoding="utf-8")
    parts = []
    for suites in ([], ["starter", "perturbed"]):
        out = "series-" + "-".join(suites or ["safety"])
        parts.append(invoke("series", "lineup.yaml", *suites, "--limit", "20", "--json", "-o", out))
        parts.append(folder_text(Path(out)))
    return "\n".join(parts)


def _commands() -> str:
    """One run after another in one store, and every command that prints JSON about them."""
    parts = []
    for name in BASELINES:
        parts.append(invoke("run", "starter", "-m", f"baseline:{name}", "--json"))
    parts.append(invoke("run", "perturbed", "-m", "baseline:realist", "--limit", "24"))
    ids = [run["id"] for run in json.loads(_output("runs", "--json"))]
    perturbed, first, realist, oracle = ids
    for words in (
        ["runs"],
        ["runs", "--json"],
        ["show", oracle],
        ["show", oracle, "--json"],
        ["show", perturbed],
        ["report", oracle, realist, "-o", "report.html", "--json"],
        ["compare", oracle, realist, first, "--json", "-o", "compare.html"],
        ["compare", oracle, realist],
        ["check", oracle, "--min", "all>=0.6", "--json"],
        ["check", realist, "--min", "false_belief>=0.6"],
        ["diagnose", realist, "--json"],
        ["diagnose", oracle, perturbed],
        ["lint", "starter", "--json"],
        ["audit", "starter", "--json"],
        ["audit", "safety"],
        ["store", "verify", "--json"],
        ["models", "--json"],
        ["export", oracle, "-o", "oracle.csv", "--to", "csv", "--json"],
        ["build", "perturbed", "-o", "perturbed.jsonl", "--json"],
        ["merge", "otherminds.db", "--store", "merged.db", "--json"],
    ):
        parts.append(invoke(*words))
    parts.append(folder_text(Path()))
    return "\n".join(parts)


def _output(*words: str) -> str:
    return CliRunner().invoke(cli, list(words)).stdout


def _help() -> str:
    return "\n".join(invoke(*path, "--help") for path in _command_paths(cli, ()))


def _command_paths(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _command_paths(child, (*path, name))


def _cache_keys() -> str:
    """The keys of calls by suite and baseline: what a store finds again."""
    lines: list[str] = []
    for name in ("starter", "perturbed", "safety", "dialogue"):
        suite = om.get_suite(name)
        model = next(iter(baselines(suite)))
        planned = plan(suite)
        keys = [call_key(fingerprint(model), planned.scoring.verb, prompt) for prompt in planned.prompts]
        lines += [f"{name} {key}" for key in keys[: KEYS // 4]]
    return "\n".join(lines)


GOLDENS: dict[str, Callable[[], str]] = {
    "profile-of-baselines": _profile_of_baselines,
    "profile-of-two-models": _profile_of_two_models,
    "profile-of-three-models": _profile_of_three_models,
    "series": _series,
    "commands": _commands,
    "help": _help,
    "cache-keys": _cache_keys,
}


def record(name: str) -> str:
    """Return what is printed for one of GOLDENS, without what changes from run to run."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder), patch.dict(os.environ, {"COLUMNS": "120"}):
        text = GOLDENS[name]()
    for pattern, instead in _VOLATILE:
        text = pattern.sub(instead, text)
    return text + "\n"


def recorded(name: str) -> str:
    """Return what was recorded before."""
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def difference(name: str) -> str:
    """Return the first lines that differ from what was recorded; empty if none does."""
    was, now = recorded(name).splitlines(), record(name).splitlines()
    return "\n".join([*difflib.unified_diff(was, now, "recorded", "now", lineterm="", n=1)][:60])


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("names", nargs="*", help="only these")
    words.add_argument("--write", action="store_true", help="record what is printed now")
    given = words.parse_args()
    names = given.names or list(GOLDENS)
    if given.write:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name in names:
            (FOLDER / f"{name}.txt").write_text(record(name), encoding="utf-8")
        return
    if changes := [f"{name}\n{change}" for name in names if (change := difference(name))]:
        sys.exit("\n".join(changes))


if __name__ == "__main__":
    main()
