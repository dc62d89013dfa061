"""`otherminds build`: suites and training files out of what studies have found or can draw up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.commands.lint import as_data, print_lint
from otherminds.commands.options import common
from otherminds.commands.screen import in_line, note, print_json, print_table, say
from otherminds.errors import BadFile, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from otherminds.items import Suite

BALANCE = ("false_belief", "like_reality", "interesting")
PERTURBED = ("vanilla", "cot", "states", "perspective")


@click.group()
@common
def build(as_json: bool) -> None:
    """Make a suite or training files."""


@build.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="SUITE.jsonl")
@click.option("--order", type=click.IntRange(min=0), default=2, show_default=True, help="The deepest questions.")
@click.option("--interesting", is_flag=True, help="Only questions to which another person would answer otherwise.")
@click.option("--balance", type=click.Choice(BALANCE), help="As many items with each value of this tag.")
@click.option("--paraphrase", type=int, metavar="SEED", help="Tell the stories in other words.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many items, in whole stories.")
@click.option("--seed", type=int, default=0, show_default=True, help="For --balance and --limit.")
@common
def explore(folder: Path, output: Path, balance: str | None, limit: int | None, as_json: bool, **given: Any) -> None:
    """Make an evaluation suite of the stories in DIR.

    DIR is what `otherminds explore` wrote. A data card is written beside the suite.
    """
    from otherminds.asking.plans import limited
    from otherminds.studies.explore.build import balanced, load, suite

    seed = given.pop("seed")
    made = suite(load(folder), **given, name=output.stem)
    if balance is not None:
        made = replace(made, items=balanced(made.items, balance, seed=seed))
    made = replace(made, items=limited(made.items, limit=limit, seed=seed))
    how = "stories found by search against a model, answers proved by their events"
    _told(made, _saved(made, output, _card(made, how)), as_json)


@build.command()
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="SUITE.jsonl")
@click.option(
    "--style", type=click.Choice(PERTURBED), default="vanilla", show_default=True, help="How it will be asked."
)
@click.option("--focal", is_flag=True, help="Only the false-belief stories with the belief question: two items a task.")
@click.option("--full-grid", is_flag=True, help="74 tasks instead of 68: every class for every stage.")
@common
def perturbed(output: Path, as_json: bool, **given: Any) -> None:
    """Make the suite of false-belief tasks and their perturbed twins.

    1088 questions, or 1184 with the full grid; the styles `states` and `perspective` ask about beliefs only. A data
    card is written beside the suite.
    """
    from otherminds.items.cards import card
    from otherminds.studies.perturbed.build import build as build_suite
    from otherminds.studies.perturbed.lints import faults

    made = build_suite(**given)
    how = "written by hand, every answer derived a second time from the events of the story"
    _told(made, _saved(made, output, card(made, made=how, wrong=faults)), as_json)


@build.command()
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR")
@click.option("--number", type=click.IntRange(min=1), default=10_000, show_default=True, help="Triples to make.")
@click.option("--share", type=float, default=0.5, show_default=True, help="Of stories that need theory of mind.")
@click.option("--sets", default="published", show_default=True, help="Action sets; published, ours, every.")
@click.option("--order", type=click.IntRange(min=0), default=2, show_default=True, help="The deepest questions.")
@click.option("--form", type=click.Choice(("chat", "completion")), default="chat", show_default=True)
@click.option("--paraphrase", is_flag=True, help="Tell every story in varied words.")
@click.option("--parquet", is_flag=True, help="Parquet instead of JSON Lines; needs the extra `parquet`.")
@click.option("--test", type=float, default=0.2, show_default=True, help="The share of contexts held out.")
@click.option("--contexts", type=click.Path(path_type=Path), help="Contexts of your own, as JSON Lines.")
@click.option("--seed", type=int, default=0, show_default=True)
@common
def training(
    output: Path, sets: str, form: str, parquet: bool, contexts: Path | None, as_json: bool, **given: Any
) -> None:
    """Make training triples: story, question, answer.

    Stories are drawn without a model. DIR gets train and test files, which share no context, and a data card.
    """
    from otherminds.studies.explore.contexts import bank, read_contexts
    from otherminds.studies.explore.sets import choose, grid
    from otherminds.studies.explore.train import save, suite, triples

    places = read_contexts(contexts) if contexts else bank()
    made = list(triples(grid(choose(sets)), places, **given))
    _told(suite(made), save(output, made, form=form, parquet=parquet), as_json)


@build.command()
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="SUITE.jsonl")
@click.option("--tasks", metavar="TASK,…", help="Only these: TB, MA/IR, FB/SA, …  [default: all]")
@click.option("--size", default="standard", show_default=True, help="standard, small, or so many items a task.")
@click.option("--seed", type=int, default=0, show_default=True, help="For generated items, and for what is left out.")
@common
def safety(output: Path, tasks: str | None, size: str, seed: int, as_json: bool) -> None:
    """Make the safety suite: nine tasks from reading to deception, with twins.

    A data card is written beside it.
    """
    from otherminds.studies.safety.build import build as build_safety
    from otherminds.studies.safety.card import card

    wanted = [name.strip() for name in tasks.split(",")] if tasks else None
    made = build_safety(tasks=wanted, size=int(size) if size.isdecimal() else size, seed=seed)
    _told(made, _saved(made, output, card(made)), as_json)


@build.command()
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="SUITE.jsonl")
@click.option("--talks", type=click.Path(path_type=Path), metavar="FILE.jsonl", help="Talks of your own.")
@click.option("--published", type=click.Path(path_type=Path), metavar="FILE.json", help="Questions in ToMATO's format.")
@click.option("--as-published", type=click.Path(path_type=Path), metavar="FILE.json", help="Write that format as well.")
@click.option("--seed", type=int, default=0, show_default=True, help="For wrong options, their order, and wordings.")
@common
def dialogue(
    output: Path, talks: Path | None, published: Path | None, as_published: Path | None, seed: int, as_json: bool
) -> None:
    """Make questions about what people thought while they talked.

    Of the talks that come with the package, unless --talks or --published names others. A data card is written beside
    the suite.
    """
    from otherminds.studies.dialogue import bank, card
    from otherminds.studies.dialogue import published as records
    from otherminds.studies.dialogue.build import build_counted
    from otherminds.studies.dialogue.talks import load

    if talks and published:
        raise UsageError("--talks and --published both say what to ask about; give one of them")
    if as_published in (output, output.with_suffix(".md")):
        raise UsageError(f"{as_published} would be overwritten; give --as-published another name")
    left_out: Mapping[str, int] | None = None
    if published:
        made, how = records.read(published, name=output.stem), card.PUBLISHED
    else:
        given = load(talks, people=bank.people(), scenes=bank.scenes()) if talks else bank.authored()
        name = output.stem if talks else "dialogue"
        built = build_counted(given, seed=seed, labels=None if talks else bank.labels(), name=name)
        made, left_out, how = built.suite, built.left_out, card.PLAYED if talks else card.WRITTEN
    written = _saved(made, output, card.card(made, made=how, left_out=left_out))
    if as_published:
        records.write(made, as_published)
        written.append(as_published)
    if as_json:
        _told(made, written, as_json, card.shortcuts(made))
        return
    shares = [[with_, *(f"{one.right}/{one.n}" if one else "–" for one in row)] for with_, row in card.overlaps(made)]
    print_table([*card.OVERLAP], shares)
    print_table([*card.ARTEFACTS], [[*row] for row in card.artefacts(made)])
    _told(made, written, as_json)


@build.command()
@click.option("--talks", type=click.Path(path_type=Path), required=True, metavar="FILE.jsonl")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="SUITE.jsonl")
@common
def traits(talks: Path, output: Path, as_json: bool) -> None:
    """Make questions on whose personality shows in what they say.

    Two conversations that differ in one factor of one person, in both orders: in which is the person higher in it? Of
    talks that `otherminds play --patterns` played. A data card is written beside the suite.
    """
    from otherminds.studies.dialogue.talks import load
    from otherminds.studies.dialogue.traits import judge_suite, pairs

    made = judge_suite(pairs(load(talks)))
    how = "each about two conversations that were played with one level of one person changed"
    _told(made, _saved(made, output, _card(made, how)), as_json)


@build.command()
@click.argument("suite_name", metavar="SUITE")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="SUITE.jsonl")
@click.option("--number", type=click.IntRange(min=1), default=60, show_default=True, help="At most so many items.")
@common
def separate(suite_name: str, output: Path, number: int, as_json: bool) -> None:
    """Pick the items of SUITE that tell ways of reading apart.

    Which these are, and which SUITE cannot separate at all: `otherminds diagnose --suite`. A data card is written
    beside the new suite.
    """
    from otherminds.diagnosis.audit import separate as separated
    from otherminds.studies.suites import get_suite

    made = replace(separated(get_suite(suite_name), number), name=output.stem)
    how = f"picked from the suite {in_line(suite_name)}, for telling ways of reading apart"
    _told(made, _saved(made, output, _card(made, how)), as_json)


def _card(made: Suite, how: str) -> str:
    from otherminds.items.cards import card

    return card(made, made=how)


def _saved(made: Suite, output: Path, card: str) -> list[Path]:
    """Write a suite and its data card beside it."""
    from otherminds.files import write_text

    beside = output.with_suffix(".md")
    if beside == output:
        raise BadFile(f"{output} would be overwritten by its own data card; call the suite {output.stem}.jsonl")
    made.save(output)
    write_text(beside, card)
    return [output, beside]


def _told(made: Suite, written: list[Path], as_json: bool, more: Mapping[str, Any] | None = None) -> None:
    """What was made, with what lint has to say of it."""
    stories = len({item.tags.get("story") for item in made})
    if as_json:
        print_json(
            {"files": list(map(str, written)), "items": len(made), "stories": stories}
            | as_data(made)
            | dict(more or {})
        )
        return
    print_lint(made)
    note(f"{len(made):,} questions about {stories:,} stories")
    for path in written:
        say(str(path))
