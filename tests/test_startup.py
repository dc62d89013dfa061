"""`otherminds --help` answers at once, because it loads nothing heavy."""

import subprocess
import sys

import pytest

HEAVY = {"cyllama", "httpx", "jinja2", "numpy", "rich", "sqlite3", "torch", "transformers"}


@pytest.mark.parametrize("args", [["--help"], ["run", "--help"], ["--version"]], ids=" ".join)
def test_help_loads_nothing_heavy(args: list[str]) -> None:
    code = (
        "import sys\nfrom otherminds.cli import main\n"
        f"try:\n    main({args!r})\nexcept SystemExit as stop:\n    assert not stop.code\n"
        "print('loaded:', *sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.rpartition("loaded:")[2].split())
    assert "click" in loaded
    assert not loaded & HEAVY
