"""Train: stories with questions and answers in the forms that fine-tuning takes.

Stories come straight from the settings, without a model, or from a folder of findings that was told in prose. Those
that *need theory of mind* are those with a question to which another person would give another answer; most random
stories have none, so their share is set, not left to chance. Contexts are dealt to train and test as a whole, so that
the one never shows the setting of the other.
"""

from __future__ import annotations

import random
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from otherminds.errors import UsageError
from otherminds.files import replacing, write_text
from otherminds.heuristics.cards import card
from otherminds.items import Item, Suite, Tag, write_lines
from otherminds.minds.questions import Question, questions
from otherminds.minds.story import Story
from otherminds.search.hunt import Found
from otherminds.stories.contexts import Context, setting
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower
from otherminds.stories.need import needs_theory_of_mind
from otherminds.stories.sets import Cell

FORMS = ("chat", "completion")
TRIES = 50
"""Stories drawn in one setting before it is given up for want of one of the kind that is needed."""
GIVEN_UP = 200
"""Settings given up in a row before all of them are."""


def triples(
    cells: Sequence[Cell],
    contexts: Sequence[Context],
    *,
    number: int,
    share: float = 0.5,
    order: int = 2,
    each: int = 8,
    paraphrase: bool = False,
    test: float = 0.2,
    seed: int = 0,
) -> Iterator[Item]:
    """So many triples of story, question and answer, `each` a story; `share` of the stories need theory of mind.

    With `paraphrase` they are told in varied words. Tags say where each belongs, and whether its story needs it.
    """
    if not 0 <= share <= 1 or not 0 <= test < 1:
        raise UsageError(f"share should lie from 0 to 1 and test from 0 to below 1, not {share} and {test}")
    if number < 1 or each < 1 or not cells or not contexts:
        raise UsageError("give at least one action set, one context and one question to ask for")
    rng = random.Random(f"train:{seed}")
    dealt = rng.sample(list(contexts), len(contexts))
    held_out = {context.id for context in dealt[: round(test * len(dealt))]}
    told: set[Story] = set()
    made = needing = 0
    while made < number:
        # The share is kept to story by story, so that any beginning of the file has it too.
        need = needing + 1 <= share * (len(told) + 1) + 1e-9
        cell, context, story = _draw(cells, dealt, told, need=need, order=order, rng=rng, seed=seed)
        told.add(story)
        needing += need
        words = story.tell(seed=rng.randrange(2**31)) if paraphrase else story.text
        asked = questions(story, order=order)
        for question in rng.sample(asked, min(each, len(asked)))[: number - made]:
            made += 1
            yield _triple(words, question, held_out, context.id, cell.set.name, need=need)


def _triple(story: str, question: Question, held_out: Container[str], context: str, set: str, *, need: bool) -> Item:
    tags: dict[str, Tag] = {"split": "test" if context in held_out else "train", "context": context, "set": set}
    tags |= {"needs_theory_of_mind": need, "order": len(question.minds), "kind": str(question.tags["kind"])}
    return Item(f"{context}-{question.text}", question.text, question.answer, story, question.choices, tags=tags)


def retold(
    found: Sequence[Found], texts: Mapping[str, str], *, number: int, order: int = 2, test: float = 0.2, seed: int = 0
) -> Iterator[Item]:
    """At most so many triples about stories in prose, by the id of the story: every question about each of them."""
    if not 0 <= test < 1:
        raise UsageError(f"test should lie from 0 to below 1, not {test}")
    whole = list({texts[each.id]: each for each in found if each.id in texts}.values())
    if not whole:
        raise UsageError("none of these stories was told to its end, so there is nothing to train on in prose")
    places = sorted({each.context for each in whole})
    held_out = set(random.Random(f"retold:{seed}").sample(places, round(test * len(places))))
    made = (
        _triple(texts[each.id], question, held_out, each.context, each.set, need=need)
        for each in whole
        for need in [needs_theory_of_mind(each.story, order=order)]
        for question in questions(each.story, order=order)
    )
    return islice(made, number)


def _draw(
    cells: Sequence[Cell],
    contexts: Sequence[Context],
    told: set[Story],
    *,
    need: bool,
    order: int,
    rng: random.Random,
    seed: int,
) -> tuple[Cell, Context, Story]:
    """A random complete story, not told before, that does, or does not, need theory of mind."""
    for _ in range(GIVEN_UP):
        cell, context = rng.choice(cells), rng.choice(contexts)
        grower = Grower(setting(context, cell, seed=seed), Goal.of(cell), rng)
        for _ in range(TRIES):
            story = grower.complete()
            if story and story not in told and needs_theory_of_mind(story, order=order) is need:
                return cell, context, story
    kind = "needs theory of mind" if need else "needs no theory of mind"
    raise UsageError(
        f"{GIVEN_UP} settings in a row gave no new story that {kind}, after {len(told)} stories; "
        "ask for fewer, set another share, or give more sets, people and moves"
    )


def training_suite(made: Sequence[Item], *, name: str = "training") -> Suite:
    """The triples as a suite, to be linted and described like any other."""
    stories = {story: f"story-{number}" for number, story in enumerate(dict.fromkeys(each.context for each in made))}
    items = []
    for number, each in enumerate(made):
        story = stories[each.context]
        items.append(replace(each, id=f"{story}-{number}", tags={**each.tags, "story": story}))
    return Suite(name, tuple(items), prompt="direct", score="text")


def save(
    folder: str | Path,
    made: Sequence[Item],
    *,
    form: str = "chat",
    parquet: bool = False,
    stories: str = "random stories",
) -> list[Path]:
    """Write train and test files and a data card; which files there are now."""
    if form not in FORMS:
        raise UsageError(f"there is no form {form!r}; there are {', '.join(FORMS)}")
    written = []
    for split in ("train", "test"):
        lines = [_in_form(each, form) for each in made if each.tags["split"] == split]
        if lines:
            path = Path(folder) / f"{split}.{'parquet' if parquet else 'jsonl'}"
            _write_parquet(path, lines) if parquet else write_lines(path, lines)
            written.append(path)
    described = card(training_suite(made), made=f"{stories} with answers proved by their events, as {form} lines")
    write_text(Path(folder) / "card.md", described)
    return [*written, Path(folder) / "card.md"]


def _in_form(each: Item, form: str) -> dict[str, Any]:
    """A triple as one line of a training file."""
    asked = f"{each.context}\n\n{each.question}"
    if form == "chat":
        turns = [{"role": "user", "content": asked}, {"role": "assistant", "content": each.answer}]
        return {"messages": turns, **each.tags}
    return {"prompt": f"{asked}\nAnswer:", "completion": f" {each.answer}", **each.tags}


def _write_parquet(path: Path, lines: list[dict[str, Any]]) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'otherminds[parquet]'") from None
    with replacing(path) as half:
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(lines), half)
