"""What a model is shown, byte for byte."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import otherminds
from otherminds.errors import UsageError
from otherminds.formats.continuations import pose_cloze
from otherminds.formats.letters import pose_letters
from otherminds.formats.prompts import PROMPTS, About, raw, shuffled
from otherminds.formats.scores import scoring
from otherminds.formats.words import pose_text
from otherminds.items import Item
from otherminds.store.packing import call_key

ITEM = Item(
    id="sally",
    context="Sally puts the marble in the basket.\nAnne moves it to the box.",
    question="Where will Sally look?",
    answer="basket",
    choices=("basket", "box"),
    cloze="Sally will look in the",
)
OPEN = Item(id="open", context=ITEM.context, question=ITEM.question, answer="basket")
FOUR = Item(id="four", question="Which?", answer="a", choices=("a", "b", "c", "d"))


def test_raw_to_the_byte() -> None:
    assert raw(ITEM, ("basket", "box")).text == (
        "Sally puts the marble in the basket.\nAnne moves it to the box.\n"
        "Question: Where will Sally look?\nA. basket\nB. box\nAnswer:"
    )
    assert raw(OPEN, ()).text == f"{ITEM.context}\nQuestion: Where will Sally look?\nAnswer:"
    assert raw(FOUR, ()).text == "Question: Which?\nAnswer:"
    assert raw(ITEM, ("basket", "box")).render == "raw"


def test_the_chats_to_the_byte() -> None:
    (direct,) = PROMPTS["direct"](ITEM, ("box", "basket")).messages
    assert direct.role == "user"
    assert direct.content == (
        f"{ITEM.context}\n\nQuestion: Where will Sally look?\nA. box\nB. basket\n\n"
        "Reply with the letter of the right answer, and nothing else."
    )
    (cot,) = PROMPTS["cot"](OPEN, ()).messages
    assert cot.content.endswith(
        '\n\nThink step by step. Then end with a last line "Answer: X", where X is the answer in a few words.'
    )


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("raw-space", "\nA. basket\nB. box\nAnswer: "),
        ("raw-gap", "\n\nA. basket\nB. box\nAnswer:"),
        ("raw-digits", "\n1. basket\n2. box\nAnswer:"),
        ("raw-xy", "\nX. basket\nY. box\nAnswer:"),
        ("raw-plausible", " Which answer is more plausible?\nA. basket\nB. box\nAnswer:"),
    ],
)
def test_raw_with_one_thing_changed(name: str, rest: str) -> None:
    assert PROMPTS[name](ITEM, ("basket", "box")).text == f"{ITEM.context}\nQuestion: Where will Sally look?{rest}"


def test_labels_are_those_that_are_shown() -> None:
    assert [asked.prompt.choices for asked in pose_letters(ITEM, prompt="raw-digits", seed=0)] == [("1", "2")] * 2
    assert [asked.prompt.choices for asked in pose_letters(ITEM, prompt="raw-xy", seed=0)] == [("X", "Y")] * 2


def test_a_question_of_likelihood_is_not_asked_twice() -> None:
    (turn,) = PROMPTS["plausible"](ITEM, ("box", "basket")).messages
    assert "Where will Sally look? Which answer is more plausible?\nA. box\nB. basket\n\nReply with" in turn.content
    likely = Item("likely", "Is it more likely that she knew?", "yes", choices=("yes", "no"))
    assert PROMPTS["plausible"](likely, likely.choices) == PROMPTS["direct"](likely, likely.choices)


def test_letters_show_both_orders() -> None:
    posed = pose_letters(ITEM, prompt="raw", seed=0)
    assert sorted(asked.choices for asked in posed) == [("basket", "box"), ("box", "basket")]
    for asked in posed:
        assert asked.prompt.choices == ("A", "B")
        assert asked.prompt.labels
        assert asked.prompt.text == raw(ITEM, asked.choices).text


@pytest.mark.parametrize("seed", range(5))
def test_every_choice_stands_once_at_every_letter(seed: int) -> None:
    posed = pose_letters(FOUR, prompt="direct", seed=seed)
    for column in zip(*(asked.choices for asked in posed), strict=True):
        assert sorted(column) == ["a", "b", "c", "d"]


def test_a_cloze_is_the_story_and_the_stem() -> None:
    (asked,) = pose_cloze(ITEM, prompt="raw", seed=0)
    assert asked.prompt.text == f"{ITEM.context}\nSally will look in the"
    assert asked.prompt.choices == (" basket", " box")
    assert not asked.prompt.labels
    (stemless,) = pose_cloze(FOUR, prompt="raw", seed=0)
    assert stemless.prompt.text == "Question: Which?\nAnswer:"


def test_a_cloze_in_a_chat_begins_the_models_turn() -> None:
    (asked,) = pose_cloze(ITEM, prompt="direct", seed=0)
    assert asked.prompt.render == "chat+prefill"
    assert asked.prompt.prefill == "Sally will look in the"
    assert "A." not in asked.prompt.messages[0].content


def test_text_shows_one_order_that_the_seed_and_the_item_decide() -> None:
    orders = {pose_text(ITEM, prompt="direct", seed=seed)[0].choices for seed in range(20)}
    assert orders == {("basket", "box"), ("box", "basket")}
    assert pose_text(ITEM, prompt="direct", seed=3) == pose_text(ITEM, prompt="direct", seed=3)
    firsts = [shuffled(Item(id=f"{n}", question="?", answer="a", choices=("a", "b")), seed=0)[0] for n in range(200)]
    assert 60 < firsts.count("a") < 140


@pytest.mark.parametrize(
    ("score", "prompt"),
    [("letters", "raw-digits"), ("letters", "plausible"), ("cloze", "direct"), ("text", "cot"), ("json-free", "json")],
)
def test_a_prompt_refers_to_its_item_and_nobody_but_baselines_can_tell(score: str, prompt: str) -> None:
    for asked in scoring(score).pose(ITEM, prompt=prompt, seed=1):
        assert asked.prompt.about == About(ITEM, asked.choices, asked.wants)
        bare = replace(asked.prompt, about=None)
        assert (asked.prompt, hash(asked.prompt), repr(asked.prompt)) == (bare, hash(bare), repr(bare))
        assert asked.prompt.to_dict() == bare.to_dict()
        assert call_key("f", "ask", asked.prompt) == call_key("f", "ask", bare)


def test_no_backend_looks_at_what_a_prompt_refers_to() -> None:
    folder = Path(otherminds.__file__).parent / "models"
    assert not [path for path in folder.rglob("*.py") if re.search(r"prompt\w*\.about\b", path.read_text("utf-8"))]


@pytest.mark.parametrize(
    ("pose", "item", "prompt", "words"),
    [
        (pose_letters, OPEN, "raw", "no choices.*'text'"),
        (pose_cloze, OPEN, "raw", "no choices.*'text'"),
        (pose_letters, ITEM, "cot", "before any reasoning"),
        (pose_cloze, ITEM, "cot", "before any reasoning"),
        (pose_letters, ITEM, "rap", "no prompt 'rap'.*raw, shots, direct, cot"),
        (pose_cloze, ITEM, "rap", "no prompt 'rap'"),
        (pose_cloze, ITEM, "raw-gap", "a cloze shows no options"),
        (pose_text, ITEM, "raw-xy", "use score 'letters'"),
        (pose_text, ITEM, "rap", "no prompt 'rap'"),
    ],
)
def test_what_cannot_be_posed_is_refused(pose: object, item: Item, prompt: str, words: str) -> None:
    assert callable(pose)
    with pytest.raises(UsageError, match=words):
        pose(item, prompt=prompt, seed=0)


def test_more_choices_than_letters() -> None:
    many = Item(id="many", question="?", answer="0", choices=tuple(map(str, range(27))))
    with pytest.raises(UsageError, match="27 choices"):
        pose_text(many, prompt="raw", seed=0)
