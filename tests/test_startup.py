"""`otherminds --help` answers at once, because it loads nothing heavy."""

import subprocess
import sys

import pytest

HEAVY = {"cyllama", "aiohttp", "jinja2", "numpy", "ray", "rich", "sqlite3", "torch", "transformers"}


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


def test_it_is_a_module_to_run_too() -> None:
    done = subprocess.run([sys.executable, "-m", "otherminds", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("otherminds ")


def test_ctrl_c_while_it_loads_is_a_sentence() -> None:
    code = (
        "import sys\n"
        "class Impatient:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'otherminds.cli':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Impatient())\n"
        "from otherminds.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert done.stderr.startswith("error: stopped by Ctrl-C")
