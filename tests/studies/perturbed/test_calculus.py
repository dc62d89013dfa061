"""What each event does to a belief, and the table of right answers."""

import pytest

from otherminds.studies.perturbed.calculus import (
    CLASSES,
    VARIANTS,
    Event,
    fold,
    read_event,
    right_belief,
    right_reality,
)


def chain(*sentences: str) -> list[str]:
    """The beliefs after each sentence, whose tags are given with spaces between them."""
    events = [[read_event(tag) for tag in tags.split()] for tags in sentences]
    return fold([[event for event in some if event] for some in events])


@pytest.mark.parametrize(
    ("sentences", "beliefs"),
    [
        (("SEES(O1)", "NARRATOR", "MOVES(O2)", "ABSENT", "FILLS(O1)", "NOISE"), "O1 O1 O2 O2 O1 O1"),
        (("READS(O2,readable,credible)",), "O2"),
        (("READS(O2,unreadable,credible)", "READS(O2,readable,doubtful)"), "unknown unknown"),
        (("SEES(O1)", "READS(O2,unreadable,doubtful)"), "O1 O1"),
        (("TOLD(O1,trust)", "TOLD(O1,inverse)", "TOLD(O1,distrust)"), "O1 O2 O2"),
        (("TOLD(O2,distrust)",), "unknown"),
        (("KNOWS_RULE(O1)", "MOVES(O2)", "ABSENT", "TIME_PASSES"), "unknown O2 O2 O1"),
        (("TIME_PASSES", "SEES(O2)", "PATTERN_APPLIES"), "unknown O2 O2"),
        (("SENTIMENT(O2,partial)", "SENTIMENT(O2,complete)"), "unknown O2"),
        (("SEES(O2) SEES(O1)", "NARRATOR NOISE"), "O1 O1"),
        (("KNOWS_RULE(O1) TIME_PASSES",), "O1"),
    ],
)
def test_the_fold(sentences: tuple[str, ...], beliefs: str) -> None:
    assert chain(*sentences) == beliefs.split()


def test_a_tag_is_read_with_or_without_spaces() -> None:
    assert read_event("READS(O2, readable, credible)") == Event("READS", "O2", ("readable", "credible"))
    assert read_event("ABSENT") == Event("ABSENT")


@pytest.mark.parametrize(
    "tag",
    [
        "SMELLS(O1)",
        "SEES",
        "SEES(O3)",
        "SEES()",
        "SEES(O1,clearly)",
        "READS(O1)",
        "TOLD(O1,maybe)",
        "ABSENT(O1)",
        "sees(O1)",
        "",
    ],
)
def test_what_is_no_event(tag: str) -> None:
    assert read_event(tag) is None


# The table of right answers, written out: focal UC, focal UT, consistent UC, consistent UT.
RIGHT = {
    "none": "O2 O2 O1 O2",
    "transparent_container": "O1 O1 O1 O2",
    "preposition_replacement": "O1 O1 O1 O2",
    "late_label": "O1 O1 O1 O2",
    "non_protagonist_belief": "O1 O1 O1 O2",
    "automatic_change_knowledge": "O1 O1 O1 O2",
    "add_unrelated_information": "O2 O2 O1 O2",
    "induction_from_baseline": "O1 O1 O1 O2",
    "conclusion_from_sentiment": "O2 O2 O1 O2",
    "uninformative_label U": "unknown - unknown -",
    "uninformative_label P": "O1 - O1 -",
    "untrustworthy_testimony invert": "O1 O1 O1 O2",
    "untrustworthy_testimony discount": "O2 O2 O1 O2",
}


@pytest.mark.parametrize("case", RIGHT)
def test_right_answers(case: str) -> None:
    name, _, mark = case.partition(" ")
    form, testimony = (mark or None, None) if name == "uninformative_label" else (None, mark or None)
    cells = [("UC", "focal"), ("UT", "focal"), ("UC", "consistent"), ("UT", "consistent")]
    for (kind, variant), right in zip(cells, RIGHT[case].split(), strict=True):
        if right != "-":
            assert right_belief(kind, name, variant, form=form, testimony=testimony) == right, (kind, variant)
    for kind in ("UC", "UT"):
        for variant in ("access", "informed"):
            assert right_belief(kind, name, variant, form=form, testimony=testimony) == "O1"


def test_every_class_has_its_row() -> None:
    assert {case.partition(" ")[0] for case in RIGHT} == set(CLASSES)
    assert [right_reality("UC", variant) for variant in VARIANTS] == ["O1"] * 4
    assert [right_reality("UT", variant) for variant in VARIANTS] == ["O1", "O1", "O2", "O1"]
