"""`otherminds build`: suites and training files, as each study offers to make them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.commands.lint import as_data, print_lint
from otherminds.errors import BadFile
from otherminds.terminal.derived import documented, parameters, shared
from otherminds.terminal.options import common, debug_option, json_option
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.items import Suite
    from otherminds.studies.builds import Build, Built
    from otherminds.studies.study import Study


LESSONS = ("lessons",)
"""What is made for training, which is above any study."""


class Builds(click.Group):
    """A command for everything that a study makes; studies are loaded when one is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from otherminds.studies import STUDIES

        return [*(name for make in STUDIES.values() for name in _builds(make())), *LESSONS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from otherminds.studies import STUDIES

        if cmd_name in LESSONS:
            from otherminds.training.builds import BUILDS

            return _command(None, BUILDS[0])
        # Mostly a build is called as its study is, and then no other study need be loaded.
        first = [STUDIES[cmd_name]] if cmd_name in STUDIES else []
        for make in (*first, *STUDIES.values()):
            if found := _builds(make()).get(cmd_name):
                return _command(make(), found)
        return None


@click.group(cls=Builds)
@common
def build(as_json: bool) -> None:
    """Make a suite or training files."""


def _builds(study: Study) -> dict[str, Build]:
    """By name, what a study makes; one that says nothing of it still has its suite."""
    from otherminds.studies.builds import Build

    found = {each.name: each for each in study.builds}
    if not found and (suite := study.suite):

        def make(output: Path) -> Suite:
            return suite()

        make.__doc__ = f"Make the {study.name} suite."
        found[study.name] = Build(study.name, make)
    return found


def _command(study: Study | None, offered: Build) -> click.Command:
    kind = {"file_okay": False} if offered.folder else {"dir_okay": False}
    separate = click.option(
        "--separate",
        type=click.IntRange(min=1),
        metavar="N",
        help="At most so many items: those that tell ways of reading apart.",
    )
    output = click.option(
        *("-o", "--output"),
        type=click.Path(path_type=Path, **kind),
        required=True,
        metavar="DIR" if offered.folder else "SUITE.jsonl",
    )
    own = [each for each in parameters(offered.make) if each.name != "output"]
    more = shared(*([] if offered.folder else [separate]), output, debug_option, json_option)
    help = documented(offered.make)[0]
    return click.Command(offered.name, callback=partial(_build, study, offered), help=help, params=[*own, *more])


def _build(
    study: Study | None, offered: Build, *, output: Path, as_json: bool, separate: int | None = None, **given: Any
) -> None:
    from otherminds.diagnosis.audit import separate as separated
    from otherminds.items import Suite
    from otherminds.studies.builds import Built

    if not offered.folder and output.with_suffix(".md") == output:
        raise BadFile(f"{output} would be overwritten by its own data card; call the suite {output.stem}.jsonl")
    made = offered.make(output, **given)
    built = Built(made) if isinstance(made, Suite) else made
    if separate is not None:
        # A card of the whole would tell of items that are no longer there, and rules for the whole may not hold.
        picked = replace(separated(built.suite, separate), name=output.stem)
        built = replace(built, suite=picked, card="")
    saved = _save(study, built, output) if study and not offered.folder else []
    _tell(built, [*saved, *built.files], as_json)


def _save(study: Study, built: Built, output: Path) -> list[Path]:
    """Write a suite and its data card beside it."""
    from otherminds.files import write_text
    from otherminds.heuristics.cards import card

    beside = output.with_suffix(".md")
    built.suite.save(output)
    write_text(beside, built.card or card(built.suite, made=f"made by the study {study.name}", wrong=study.faults))
    return [output, beside]


def _tell(built: Built, written: list[Path], as_json: bool) -> None:
    """What was made, with what lint has to say of it."""
    made = built.suite
    stories = len({item.tags.get("story") for item in made})
    if as_json:
        counts = {"files": list(map(str, written)), "items": len(made), "stories": stories}
        print_json(counts | as_data(made) | dict(built.numbers))
        return
    for heads, rows in built.tables:
        print_table(heads, rows)
    print_lint(made)
    note(f"{len(made):,} questions about {stories:,} stories")
    for path in written:
        say(str(path))
