"""Lessons: one story with several questions, each in one of the forms in which models are asked.

The story is told once and every question goes on from it on its own, so that a lesson costs little more than its
story; no question sees another. Every lesson follows from (seed, number) alone.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase as LETTERS

from otherminds.errors import InvalidEvent
from otherminds.minds.questions import Question
from otherminds.minds.questions import questions as all_questions
from otherminds.minds.story import Story
from otherminds.studies.explore.contexts import Context, bank, setting
from otherminds.studies.explore.goals import Goal
from otherminds.studies.explore.grow import Grower
from otherminds.studies.explore.sets import Cell, choose, grid
from otherminds.training import asking, words
from otherminds.training.grammars import CLOSED_EYES, FRESHER, GRAMMARS, KEPT_BACK, OPEN_EYES, Voice
from otherminds.training.story_plots import PLOTS, Plot, Size

DULL = 0.9
"""How often a story in which nobody is wrong about anything is thrown away."""
NOT_EVENLY = ("terse", *KEPT_BACK)
OWN = "own"
"""Stories of the explore study in the words of the belief engine: every kind of event, opaque containers."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What lessons are drawn from."""

    seed: int = 0
    grammars: tuple[str, ...] = (*("terse",) * 4, *(name for name in GRAMMARS if name not in NOT_EVENLY), *(OWN,) * 3)
    """Drawn evenly; one that is named more often is drawn more often."""
    orders: tuple[int, ...] = (-1, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4)
    """Drawn evenly; -1 is the beginning of the story."""
    each: int = 9
    """Questions asked of a story."""
    size: Size = field(default_factory=Size)
    plots: tuple[str, ...] = ("wander", "wander", "wander", "leaving", "leaving")
    forms: str = "all"
    """all; or plain: bare questions with "Answer:" alone, as a test asks them."""
    contexts: str = "train"
    """Which part of the explore contexts: train or test."""
    needing: float = 0.75
    """Of stories in the package's own words: the share in which another person would answer otherwise."""

    @property
    def without_terse(self) -> bool:
        """Whether the words of the terse grammar are left out."""
        return "terse" not in self.grammars


@dataclass(frozen=True, slots=True)
class Branch:
    """What follows the story: the rest of the prompt, and the completion that is learned."""

    prompt: str
    completion: str
    question: str
    answer: str
    choices: tuple[str, ...]
    kind: str
    prefill: str = ""
    """In a chat: the beginning of the reply, which the completion goes on from."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A story with its questions; in a chat, story and question are one turn of the user."""

    story: str
    branches: tuple[Branch, ...]
    chat: bool
    grammar: str
    plot: str


def lesson(recipe: Recipe, number: int) -> Lesson:
    """The lesson of this number."""
    rng = random.Random(f"lesson:{recipe.seed}:{number}")
    grammar = rng.choice(recipe.grammars)
    while True:
        try:
            found = _own(recipe, rng) if grammar == OWN else _told(recipe, grammar, rng)
        except InvalidEvent:  # somebody would have told what all know already
            continue
        if found is not None:
            return found


# ---- stories in many grammars -----------------------------------------------------------------------------------


def _told(recipe: Recipe, grammar: str, rng: random.Random) -> Lesson | None:
    plot = PLOTS[rng.choice(recipe.plots)](rng, recipe.size)
    voice = Voice(grammar, rng)
    premises, readings = _readings(plot, grammar, rng)
    if rng.random() < DULL and not asking.any_false(readings, plot.things, plot.people):
        return None
    orders = [rng.choice(recipe.orders) for _ in range(recipe.each)]
    asked = asking.questions(readings, plot.things, plot.people, rng, orders=orders)
    if not asked:
        return None
    chat = recipe.forms == "all" and rng.random() < 0.45
    branches = []
    for each in asked:
        words_of = asking.ask(each, voice.show, rng, leave_out_terse=recipe.without_terse, terse=grammar == "terse")
        stem = asking.stem(each, voice.show, rng)
        choices = _choices(plot, voice, each.answer, rng)
        kind = f"{plot.name} {each.kind}"
        branches.append(_posed(words_of, stem, voice.show(each.answer), choices, kind, chat, recipe.forms, rng))
    return Lesson(voice.tell(plot, premises), tuple(branches), chat, grammar, plot.name)


def _readings(plot: Plot, grammar: str, rng: random.Random) -> tuple[list[str], list[Story]]:
    """What is said beforehand, and every story that the words can then be taken for."""
    premises: list[str] = []
    draw = rng.random()
    if grammar == "terse" and draw < 0.8:
        clear: tuple[bool, ...] = (True,)  # as in the benchmarks that are written so: whoever comes in sees
    elif draw < 0.35 or grammar == "terse":
        clear = (True,)
        premises.append(rng.choice(OPEN_EYES))
    elif draw < 0.6:
        clear = (False,)
        premises.append(rng.choice(CLOSED_EYES))
    else:
        clear = (True, False)
    if plot.talks and (grammar != "terse" or rng.random() < 0.4):
        premises.append(rng.choice(FRESHER))
    return premises, [plot.story(clear=see, fresh=plot.talks) for see in clear]


def _choices(plot: Plot, voice: Voice, answer: str, rng: random.Random) -> tuple[str, ...]:
    """Places of the story, sometimes with others beside them, in random order."""
    places = list(plot.containers)
    if rng.random() < 0.3 and len(places) > 2:
        others = [place for place in places if place != answer]
        places = [*rng.sample(others, rng.randint(1, len(places) - 2)), answer]
    elif rng.random() < 0.2:
        places += words.containers(rng, rng.randint(1, 15 - min(14, len(places))), set(places), compound="_" in answer)
    return tuple(voice.show(place) for place in rng.sample(places, len(places)))


# ---- stories in the package's own words --------------------------------------------------------------------------


def _own(recipe: Recipe, rng: random.Random) -> Lesson | None:
    cell, context = rng.choice(_cells()), rng.choice(_contexts(recipe.contexts))
    grower = Grower(setting(context, cell, seed=rng.randrange(2**31)), Goal.of(cell), rng)
    story = grower.complete()
    if not story:
        return None
    order = {2: 4, 3: 4, 4: 3}.get(len(story.people), 2)
    wanted = [each for each in all_questions(story, order=order) if _order(each) in recipe.orders]
    found = _even(wanted, recipe.each, rng)
    if not found:
        return None
    if rng.random() < recipe.needing and not any(each.tags.get("interesting") for each in found):
        return None
    chat = recipe.forms == "all" and rng.random() < 0.45
    branches = []
    for each in found:
        choices = tuple(rng.sample(each.choices, len(each.choices)))
        stem = each.cloze if each.answer not in ("unknown", "in no container") else ""
        kind = f"own {_kind(each)}"
        branches.append(_posed(each.text, stem, each.answer, choices, kind, chat, recipe.forms, rng))
    text = story.text if rng.random() < 0.4 else story.tell(seed=rng.randrange(2**31))
    return Lesson(text, tuple(branches), chat, OWN, cell.set.name)


def _order(question: Question) -> int:
    return -1 if question.tags["kind"] == "memory" else len(question.minds)


def _kind(question: Question) -> str:
    kind = str(question.tags["kind"])
    return kind if kind == "memory" else f"{kind} order {len(question.minds)}"


def _even(found: Sequence[Question], number: int, rng: random.Random) -> list[Question]:
    """Some of the questions: by turns of each order, matter and answer, rather than most of what there is most of."""
    groups: dict[tuple[object, ...], list[Question]] = defaultdict(list)
    for question in found:
        groups[len(question.minds), question.tags["kind"], question.answer].append(question)
    lines = [rng.sample(group, len(group)) for group in groups.values()]
    rng.shuffle(lines)
    picked: list[Question] = []
    while len(picked) < number and lines:
        picked += [line.pop() for line in lines]
        lines = [line for line in lines if line]
    return picked[:number]


_KEPT: dict[str, Sequence[Context]] = {}
_GRID: list[Cell] = []


def _contexts(part: str) -> Sequence[Context]:
    """The contexts that are trained on, or every fifth, which is not."""
    if part not in _KEPT:
        _KEPT[part] = [each for number, each in enumerate(bank()) if (number % 5 == 4) is (part == "test")]
    return _KEPT[part]


def _cells() -> Sequence[Cell]:
    if not _GRID:
        _GRID.extend(grid(choose("every")))
    return _GRID


# ---- forms of asking -----------------------------------------------------------------------------------------------

RAW: Mapping[str, float] = {"answer": 4, "question": 4, "short": 1, "letters": 2, "stem": 3, "listed": 1.5}
CHAT: Mapping[str, float] = {"direct": 4, "bare": 2, "letters": 2, "stem": 1.5, "listed": 1}


def _posed(
    question: str,
    stem: str,
    answer: str,
    choices: tuple[str, ...],
    kind: str,
    chat: bool,
    forms: str,
    rng: random.Random,
) -> Branch:
    weights = CHAT if chat else RAW if forms == "all" else {"question": 1}
    form = rng.choices(list(weights), list(weights.values()))[0]
    if (form == "stem" and not stem) or (form in ("letters", "listed") and not 2 <= len(choices) <= 26):
        form = "direct" if chat else "question"
    letter = LETTERS[choices.index(answer)] if form == "letters" else ""
    options = "".join(f"\n{mark}. {choice}" for mark, choice in zip(LETTERS, choices, strict=False))
    listed = ", ".join(f"{mark}. {choice}" for mark, choice in zip(LETTERS, choices, strict=False))
    prefill = ""
    completion = answer if chat else f" {answer}"
    if chat:
        few = "Reply with the answer in a few words, and nothing else."
        if form == "direct":
            prompt = f"\n\nQuestion: {question}\n\n{few}"
        elif form == "bare":
            prompt = f"\n\n{question}"
        elif form == "letters":
            prompt = (
                f"\n\nQuestion: {question}{options}\n\nReply with the letter of the right answer, and nothing else."
            )
            completion = letter
        elif form == "stem":
            prompt, prefill = f"\n\nQuestion: {question}\n\nAnswer in one short sentence.", stem
            completion = f" {answer}."
        else:
            prompt = f"\n\nQuestion: {question}\nChoices: {listed}\n\n{few}"
    elif form == "answer":
        prompt = f"\n\n{question}\nAnswer:"
    elif form == "question":
        prompt = f"\nQuestion: {question}\nAnswer:"
    elif form == "short":
        prompt = f"\n\nQ: {question}\nA:"
    elif form == "letters":
        prompt, completion = f"\nQuestion: {question}{options}\nAnswer:", f" {letter}"
    elif form == "stem":
        prompt, completion = f"\n{stem}", f" {answer}."
    else:
        prompt = f"\nQuestion: {question}\nChoices: {listed}\nAnswer:"
    return Branch(prompt, completion, question, answer, choices, f"{kind} / {form}", prefill)
