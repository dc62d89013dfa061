"""Two ways of scoring the items of a benchmark: `published` and `repaired`.

Both put the same prompts, with the benchmark's own labels, so that what was asked for one need not be asked again for
the other. `published` gives the mark that the benchmark's own script would give, by its own gold, faults included: an
answer that it cannot read is wrong, left out or its first option, as it has it, and counted as unparsed all the same.
`repaired` reads the answer as everywhere in this package, by the repaired gold, and what cannot be read has no value.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from string import ascii_uppercase as LETTERS

from otherminds.bridges.benchmarks.known import benchmark_of
from otherminds.bridges.benchmarks.record import Benchmark
from otherminds.errors import UsageError
from otherminds.formats.prompts import About, Posed
from otherminds.formats.scores import Score, Scoring
from otherminds.formats.written_answers import names_in, read_choice, read_text, refuses
from otherminds.items import Item
from otherminds.models import Message, Prompt, Response

SHORT, LONG = 20, 1024


def pose(item: Item, *, prompt: str, seed: int) -> tuple[Posed, ...]:
    """One prompt for every try, with the options in the order of the file or, of several tries, shuffled for each."""
    kind = benchmark_of(item)
    return tuple(_posed(item, kind, prompt, order) for order in _orders(item, kind, seed))


def _orders(item: Item, kind: Benchmark, seed: int) -> list[tuple[str, ...]]:
    if kind.tries == 1:
        return [item.choices]
    return [
        tuple(random.Random(f"{seed}:{item.id}:{number}").sample(item.choices, len(item.choices)))
        for number in range(kind.tries)
    ]


def _posed(item: Item, kind: Benchmark, prompt: str, order: tuple[str, ...]) -> Posed:
    labels = [
        kind.option.format(letter=letter, lower=letter.lower(), choice=choice.rstrip(" "))
        for letter, choice in zip(LETTERS, order, strict=False)
    ]
    shown = labels if kind.option and item.choices != ("yes", "no") else []
    about = About(item, order)
    if prompt == "raw":
        lines = [item.context, f"Question: {item.question}", *shown, *([] if shown else [kind.ask(item)]), "Answer:"]
        return Posed(Prompt(text="\n".join(filter(None, lines)), stop=("\n",), max_tokens=SHORT, about=about), order)
    if prompt not in ("direct", "cot"):
        raise UsageError(f"benchmarks are asked with the prompts raw, direct and cot, not {prompt!r}")
    ending = (
        kind.ask(item) if prompt == "direct" else f"Think step by step. Then, after a last “Answer:”: {kind.ask(item)}"
    )
    words = "\n".join([item.context, "", f"Question: {item.question}", *shown, "", ending]).strip()
    length = SHORT if prompt == "direct" else LONG
    return Posed(Prompt(messages=(Message("user", words),), max_tokens=length, about=about), order)


def judge_published(item: Item, posed: Sequence[Posed], results: Sequence[Response]) -> Score:
    """The mark of the benchmark's own script."""
    if error := next((result.error for result in results if result.error), ""):
        return Score("error", why=error)
    mark = benchmark_of(item).mark(item, [result.text for result in results], [asked.choices for asked in posed])
    verdict = "unparsed" if not mark.read or mark.value is None else "correct" if mark.value == 1 else "incorrect"
    return Score(verdict, mark.value, mark.answer, mark.why or "by the benchmark's own rules")  # type: ignore[arg-type]


def judge_repaired(item: Item, posed: Sequence[Posed], results: Sequence[Response]) -> Score:
    """The majority of what the tries plainly say, by the repaired gold."""
    scores = [_read(item, asked, result) for asked, result in zip(posed, results, strict=True)]
    said = Counter(score.answer for score in scores if score.value is not None)
    if not said or any(score.verdict == "error" for score in scores):
        return next((score for score in scores if score.verdict == "error"), scores[0])
    best = said.most_common(1)[0][0]
    return next(score for score in scores if score.answer == best and score.value is not None)


def _read(item: Item, asked: Posed, result: Response) -> Score:
    if result.error:
        return Score("error", why=result.error)
    if result.finish == "refused":
        return Score("refused", why="the server says that the model refused")
    if "names" in item.meta:
        return _names(item, result.text)
    # A place may be written with a space where the file has an underscore.
    spaced = [choice.replace("_", " ") for choice in asked.choices]
    text = result.text.replace("_", " ")
    reading = read_choice(text, spaced) if spaced else read_text(text, item.answer)
    if not reading.answer:
        ended = "refused" if refuses(text) else "truncated" if result.finish == "length" else "unparsed"
        return Score(ended, why=reading.why)  # type: ignore[arg-type]
    answer = asked.choices[spaced.index(reading.answer)] if spaced else reading.answer
    right = answer == item.answer
    return Score("correct" if right else "incorrect", float(right), answer, reading.why)


def _names(item: Item, text: str) -> Score:
    named = set(names_in(text, [*item.meta["names"], *item.meta["others"]]))
    if not named and item.meta["names"]:
        return Score("unparsed", why="it names nobody")
    right = named == set(item.meta["names"])
    return Score("correct" if right else "incorrect", float(right), ", ".join(sorted(named)), "by whole names")


PUBLISHED = Scoring("ask", pose, judge_published, tried=False)
REPAIRED = Scoring("ask", pose, judge_repaired, tried=False)


def labelled(item: Item, order: Sequence[str], choice: str) -> str:
    """A choice as a model that keeps to the instruction gives it."""
    kind = benchmark_of(item)
    if choice not in order or item.choices == ("yes", "no"):
        return choice
    letter = LETTERS[order.index(choice)]
    return kind.answer.format(letter=letter, lower=letter.lower(), choice=choice)


def published_value(item: Item, choice: str) -> float | None:
    """What the benchmark's own script gives somebody who answers with that choice every time."""
    orders = _orders(item, benchmark_of(item), 0)
    return benchmark_of(item).mark(item, [labelled(item, order, choice) for order in orders], orders).value
