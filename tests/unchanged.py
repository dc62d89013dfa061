"""What moving code about must not change: every suite, what every reader answers to it, and the numbers of a profile.

python -m tests.unchanged            # compare with what was recorded
python -m tests.unchanged --write    # record anew, where a change is meant
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import otherminds as om
from otherminds.cli import cli
from otherminds.heuristics.readers import baselines

RECORDED = Path(__file__).parent / "golden" / "unchanged.json"
SUITES = ("starter", "perturbed", "safety", "dialogue")
PROFILED = ("oracle", "realist", "first_order")


def suites() -> dict[str, Any]:
    """By suite, its digest as a file, and by reader the digest of all that it answers."""
    return {name: suite_and_answers(name) for name in SUITES}


def profile() -> dict[str, Any]:
    """Every number of a quick profile of three readers, by what it is about."""
    with tempfile.TemporaryDirectory() as folder:
        given = [part for name in PROFILED for part in ("-m", f"baseline:{name}")]
        out = Path(folder) / "profile"
        done = CliRunner().invoke(cli, ["profile", *given, "--size", "quick", "-o", str(out)])
        if done.exit_code:
            raise AssertionError(f"the profile ended with {done.exit_code}: {done.output[-500:]}")
        said = json.loads((out / "profile.json").read_text(encoding="utf-8"))
    return {study["study"]: [_numbers(each) for each in study["findings"]] for study in said["studies"]}


def suite_and_answers(name: str) -> dict[str, Any]:
    """The digest of a suite as a file, and by reader that of all answers to it."""
    suite = om.get_suite(name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "suite.jsonl"
        suite.save(path)
        content = path.read_bytes()
    answers = {}
    for reader in baselines(suite):
        records = om.run(suite, reader).records
        said = [[each.item.id, each.verdict, each.value(), each.score.answer] for each in records]
        answers[reader.name] = _digest(json.dumps(said).encode())
    return {"file": _digest(content), "items": len(suite), "answers": answers}


def _numbers(finding: dict[str, Any]) -> list[Any]:
    kept = ("what", "model", "value", "low", "high", "n", "clusters", "chance")
    return [_rounded(finding[name]) for name in kept]


def _rounded(value: Any) -> Any:
    return round(value, 9) if isinstance(value, float) else value


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def main() -> None:
    """Compare, or record."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--write", action="store_true", help="record what is now")
    found = {"suites": suites(), "profile": profile()}
    if words.parse_args().write:
        RECORDED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    elif found != json.loads(RECORDED.read_text(encoding="utf-8")):
        sys.exit("something changed; `git diff` after --write tells what")


if __name__ == "__main__":
    main()
