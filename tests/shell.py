"""The command line, called in process: what a command prints, as data, and the sentence of one that fails."""

import json
from typing import Any

from click.testing import CliRunner, Result

from otherminds.cli import cli


def call(*args: str) -> Result:
    return CliRunner().invoke(cli, args, prog_name="otherminds")


def data(*args: str) -> Any:
    """What a command prints under --json, which must be JSON and nothing else."""
    done = call(*args, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def fails(code: int, *args: str) -> str:
    """The one sentence on stderr of a command that fails."""
    done = call(*args)
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr
