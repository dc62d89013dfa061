"""What counts as an answer, and what does not."""

import pytest

from otherminds.answers import read_choice, read_text, refuses

PLACES = ("basket", "box")
TINS = ("tin", "biscuit tin", "jar")
KNEW = ("knew", "did not know")


@pytest.mark.parametrize(
    "text",
    [
        *("A", "a", "(A)", "A.", "A)", "**A**", " A\n", "`A`", "[A]", "A: basket", "A. basket", "(A) the basket"),
        *("Answer: A", "answer: a", "**Answer:** A", "Final answer: (A)", "The answer is A.", "The answer is: A"),
        *("basket", "Basket.", "the basket", "in the basket", "It's in the basket.", '"basket"', "**the basket**"),
        *("Sally will look in the basket.", "The answer is the basket", "A, because she put it there."),
        *("She thinks B is wrong? No: the\nAnswer: B\nWait.\nAnswer: A", "Both seem right.\n\nAnswer:\nA"),
        *("<think>Perhaps B. Answer: B</think>\nA", "A. Sally put it there.", "Basket, since she put it there."),
        "Sally will look in the basket. She did not see the move.",
    ],
)
def test_reads_the_first_choice(text: str) -> None:
    assert read_choice(text, PLACES).answer == "basket"


@pytest.mark.parametrize(
    "text",
    [
        *("", "   ", "C", "I do not know.", "AB", "A or B", "A and B", "A, B", "(A) or (B)", "Answer: A or B"),
        *("basket or box", "The basket, not the box.", "A. box", "B, the basket", "not the basket", "Not in the box"),
        *("She never looks in the box.", "It isn't in the box.", "anywhere rather than the box", "baskets", "boxing"),
        *("A story about Sally.", "A marble", "<think>It must be A", "The answer is not A."),
    ],
)
def test_reads_nothing(text: str) -> None:
    reading = read_choice(text, PLACES)
    assert reading.answer == ""
    assert reading.why


@pytest.mark.parametrize(
    ("text", "choices", "answer"),
    [
        ("the biscuit tin", TINS, "biscuit tin"),
        ("the tin", TINS, "tin"),
        ("It is in the biscuit tin.", TINS, "biscuit tin"),
        ("The tin, I mean the biscuit tin.", TINS, ""),
        ("She did not know.", KNEW, "did not know"),
        ("She knew.", KNEW, "knew"),
        ("She never knew.", KNEW, ""),
        ("No, she does not.", ("yes", "no"), "no"),
        ("No", ("yes", "no"), "no"),
        ("Yes and no", ("yes", "no"), ""),
        ("under the bed", ("under the bed", "on the bed"), "under the bed"),
        ("in the bed", ("under the bed", "on the bed"), ""),
        ("C", ("x", "y", "z"), "z"),
    ],
)
def test_names_are_whole_and_the_longest_wins(text: str, choices: tuple[str, ...], answer: str) -> None:
    assert read_choice(text, choices).answer == answer


def test_clear_means_given_as_an_answer() -> None:
    assert read_choice("B", PLACES).clear
    assert read_choice("Answer: she looks in the box", PLACES).clear
    assert not read_choice("She looks in the box", PLACES).clear
    assert not read_choice("Answer: who knows", PLACES).clear


@pytest.mark.parametrize(
    ("text", "answer", "read"),
    [
        ("Basket.", "basket", "basket"),
        ("in the basket", "basket", "basket"),
        ("Let me think.\nAnswer: the basket", "basket", "basket"),
        ("the box", "basket", "the box"),
        ("Sally will look in the basket", "basket", ""),
        ("not the basket", "basket", ""),
        ("", "basket", ""),
    ],
)
def test_free_text_is_compared_as_a_whole(text: str, answer: str, read: str) -> None:
    assert read_text(text, answer).answer == read


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
]


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_is_seen(text: str) -> None:
    assert refuses(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_or_a_doubt_is_no_refusal(text: str) -> None:
    assert not refuses(text)
