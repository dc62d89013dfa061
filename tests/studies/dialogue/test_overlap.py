"""Overlap: the cut, the count and the tie as the published figures need them."""

import random

import pytest

from otherminds.items import Item, Suite
from otherminds.studies.dialogue.questions.overlap import picks, scores, tokens, values, word_types, words
from tests.studies.dialogue.made_talks import questions, talk


def item(question, *choices, answer=None, context="", id="one", **tags):
    return Item(id, question, answer or choices[0], context=context, choices=choices, tags=tags)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("I don't know, Ann.", ["I", "do", "n't", "know", ",", "Ann", "."]),
        ("She's sure; he'll go", ["She", "'s", "sure", ";", "he", "'ll", "go"]),
        ("can't won't", ["ca", "n't", "wo", "n't"]),
        ('"Yes!" — twice', ['"', "Yes", "!", '"', "—", "twice"]),
        ("n't", ["n't"]),
        ("it’s", ["it", "’", "s"]),
        ("a-b 7.5", ["a", "-", "b", "7", ".", "5"]),
        ("", []),
    ],
)
def test_tokens(text, cut):
    assert tokens(text) == cut


def test_words():
    assert words("I don't, DON'T stop.") == ["i", "don", "t", "don", "t", "stop"]
    assert word_types("I don't, DON'T stop.") == ["don", "i", "stop", "t"]


@pytest.mark.parametrize(
    ("choices", "picked"),
    [
        # Repeats count: "so so so" has three tokens that the question holds, "so tired" one.
        (("so tired", "so so so"), 1),
        # Capitals are kept: only "Ann" stands in the question.
        (("ann ann ann", "Ann"), 1),
        # Marks count: the question mark is one more token in common.
        (("so", "so ?"), 1),
        # The first of equals.
        (("is", "so", "Ann"), 0),
        (("xyz", "zyx"), 0),
    ],
)
def test_the_option_with_most_tokens_of_the_question(choices, picked):
    made = Suite("s", (item("Why is Ann so?", *choices),))
    assert picks(made)["one"] == choices[picked]


def test_the_conversation_is_another_text():
    asked = item("Why red?", "red red", "blue blue", "Blue green", context='Ann: "Blue, blue and green!"')
    made = Suite("s", (asked,))
    assert picks(made) == {"one": "red red"}
    assert picks(made, with_="conversation") == {"one": "blue blue"}
    assert picks(made, with_="conversation, each word once") == {"one": "Blue green"}


def test_scores_are_counts_by_state_and_label():
    made = Suite(
        "s",
        (
            item("Why red?", "red", "blue", id="a", state="belief", order=1),
            item("Why red?", "red", "blue", answer="blue", id="b", state="belief", order=2, false_belief=True),
            item("Why red?", "blue", "red", answer="red", id="c", state="desire", order=2, false_belief=False),
        ),
    )
    found = {
        (each.state, each.false_belief): (each.right, each.n)
        for each in scores(made).values()
        if each.with_ == "question"
    }
    assert found == {
        ("belief", None): (1, 2),
        ("belief", True): (0, 1),
        ("desire", None): (1, 1),
        ("desire", False): (1, 1),
        ("all", None): (2, 3),
        ("all", True): (0, 1),
        ("all", False): (1, 1),
    }
    assert values(made) == {"a": 1.0, "b": 0.0, "c": 1.0}


def slow_tokens(text):
    """The same cut, character by character: written without a regular expression."""
    found, place = [], 0
    while place < len(text):
        run = _end(text, place)
        halves = [at for at in range(run, place, -1) if text.startswith("n't", at)]
        if halves:
            end = halves[0]
        elif text.startswith("n't", place):
            end = place + 3
        elif run > place:
            end = run
        else:
            end = _end(text, place + 1) if text[place] == "'" else place + 1
        if not text[place].isspace():
            found.append(text[place:end])
        place = end
    return found


def _end(text, place):
    """Where the word that begins here ends."""
    while place < len(text) and _wordy(text[place]):
        place += 1
    return place


def _wordy(character):
    return character.isalnum() or character == "_"


def test_a_second_program_agrees():
    dice = random.Random(7)
    for _ in range(3000):
        text = "".join(dice.choice(["n't", "n", "t", "'", "o", "A", " ", ".", "_", "7"]) for _ in range(12))
        assert tokens(text) == slow_tokens(text)
    made = questions(talk("t1"), talk("t2", state="desire"))
    for asked in made:
        best = None
        for choice in asked.choices:
            count = 0
            for token in slow_tokens(choice):
                for other in slow_tokens(asked.question):
                    if token == other:
                        count += 1
                        break
            if best is None or count > best[0]:
                best = (count, choice)
        assert picks(made)[asked.id] == best[1]
