"""The same faults under `otherminds run`: wherever an item is missing, an exit code and a sentence, no traceback."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from otherminds.models.api.endpoint import Endpoint
from tests.faults.bench import KEY, SECRETS, Cell, suite
from tests.faults.kinds import FORMS, KINDS
from tests.faults.server import FaultServer
from tests.faults.truth import MODEL

COMMANDS = (
    Cell("500", "letters-raw", "sticky", 30),
    Cell("400", "text-raw", "sticky", 30),
    Cell("deep", "letters-raw", "sticky", 30),
    Cell("logprobs-1e400", "cloze-raw", "sticky", 30),
    Cell("error-string", "text-chat", "sticky", 30),
    Cell("bearer-key-in-500", "letters-chat", "sticky", 30),
    Cell("hang-forever", "text-raw", "sticky", 30),
    Cell("500", "text-raw", "always", 100),
    Cell("latin-1", "letters-raw", "chance", 10),
)
ITEMS = 12


@dataclass(frozen=True)
class Ending:
    """How a command ended."""

    code: int
    last: str
    """Its last words."""
    wrong: str = ""
    """What should have been otherwise."""


def run_command(server: FaultServer, cell: Cell) -> Ending:
    """`otherminds run` in a program of its own, while the cell's fault strikes."""
    form = FORMS[cell.form]
    server.strike(cell.plan(), KINDS[cell.kind].fault)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "suite.jsonl"
        prompt = "direct" if form.chat else "raw"
        suite(ITEMS).using(prompt=prompt, score=form.score).save(path)
        settings = ["server=other", "timeout=1", "retries=1"]
        if "patience" in inspect.signature(Endpoint).parameters:
            settings.append("patience=3")
        done = subprocess.run(
            [sys.executable, "-m", "otherminds", "run", str(path), "-m", f"api:{MODEL}", "--base-url", server.url]
            + [word for setting in settings for word in ("-M", setting)]
            + ["--store", str(Path(folder) / "store.db"), "--json"],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "OPENAI_API_KEY": KEY},
        )
    server.release()
    lines = done.stderr.strip().splitlines()
    return Ending(done.returncode, lines[-1][:160] if lines else "", _wrong(done, cell))


def _wrong(done: subprocess.CompletedProcess[str], cell: Cell) -> str:
    told = done.stdout + done.stderr
    if "Traceback" in told or "a fault of ours" in told:
        return "shows a fault of ours"
    if any(secret in told for secret in SECRETS):
        return "shows a key"
    if cell.mode == "always":
        return "" if done.returncode in (1, 3) and done.stderr.strip() else "should end with 1 or 3 and a sentence"
    try:
        verdicts = json.loads(done.stdout)["verdicts"]
    except (ValueError, KeyError):
        return "ends without a result"
    if sum(verdicts.values()) != ITEMS:
        return f"tells of {sum(verdicts.values())} of {ITEMS} items"
    if bool(verdicts["error"]) != (done.returncode == 3):
        return f"has {verdicts['error']} errors and ends with {done.returncode}"
    return "" if done.stderr.strip() or not verdicts["error"] else "has errors and not a word on them"
