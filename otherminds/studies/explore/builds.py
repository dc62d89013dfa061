"""What `otherminds build` makes of stories: a suite of those found by search, and training files of drawn ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from otherminds.errors import UsageError
from otherminds.formats.plans import limited
from otherminds.heuristics.cards import card
from otherminds.search.training import retold, save, training_suite, triples
from otherminds.stories.contexts import bank, read_contexts
from otherminds.stories.sets import choose, grid
from otherminds.studies.builds import Build, Built
from otherminds.studies.explore.material.build import balanced, evened, open_suite, suite, suite_in_prose
from otherminds.studies.explore.material.folders import load, load_prose
from otherminds.terminal.derived import Count, Natural

FOUND = "stories found by search against a model, answers proved by their events"


def _found(
    output: Path,
    dir: Path,
    *,
    order: Natural = 2,
    interesting: bool = False,
    balance: Literal["answer", "false_belief", "like_reality", "interesting"] | None = None,
    paraphrase: int | None = None,
    prose: bool = False,
    open: bool = False,
    limit: Count | None = None,
    seed: int = 0,
) -> Built:
    """Make an evaluation suite of the stories in DIR.

    DIR is what `otherminds explore` wrote. A data card is written beside the suite.

    order: The deepest questions.
    interesting: Only questions to which another person would answer otherwise.
    balance: As many items with each value of this tag; answer: none too often.
    paraphrase (SEED): Reword the stories.
    prose: Each question about the bare words and about the prose of `retell`.
    open: As published: the questions that the search went by, without options.
    limit: At most so many items, in whole stories.
    seed: For --balance and --limit.
    """
    found = load(dir)
    if open:
        if prose or balance or interesting or paraphrase is not None:
            raise UsageError("--open asks as was published; leave out --prose, --paraphrase, --balance, --interesting")
        made = open_suite(found, name=output.stem)
    else:
        how: Any = {"order": order, "interesting": interesting, "paraphrase": paraphrase, "name": output.stem}
        made = suite_in_prose(found, load_prose(dir), **how) if prose else suite(found, **how)
    if balance is not None:
        even = evened(made.items, seed=seed) if balance == "answer" else balanced(made.items, balance, seed=seed)
        made = replace(made, items=even)
    made = replace(made, items=limited(made.items, limit=limit, seed=seed))
    return Built(made, card(made, made=FOUND))


def _training(
    output: Path,
    *,
    number: Count = 10_000,
    share: float = 0.5,
    sets: str = "published",
    prose: Path | None = None,
    order: Natural = 2,
    form: Literal["chat", "completion"] = "chat",
    paraphrase: bool = False,
    parquet: bool = False,
    test: float = 0.2,
    contexts: Path | None = None,
    seed: int = 0,
) -> Built:
    """Make training triples: story, question, answer.

    Stories are drawn without a model. DIR gets train and test files, which share no context, and a data card.

    number: Triples to make.
    share: Of stories that need theory of mind.
    sets: Action sets; published, ours, every.
    prose (DIR): The stories of DIR as `retell` told them, instead of drawn ones.
    order: The deepest questions.
    paraphrase: Tell every story in varied words.
    parquet: Parquet instead of JSON Lines; needs the extra `parquet`.
    test: The share of contexts held out.
    contexts: Contexts of your own, as JSON Lines.
    """
    how: Any = {"number": number, "order": order, "test": test, "seed": seed}
    if prose is not None:
        if contexts or paraphrase or (sets, share) != ("published", 0.5):
            raise UsageError(
                "--prose takes the stories as they were told; leave out --sets, --share, --contexts and --paraphrase"
            )
        made = list(retold(load(prose), load_prose(prose), **how))
        files = save(output, made, form=form, parquet=parquet, stories=f"{FOUND.partition(',')[0]}, told in prose,")
        return Built(training_suite(made), files=files)
    places = read_contexts(contexts) if contexts else bank()
    made = list(triples(grid(choose(sets)), places, share=share, paraphrase=paraphrase, **how))
    return Built(training_suite(made), files=save(output, made, form=form, parquet=parquet))


BUILDS = (Build("explore", _found), Build("training", _training, folder=True))
