"""The examiner: which questions are asked of a story, and what their answers come to."""

import random
from itertools import islice
from typing import Any

import pytest

from otherminds.calling.recorded import Recorded
from otherminds.errors import ModelError, UsageError
from otherminds.formats.question_formats import QuestionFormat
from otherminds.heuristics.readers import BASELINES
from otherminds.minds.events import Enter, Leave, Move
from otherminds.minds.questions import NOWHERE, UNKNOWN, AnswerKey, matters, quiz
from otherminds.minds.story import Story
from otherminds.models import Prompt, Response
from otherminds.models.scripted import Scripted
from otherminds.runs.runs import Budget
from otherminds.search.examine import Examiner, search_format
from otherminds.search.search import Telling
from otherminds.store.store import MEMORY, Store
from otherminds.stories.contexts import bank, setting
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower
from otherminds.stories.need import differs, needs_theory_of_mind
from otherminds.stories.sets import Cell, action_sets
from tests.studies.explore.reader import first_order_accuracy


def says(text: str) -> Scripted:
    return Scripted(lambda prompt: text, name=f"says {text}")


def accuracies(examiner: Examiner, asked: list[tuple[Story, int]]) -> list[float | None]:
    return [reply.accuracy for reply in examiner.replies([(Telling(story), order) for story, order in asked])]


def stories(name: str, number: int, *, people: int = 3, seed: int = 0) -> list[Story]:
    cell = Cell(action_sets()[name], people, 3)
    grower = Grower(setting(bank()[seed], cell), Goal.of(cell), random.Random(seed))
    drawn = (grower.complete() for _ in range(3000))
    return list(islice((story for story in drawn if story is not None), number))


@pytest.mark.parametrize("score", ["text", "letters", "cloze"])
def test_known_readers_get_known_accuracies(sally_anne: Story, score: str) -> None:
    def of(name: str, order: int) -> float | None:
        examiner = Examiner(BASELINES[name], score=score, prompt="raw")
        return accuracies(examiner, [(sally_anne, order)])[0]

    assert of("oracle", 1) == 1
    assert of("realist", 1) == 0.5  # Sally is wrong about the marble, and Anne is right
    assert of("first_order", 2) == 0.5 == first_order_accuracy(sally_anne)


def test_a_batch_is_scored_story_by_story() -> None:
    several = stories("all+asymmetric", 6)
    together = accuracies(Examiner(BASELINES["first_order"]), [(story, 2) for story in several])
    assert together == [first_order_accuracy(story) for story in several]


def test_only_the_wanted_questions_are_asked() -> None:
    (story,) = stories("all", 1)
    whole, part = Examiner(says("A")), Examiner(says("A"), kinds=frozenset({"topic"}), interesting=True)
    plan, less = whole.plan(story, 2), part.plan(story, 2)
    assert plan is not None
    assert less is not None
    assert {item.tags["order"] for item in plan.items} == {2}
    assert {item.tags["kind"] for item in plan.items} > {"topic"}
    kept = [item for item in plan.items if item.tags["kind"] == "topic" and item.tags["interesting"] is True]
    assert list(less.items) == kept
    assert kept


def test_a_cloze_does_not_ask_for_what_no_sentence_ends_with() -> None:
    several = stories("tomi+room-changes", 8)
    answers = [item.answer for story in several for item in quiz(story, order=1) if item.tags["order"] == 1]
    assert {UNKNOWN, NOWHERE} & set(answers)
    examiner = Examiner(says("A"), score="cloze", prompt="raw")
    plans = [examiner.plan(story, 1) for story in several]
    asked = [item for plan in plans if plan for item in plan.items]
    assert asked
    assert not {UNKNOWN, NOWHERE} & {item.answer for item in asked}
    assert all(item.cloze.endswith(" in the") for item in asked)


def test_nothing_to_ask_is_none(sally_anne: Story) -> None:
    examiner = Examiner(says("A"), kinds=frozenset({"topic"}))
    assert not examiner.asks(sally_anne, 1)
    assert accuracies(examiner, [(sally_anne, 1)]) == [None]


def test_what_it_asks_is_what_it_says_it_asks() -> None:
    for examiner in (
        Examiner(says("A")),
        Examiner(says("A"), interesting=True),
        Examiner(says("A"), kinds=frozenset({"room"}), interesting=True),
    ):
        several = stories("tomi+room-changes", 15) + stories("fantom-public", 5, people=2)
        assert [examiner.asks(story, 1) for story in several] == [bool(examiner.plan(story, 1)) for story in several]


def test_the_need_for_theory_of_mind_is_that_of_the_questions() -> None:
    alike = Story.of(Enter("Ann", "den"), Enter("Bob", "den"), Move("Ann", "key", "box"))
    assert not needs_theory_of_mind(alike)
    assert needs_theory_of_mind(alike.then(Leave("Ann", "den")).then(Move("Bob", "key", "tin")))
    for name in ("tomi", "fantom-private+asymmetric", "all", "trust"):
        for people in (2, 3):
            for story in stories(name, 12, people=people):
                items = list(quiz(story, order=2))
                assert needs_theory_of_mind(story) is any(item.tags.get("interesting") is True for item in items)


def test_differs_is_about_one_matter_and_one_order(sally_anne: Story) -> None:
    (matter,) = matters(sally_anne)
    answers = AnswerKey(sally_anne, 2)
    assert differs(answers, matter, 1)
    # With two people, no other chain of two differs in one mind only.
    assert not differs(answers, matter, 2)


def test_a_model_that_says_nothing_usable_is_refused() -> None:
    several = [(story, 2) for story in stories("all", 8)]
    with pytest.raises(ModelError, match=r"says hm gave no usable answer to the first \d+ questions \(\d+ unparsed\)"):
        accuracies(Examiner(says("hm")), several)
    seldom = Examiner(Scripted(lambda prompt: "A" if "container" in str(prompt) else "hm", name="seldom usable"))
    assert any(answer is not None for answer in accuracies(seldom, several))
    assert seldom.verdicts["unparsed"] > 40


def test_a_spent_budget_is_no_silence() -> None:
    several = [(story, 2) for story in stories("all", 8)]
    with Store(MEMORY) as store:
        examiner = Examiner(Recorded(says("A"), store, budget=Budget(calls=0)))
        assert accuracies(examiner, several) == [None] * 8
        assert examiner.stopped == "the budget of 0 calls is spent"
        assert examiner.asked == 0


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(UsageError, match="no questions of the kind 'rooms'"):
        Examiner(says("A"), kinds=frozenset({"rooms"}))


def test_all_questions_on_a_story_share_its_beginning() -> None:
    prompts: list[Prompt] = []

    def answer(prompt: Prompt) -> Response:
        prompts.append(prompt)
        return Response("A")

    (story,) = stories("all", 1)
    model: Any = Scripted(answer, name="noted")
    accuracies(Examiner(model, prompt="raw"), [(story, 1)])
    assert len(prompts) > 3
    assert all(prompt.text.startswith(story.text) for prompt in prompts)


@pytest.mark.parametrize(
    ("cannot", "score", "form"),
    [
        ((), "", ("cloze", "raw")),
        (("continuations", "raw"), "", ("text", "direct")),
        (("weigh", "chat"), "", ("text", "raw")),
        ((), "letters", ("letters", "raw")),
        (("raw",), "letters", ("letters", "direct")),
    ],
)
def test_a_search_asks_as_the_model_is_able_to_answer(
    cannot: tuple[str, ...], score: str, form: tuple[str, str]
) -> None:
    model = Scripted(lambda _: "A", name="some")
    model.cannot = frozenset(cannot)
    assert search_format(model, score) == QuestionFormat(*form)
    assert search_format(None, score).score == (score or "text"), "a baseline"
    assert search_format(model, "text", "cot") == QuestionFormat("text", "cot")
