"""What `otherminds build` makes of talks: questions about thoughts, and about personality, each with a data card."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from otherminds.errors import UsageError
from otherminds.files import package_file, read_words
from otherminds.heuristics.cards import card, ending, giveaways, table
from otherminds.items import Item, Suite
from otherminds.studies.builds import Build, Built
from otherminds.studies.dialogue.questions import published as records
from otherminds.studies.dialogue.questions.artefacts import RECIPES, named, of_options
from otherminds.studies.dialogue.questions.build import build_counted
from otherminds.studies.dialogue.questions.overlap import WAYS, Overlap, scores
from otherminds.studies.dialogue.questions.traits import judge_suite, pairs
from otherminds.talks import bank
from otherminds.talks.talk import STATES, TRAITS, load

_MADE: dict[str, str] = read_words("dialogue/wording")["card"]
"""By where the questions are from, how they came about."""
KINDS: dict[str, Callable[[Item], bool]] = {
    "first order": lambda item: item.tags["order"] == 1,
    "second order": lambda item: item.tags["order"] == 2,
    "false belief": lambda item: item.tags.get("false_belief") is True,
    "true belief": lambda item: item.tags.get("false_belief") is False,
    "all": lambda item: True,
}
"""Second-order questions are of a false or a true belief where somebody has labelled them."""
OVERLAPS: dict[str, tuple[str, bool | None]] = {
    **{state: (state, None) for state in (*STATES, "all")},
    "false belief": ("all", True),
}
"""Columns of the table of overlaps, each with the state and the label that it is about."""
ARTEFACTS = ("recipe", "words", "beyond chance", "share", "more often", "less often")


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
    left_out: Mapping[str, int] | None = None
    if published:
        made = records.read(published, name=output.stem)
    else:
        labels, name = (None, output.stem) if talks else (bank.labels(), "dialogue")
        made, left_out = build_counted(bank.read(talks), seed=seed, labels=labels, name=name)
    if as_published:
        records.write(made, as_published)
    how = _MADE["published" if published else "played" if talks else "written"]
    return _with_card(made, how, left_out, [as_published] if as_published else [])


def _with_card(suite: Suite, made: str, left_out: Mapping[str, int] | None, files: Sequence[Path]) -> Built:
    """A suite with what gives its answers away, as a data card, as JSON and as tables; `made` says how it was made."""
    overlaps = scores(suite)
    words = {recipe: of_options(suite, recipe) for recipe in RECIPES}
    rows = [
        (name, str(len(each.words)), str(each.count), f"{each.share:.2%}", named(each.high), named(each.low))
        for name, each in words.items()
    ]
    heads = ("in common with", *OVERLAPS)
    levels = {trait: [item.tags[trait] for item in suite] for trait in TRAITS}
    text = package_file("dialogue/card.md").format(
        suite=suite,
        questions=len(suite),
        talks=len({item.tags["story"] for item in suite}),
        made=made,
        kinds="\n".join(table(("", *KINDS), [_counted(state, suite) for state in (*STATES, "all")])),
        traits="\n".join(
            table(
                ("person asked about", "high", "low"),
                [(trait, *(str(some.count(level)) for level in ("high", "low"))) for trait, some in levels.items()],
            )
        ),
        left_out=_left_out(left_out),
        giveaways="\n".join(giveaways(suite)),
        overlap="\n".join(table(heads, _overlaps(overlaps, "{0.right}/{0.n} = {0.share:.3f}"))),
        artefacts="\n".join(table(ARTEFACTS, rows)),
        ending="\n".join(ending(suite)).rstrip(),
    )
    numbers = {
        "overlap": [asdict(each) for each in overlaps.values()],
        "artefacts": {
            recipe: {
                "words": len(found.words),
                "beyond_chance": found.count,
                "share": found.share,
                "more_often": [word.word for word in found.high],
                "less_often": [word.word for word in found.low],
            }
            for recipe, found in words.items()
        },
    }
    return Built(suite, text, files, numbers, [(heads, _overlaps(overlaps, "{0.right}/{0.n}")), (ARTEFACTS, rows)])


def _counted(state: str, suite: Suite) -> tuple[str, ...]:
    items = [item for item in suite if state in ("all", item.tags["state"])]
    return state, *(str(sum(map(belongs, items))) for belongs in KINDS.values())


def _left_out(left_out: Mapping[str, int] | None) -> str:
    if left_out is None:
        return ""
    rows = [(reason, str(number)) for reason, number in left_out.items()]
    told = table(("left out because", "messages"), rows) if rows else ["Every message is asked about."]
    return "\n".join([*told, "", ""])


def _overlaps(found: Mapping[tuple[str, str, bool | None], Overlap], shown: str) -> list[tuple[str, ...]]:
    """For each text that options are compared with: how often the rule is right, by the columns of OVERLAPS."""
    cells = [(with_, [found.get((with_, *about)) for about in OVERLAPS.values()]) for with_ in WAYS]
    return [(with_, *(shown.format(one) if one else "–" for one in row)) for with_, row in cells]


def _traits(output: Path, *, talks: Path) -> Built:
    """Make questions on whose personality shows in what they say.

    Two conversations that differ in one factor of one person, in both orders: in which is the person higher in it? Of
    talks that `otherminds play --patterns` played. A data card is written beside the suite.

    talks (FILE.jsonl): As `play` wrote them.
    """
    made = judge_suite(pairs(load(talks)))
    return Built(made, card(made, made=_MADE["traits"]))


BUILDS = (Build("dialogue", _dialogue), Build("traits", _traits))
