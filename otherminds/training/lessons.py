"""Lessons: one story with several questions, each in one of the forms in which models are asked.

The story is told once and every question goes on from it on its own, so that a lesson costs little more than its
story; no question sees another. Every lesson follows from (seed, number) alone.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from otherminds.errors import InvalidEvent
from otherminds.minds.questions import Question
from otherminds.minds.questions import questions as all_questions
from otherminds.minds.story import Story
from otherminds.stories.contexts import Context, bank, setting
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower
from otherminds.stories.sets import Cell, choose, grid
from otherminds.training import asking, words
from otherminds.training.forms import Ask, Branch, pose
from otherminds.training.grammars import CLOSED_EYES, FRESHER, GRAMMARS, OPEN_EYES, Voice
from otherminds.training.grammars import KEPT_BACK as KEPT_BACK_GRAMMARS
from otherminds.training.scene_asking import ask_about
from otherminds.training.scene_wording import RETOLD, SCENES
from otherminds.training.scenes import scene
from otherminds.training.story_plots import PLOTS, Size, StoryPlot

KEPT_BACK = (*KEPT_BACK_GRAMMARS, RETOLD)
"""Words that are never trained on unless asked for: they show what carries over to other words."""
NOT_EVENLY = ("terse", *KEPT_BACK)
CHATS = 0.45
"""How many lessons are chats."""
MOST_OF_A_SCENE = 7
"""Questions about a scene."""
OFTEN = {"room-changes": 4, "all": 4, "object-state": 2, "fantom": 2, "": 1}
"""Sets of explore stories by a part of their names, and how often each is drawn: rooms are rare, and hard to learn."""
OWN = "own"
"""Stories of the explore study in the words of the belief engine: every kind of event, opaque containers."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What lessons are drawn from."""

    seed: int = 0
    grammars: tuple[str, ...] = (
        *("terse",) * 3,
        *(name for name in GRAMMARS if name not in NOT_EVENLY),
        *(OWN,) * 7,
        *(SCENES,) * 5,
    )
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
    """The share of lessons that need minds: in the others no answer differs from what is so, or was so."""

    @property
    def without_terse(self) -> bool:
        """Whether the words of the terse grammar are left out."""
        return "terse" not in self.grammars


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
    needing = rng.random() < recipe.needing
    while True:
        try:
            found = _KINDS.get(grammar, _told)(recipe, grammar, needing, rng)
        except InvalidEvent:  # somebody would have told what all know already
            continue
        if found is not None:
            return found


# ---- stories in many grammars -----------------------------------------------------------------------------------


def _told(recipe: Recipe, grammar: str, needing: bool, rng: random.Random) -> Lesson | None:
    plot = PLOTS[rng.choice(recipe.plots)](rng, recipe.size)
    voice = Voice(grammar, rng)
    premises, readings = _readings(plot, grammar, rng)
    if needing and not asking.any_false(readings, plot.things, plot.people):
        return None
    orders = [rng.choice(recipe.orders) for _ in range(recipe.each)]
    asked = asking.questions(readings, plot.things, plot.people, rng, orders=orders, false=needing)
    if not asked:
        return None
    chat = recipe.forms == "all" and rng.random() < CHATS
    branches = []
    for each in asked:
        words_of = asking.ask(each, voice.show, rng, leave_out_terse=recipe.without_terse, terse=grammar == "terse")
        choices = _choices(plot, voice, each.answer, rng)
        ask = Ask(
            words_of,
            voice.show(each.answer),
            choices,
            f"{plot.name} {each.kind}",
            asking.stem(each, voice.show, rng),
            asking.sentences(each, voice.show(each.thing), choices, rng),
            voice.show(each.reality),
        )
        branches.append(pose(ask, rng, chat=chat, plain=recipe.forms != "all"))
    return Lesson(voice.tell(plot, premises), tuple(branches), chat, grammar, plot.name)


def _readings(plot: StoryPlot, grammar: str, rng: random.Random) -> tuple[list[str], list[Story]]:
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


def _choices(plot: StoryPlot, voice: Voice, answer: str, rng: random.Random) -> tuple[str, ...]:
    """Places of the story, sometimes with others beside them, in random order."""
    places = list(plot.containers)
    if rng.random() < 0.3 and len(places) > 2:
        others = [place for place in places if place != answer]
        places = [*rng.sample(others, rng.randint(1, len(places) - 2)), answer]
    elif rng.random() < 0.2:
        places += words.containers(rng, rng.randint(1, 15 - min(14, len(places))), set(places), compound="_" in answer)
    return tuple(voice.show(place) for place in rng.sample(places, len(places)))


# ---- stories in the package's own words --------------------------------------------------------------------------


def _own(recipe: Recipe, grammar: str, needing: bool, rng: random.Random) -> Lesson | None:
    cell, context = rng.choice(_cells()), rng.choice(_contexts(recipe.contexts))
    grower = Grower(setting(context, cell, seed=rng.randrange(2**31)), Goal.of(cell), rng)
    story = grower.complete()
    if not story:
        return None
    order = {2: 4, 3: 4, 4: 3}.get(len(story.people), 2)
    wanted = [
        each
        for each in all_questions(story, order=order)
        if _order(each) in recipe.orders and (needing or not each.tags.get("interesting"))
    ]
    found = _even(wanted, recipe.each, rng)
    if not found or (needing and not any(each.tags.get("interesting") for each in found)):
        return None
    chat = recipe.forms == "all" and rng.random() < CHATS
    branches = []
    for each in found:
        choices = tuple(rng.sample(each.choices, len(each.choices)))
        stem = each.cloze if each.answer not in ("unknown", "in no container") else ""
        ask = Ask(each.text, each.answer, choices, f"own {_kind(each)}", stem, reality=each.reality)
        branches.append(pose(ask, rng, chat=chat, plain=recipe.forms != "all"))
    text = story.text if rng.random() < 0.4 else story.tell(seed=rng.randrange(2**31))
    return Lesson(text, tuple(branches), chat, OWN, cell.set.name)


def _order(question: Question) -> int:
    return -1 if question.tags["kind"] == "memory" else len(question.minds)


def _kind(question: Question) -> str:
    kind = str(question.tags["kind"])
    return kind if kind == "memory" else f"{kind} order {len(question.minds)}"


def _even(found: Sequence[Question], number: int, rng: random.Random) -> list[Question]:
    """Some of the questions: matters by turns, and in each its orders and answers, rather than most of what is most."""
    groups: dict[object, dict[tuple[object, ...], list[Question]]] = defaultdict(lambda: defaultdict(list))
    for question in found:
        kind = question.tags["kind"]
        # What was so is asked among the containers: as a matter of its own it would be every second question.
        groups[kind if kind != "memory" else "container"][kind, len(question.minds), question.answer].append(question)
    lines = [_by_turns(list(group.values()), rng) for group in groups.values()]
    rng.shuffle(lines)
    picked: list[Question] = []
    while len(picked) < number and lines:
        picked += [line.pop() for line in lines]
        lines = [line for line in lines if line]
    return picked[:number]


def _by_turns(groups: Sequence[Sequence[Question]], rng: random.Random) -> list[Question]:
    """All of them, the last first: one of each group, then another of each."""
    lines = [rng.sample(group, len(group)) for group in groups]
    rng.shuffle(lines)
    most = max(map(len, lines))
    turns = [line[turn] for turn in range(most) for line in lines if turn < len(line)]
    return turns[::-1]


_KEPT: dict[str, Sequence[Context]] = {}
_GRID: list[Cell] = []


def _contexts(part: str) -> Sequence[Context]:
    """The contexts that are trained on, or every fifth, which is not."""
    if part not in _KEPT:
        _KEPT[part] = [each for number, each in enumerate(bank()) if (number % 5 == 4) is (part == "test")]
    return _KEPT[part]


def _cells() -> Sequence[Cell]:
    if not _GRID:
        for cell in grid(choose("every")):
            _GRID.extend([cell] * next(times for part, times in OFTEN.items() if part in cell.set.name))
    return _GRID


# ---- everyday scenes -----------------------------------------------------------------------------------------------


def _acted(recipe: Recipe, grammar: str, needing: bool, rng: random.Random) -> Lesson | None:
    made = scene(rng, grammar, needing=needing)
    orders = [_shallow(rng.choice(recipe.orders), recipe, rng) for _ in range(min(recipe.each, MOST_OF_A_SCENE))]
    chat = recipe.forms == "all" and rng.random() < CHATS
    branches = []
    for each in ask_about(made, rng, orders, needing=needing):
        choices = tuple(rng.sample(each.choices, len(each.choices)))
        ask = Ask(each.text, each.answer, choices, f"{made.plot} {each.kind}", each.stem, each.sentences)
        branches.append(pose(ask, rng, chat=chat, plain=recipe.forms != "all"))
    return Lesson(made.text, tuple(branches), chat, grammar, made.plot) if branches else None


def _shallow(order: int, recipe: Recipe, rng: random.Random) -> int:
    """The order of a question about a scene: scenes are short, and seldom ask deeper than to the second."""
    if order <= 2 or rng.random() < 0.15:
        return min(order, 3)
    low = [each for each in recipe.orders if each <= 2]
    return rng.choice(low) if low else 3


_KINDS = {OWN: _own, SCENES: _acted, RETOLD: _acted}
