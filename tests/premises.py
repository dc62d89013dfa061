"""Whether stories test what their set is named after, by a program that shares nothing with the package's solver.

    python -m tests.premises --stories 500
    python -m tests.premises --tell 40      # stories of all sets with some of their questions, to be read by people

Stories of all sets are drawn. In none does anybody leave and come straight back, or hear the same twice from the same
person with nothing in between. Where a set is about a premise, the story's twin without it (nothing is clear, nobody is
distrusted, one lie is left out) must have another answer to a question of the story, as the second opinion has it. Both
answers to that question, and those to all others, must be the package's own. Exits with 1 if anything is amiss.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from otherminds.minds.questions import Question, questions
from otherminds.minds.story import Story
from otherminds.stories.contexts import bank, setting
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower
from otherminds.stories.sets import ActionSet, Cell, action_sets, premise_twin
from tests.possible_worlds import OPEN
from tests.second_opinion import Opinion


def drawn(number: int, *, seed: int = 0) -> Iterator[tuple[ActionSet, Story]]:
    """So many complete stories, the sets in turn."""
    rng, sets = random.Random(f"premises:{seed}"), list(action_sets().values())
    made = 0
    while made < number:
        chosen = sets[made % len(sets)]
        cell = Cell(chosen, rng.choice((2, 3, 4)), rng.choice((2, 3)))
        grower = Grower(setting(rng.choice(bank()), cell, seed=rng.randrange(10**6)), Goal.of(cell), rng)
        story = next((found for _ in range(60) if (found := grower.complete()) is not None), None)
        if story is not None:
            made += 1
            yield chosen, story


def plain(story: Story) -> dict[str, Any]:
    """The premises of a story as JSON has them."""
    given = story.premises
    return {"clear": sorted(given.clear), "distrust": sorted(map(list, given.distrust)), "fresh": given.fresh}


def second_answer(opinion: Opinion, question: Question) -> str:
    """What the second opinion answers to a question about minds."""
    value = None
    if question.property == "topic":
        value = question.about
    elif question.property.startswith("state:"):
        value = question.text.removesuffix("?").rpartition(f"the {question.about} ")[2]
    found = opinion.answer(question.minds, question.about, question.property, value)
    if isinstance(found, bool):
        return "yes" if found is (question.tags["polarity"] == "positive") else "no"
    return {None: "unknown", OPEN: "in no container", "no view": "has no view"}.get(found, str(found))


def wrong_answers(story: Story) -> Iterator[str]:
    """Answers of the package that are not those of the second opinion."""
    opinion = Opinion.of(story.to_dicts(), plain(story))
    for question in questions(story, order=2):
        if question.minds and (other := second_answer(opinion, question)) != question.answer:
            yield f"{question.text} {question.answer}, or {other}"


def faults(about: ActionSet, story: Story) -> Iterator[str]:
    """What is wrong with a story of this set."""
    yield from wrong_answers(story)
    yield from padding(story.to_dicts())
    if not about.premise:
        return
    found = premise_twin(story, about)
    if found is None:
        yield "no answer hangs on the premise"
        return
    twin, text = found
    yield from wrong_answers(twin)
    yield from unlike(story, twin, about.premise)
    (question,) = [each for each in questions(story, order=max(2, about.order)) if each.text == text]
    here, there = (second_answer(Opinion.of(each.to_dicts(), plain(each)), question) for each in (story, twin))
    if here == there:
        yield f"{text} {here} in both"


def unlike(story: Story, twin: Story, premise: str) -> Iterator[str]:
    """Whether the two differ in more, or in something else, than the premise."""
    one, other = story.to_dicts(), twin.to_dicts()
    if premise != "lies":
        if one != other or {name for name in plain(story) if plain(story)[name] != plain(twin)[name]} != {premise}:
            yield f"the twin differs in more than {premise}"
        return
    missing = [number for number in range(len(one)) if one[:number] + one[number + 1 :] == other]
    if not missing or plain(story) != plain(twin):
        yield "the twin differs in more than one event"
    elif not lies(one, missing[0], plain(story)):
        yield "what the twin lacks is no lie"


def lies(events: list[dict[str, Any]], number: int, premises: Mapping[str, Any]) -> bool:
    told, before = events[number].get("fact"), Opinion.of(events[:number], premises)
    return told is not None and not before.here.arrow(events[number]["speaker"]).facts.has(told)


def padding(events: list[dict[str, Any]]) -> Iterator[str]:
    """Somebody who leaves and comes straight back, or comes and goes; the same told twice in a row."""
    for one, two in pairwise(events):
        if one["do"].startswith("tell") and _without_secrets(one) == _without_secrets(two):
            yield f"told twice: {two}"
        going = {one["do"], two["do"]} == {"enter_room", "leave_room"}
        if going and (one["person"], one["room"]) == (two["person"], two["room"]):
            yield f"to and fro: {one['person']}"


def _without_secrets(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name not in ("peekers", "distracted")}


def tell(number: int, *, seed: int) -> None:
    """Print stories, every other one in varied words, each with four questions and their answers."""
    rng = random.Random(f"told:{seed}")
    for count, (about, story) in enumerate(drawn(number, seed=seed), start=1):
        print(f"{count}. [{about.name}]\n{story.tell(seed=rng.randrange(10**6) if count % 2 else None)}")
        asked = questions(story, order=2)
        for question in rng.sample(asked, min(4, len(asked))):
            print(f"   {question.text} ({', '.join(question.choices)}) {question.answer}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stories", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tell", type=int, metavar="N", help="print so many stories instead")
    options = parser.parse_args()
    if options.tell:
        tell(options.tell, seed=options.seed)
        return 0
    counts: Counter[str] = Counter()
    for about, story in drawn(options.stories, seed=options.seed):
        counts["stories"] += 1
        counts[f"stories about {about.premise}" if about.premise else "stories without a premise"] += 1
        for fault in faults(about, story):
            counts["faults"] += 1
            print(f"{about.name}: {fault}\n  {story.text}")
    print(", ".join(f"{number:,} {what}" for what, number in counts.items()) + f"; {counts['faults']} faults")
    return 1 if counts["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
