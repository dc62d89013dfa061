"""Lint: cues that are known beforehand, and faults that were put there on purpose."""

import pytest

from otherminds.heuristics.cues import Cue, cues
from otherminds.items import Item, Suite
from otherminds.items.lint import faults, mentions


def item(id: str, answer: str, *, context: str = "", question: str = "Where?", choices: tuple[str, ...] = ()) -> Item:
    return Item(id=id, question=question, answer=answer, context=context, choices=choices or ("tin", "chest", "box"))


def cue(name: str, *items: Item) -> Cue | None:
    return next((each for each in cues(items) if each.name == name), None)


STORY = "The key is in the box. The tin is empty. Ann puts the key into the chest. The box is shut."


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        *[("longest option", "chest"), ("last mention", "box"), ("first mention", "box"), ("most mentions", "box")],
        *[("first option", "tin"), ("last option", "box")],
    ],
)
def test_each_cue_picks_what_it_says(name: str, answer: str) -> None:
    right = item("a", answer, context=STORY)
    wrong = item("b", "chest" if answer == "tin" else "tin", context=STORY)
    assert cue(name, right) == Cue(name, 1.0, pytest.approx(1 / 3), 1)
    assert cue(name, right, wrong) == Cue(name, 0.5, pytest.approx(1 / 3), 2)


def test_ties_are_shared_and_no_opinion_is_no_vote() -> None:
    tied = item("a", "tin", choices=("tin", "jar", "chest"), context="A tin, a jar.")
    assert cue("most mentions", tied) == Cue("most mentions", 0.5, pytest.approx(1 / 3), 1)
    alike = item("b", "tin", choices=("tin", "jar"), context="Nothing is named.")
    assert cue("last mention", alike) is None
    assert cue("longest option", alike) is None
    free = Item(id="c", question="Where?", answer="tin")
    assert cues([free]) == []


def test_yes_and_no_name_nothing() -> None:
    asked = item("a", "no", choices=("yes", "no"), context="There is no key.", question="Has the box no lid?")
    assert cue("last mention", asked) is None
    assert faults(Suite("s", (asked,))) == []


def test_names_are_whole_words_in_any_case() -> None:
    assert mentions("The Tin, the tinned fish, the tin.", "tin") == [4, 30]


def test_every_fault_is_found_by_its_items() -> None:
    suite = Suite(
        "faulty",
        (
            item("fine", "box", question="Where is it?"),
            item("twice", "box", question="Where is it?"),
            item("other", "tin", question="Where is the key?"),
            item("contrary", "box", question="Where is the key?"),
            item("told", "box", question="Is it in the box?"),
            item("both", "box", question="Is it in the box or the tin?"),
            item("alike", "the box", question="Where, then?", choices=("the box", "a box", "tin")),
            item("marked", "Yes.", question="Is it?", choices=("yes", "Yes.")),
            item("hers", "her bag", question="Whose?", choices=("her bag", "his bag")),
        ),
    )
    found = {fault.rule: fault.ids for fault in faults(suite)}
    assert found == {
        "the same question about the same text twice": ("contrary", "twice"),
        "the same question with different answers": ("contrary", "other"),
        "the question names the answer and no other choice": ("told",),
        "two choices differ only in an article, in case or in marks": ("alike", "marked"),
    }
    assert faults(Suite("clean", (suite.items[0],))) == []


def test_one_answer_for_all_is_a_cue_where_it_is_right_too_often() -> None:
    def asked(answers: list[str], order: int) -> list[Item]:
        return [
            Item(f"{order}-{number}", question="Where?", answer=answer, choices=choices, tags={"order": order})
            for number, answer in enumerate(answers)
        ]

    choices = ("box", "tin", "unknown")
    even, odd = asked([*choices] * 40, 2), asked(["box", "unknown", "unknown"] * 40, 2)
    fair, unfair = cue("one answer for all", *even), cue("one answer for all", *odd)
    assert fair is not None
    assert not fair.gives_away
    assert unfair is not None
    assert unfair.gives_away
    assert round(unfair.right, 2) == 0.67
    # Each order has an answer of its own.
    both = cue("one answer for all", *odd, *asked(["tin"] * 120, 1))
    assert both is not None
    assert both.right == (80 + 120) / 240
