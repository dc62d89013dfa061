"""What `otherminds build lessons` makes: shards of lessons, as tokens for `otherminds train` or as text for others."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from otherminds.errors import BadFile, UsageError
from otherminds.items import Item, Suite
from otherminds.studies.builds import Build, Built
from otherminds.terminal.derived import Count, Natural
from otherminds.training.bases import base_file, encoder_of, tokenizer_digest
from otherminds.training.grammars import GRAMMARS
from otherminds.training.leaks import known_runs, leaks
from otherminds.training.lessons import OWN, Recipe
from otherminds.training.scene_wording import FAMILIES
from otherminds.training.shards import LESSONS, Job, lessons_of, make_folder, write_recipe, write_shards
from otherminds.training.story_plots import Size

SHOWN = 200
"""Lessons that lint looks at."""
SUITE = "suite.jsonl"
DEEPEST = 4
EACH = Recipe().each
ALL = (*GRAMMARS, OWN, *FAMILIES)


def _lessons(
    output: Path,
    *,
    shards: Count = 20,
    size: Count = LESSONS,
    grammars: str | None = None,
    without: str | None = None,
    orders: str | None = None,
    people: str | None = None,
    questions: Count = EACH,
    needing: float = Recipe().needing,
    test: bool = False,
    form: Literal["tokens", "text", "suite"] = "tokens",
    model: str = "smollm2",
    leak_check: str | None = None,
    processes: Natural = 0,
    seed: int = 0,
) -> Built:
    """Make lessons for `otherminds train`: stories in many words, with several questions each.

    DIR gets numbered files and recipe.json. What lint says is of the first lessons.

    shards: Files to make.
    size: Stories in a file.
    grammars: Ways of telling, with commas: terse, plain, narrative, present, log, report, chat, own, scenes; kept back:
      stage, retold.
    without: Grammars to leave out.
    orders: Orders of questions, with commas: memory, 0 to 4.  [default: all]
    people (LEAST-MOST): How many people a story has.  [default: 2-7]
    questions: Questions to a story, at most.
    needing: Share of lessons with an answer that needs minds, 0 to 1.
    test: Held-out contexts, asked plainly: to examine, not to train on.
    form: For `otherminds train`, others, or `run`.
    model: Whose tokenizer to use.
    leak_check (FILE,…): Refuse stories that stand in these files.
    processes: Cores to use; 0 for all.
    """
    recipe = recipe_of(
        grammars=grammars,
        without=without,
        orders=orders,
        people=people,
        questions=questions,
        needing=needing,
        test=test,
        seed=seed,
    )
    if form == "tokens" and find_spec("tokenizers") is None:
        raise UsageError("lessons as tokens need tokenizers: pip install 'otherminds[train]', or give --form text")
    known = known_runs(map(Path, _words(leak_check)))
    base = base_file(model) if form == "tokens" else None
    if form == "suite":
        suite = sample(recipe, shards * size)
        leaked = sum(leaks(story, known) for story in dict.fromkeys(item.context for item in suite))
    else:
        job = Job(output, recipe, size, partial(encoder_of, base) if base else None, known)
        leaked = sum(found for _, found in write_shards(job, count=shards, processes=processes))
        suite = sample(recipe, min(SHOWN, size))
    if leaked:
        raise BadFile(
            f"{leaked:,} of {shards * size:,} stories stand in {leak_check}, so {output} is left without a recipe and"
            " nothing is trained on it; take another --seed, or other --grammars"
        )
    written = []
    if form == "suite":
        make_folder(output)
        suite.save(output / SUITE)
        written.append(output / SUITE)
    tokenizer = tokenizer_digest(base) if base else ""
    written.append(write_recipe(output, recipe, shards=shards, size=size, form=form, tokenizer=tokenizer))
    return Built(suite, files=written, numbers={"shards": shards, "lessons": size})


def recipe_of(
    *,
    grammars: str | None = None,
    without: str | None = None,
    orders: str | None = None,
    people: str | None = None,
    questions: int = EACH,
    needing: float = Recipe().needing,
    test: bool = False,
    seed: int = 0,
) -> Recipe:
    """The recipe that these words ask for; a grammar that is named twice is drawn twice as often."""
    chosen = tuple(map(_grammar, _words(grammars))) or Recipe().grammars
    left_out = set(map(_grammar, _words(without)))
    chosen = tuple(name for name in chosen if name not in left_out)
    if not chosen:
        raise UsageError("no grammar is left; leave fewer of them out")
    if not 0 <= needing <= 1:
        raise UsageError(f"--needing takes a share from 0 to 1, not {needing:g}")
    return Recipe(
        seed=seed,
        grammars=chosen,
        orders=tuple(map(_order, _words(orders))) or Recipe().orders,
        each=questions,
        needing=needing,
        size=Size(people=_span(people)) if people else Size(),
        forms="plain" if test else "all",
        contexts="test" if test else "train",
    )


def _words(text: str | None) -> list[str]:
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def _grammar(name: str) -> str:
    if name not in ALL:
        raise UsageError(f"there is no grammar {name!r}; there are {', '.join(ALL)}")
    return name


def _order(word: str) -> int:
    if word == "memory":
        return -1
    if not word.isdecimal() or int(word) > DEEPEST:
        raise UsageError(f"--orders takes memory and 0 to {DEEPEST}, with commas between them, not {word!r}")
    return int(word)


def _span(text: str) -> tuple[int, int]:
    least, _, most = text.partition("-")
    if not (least.isdecimal() and (most or least).isdecimal()) or not 2 <= int(least) <= int(most or least) <= 20:
        raise UsageError(f"--people takes numbers from 2 to 20, such as 2-7, not {text!r}")
    return int(least), int(most or least)


def sample(recipe: Recipe, number: int) -> Suite:
    """The first lessons as a suite, to be linted and put to models like any other."""
    items = {}
    for each, lesson in enumerate(lessons_of(recipe, 0, number)):
        for place, branch in enumerate(lesson.branches):
            # What is asked twice, in two forms, is one item.
            items[each, branch.question] = Item(
                id=f"lesson-{each}-{place}",
                context=lesson.story,
                question=branch.question,
                answer=branch.answer,
                choices=branch.choices,
                tags={"story": f"lesson-{each}", "kind": branch.kind, "set": lesson.grammar},
            )
    return Suite("lessons", tuple(items.values()), prompt="raw", score="open")


BUILDS = (Build("lessons", _lessons, folder=True),)
