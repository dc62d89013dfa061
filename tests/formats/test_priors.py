"""Choices weighed without what their words weigh anyway."""

from dataclasses import replace

import pytest

import otherminds as om
from otherminds.items.swaps import cores, swapped
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted

ITEM = om.Item(
    "i",
    "Where is the bell?",
    "the urn",
    context="It had a trunk and an urn. She took the bell out of the trunk. An urn was near. She put it into the urn.",
    choices=("the trunk", "the urn"),
    cloze="The bell is in",
)


def test_two_words_change_places_with_their_articles() -> None:
    other = swapped(ITEM)
    assert other is not None
    assert other.context == (
        "It had an urn and a trunk. She took the bell out of the urn. A trunk was near. She put it into the trunk."
    )
    assert (other.choices, other.answer) == (("the trunk", "the urn"), "the trunk")
    assert swapped(other) == ITEM


@pytest.mark.parametrize(
    "choices", [("yes, she did", "no, she did not"), ("the trunk", "the bag"), ("trunk", "trunk lid")]
)
def test_what_the_story_does_not_name_stays(choices: tuple[str, str]) -> None:
    item = om.Item("i", "Where?", choices[0], context="Keiko opened the trunk.", choices=choices)
    assert swapped(item) is None


def test_a_third_choice_stays() -> None:
    item = om.Item("i", "What?", "tea", context="Tea is in the tin, not salt.", choices=("tea", "salt", "unknown"))
    other = swapped(item)
    assert other is not None
    assert other.context == "Salt is in the tin, not tea."
    assert (other.choices, other.answer) == (("tea", "salt", "unknown"), "salt")


def test_what_tells_choices_apart() -> None:
    assert cores(("go to the bag", "go to the desk")) == {"go to the bag": "bag", "go to the desk": "desk"}
    assert cores(("a bag", "an urn")) == {"a bag": "bag", "an urn": "urn"}


def frequency(prompt: Prompt) -> dict[str, float]:
    """A model that likes short words, whatever the story."""
    return {choice: 0.8 ** len(choice) / 4 for choice in prompt.choices}


def reader(prompt: Prompt) -> dict[str, float]:
    """The same, but where a story says "into", what stands behind it gets four times as much."""
    said = prompt.text.partition("put it into ")[2].partition(".")[0]
    return {choice: like * (4 if choice.strip() == said else 1) for choice, like in frequency(prompt).items()}


@pytest.mark.parametrize("score", ["cloze-prior", "answer-prior"])
def test_the_prior_of_words_drops_out(score: str) -> None:
    other = swapped(ITEM)
    assert other is not None
    suite = om.Suite("s", (ITEM, replace(other, id="j")), "raw", score)
    blind = om.run(suite, Scripted(lambda _: "", name="blind", weigh=frequency))
    assert blind.verdicts()["tied"] == 2
    able = om.run(suite, Scripted(lambda _: "", name="able", weigh=reader))
    assert able.mean() == 1.0
    assert able.values("S") == {"i": pytest.approx(0.8), "j": pytest.approx(0.8)}
    plain = om.run(suite.using(score=score.removesuffix("-prior")), Scripted(lambda _: "", name="able", weigh=reader))
    assert plain.mean() == 1.0
    assert plain.records[0].score.detail["S"] != pytest.approx(plain.records[1].score.detail["S"])


def test_examples_stand_before_the_question_in_its_own_form() -> None:
    seen: dict[str, str] = {}

    def weigh(prompt: Prompt) -> dict[str, float]:
        seen[prompt.text] = ""
        return frequency(prompt)

    model = Scripted(lambda _: "", name="seen", weigh=weigh)
    for score in ("letters", "cloze", "answer"):
        om.run(om.Suite("s", (ITEM,), "shots", score), model)
    texts = list(seen)
    assert any("The coin is in the purse.\n\n" in text and text.endswith("The bell is in") for text in texts)
    assert any("Answer: sink\n\n" in text and text.endswith("Where is the bell?\nAnswer:") for text in texts)
    assert any("A. tray\nB. purse\nAnswer: B\n\n" in text and text.endswith("Answer:") for text in texts)
