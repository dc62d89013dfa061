"""Stories in numbered lines: what the engine makes of them, and a second program that shares nothing with it."""

from __future__ import annotations

import random
import re

import pytest

from otherminds.bridges.benchmarks.tomi import Untold, WhereQuestion, answer, asked, containers, sentences, tell

PEOPLE, PLACES = ("Ada", "Ben", "Cleo"), ("tin_box", "oak_chest", "red_jar")


def drawn(seed: int) -> list[str]:
    """A story in the manner of ToMi: one room that matters, one next door, comings, goings and moves."""
    chance = random.Random(seed)
    inside = set(chance.sample(PEOPLE, chance.randint(2, 3)))
    lines = [f"{name} entered the loft." for name in sorted(inside)]
    place = chance.choice(PLACES)
    lines.append(f"The pear is in the {place}.")
    for _ in range(chance.randint(2, 7)):
        who = chance.choice(PEOPLE)
        if who not in inside:
            inside.add(who)
            lines.append(f"{who} entered the loft.")
        elif len(inside) > 1 and chance.random() < 0.4:
            inside.discard(who)
            lines.append(f"{who} exited the loft.")
            if chance.random() < 0.3:
                lines.append(f"{who} dislikes the shed")
        else:
            place = chance.choice([other for other in PLACES if other != place])
            lines.append(f"{who} moved the pear to the {place}.")
    return lines


def known_to(lines: list[str], minds: tuple[str, ...], *, open_containers: bool) -> str | None:
    """The place that everybody of the chain was there to see last: in open containers also on coming in."""
    inside: set[str] = set()
    place: str | None = None
    last: str | None = None
    for line in lines:
        words = line.rstrip(".").split()
        fresh = False
        if words[1] == "entered":
            inside.add(words[0])
            fresh = open_containers
        elif words[1] == "exited":
            inside.discard(words[0])
        elif words[1] == "moved" or " is in the " in line:
            place, fresh = words[-1], True
        if open_containers:
            fresh = True  # what lies open is seen at every moment
        if fresh and place and set(minds) <= inside:
            last = place
    return last if minds else place


CHAINS = [(), *((one,) for one in PEOPLE), *((one, two) for one in PEOPLE for two in PEOPLE if one != two)]
CHAINS += [("Ada", "Ben", "Cleo"), ("Cleo", "Ben", "Ada", "Ben")]


@pytest.mark.parametrize("open_containers", [True, False])
def test_two_programs_agree_on_drawn_stories(open_containers: bool) -> None:
    compared = false = 0
    for seed in range(400):
        lines = drawn(seed)
        story = tell(lines, open_containers=open_containers)
        for minds in CHAINS:
            if set(minds) <= set(story.people):
                expected = known_to(lines, minds, open_containers=open_containers)
                assert answer(story, lines, WhereQuestion(minds, "pear")) == expected, (seed, minds, lines)
                compared += 1
                false += expected != known_to(lines, (), open_containers=open_containers)
    assert compared > 3000
    assert false > 300


@pytest.mark.parametrize(
    ("question", "minds", "first"),
    [
        ("Where was the pear at the beginning?", (), True),
        ("Where is the pear really?", (), False),
        ("Where will Ada look for the pear?", ("Ada",), False),
        ("Where does Ada think that Ben searches for the pear?", ("Ada", "Ben"), False),
        ("Where does Ada really think the pear is?", ("Ada",), False),
        ("Where does Ada think Ben thinks the pear is?", ("Ada", "Ben"), False),
        ("Where does Ada think Ben thinks Cleo thinks the pear is?", ("Ada", "Ben", "Cleo"), False),
        ("Where does Ada think Ben thinks Cleo thinks Dan thinks the pear is?", ("Ada", "Ben", "Cleo", "Dan"), False),
    ],
)
def test_what_a_question_asks(question: str, minds: tuple[str, ...], first: bool) -> None:
    assert asked(question) == WhereQuestion(minds, "pear", first)


def test_other_questions_are_not_guessed_at() -> None:
    assert asked("Who has the pear?") is None


def test_numbers_and_noise() -> None:
    lines = sentences("1 Ada entered the loft.\n2 Ada likes the hat\n\n3 The pear is in the tin_box.\n")
    assert lines == ["Ada entered the loft.", "Ada likes the hat", "The pear is in the tin_box."]
    assert containers(lines) == ["tin_box"]
    assert not any(re.match(r"\d", line) for line in lines)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["Ada entered the loft.", "Ada privately told Ben that the pear is lost."], "people talk in it"),
        (["The pear is in the tin_box."], "nobody is"),
        (["Ada exited the loft."], "line 1 cannot happen: Ada is not in the loft"),
    ],
)
def test_what_cannot_be_told_as_events(lines: list[str], why: str) -> None:
    with pytest.raises(Untold, match=why):
        tell(lines, open_containers=True)
