"""What `otherminds build` makes of stories: a suite of those found by search, and training files of drawn ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from otherminds.errors import UsageError
from otherminds.formats.plans import limited
from otherminds.items.cards import card
from otherminds.stories.contexts import bank, read_contexts
from otherminds.stories.sets import choose, grid
from otherminds.studies.builds import Build, Built, Option
from otherminds.studies.explore.material.build import balanced, evened, open_suite, suite, suite_in_prose
from otherminds.studies.explore.material.folders import load, load_prose
from otherminds.studies.explore.material.training import retold, save, training_suite, triples

FOUND = "stories found by search against a model, answers proved by their events"


def _found(
    output: Path, *, dir: Path, open: bool, balance: str | None, prose: bool, limit: int | None, seed: int, **given: Any
) -> Built:
    found, given["name"] = load(dir), output.stem
    if open:
        if prose or balance or given["interesting"] or given["paraphrase"] is not None:
            raise UsageError("--open asks as was published; leave out --prose, --paraphrase, --balance, --interesting")
        made = open_suite(found, name=output.stem)
    else:
        made = suite_in_prose(found, load_prose(dir), **given) if prose else suite(found, **given)
    if balance is not None:
        even = evened(made.items, seed=seed) if balance == "answer" else balanced(made.items, balance, seed=seed)
        made = replace(made, items=even)
    made = replace(made, items=limited(made.items, limit=limit, seed=seed))
    return Built(made, card(made, made=FOUND))


def _training(
    output: Path, *, sets: str, form: str, parquet: bool, contexts: Path | None, prose: Path | None, **given: Any
) -> Built:
    if prose is not None:
        share, paraphrase = given.pop("share"), given.pop("paraphrase")
        if contexts or paraphrase or (sets, share) != (SETS, SHARE):
            raise UsageError(
                "--prose takes the stories as they were told; leave out --sets, --share, --contexts and --paraphrase"
            )
        made = list(retold(load(prose), load_prose(prose), **given))
        files = save(output, made, form=form, parquet=parquet, stories=f"{FOUND.partition(',')[0]}, told in prose,")
        return Built(training_suite(made), files=files)
    places = read_contexts(contexts) if contexts else bank()
    made = list(triples(grid(choose(sets)), places, **given))
    return Built(training_suite(made), files=save(output, made, form=form, parquet=parquet))


SETS, SHARE = "published", 0.5
ORDER = Option("order", int, "The deepest questions.", 2, least=0)
BUILDS = (
    Build(
        "explore",
        "Make an evaluation suite of the stories in DIR.\n\n"
        "DIR is what `otherminds explore` wrote. A data card is written beside the suite.",
        _found,
        [
            Option("dir", Path, shown_as="DIR", required=True, positional=True),
            ORDER,
            Option("interesting", bool, "Only questions to which another person would answer otherwise."),
            Option(
                "balance",
                ("answer", "false_belief", "like_reality", "interesting"),
                "As many items with each value of this tag; answer: none too often.",
            ),
            Option("paraphrase", int, "Reword the stories.", shown_as="SEED"),
            Option("prose", bool, "Each question about the bare words and about the prose of `retell`."),
            Option("open", bool, "As published: the questions that the search went by, without options."),
            Option("limit", int, "At most so many items, in whole stories.", least=1),
            Option("seed", int, "For --balance and --limit.", 0),
        ],
    ),
    Build(
        "training",
        "Make training triples: story, question, answer.\n\n"
        "Stories are drawn without a model. DIR gets train and test files, which share no context, and a data card.",
        _training,
        [
            Option("number", int, "Triples to make.", 10_000, least=1),
            Option("share", float, "Of stories that need theory of mind.", SHARE),
            Option("sets", str, "Action sets; published, ours, every.", SETS),
            Option("prose", Path, "The stories of DIR as `retell` told them, instead of drawn ones.", shown_as="DIR"),
            ORDER,
            Option("form", ("chat", "completion"), default="chat"),
            Option("paraphrase", bool, "Tell every story in varied words."),
            Option("parquet", bool, "Parquet instead of JSON Lines; needs the extra `parquet`."),
            Option("test", float, "The share of contexts held out.", 0.2),
            Option("contexts", Path, "Contexts of your own, as JSON Lines."),
            Option("seed", int, default=0),
        ],
        folder=True,
    ),
)
