"""Answers of lessons are those of a second program, from the events and once more from nothing but the words."""

import json
import os
import random
import re
from collections import Counter

import pytest

from otherminds.errors import InvalidEvent
from otherminds.formats.continuations import pose_cloze
from otherminds.formats.letters import pose_letters
from otherminds.formats.words import pose_open
from otherminds.items import Item
from otherminds.training import asking
from otherminds.training.forms import CHAT, LABELS, RAW, WITH_OPTIONS, Branch
from otherminds.training.grammars import GRAMMARS
from otherminds.training.lessons import OWN, Recipe, lesson
from otherminds.training.scene_wording import FAMILIES
from otherminds.training.story_plots import PLOTS, Size
from tests.agreement import _plain
from tests.second_opinion import Opinion

STORIES = int(os.environ.get("STORIES", "200"))
SMALL = Size(people=(2, 4), beats=(2, 8), rounds=(1, 2))


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("clear", [True, False])
def test_answers_by_possible_worlds(name: str, clear: bool) -> None:
    kinds: Counter[str] = Counter()
    for seed in range(STORIES):
        rng = random.Random(seed)
        plot = PLOTS[name](rng, SMALL)
        try:
            story = plot.story(clear=clear, fresh=plot.talks)
        except InvalidEvent:  # somebody would tell what all know already; no lesson is made of it
            continue
        if not asking.any_false([story], plot.things, plot.people):
            continue
        second = Opinion.of(story.to_dicts(), _plain(story.premises))
        for each in asking.questions([story], plot.things, plot.people, rng, orders=(-1, 0, 1, 1, 2, 2, 3)):
            if each.when == "now":
                assert second.beliefs(each.minds)["place"].get(each.thing) == each.answer, (seed, each)
                kinds[each.kind] += 1
    assert min(kinds[f"order {order} {held}"] for order in (1, 2) for held in ("true", "false")) > 5, kinds


# ---- from the words alone ------------------------------------------------------------------------------------------

PATTERNS = {
    "enter": re.compile(r"(?P<who>.+) entered the (?P<where>.+)\."),
    "leave": re.compile(r"(?P<who>.+) exited the (?P<where>.+)\."),
    "lie": re.compile(r"The (?P<what>.+) is in the (?P<where>.+)\."),
    "move": re.compile(r"(?P<who>.+) moved the (?P<what>.+) to the (?P<where>.+)\."),
}
NOTHING = re.compile(r".+ ((dis)?likes|hates|loves) the .+|.+ (made no move|did nothing) .+")


def events_of(lines: list[str]) -> list[dict[str, object]]:
    """The events of terse lines; a thing that lies there is put there by one who is in the first room."""
    rooms: dict[str, str] = {}
    events: list[dict[str, object]] = []
    for line in lines:
        kind, found = next(((k, m) for k, p in PATTERNS.items() if (m := p.fullmatch(line))), ("", None))
        if found is None:
            assert NOTHING.fullmatch(line), line
        elif kind == "enter":
            for person in re.split(r", | and ", found["who"]):
                rooms[person] = found["where"]
                events.append({"do": "enter_room", "person": person, "room": found["where"]})
        elif kind == "leave":
            del rooms[found["who"]]
            events.append({"do": "leave_room", "person": found["who"], "room": found["where"]})
        else:
            who = found["who"] if kind == "move" else ""
            who = who or next(person for person in rooms if rooms[person] == events[0]["room"])
            put = {"person": who, "object": found["what"], "container": found["where"]}
            events.append({"do": "move_to_container", **put})
    return events


def answer_of(branch: Branch, events: list[dict[str, object]]) -> str | None:
    """What the second program says to a question that is read for its names alone."""
    things = {str(event["object"]) for event in events if "object" in event}
    people = {str(event["person"]) for event in events}
    thing = max((each for each in things if f"the {each}" in branch.question), key=len)
    if re.search(r"beginning|at first|originally|first place|Before anyone", branch.question):
        return next(str(event["container"]) for event in events if event.get("object") == thing)
    named = [word for word in re.findall(r"\w+", branch.question) if word in people]
    minds = [each for place, each in enumerate(named) if named[place - 1 : place] != [each]]
    containers = sorted({str(event["container"]) for event in events if "container" in event})
    premises = {**_plain(PLOTS["wander"](random.Random(0), SMALL).story(clear=True, fresh=False).premises)}
    second = Opinion.of(events, {**premises, "clear": containers})
    found = second.beliefs(minds)["place"].get(thing)
    return None if found is None else str(found)


def test_terse_stories_say_what_their_answers_say() -> None:
    recipe = Recipe(seed=5, grammars=("terse",), forms="plain", plots=("wander",), each=6, size=SMALL)
    checked = deep = 0
    for number in range(30):
        made = lesson(recipe, number)
        lines = re.split(r"\n|(?<=\.) (?=\w)", re.sub(r"(?m)^\d+ ", "", made.story))
        told = {each for each in lines if re.match(r"Note:|Nothing|Every|All|Whoever|People|Nobody|Any", each)}
        if told or re.search(r"(likes|hates|loves) the [^.\n]* [A-Z]", made.story):
            continue  # a premise is said, or a line of noise runs into the next
        events = events_of(lines)
        for branch in made.branches:
            assert branch.answer == answer_of(branch, events), (number, made.story, branch.question)
            checked += 1
            deep += branch.kind.startswith(("wander order 2", "wander order 3"))
    assert checked > 60
    assert deep > 15


# ---- how they are asked --------------------------------------------------------------------------------------------


def test_whatever_is_asked_for_is_among_the_choices_and_is_what_is_learned() -> None:
    grammars = (*GRAMMARS, OWN, *FAMILIES)
    forms: Counter[str] = Counter()
    numbers: Counter[int] = Counter()
    for number in range(150):
        made = lesson(Recipe(seed=3, grammars=grammars), number)
        for branch in made.branches:
            form = branch.kind.split(" / ")[1]
            forms[form] += 1
            learned = branch.completion.strip().removesuffix(".")
            assert branch.answer in branch.choices
            assert len(set(branch.choices)) == len(branch.choices)
            if form == "letters":
                numbers[len(branch.choices)] += 1
                labels = next(each for each in LABELS.values() if learned in each and f"\n{each[0]}. " in branch.prompt)
                assert branch.choices[labels.index(learned)] == branch.answer
                assert f"\n{learned}. {branch.answer}\n" in branch.prompt
            elif form == "json":
                assert json.loads(learned) == {"answer": branch.answer}
            else:
                assert learned == branch.answer.removesuffix(".")
    assert set(forms) == {*RAW, *CHAT}
    assert min(numbers[few] for few in (2, 3, 4)) > 20, numbers
    share = sum(forms[form] for form in WITH_OPTIONS) / forms.total()
    assert 0.3 < share < 0.42, forms


def test_forms_are_those_of_the_studies() -> None:
    """By letters, as a cloze and in words: the same text as `otherminds run` sends, but for the order of options."""
    asked = {"letters": pose_letters, "stem": pose_cloze, "question": pose_open, "direct": pose_open}
    met: Counter[str] = Counter()
    for number in range(60):
        made = lesson(Recipe(seed=4, grammars=("scenes",)), number)
        for branch in made.branches:
            form = branch.kind.split(" / ")[1]
            odd = re.search(r"\n[1X]\. |\n\nA\. |Answer: $|more plausible\?", branch.prompt)
            if form not in asked or odd or (form == "stem" and not (branch.prefill if made.chat else True)):
                continue
            cloze = (branch.prefill or branch.prompt[1:]) if form == "stem" else ""
            if cloze.startswith("Question:") or cloze == "Answer:":
                cloze = ""
            item = Item(
                id="one",
                context=made.story,
                question=branch.question,
                answer=branch.answer,
                choices=branch.choices,
                cloze=cloze,
            )
            way = "direct" if made.chat else "raw"
            sent = [each.prompt for each in asked[form](item, prompt=way, seed=0)]
            texts = [each.messages[0].content + each.prefill if made.chat else each.text for each in sent]
            if form == "letters":
                texts = [re.sub(r"\n[A-Z]\. .*", "", text) for text in texts]
            mine = made.story + branch.prompt + branch.prefill
            assert (re.sub(r"\n[A-Z]\. .*", "", mine) if form == "letters" else mine) in texts, (form, mine, texts)
            met[form, made.chat] += 1
    assert min(met[form, chat] for form in ("letters", "stem") for chat in (True, False)) > 5, met


def test_the_share_of_lessons_that_need_minds_is_kept_in_every_grammar() -> None:
    for grammar in ("terse", "plain", OWN, "scenes"):
        for share in (0.0, 1.0):
            for number in range(12):
                made = lesson(Recipe(seed=6, grammars=(grammar,), needing=share), number)
                if grammar != OWN:
                    assert share or not any(" false" in branch.kind for branch in made.branches), made
    kinds = [
        any(" false" in branch.kind or "mislead" in branch.kind for branch in made.branches)
        for made in (lesson(Recipe(seed=6, grammars=("scenes", "terse", "plain"), needing=0.5), n) for n in range(200))
    ]
    assert 0.4 < sum(kinds) / len(kinds) < 0.6, sum(kinds)


def test_a_lesson_follows_from_seed_and_number() -> None:
    recipe = Recipe(seed=7)
    assert lesson(recipe, 4) == lesson(recipe, 4)
    assert lesson(recipe, 4) != lesson(recipe, 5) != lesson(Recipe(seed=8), 5)


def test_test_stories_take_place_where_no_lesson_does() -> None:
    from otherminds.training.lessons import _contexts

    taught, asked = ({context.id for context in _contexts(part)} for part in ("train", "test"))
    assert taught
    assert asked
    assert not taught & asked
