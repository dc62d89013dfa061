"""`otherminds build`: suites and training files, as each study offers to make them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.commands.lint import as_data, print_lint
from otherminds.errors import BadFile
from otherminds.terminal.options import common
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.studies.builds import Build, Built, Option
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
        found[study.name] = Build(study.name, f"Make the {study.name} suite.", lambda output: suite())
    return found


def _command(study: Study | None, offered: Build) -> click.Command:
    kind = {"file_okay": False} if offered.folder else {"dir_okay": False}
    output = click.Option(
        ["-o", "--output"],
        type=click.Path(path_type=Path, **kind),
        required=True,
        metavar="DIR" if offered.folder else "SUITE.jsonl",
    )
    parameters = [*map(_parameter, offered.options), *([] if offered.folder else [_separate()]), output]
    made = click.Command(offered.name, callback=partial(_build, study, offered), help=offered.help, params=parameters)
    common(made)
    return made


def _separate() -> click.Option:
    said = "At most so many items: those that tell ways of reading apart."
    return click.Option(["--separate"], type=click.IntRange(min=1), metavar="N", help=said)


def _parameter(option: Option) -> click.Parameter:
    if option.positional:
        return click.Argument([option.name.replace("-", "_")], type=_type(option), metavar=option.shown_as)
    return click.Option(
        [f"--{option.name}"],
        type=None if option.kind is bool else _type(option),
        is_flag=option.kind is bool,
        default=False if option.kind is bool else option.default,
        show_default=option.kind is not bool and option.default is not None,
        required=option.required,
        metavar=option.shown_as,
        help=option.help,
    )


def _type(option: Option) -> Any:
    if option.kind is Path:
        return click.Path(path_type=Path)
    if not isinstance(option.kind, type):
        return click.Choice(list(option.kind))
    return click.IntRange(min=option.least) if option.least is not None else option.kind


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
    from otherminds.studies.cards import card

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
