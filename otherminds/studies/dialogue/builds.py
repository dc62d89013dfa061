"""What `otherminds build` makes of talks: questions about thoughts, and about personality."""

from __future__ import annotations

from pathlib import Path

from otherminds.errors import UsageError
from otherminds.heuristics.cards import card as plain_card
from otherminds.items import Suite
from otherminds.studies.builds import Build, Built
from otherminds.studies.dialogue import card
from otherminds.studies.dialogue.questions import published as records
from otherminds.studies.dialogue.questions.build import build_counted
from otherminds.studies.dialogue.questions.traits import judge_suite, pairs
from otherminds.talks import bank
from otherminds.talks.talk import load

CHANGED = "each about two conversations that were played with one level of one person changed"


def _dialogue(
    output: Path,
    *,
    talks: Path | None = None,
    published: Path | None = None,
    as_published: Path | None = None,
    seed: int = 0,
) -> Built:
    """Make questions about what people thought while they talked.

    Of the talks that come with the package, unless --talks or --published names others. A data card is written
    beside the suite.

    talks (FILE.jsonl): Talks of your own.
    published (FILE.json): Questions in ToMATO's format.
    as_published (FILE.json): Write that format as well.
    seed: For wrong options, their order, and wordings.
    """
    if talks and published:
        raise UsageError("--talks and --published both say what to ask about; give one of them")
    if as_published in (output, output.with_suffix(".md")):
        raise UsageError(f"{as_published} would be overwritten; give --as-published another name")
    if published:
        made = records.read(published, name=output.stem)
        written = card.card(made, made=card.PUBLISHED)
    else:
        made, written = _of_talks(talks, seed, output.stem)
    if as_published:
        records.write(made, as_published)
    shares = [[with_, *(f"{one.right}/{one.n}" if one else "–" for one in row)] for with_, row in card.overlaps(made)]
    return Built(
        made,
        written,
        [as_published] if as_published else [],
        card.shortcuts(made),
        [([*card.OVERLAP], shares), ([*card.ARTEFACTS], [[*row] for row in card.artefacts(made)])],
    )


def _of_talks(talks: Path | None, seed: int, name: str) -> tuple[Suite, str]:
    """Questions about one's own talks, or about those of the package, with their data card."""
    given = load(talks, people=bank.people(), scenes=bank.scenes()) if talks else bank.authored()
    labels = None if talks else bank.labels()
    built = build_counted(given, seed=seed, labels=labels, name=name if talks else "dialogue")
    how = card.PLAYED if talks else card.WRITTEN
    return built.suite, card.card(built.suite, made=how, left_out=built.left_out)


def _traits(output: Path, *, talks: Path) -> Built:
    """Make questions on whose personality shows in what they say.

    Two conversations that differ in one factor of one person, in both orders: in which is the person higher in it? Of
    talks that `otherminds play --patterns` played. A data card is written beside the suite.

    talks (FILE.jsonl): As `play` wrote them.
    """
    made = judge_suite(pairs(load(talks)))
    return Built(made, plain_card(made, made=CHANGED))


BUILDS = (Build("dialogue", _dialogue), Build("traits", _traits))
