"""Questions: every answer is read off the views again, every tag is worked out the long way round."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import settings as hypothesis

from otherminds.errors import UsageError
from otherminds.heuristics.readers import realist
from otherminds.minds.events import Carry, Change, Enter, Leave, Move, Place, Tell
from otherminds.minds.questions import Question, matters, questions, quiz
from otherminds.minds.setting import Setting
from otherminds.minds.story import Story
from otherminds.minds.world import View
from otherminds.runs.runs import run
from otherminds.store.store import Store
from tests.strategies import chains, stories


def value(view: View, question: Question) -> str | None:
    """What a view says on the matter of a question, in words of our own."""
    match question.property:
        case "container":
            return "in no container" if view.in_the_open(question.about) else view.get(question.about, "container")
        case "topic":
            return "heard" if view.heard(question.about) else None
    return view.get(question.about, question.property)


def answer(view: View, question: Question, first: View | None = None) -> str:
    """The same as an answer; yes-or-no questions carry what they ask about in their words."""
    found = value(view, question)
    if question.choices[:2] != ("yes", "no"):
        return "unknown" if found is None else found
    if first is not None and value(first, question) is None:
        return "has no view"
    has_it = found is not None and (question.property == "topic" or found in question.text)
    return "yes" if has_it is (question.tags["polarity"] == "positive") else "no"


def through(story: Story, minds: tuple[str, ...], question: Question) -> str:
    """What these minds answer; whoever is asked about the minds of others may have no view."""
    return answer(story.view(*minds), question, story.view(minds[0]) if len(minds) > 1 else None)


def about_minds(story: Story, order: int) -> list[Question]:
    return [question for question in questions(story, order=order) if question.minds]


@hypothesis(max_examples=40, deadline=None)
@given(stories())
def test_answers_are_what_the_views_say(story):
    for question in about_minds(story, 3):
        minds = question.minds
        assert question.answer == through(story, minds, question)
        assert question.reality == answer(story.view(), question)
        assert question.first_order == answer(story.view(minds[-1]), question)


@hypothesis(max_examples=40, deadline=None)
@given(stories())
def test_tags_say_which_simpler_readings_give_the_same_answer(story):
    for question in about_minds(story, 3):
        minds, tags = question.minds, question.tags
        believed, real = value(story.view(*minds), question), value(story.view(), question)
        assert tags["order"] == len(minds)
        assert tags["ignorance"] is (believed is None)
        assert tags["false_belief"] is (believed is not None and believed != real)
        assert tags["like_reality"] is (question.answer == answer(story.view(), question))
        assert ("like_last" in tags, "like_first" in tags) == (len(minds) > 1, len(minds) > 1)
        if len(minds) > 1:
            assert tags["like_last"] is (question.answer == through(story, minds[1:], question))
            assert tags["like_first"] is (question.answer == through(story, minds[:-1], question))


@hypothesis(max_examples=40, deadline=None)
@given(stories())
def test_interesting_is_decided_by_putting_others_in(story):
    found = {(question.text, question.property) for question in about_minds(story, 2)}
    for question in about_minds(story, 2):
        minds = question.minds
        (matter,) = [
            each for each in matters(story) if (each.ask(minds), each.property) == (question.text, question.property)
        ]
        others = [
            other
            for other in chains(story.people, len(minds))
            if sum(a != b for a, b in zip(minds, other, strict=True)) == 1
            and (matter.ask(other), matter.property) in found
        ]
        differs = any(through(story, other, question) != question.answer for other in others)
        assert question.tags["interesting"] is differs


@hypothesis(max_examples=40, deadline=None)
@given(stories())
def test_yes_and_no_are_asked_both_ways_round(story):
    opposite = {"yes": "no", "no": "yes", "has no view": "has no view"}
    ways = [question for question in about_minds(story, 2) if "polarity" in question.tags]
    positive = [question for question in ways if question.tags["polarity"] == "positive"]
    negative = [question for question in ways if question.tags["polarity"] == "negative"]
    assert [opposite[question.answer] for question in positive] == [question.answer for question in negative]
    assert [(q.minds, q.about, q.property) for q in positive] == [(q.minds, q.about, q.property) for q in negative]


@hypothesis(max_examples=40, deadline=None)
@given(stories())
def test_questions_are_well_formed(story):
    asked = questions(story, order=2)
    texts = [question.text for question in asked]
    assert len(texts) == len(set(texts))
    for question in asked:
        assert question.answer in question.choices
        assert len(question.choices) == len(set(question.choices)) > 1
        assert question.text.endswith("?")
        assert {question.reality, question.first_order} <= set(question.choices)
        assert set(question.choices) - {"yes", "no", "has no view", "unknown", "in no container"} <= set(
            story.cast.roles
        )


@hypothesis(max_examples=30, deadline=None)
@given(stories())
def test_the_realist_is_right_exactly_where_reality_is_the_answer(story):
    asked = questions(story, order=2)
    assume(asked)
    items = quiz(story, order=2).items
    for question, item in zip(asked, items, strict=True):
        right = item.meta["reality"] == item.answer
        assert right is question.tags.get("like_reality", right)
        assert item.tags["kind"] != "memory" or "like_reality" not in item.tags


def test_a_realist_that_really_answers(sally_anne, tmp_path):
    suite = quiz(sally_anne, order=2).where(lambda item: item.tags["order"] > 0)
    records = run(suite, realist(suite), store=Store(tmp_path / "runs.db")).records
    assert {record.item.id for record in records if record.score.value == 1} == {
        item.id for item in suite if item.tags["like_reality"]
    }
    assert 0 < sum(bool(item.tags["like_reality"]) for item in suite) < len(suite)


# ---- words ---------------------------------------------------------------------------------------------------------


def test_how_each_kind_is_asked():
    story = Story.of(
        Enter("Mira", "shed"),
        Enter("Theo", "shed"),
        Place("Oskar", "yard", "person"),
        Move("Mira", "kite", "crate"),
        Change("Mira", "kite", "colour", "is blue"),
        Change("Mira", "kite", "colour", "is red"),
        Tell("Mira", "Theo", topic="the flood"),
    )
    asked = {question.text for question in questions(story, order=3)}
    assert {
        "In which container is the kite really?",
        "In which container does Mira think the kite is?",
        "In which room does Mira think that Theo thinks the kite is?",
        "In which container does Mira think that Theo thinks that Oskar thinks the kite is?",
        "Has Mira heard about the flood?",
        "Does Mira think that Theo has heard about the flood?",
        "Does Mira think that Theo thinks that Oskar has heard about the flood?",
        "Would it be news to Oskar to hear about the flood?",
        "Does Mira think that it would be news to Oskar to hear about the flood?",
        "Does Oskar know that the kite is red?",
        "Does Mira think that Theo knows that the kite is red?",
        "Does Mira think that Theo believes that the kite is blue?",
        "Would it be news to Oskar that the kite is red?",
        "Does Mira think that Theo thinks that it would be news to Oskar that the kite is red?",
    } <= asked


def test_sally_anne(sally_anne):
    asked = {question.text: question for question in questions(sally_anne, order=2)}
    first = asked["In which container does Sally think the marble is?"]
    assert (first.answer, first.reality, first.choices) == ("basket", "box", ("basket", "box", "unknown"))
    assert first.tags == {
        "order": 1,
        "kind": "container",
        "false_belief": True,
        "ignorance": False,
        "interesting": True,
        "like_reality": False,
    }
    second = asked["In which container does Anne think that Sally thinks the marble is?"]
    assert (second.answer, second.tags["like_last"], second.tags["like_first"]) == ("basket", True, False)


def test_ignorance_is_an_answer():
    story = Story.of(Enter("Mira", "shed"), Move("Mira", "kite", "crate"), Enter("Theo", "shed"))
    asked = {question.text: question for question in questions(story)}
    theirs = asked["In which container does Theo think the kite is?"]
    assert (theirs.answer, theirs.tags["ignorance"], theirs.tags["false_belief"]) == ("unknown", True, False)
    assert asked["In which container does Mira think the kite is?"].tags["interesting"] is True


# ---- memory --------------------------------------------------------------------------------------------------------


def memories(story: Story) -> dict[str, str]:
    return {
        question.text: question.answer for question in questions(story, order=0) if question.tags["kind"] == "memory"
    }


def test_memory_is_asked_of_the_beginning_and_of_each_move():
    story = Story.of(
        Enter("Mira", "shed"),
        Place("kite", "shed"),
        Move("Mira", "kite", "crate"),
        Move("Mira", "kite", "sack", distracted=()),
        Carry("Mira", "kite", "yard"),
    )
    assert memories(story) == {
        "In which container was the kite put first?": "crate",
        "In which container was the kite just before Mira put it into the crate?": "in no container",
        "In which container was the kite just before Mira put it into the sack?": "crate",
        "In which container was the kite just before Mira carried it to the yard?": "sack",
        "In which room was the kite at the beginning?": "shed",
        "In which room was the kite just before Mira carried it to the yard?": "shed",
    }


def test_a_move_that_happened_twice_is_not_asked_of():
    story = Story.of(
        Enter("Mira", "shed"),
        Move("Mira", "kite", "crate"),
        Move("Mira", "kite", "sack"),
        Move("Mira", "kite", "crate"),
    )
    assert memories(story) == {
        "In which container was the kite put first?": "crate",
        "In which container was the kite just before Mira put it into the sack?": "crate",
    }


def test_what_never_moved_is_not_asked_of(sally_anne):
    assert memories(Story.of(*sally_anne.events[:4])) == {}


# ---- suites and limits ---------------------------------------------------------------------------------------------


def test_a_quiz_is_a_suite_of_items(sally_anne):
    suite = quiz(sally_anne, order=2, name="false beliefs")
    assert (suite.name, suite.prompt, suite.score) == ("false beliefs", "direct", "text")
    assert len({item.tags["story"] for item in suite}) == 1
    item = suite.items[-1]
    assert item.context == sally_anne.text
    assert Story.from_dicts(json.loads(json.dumps(item.meta["events"]))) == sally_anne
    retold = quiz(sally_anne, order=2, seed=5)
    assert retold.items[0].context == sally_anne.tell(seed=5) != item.context
    assert [item.answer for item in retold] == [item.answer for item in suite]


def test_order_0_asks_only_what_is_and_was(sally_anne):
    assert {question.minds for question in questions(sally_anne, order=0)} == {()}


@pytest.mark.parametrize("order", [-1, 7, 50])
def test_an_order_out_of_reach_is_refused(sally_anne, order):
    with pytest.raises(UsageError, match=f"from order 0 .* to order 6, so there is no order {order}"):
        quiz(sally_anne, order=order)


def test_who_saw_a_thing_carried_off_is_asked_only_where_two_rooms_are_left():
    story = Story.of(
        Enter("Mira", "shed"),
        Enter("Olaf", "shed"),
        Enter("Tess", "yard"),
        Move("Mira", "kite", "crate"),
        Carry("Olaf", "kite", "yard"),
    )
    asked = {question.minds: question.answer for question in questions(story) if question.property == "container"}
    assert asked == {(): "in no container", ("Olaf",): "in no container", ("Tess",): "in no container"}
    rooms = {question.minds: question.answer for question in questions(story) if question.property == "room"}
    assert rooms == {(): "yard", ("Olaf",): "yard", ("Tess",): "yard"}
    three = Story.of(*story.events[:3], Place("sack", "loft", "container"), *story.events[3:])
    rooms = {question.minds: question.answer for question in questions(three) if question.property == "room"}
    assert rooms == {(): "yard", ("Mira",): "unknown", ("Olaf",): "yard", ("Tess",): "yard"}


def test_a_story_without_questions_is_refused():
    with pytest.raises(UsageError, match="answers no question yet"):
        quiz(Story.of(Enter("Mira", "shed"), Leave("Mira", "shed")))


def crowd(size: int) -> Story:
    people = tuple(f"Person {number}" for number in range(size))
    setting = Setting(people, ("shed",), ("kite",), ("crate", "sack"), kinds=("enter", "leave", "move"))
    story = Story.of(*(Enter(person, "shed") for person in people[: size - 1]))
    story = story.then(Move(people[0], "kite", "crate")).then(Leave(people[1], "shed"))
    story = story.then(Move(people[0], "kite", "sack"))
    assert setting.next(story)
    return story.then(Enter(people[-1], "shed"))


def test_two_hundred_people():
    asked = {question.minds: question for question in about_minds(crowd(200), 1)}
    assert len(asked) == 200
    assert asked[("Person 1",)].answer == "crate"
    assert asked[("Person 199",)].answer == "unknown"
    assert asked[("Person 7",)].tags["interesting"] is True


def test_more_questions_than_anyone_can_ask_are_refused():
    with pytest.raises(UsageError, match="order"):
        questions(crowd(60), order=3)
