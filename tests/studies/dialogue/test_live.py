"""What is drawn for a first look, what is so in it, and a conversation played live or not."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from otherminds.errors import ModelError
from otherminds.models import Response
from otherminds.models.scripted import Scripted
from otherminds.pages.report import Conversation
from otherminds.runs.runs import Budget
from otherminds.store.store import MEMORY, Store
from otherminds.studies.dialogue import conversations
from otherminds.studies.dialogue.chapter import look
from otherminds.studies.dialogue.questions import sample
from otherminds.studies.study import Desk, Subject
from otherminds.talks.talk import STATES
from tests.studies.test_study_contract import guess


@contextmanager
def bar(title: str) -> Iterator:
    assert title
    yield lambda done, wanted: None


def player(prompt):
    """Somebody who keeps to the shape and says something else each time."""
    number = sum(turn.role == "assistant" for turn in prompt.messages)
    return f' that point {number} is settled before anything else.) "Let us look at point {number} together."'


def played(model, **options):
    with Store(MEMORY) as store:
        first = conversations.live(model, store, bar, **options)
        asked = len(model.history)
        assert conversations.live(model, store, bar, **options) == first
        assert len(model.history) == asked, "what is in the store was asked again"
    return first


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_few_talks_of_every_state_in_all_categories(seed):
    talks = sample.drawn(seed)
    assert len({talk.id for talk in talks}) == len(STATES) * sample.EACH
    assert Counter(talk.state for talk in talks) == dict.fromkeys(STATES, sample.EACH)
    assert len({talk.casting.scene.category for talk in talks}) == 8
    assert talks == sample.drawn(seed)


def test_one_question_of_each_order_a_talk():
    talks = sample.drawn(3)
    part = sample.part(sample.suite(talks), 3)
    assert Counter((item.tags["story"], item.tags["order"]) for item in part) == {
        (talk.id, order): 1 for talk in talks for order in (1, 2)
    }
    assert Counter(item.tags.get("false_belief") for item in part) == {None: 20, True: 10, False: 10}


def test_only_a_misreading_has_no_option_that_is_so():
    for item in sample.suite(sample.example()):
        assert ("reality" in item.meta) is (item.tags.get("false_belief") is not True)
        assert item.meta.get("reality", item.answer) == item.answer


def test_the_model_plays_a_conversation():
    _, counts, talk = played(Scripted(player, name="player"))
    assert "0 of 6 messages" in counts
    assert "no leak of a thought in 6 prompts" in counts
    assert isinstance(talk, Conversation)
    assert talk.heading.endswith("played live")
    assert talk.lines[-1].said == "Let us look at point 2 together."
    assert "is settled" in talk.lines[-1].unsaid[1]


def test_a_model_that_keeps_to_no_shape_is_tried_a_few_times():
    blocks = played(Scripted(lambda _: "", name="mute"))
    assert sum("kept apart" in block for block in blocks) == conversations.ATTEMPTS
    assert "1 of 1 messages were not in the asked shape at the first try (100 %)" in blocks[1]


def test_a_budget_ends_it():
    model = Scripted(player, name="player")
    with Store(MEMORY) as store:
        cut = []
        blocks = conversations.live(model, store, bar, budget=Budget(calls=2), cut=cut)
    assert len(model.history) == 2
    assert cut == ["player, a conversation: the budget of 2 calls is spent"]
    assert "kept apart" in blocks[2]
    assert "the budget of 2 calls is spent" in blocks[2]
    assert blocks[3].heading.endswith("as far as it got")


def test_a_call_that_fails_is_missing():
    answers = iter([Response(error="too long")])
    model = Scripted(lambda prompt: next(answers, player(prompt)), name="player")
    cut = []
    with Store(MEMORY) as store:
        conversations.live(model, store, bar, cut=cut)
        assert cut == ["player, a conversation: no answer for message 1: too long"]
        conversations.live(model, store, bar, cut=(again := []))
    assert again == []


def test_a_model_that_cannot_chat_does_not_play():
    model = Scripted(player, name="player")
    model.cannot = frozenset({"chat", "prefill"})
    assert played(model) == ["player cannot chat, so that it could not play a conversation."]
    assert model.history == []


def test_a_conversation_that_fails_takes_no_number_with_it():
    def speechless(prompt):
        raise ModelError("the server is gone")

    model = Scripted(speechless, name="weigher", weigh=guess)
    with Store(MEMORY) as store:
        chapter = look([Subject.of(model)], Desk(store, bar))
    assert chapter is not None
    assert chapter.findings
    assert chapter.cut == ["weigher, a conversation: the server is gone"]
    (section,) = (section for section in chapter.report.sections if section.title == "Played live")
    assert section.blocks == ["weigher could not play a conversation: the server is gone"]
