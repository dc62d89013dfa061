"""The command line: `otherminds COMMAND`. Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 something is missing."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from traceback import format_exc
from typing import IO, Any

import click

from otherminds import studies
from otherminds.errors import Missing, OthermindsError, UsageError
from otherminds.plugins import added, load
from otherminds.terminal.options import PARTIAL, debug_option, known_secrets
from otherminds.terminal.screen import harmless, in_line

COMMANDS = {
    "profile": "commands.profile",
    "tell": "commands.tell",
    **studies.COMMANDS,
    "play": "commands.play",
    "judge": "commands.judge",
    "series": "commands.series",
    "build": "commands.build",
    "train": "commands.train",
    "import": "commands.imports",
    "lint": "commands.lint",
    "audit": "commands.audit",
    "run": "commands.run",
    "benchmark": "commands.benchmark",
    "annotate": "commands.web",
    "runs": "commands.show",
    "show": "commands.show",
    "report": "commands.report",
    "compare": "commands.compare",
    "check": "commands.check",
    "diagnose": "commands.diagnose",
    "export": "commands.export",
    "track": "commands.export",
    "web": "commands.web",
    "store": "commands.store",
    "merge": "commands.store",
    "models": "commands.models",
    "doctor": "commands.models",
}
"""In which module each is, so that only the one that is given need be loaded."""
MISUSED = 2
"""The exit code of a command that cannot mean anything as it stands."""
LONGEST = 1000
"""Characters of a sentence that a person will read."""


class Failed(click.ClickException):
    """An error as the person at the shell sees it: one sentence, and never a key."""

    def __init__(self, sentence: str, exit_code: int = 1) -> None:
        for secret in known_secrets():
            sentence = sentence.replace(secret, "[key]")
        if len(sentence) > LONGEST:
            # It quotes what it found. Where that was is said at the beginning, and what to do at the end.
            sentence = f"{sentence[: LONGEST // 2]} […] {sentence[-LONGEST // 2 :]}"
        super().__init__(sentence)
        self.exit_code = exit_code  # type: ignore[misc]

    def show(self, file: IO[Any] | None = None) -> None:
        # A server's own words may be in it, and they could hold anything.
        click.echo(f"error: {in_line(' '.join(self.message.splitlines()))}", file=file or sys.stderr)


class Commands(click.Group):
    """Commands in the order a person meets them, then other packages'; whatever goes wrong ends as a sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *(name for name in added("commands") if name not in COMMANDS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS:
            there = vars(import_module(f"otherminds.{COMMANDS[cmd_name]}")).values()
            return next(each for each in there if isinstance(each, click.Command) and each.name == cmd_name)
        if cmd_name not in added("commands"):
            return None
        try:
            found: click.Command = load("commands", cmd_name)
        except UsageError as error:
            # The list of commands must not break because of one of them.
            return click.Command(cmd_name, help=f"({error})", callback=partial(_refuse, error))
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for word in args:
            try:
                word.encode()
            except UnicodeEncodeError:
                # It could be neither printed nor stored, and would only be found out in the middle of the work.
                raise Failed(f"{word!r} is not text in UTF-8; write or rename it so that it is", MISUSED) from None
        try:
            return super().parse_args(ctx, args)
        except click.ClickException as error:
            _make_harmless(error)
            raise

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            _make_harmless(error)
            raise
        except (click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            said = "stopped by Ctrl-C; what was answered is kept, so the same command goes on from here"
            raise Failed(said, PARTIAL) from None
        except Exception as error:
            if ctx.meta.get("otherminds.debug"):
                raise
            raise _sentence(error) from None


def _refuse(error: UsageError) -> None:
    raise error


def _make_harmless(error: click.ClickException) -> None:
    """Click quotes what was typed, and a * in a shell types names of files that somebody else chose."""
    error.message = harmless(error.message)  # type: ignore[misc]


def _sentence(error: Exception) -> Failed:
    if isinstance(error, OthermindsError):
        return Failed(str(error), MISUSED if isinstance(error, UsageError | Missing) else 1)
    if isinstance(error, RecursionError):
        return Failed("what was given is nested too deeply to be used; make it flatter, or see where with --debug")
    if isinstance(error, OSError) or "start new thread" in str(error):
        return Failed(f"the system refused ({error}); see to that and give the same command again")
    return Failed(f"{type(error).__name__}: {error} (a fault of ours: run again with --debug to see where)")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="otherminds", message="%(prog)s %(version)s")
@debug_option
def cli() -> None:
    """Measure theory of mind in language models.

    \b
    otherminds profile -m smollm2 -o profile    the whole way to a report
    otherminds run starter -m smollm2           one suite, one model
    otherminds show last                        what was asked and answered
    """


def main(args: Sequence[str] | None = None) -> None:
    """The entry point of the `otherminds` script."""
    # A large run is millions of values that all stay, and Python would look for lost ones among them all the time.
    gc.set_threshold(200_000, 50, 100)
    try:
        cli.main(args=None if args is None else list(args), prog_name="otherminds")
    except Exception:  # with --debug, and whatever went wrong may be quoted in it
        click.echo(harmless(format_exc()), err=True, nl=False)
        sys.exit(1)
