"""README, docs and examples run as they stand."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from otherminds.cli import cli

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_the_docs_runs(page, tmp_path, monkeypatch):
    """The blocks of a page, one after another, as a reader would type them."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, code in enumerate(blocks(page, "python"), start=1):
        exec(compile(code, f"{page.name}, block {number}", "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_the_docs_are_real(page):
    """Every command and option named exists; what they do is tested where they live."""
    for line in filter(None, "".join(blocks(page, "console")).splitlines()):
        program, command, *rest = shlex.split(line, comments=True)
        assert program == "otherminds", line
        names = [word for word in rest if not word.startswith("-")]
        shown = CliRunner().invoke(cli, [command, "--help"])
        if shown.exit_code == 0 and "COMMAND [ARGS]" in shown.output and names:
            shown = CliRunner().invoke(cli, [command, names[0], "--help"])
        assert shown.exit_code == 0, line
        for option in (word.partition("=")[0] for word in rest if word.startswith("-")):
            assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", shown.output), f"{line}: no {option}"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(path, tmp_path):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(path)], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_no_page_leads_nowhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} leads to {target}"
