"""Build: talks become questions, one a message.

The right option is what the speaker thought at that message, the wrong ones are three of the same speaker's other
thoughts in the same talk: all four are about the same kind of state, in the same voice, and only the conversation can
tell which belongs where. What cannot be asked well is left out, and counted by its reason.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from otherminds.errors import UsageError
from otherminds.files import read_words
from otherminds.items import Item, Suite, Tag
from otherminds.studies.dialogue.third_person.pronouns import PRONOUNS
from otherminds.studies.dialogue.third_person.retell import Retold, retell
from otherminds.studies.dialogue.third_person.verbs import words
from otherminds.talks.talk import TRAITS, Person, Talk

Labels = Mapping[tuple[str, int], bool]
"""By talk and turn, whether a second-order thought misreads the partner."""

WRONG = 3
ALIKE = 0.6
"""Two thoughts with more than this share of their words in common (Jaccard) say too much the same."""
CONTAINED = 0.8
"""So do two of which the shorter has more than this share of its words in the longer."""

FEW = "fewer than three other thoughts of the speaker differ enough"
REPEATED = "the speaker says the same words twice, so the question would not tell which time is meant"
NOT_RETOLD = "not told in the third person"
SILENT = "played without thoughts"
ALOUD = "the speaker says the thought aloud, so the question would quote its own answer"

FACTORS = ("Openness to Experience", "Conscientiousness", "Extraversion", "Agreeableness", "Neuroticism")
"""How published records call the traits, in the order of TRAITS."""

_TEXTS = read_words("dialogue/wording")["questions"]
_COMMON = words(_TEXTS["common"])


def build(talks: Sequence[Talk], *, seed: int = 0, labels: Labels | None = None, name: str = "dialogue") -> Suite:
    """Every question that the talks can ask, as a suite."""
    return build_counted(talks, seed=seed, labels=labels, name=name)[0]


def build_counted(
    talks: Sequence[Talk], *, seed: int = 0, labels: Labels | None = None, name: str = "dialogue"
) -> tuple[Suite, dict[str, int]]:
    """The suite, and how many messages were not asked about, by reason."""
    items: list[Item] = []
    left_out = Counter[str]()
    for talk in talks:
        told = [retell(turn.thought, talk.speaker(n), talk.partner(n)) for n, turn in enumerate(talk.turns)]
        for turn in range(len(talk.turns)):
            made = _ask(talk, turn, told, seed, labels or {})
            if isinstance(made, Item):
                items.append(made)
            else:
                left_out[made] += 1
    if not items:
        why = "; ".join(f"{reason}: {number}" for reason, number in left_out.most_common()) or "there are no talks"
        raise UsageError(f"none of the {len(talks)} talks gives a question ({why})")
    return Suite(name, tuple(items), study="dialogue"), dict(sorted(left_out.items()))


def _ask(talk: Talk, turn: int, told: Sequence[Retold], seed: int, labels: Labels) -> Item | str:
    """The question about one message, or why there is none."""
    own = [n for n, other in enumerate(talk.turns) if other.speaker == talk.turns[turn].speaker]
    if any(talk.turns[n].speech == talk.turns[turn].speech for n in own if n != turn):
        return REPEATED
    if not talk.turns[turn].thought:
        return SILENT
    if alike(talk.turns[turn].thought, talk.turns[turn].speech):
        return ALOUD
    if told[turn].why:
        return f"{NOT_RETOLD}: {told[turn].why}"
    id = f"{talk.id}/{turn:02}"
    # A text as the seed: unlike hash(), it draws the same on every machine and in every process.
    rng = random.Random(f"{seed}:{id}")
    wrong = _wrong([n for n in own if n != turn and told[n].text], turn, talk, rng)
    if len(wrong) < WRONG:
        return FEW
    choices = [told[n].text for n in (turn, *wrong)]
    surface = rng.choice(("first", "last"))
    return Item(
        id=id,
        context=talk.transcript,
        question=question(talk, turn, surface=surface),
        answer=choices[0],
        choices=tuple(rng.sample(choices, len(choices))),
        tags=_tags(talk, turn, surface, labels),
        meta=_meta(talk, turn),
    )


def _wrong(others: Sequence[int], turn: int, talk: Talk, rng: random.Random) -> list[int]:
    """Turns whose thoughts differ enough from the right one and from each other; as many as are wanted, or fewer."""
    chosen: list[int] = []
    for other in rng.sample(others, len(others)):
        taken = [talk.turns[n].thought for n in (turn, *chosen)]
        if len(chosen) < WRONG and not any(alike(talk.turns[other].thought, thought) for thought in taken):
            chosen.append(other)
    return chosen


def alike(one: str, other: str) -> bool:
    """Whether two thoughts are too much the same to stand side by side; words that carry little are not compared."""
    ours, theirs = _telling(one), _telling(other)
    shared, fewer = len(ours & theirs), min(len(ours), len(theirs))
    if not fewer:
        return one.casefold() == other.casefold()
    return shared > ALIKE * len(ours | theirs) or shared > CONTAINED * fewer


def _telling(thought: str) -> set[str]:
    return set(re.findall(r"[\w'-]+", thought.casefold().replace("’", "'"))) - _COMMON


# ---- questions ----------------------------------------------------------------------------------------------------

_ABOUT_SELF = {state: (asks, verb) for state, (asks, verb) in _TEXTS["about_self"].items()}
_OF_PARTNER: dict[str, str] = _TEXTS["of_partner"]


def question(talk: Talk, turn: int, *, surface: str) -> str:
    """What one message is asked about; the message comes first or last."""
    speaker, partner = talk.speaker(turn), talk.partner(turn)
    asks, verb = _ABOUT_SELF[talk.state]
    if talk.order(turn) == 2:
        verb = f"think {partner.first} {_OF_PARTNER[talk.state]}"
    said = f'"{talk.turns[turn].speech}"'
    pronoun = PRONOUNS[speaker.pronoun].subject
    if surface == "first":
        do = "do" if pronoun == "they" else "does"
        return f"When {speaker.first} says {said}, {asks.lower()} {do} {pronoun} {verb}?"
    return f"{asks} does {speaker.first} {verb} when {_says(talk, turn)} {said}?"


def _says(talk: Talk, turn: int) -> str:
    """The speaker once more: by name, where the pronoun could mean the partner or both."""
    speaker, partner = talk.speaker(turn), talk.partner(turn)
    if talk.order(turn) == 2 and speaker.pronoun in (partner.pronoun, "they"):
        return f"{speaker.first} says"
    return "they say" if speaker.pronoun == "they" else f"{speaker.pronoun} says"


def _tags(talk: Talk, turn: int, surface: str, labels: Labels) -> dict[str, Tag]:
    order = talk.order(turn)
    tags: dict[str, Tag] = {"story": talk.id, "state": talk.state, "order": order}
    if order == 2 and (talk.id, turn) in labels:
        tags["false_belief"] = labels[talk.id, turn]
    return {**tags, "category": talk.casting.scene.category, "surface": surface, **talk.speaker(turn).levels}


def _meta(talk: Talk, turn: int) -> dict[str, Any]:
    speaker, partner = talk.speaker(turn), talk.partner(turn)
    thought = talk.turns[turn].thought
    return {
        "speaker": speaker.id,
        "partner": partner.id,
        "turn": turn,
        "scene": talk.casting.scene.id,
        "people": [person.id for person in talk.casting.people],
        "big_five": big_five(speaker),
        "thought": thought,
        "why": f"{speaker.first}'s own thought at that moment, which {partner.first} did not hear: {thought}",
        **({"made": dict(talk.made)} if talk.made else {}),
    }


def big_five(person: Person) -> str:
    """The traits of a person as published records write them."""
    levels = [person.levels[trait].capitalize() for trait in TRAITS]
    return "; ".join(f"{factor} - {level}" for factor, level in zip(FACTORS, levels, strict=True))
