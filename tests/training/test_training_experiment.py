"""The program behind docs/train.md runs to its end on a tiny network, and what it wrote is not done again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from otherminds.models import adapters
from tests.models.tiny import write_tiny

pytest.importorskip("torch")
pytest.importorskip("tokenizers")
ROOT = Path(__file__).parents[2]
FULL = ("full-0", "full-1", "full-2", "mean")


def program(*args: str | Path) -> str:
    command = [sys.executable, ROOT / "benchmarks" / "training.py", *args]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_kind_of_job_runs_and_is_told_in_tables(tmp_path: Path) -> None:
    base, out = write_tiny(tmp_path / "tiny.gguf"), tmp_path / "out"
    jobs = "base,beliefs-0,beliefs-1,beliefs-2,beliefs,ladder,needing-0,reference"
    args = ("--tiny", "--out", out, "--model", f"gguf:{base}", "--processes", "1", "--jobs", jobs)
    assert program(*args).count(": over in ") == 8
    assert {path.stem for path in out.glob("*.json")} == {*jobs.replace("ladder", "ladder-1").split(","), *FULL}
    for name in ("beliefs-0", "beliefs", "ladder-1"):
        found = json.loads((out / f"{name}.json").read_text())
        whole = [table["all"] for table in found["scores"].values() if "all" in table]  # some stories are too long
        assert whole
        assert all(0 <= share <= 1 <= stories <= questions for share, questions, stories in whole)
        assert found["scores"]["plain text"]["bits a character"][0] > 1
        assert len(adapters.read(out / f"{name}.safetensors").parts) == 14
    again = program(*args, "--no-data")
    assert "over in" not in again
    assert again.count("was done before") == 8
    tables = program("--tables", out)
    assert "### What they score" in tables
    assert "### Stories that need minds" in tables
