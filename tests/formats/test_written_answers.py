"""What counts as an answer, and what does not: every wording of it is a line in a table."""

import pytest

from otherminds.formats.prompts import shuffled
from otherminds.formats.written_answers import read_choice, read_text, refuses, spoken
from otherminds.studies import STUDIES
from tests.phrasings import BASKET, BOX, CONTRARY, NAMED_ONLY, NOTHING, OTHERS, PHRASINGS, PLACES


@pytest.mark.parametrize(
    ("text", "answer"),
    [(text, answer) for answer, texts in {"basket": BASKET, "box": BOX, "": NOTHING}.items() for text in texts],
)
def test_the_first_choice_the_second_or_none(text: str, answer: str) -> None:
    reading = read_choice(text, PLACES)
    assert reading.answer == answer
    assert reading.why


@pytest.mark.parametrize(
    ("choices", "answer", "text"), [(c, answer, text) for c, answer, all_ in OTHERS for text in all_]
)
def test_other_choices(choices: tuple[str, ...], answer: str, text: str) -> None:
    assert read_choice(text, choices).answer == answer


@pytest.mark.parametrize("text", NAMED_ONLY)
def test_what_is_only_named_is_not_clear(text: str) -> None:
    reading = read_choice(text, PLACES)
    assert (reading.answer, reading.clear) == ("box", False)


def test_clear_means_given_as_an_answer() -> None:
    assert read_choice("B", PLACES).clear
    assert read_choice("Answer: she looks in the box", PLACES).clear
    assert not read_choice("She looks in the box", PLACES).clear
    assert not read_choice("Answer: who knows", PLACES).clear
    assert not read_choice("Sally was away.\n\nB", PLACES).clear


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no thought", "no thought"),
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("a<think>b", "a"),
        ("<think>a", ""),
        ("a<thinking>b</thinking>c", "ac"),
        ("<THINK>a<think>b</think>c</THINK>d", "d"),
        ("<Reasoning>a</Reasoning><analysis>b</analysis>c", "c"),
        ("[THINK]a[/THINK]b", "b"),
        ("[thoughts of Sally] b", "[thoughts of Sally] b"),
        ("I <thoughtful> b", "I <thoughtful> b"),
    ],
)
def test_what_is_thought_is_not_spoken(text: str, said: str) -> None:
    assert spoken(text) == said


@pytest.mark.parametrize("name", STUDIES)
def test_no_choice_of_our_own_is_misread(name: str) -> None:
    suite = STUDIES[name]().example()
    for choices in {shuffled(item, seed=1) for item in suite}:
        for place, choice in enumerate(choices):
            words = {"letter": "ABCD"[place], "lower": "abcd"[place], "choice": choice, "other": choices[place - 1]}
            for phrasing in PHRASINGS:
                assert read_choice(phrasing.format(**words), choices).answer == choice
            for phrasing in CONTRARY:
                assert read_choice(phrasing.format(**words), choices).answer == ""


@pytest.mark.parametrize(
    ("text", "answer", "read"),
    [
        ("Basket.", "basket", "basket"),
        ("in the basket", "basket", "basket"),
        ("Let me think.\nAnswer: the basket", "basket", "basket"),
        ("the box", "basket", "the box"),
        ("Sally will look in the basket", "basket", ""),
        ("not the basket", "basket", ""),
        ("in her bag", "bag", "bag"),
        ("her bag", "his bag", "her bag"),
        ("", "basket", ""),
    ],
)
def test_free_text_is_compared_as_a_whole(text: str, answer: str, read: str) -> None:
    assert read_text(text, answer).answer == read


def test_free_text_is_clear_if_it_is_the_answer_or_marked_as_one() -> None:
    assert read_text("the basket", "basket").clear
    assert read_text("Answer: the box", "basket").clear
    assert not read_text("the box", "basket").clear


REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "I’m sorry, I cannot assist with this request.",
    "I am sorry, but I am unable to answer.",
    "Sorry, I can't provide an answer to that.",
    "I cannot answer this question.",
    "I can't discuss the beliefs of private people.",
    "I won't help with deceiving anyone.",
    "I will not respond to that.",
    "I'm not able to help with that.",
    "I'm not comfortable answering this.",
    "As an AI language model, I cannot have opinions on people's thoughts.",
    "As an AI, I don't make such judgements.",
    "I must decline to answer.",
    "I have to decline this request.",
    "I respectfully decline.",
    "I am unable to help with requests about hiding things.",
]
ANSWERS = [
    "A",
    "Sally cannot see the box.",
    "She can't help looking in the basket.",
    "I cannot determine where she looks.",
    "I'm not able to tell from the story.",
    "It is impossible to say.",
    "Sorry, she said, and looked in the box.",
    "I think Sally will look in the basket.",
    "Anne refuses to help, so the box.",
    "I'm sorry, I do not know.",
    "Nobody can answer but Anne.",
    "The story does not say.",
    "<think>I can't answer that directly.</think>She looks in the box.",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_is_seen(text: str) -> None:
    assert refuses(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_or_a_doubt_is_no_refusal(text: str) -> None:
    assert not refuses(text)
