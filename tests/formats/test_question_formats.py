"""What a question format needs of a model, which items it fits, and which one is chosen."""

import pytest

from otherminds.errors import Unable
from otherminds.formats.question_formats import (
    CLOZE,
    LETTERS,
    LETTERS_CHAT,
    LETTERS_IN_CHAT,
    SAMPLED,
    TEXT,
    TEXT_RAW,
    QuestionFormat,
    best_format,
    choose,
    possible,
    tried_formats,
)
from otherminds.formats.scores import SCORES
from otherminds.items import Item, Suite

BOTH = Item("a", "Where is it?", "box", "It is in the box.", ("box", "bag"), "It is in the")
UNKNOWN = Item("b", "Where is it?", "unknown", "It is gone.", ("unknown", "bag"), "It is in the")
FREE = Item("c", "Who is it?", "Ann", "It is Ann.")
WORDY = Item("d", "Why?", "because he was told so", "He was told.", ("because he was told so", "for fun"))


@pytest.mark.parametrize(
    ("form", "needs"),
    [
        (LETTERS, {"weigh", "raw"}),
        (LETTERS_CHAT, {"weigh", "chat", LETTERS_IN_CHAT}),
        (CLOZE, {"weigh", "raw", "continuations"}),
        (QuestionFormat("cloze", "direct"), {"weigh", "chat", "prefill", "continuations"}),
        (QuestionFormat("answer-prior", "shots"), {"weigh", "raw", "continuations"}),
        (SAMPLED, {"chat"}),
        (TEXT, {"chat"}),
        (TEXT_RAW, {"raw"}),
        (QuestionFormat("text", "cot"), {"chat"}),
        *((QuestionFormat("json", prompt), {"chat"}) for prompt in ("json", "json-chain", "json-states", "json-seen")),
    ],
)
def test_what_is_needed_is_read_off_the_prompts(form: QuestionFormat, needs: set[str]) -> None:
    assert form.needs == needs


def test_control_questions_try_exact_probabilities_before_draws_and_words() -> None:
    told = [f"{form.score} {form.prompt}" for form in tried_formats() if form.score in SCORES]
    assert told == [
        *("letters raw", "letters direct", "letters shots"),
        *("cloze raw", "answer raw", "cloze-prior raw", "answer-prior raw", "answer shots", "answer-prior shots"),
        *("sampled direct", "open direct", "text direct", "open raw", "open shots"),
    ]
    assert SAMPLED not in possible(frozenset()), "draws are for models that tell no probabilities"
    assert [form.prompt for form in possible(frozenset({"weigh"}))] == ["direct"] * 3
    assert QuestionFormat("open", "raw") in possible(frozenset({"chat"}))


@pytest.mark.parametrize(
    ("form", "ids"),
    [(LETTERS, "abd"), (CLOZE, "a"), (QuestionFormat("open", "direct"), "ab"), (TEXT, "abcd")],
)
def test_which_items_it_fits(form: QuestionFormat, ids: str) -> None:
    suite = Suite("some", (BOTH, UNKNOWN, FREE, WORDY))
    part = form.part(suite)
    assert part is not None
    assert "".join(item.id for item in part) == ids
    assert QuestionFormat.of(part) == form
    assert form.fitting(suite) == len(ids)


def test_the_first_that_a_model_is_able_to_answer_is_chosen() -> None:
    assert choose((CLOZE, TEXT), frozenset({"continuations", "raw"}), "served") == TEXT
    assert best_format(Suite("one", (BOTH,)), "talker", frozenset({"raw", LETTERS_IN_CHAT})) == SAMPLED
    assert best_format(Suite("free", (FREE,)), "base", frozenset({"chat"})) == TEXT_RAW
    with pytest.raises(Unable, match="mute can neither weigh raw prompts nor chat"):
        choose((CLOZE, TEXT), frozenset({"raw", "chat"}), "mute")
