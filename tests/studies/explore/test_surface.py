"""What can be seen to be wrong with a passage without a judge."""

import pytest

from otherminds.minds.story import Story
from otherminds.prose.claims import mentions, sentence_count, steps, surface_fault

NAMES = frozenset({"Sally", "Anne"})


@pytest.mark.parametrize(
    "passage",
    [
        "Anne took the marble from the basket and hid it in the box.",
        '"Better here," said Anne, and the marble went into the box. Then I laughed.',
        "‘Sure,’ thought Anne as the marble fell into the box on Monday.",
        "She left a small note: the marble, wrote Anne, was now in the box.",
        "The box, in Anne's opinion, was the place for the marble.",
    ],
)
def test_plain_prose_passes(sally_anne: Story, passage: str) -> None:
    assert surface_fault(passage, steps(sally_anne)[-1], least=1, names=NAMES) == ""


@pytest.mark.parametrize(
    ("passage", "fault"),
    [
        ("Anne put the marble into the box. (Note: this keeps the belief.)", "a note by the writer"),
        ("Note: Anne put the marble into the box.", "a note by the writer"),
        ("Continuation 2: Anne put the marble into the box.", "a note by the writer"),
        ("Sure! Anne put the marble into the box.", "a note by the writer"),
        ("Here is a version:\nAnne put the marble into the box.", "a note by the writer"),
        ("[Anne] put the marble into the box.", "a note by the writer"),
        ("# Step\nAnne put the marble into the box.", "headings"),
        ("- Anne put the marble into the box.", "headings"),
        ("1. Anne put the marble into the box.", "headings"),
        ("**Anne** put the marble into the box.", "headings"),
        ("Anne put the marble into the box", "not a whole sentence"),
        ("Anne put it into the box.", "leaves out the marble"),
        ("She put the marble into the box.", "leaves out Anne"),
        ("Anne put the marble into the boxes.", "leaves out the box"),
        ("Anne put the marble into the box, and Peter saw it.", "brings in Peter"),
        ("Anne put the marble into the box with Peter’s help.", "brings in Peter"),
    ],
)
def test_what_is_plainly_wrong_is_named(sally_anne: Story, passage: str, fault: str) -> None:
    assert surface_fault(passage, steps(sally_anne)[-1], least=1, names=NAMES).startswith(fault)


def test_the_long_form_is_long(sally_anne: Story) -> None:
    passage = "Anne put the marble into the box."
    assert surface_fault(passage, steps(sally_anne)[-1], least=5, names=NAMES) == "fewer than 5 sentences"
    longer = passage + " It was late." * 4
    assert surface_fault(longer, steps(sally_anne)[-1], least=5, names=NAMES) == ""


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("One", 0), ("One.", 1), ('"Two!" he said. Done?', 3), ("At 3.5 miles.", 1)]
)
def test_sentences_are_counted_by_their_ends(text: str, count: int) -> None:
    assert sentence_count(text) == count


def test_names_are_whole_words() -> None:
    assert mentions("The Recipe\nbook lay there.", "recipe book")
    assert not mentions("The tinsel", "tin")
