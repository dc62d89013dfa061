"""Train: stories with questions and answers in the forms that fine-tuning takes.

Stories come straight from the settings, without a model. Those that *need theory of mind* are those with a question
to which another person would give another answer; most random stories have none, so their share is set, not left to
chance. Contexts are dealt to train and test as a whole, so that the one never shows the setting of the other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from otherminds.errors import UsageError
from otherminds.items import Item, write_lines
from otherminds.questions import quiz
from otherminds.story import Story
from otherminds.studies.explore.contexts import Context, setting
from otherminds.studies.explore.goals import Goal, Tally
from otherminds.studies.explore.search import Node, ending
from otherminds.studies.explore.sets import Cell

FORMS = ("completion", "chat")
TRIES = 500
"""Stories drawn in one setting before it is given up for want of one of the kind that is needed."""


@dataclass(frozen=True, slots=True)
class Triple:
    """A story, a question about it and the answer."""

    story: str
    question: str
    answer: str
    split: str
    context: str
    set: str
    needs_theory_of_mind: bool
    order: int
    kind: str

    def in_form(self, form: str) -> dict[str, Any]:
        """As one line of a training file."""
        tags = {name: getattr(self, name) for name in Triple.__slots__[3:]}
        asked = f"{self.story}\n\n{self.question}"
        if form == "chat":
            turns = [{"role": "user", "content": asked}, {"role": "assistant", "content": self.answer}]
            return {"messages": turns, **tags}
        return {"prompt": f"{asked}\nAnswer:", "completion": f" {self.answer}", **tags}


def triples(
    cells: Sequence[Cell],
    contexts: Sequence[Context],
    *,
    number: int,
    share: float = 0.5,
    order: int = 2,
    each: int = 8,
    prose: bool = False,
    test: float = 0.2,
    seed: int = 0,
) -> Iterator[Triple]:
    """So many triples, `each` a story; `share` of the stories need theory of mind; `prose`: in varied words."""
    if not 0 <= share <= 1 or not 0 <= test < 1:
        raise UsageError(f"share should lie from 0 to 1 and test from 0 to below 1, not {share} and {test}")
    if number < 1 or each < 1 or not cells or not contexts:
        raise UsageError("give at least one action set, one context and one question to ask for")
    rng = random.Random(f"train:{seed}")
    dealt = rng.sample(list(contexts), len(contexts))
    held_out = {context.id for context in dealt[: round(test * len(dealt))]}
    made = needing = stories = 0
    while made < number:
        # The share is kept to story by story, so that any beginning of the file has it too.
        need = needing + 1 <= share * (stories + 1) + 1e-9
        cell, context = rng.choice(cells), rng.choice(dealt)
        drawn = _draw(cell, context, need=need, order=order, rng=rng, seed=seed)
        if drawn is None:
            continue
        story, items = drawn
        stories += 1
        needing += need
        words = story.tell(seed=rng.randrange(2**31)) if prose else story.text
        for item in rng.sample(items, min(each, len(items), number - made)):
            made += 1
            yield Triple(
                story=words,
                question=item.question,
                answer=item.answer,
                split="test" if context.id in held_out else "train",
                context=context.id,
                set=cell.set.name,
                needs_theory_of_mind=need,
                order=int(item.tags["order"]),
                kind=str(item.tags["kind"]),
            )


def _draw(
    cell: Cell, context: Context, *, need: bool, order: int, rng: random.Random, seed: int
) -> tuple[Story, list[Item]] | None:
    """A random complete story that does, or does not, need theory of mind; None if this setting has none to give."""
    stage, goal = setting(context, cell, seed=seed), Goal.of(cell)
    for _ in range(TRIES):
        node = ending(stage, goal, Node(Story(premises=stage.premises), Tally()), rng)
        if goal.met(node.story, node.tally):
            items = list(quiz(node.story, order=order))
            if any(item.tags.get("interesting") is True for item in items) is need:
                return node.story, items
    return None


def save(folder: str | Path, made: Sequence[Triple], *, form: str = "chat", parquet: bool = False) -> list[Path]:
    """Write train and test files; which files there are now."""
    if form not in FORMS:
        raise UsageError(f"there is no form {form!r}; there are {', '.join(FORMS)}")
    written = []
    for split in ("train", "test"):
        lines = [triple.in_form(form) for triple in made if triple.split == split]
        if lines:
            path = Path(folder) / f"{split}.{'parquet' if parquet else 'jsonl'}"
            _write_parquet(path, lines) if parquet else write_lines(path, lines)
            written.append(path)
    return written


def _write_parquet(path: Path, lines: list[dict[str, Any]]) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'otherminds[parquet]'") from None
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(lines), path)
