"""From log-probabilities and words to verdicts, against numbers worked out by hand."""

from math import exp, inf, isfinite, log, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.errors import UsageError
from otherminds.formats.continuations import pose_cloze, score_cloze
from otherminds.formats.letters import pose_letters, score_letters
from otherminds.formats.prompts import Posed
from otherminds.formats.scores import SCORES, Score, scoring
from otherminds.formats.words import pose_text, score_text
from otherminds.items import Item
from otherminds.models import Response, Weighing

ITEM = Item(id="sally", question="Where?", answer="basket", choices=("basket", "box"), cloze="It is in the")
THREE = Item(id="three", question="Which?", answer="x", choices=("x", "y", "z"))


def posed(item: Item = ITEM) -> tuple[Posed, ...]:
    """The orders, the one with the right choice at A first."""
    return tuple(sorted(pose_letters(item, prompt="raw", seed=0), key=lambda asked: asked.choices.index(item.answer)))


def letters(*pairs: tuple[float, float]) -> Score:
    """The score of log-probabilities (A, B), first with the right choice at A, then at B."""
    return score_letters(ITEM, posed(), [Weighing({"A": a, "B": b}) for a, b in pairs])


def test_the_worked_example() -> None:
    score = letters((log(0.9), log(0.1)), (log(0.6), log(0.4)))
    assert score.verdict == "correct"
    assert score.value == 1
    assert score.detail["S_orders"] == pytest.approx([0.9, 0.4])
    assert score.detail["S"] == pytest.approx(0.710, abs=5e-4)
    assert score.detail["b"] == pytest.approx(1.301, abs=5e-4)
    assert score.detail["mass"] == pytest.approx(1)
    assert score.detail["consistent"] is False


def test_always_a_is_a_tie_with_a_bias() -> None:
    score = letters((-1.0, -4.0), (-1.0, -4.0))
    assert (score.verdict, score.value, score.answer) == ("tied", None, "")
    assert score.detail["S"] == pytest.approx(0.5)
    assert score.detail["S_orders"] == pytest.approx([0.953, 0.047], abs=5e-4)
    assert score.detail["b"] == pytest.approx(3)


def test_a_sure_and_unbiased_model() -> None:
    score = letters((-1.0, -4.0), (-4.0, -1.0))
    assert score.detail["S"] == pytest.approx(0.953, abs=5e-4)
    assert score.detail["b"] == pytest.approx(0)
    assert score.detail["consistent"] is True
    assert letters((-4.0, -1.0), (-1.0, -4.0)).verdict == "incorrect"


@pytest.mark.parametrize("pair", [(-1.0, -1.0), (-1000.0, -1000.0)])
def test_indifference_is_one_half(pair: tuple[float, float]) -> None:
    score = letters(pair, pair)
    assert (score.verdict, score.value, score.detail["S"]) == ("tied", None, 0.5)


def test_extreme_numbers_do_not_overflow() -> None:
    assert letters((0.0, -1000.0), (-1000.0, 0.0)).detail["S"] == 1.0
    assert letters((-1000.0, 0.0), (0.0, -1000.0)).detail["S"] == 0.0
    assert letters((-3000.0, -1000.0), (-1000.0, -3000.0)).detail["S"] == 0.0


@given(*[st.floats(-30, -5)] * 4, st.floats(-5, 4))
def test_a_liking_for_a_letter_drops_out(a1: float, b1: float, a2: float, b2: float, liking: float) -> None:
    plain = letters((a1, b1), (a2, b2)).detail
    biased = letters((a1 + liking, b1), (a2 + liking, b2)).detail
    assert biased["S"] == pytest.approx(plain["S"], abs=1e-9)
    assert biased["b"] == pytest.approx(plain["b"] + liking, abs=1e-9)
    mean = ((a1 - b1) + (b2 - a2)) / 2
    assert plain["S"] == pytest.approx(1 / (1 + exp(-mean)), abs=1e-9)


def test_three_choices_by_hand() -> None:
    # The letters get -1, -2, -3 of their own, and x is liked by 1 more than y, y by 1 more than z.
    own, liked = {"A": -1.0, "B": -2.0, "C": -3.0}, {"x": 0.0, "y": -1.0, "z": -2.0}
    results = [
        Weighing({letter: own[letter] + liked[choice] for letter, choice in zip("ABC", asked.choices, strict=True)})
        for asked in posed(THREE)
    ]
    score = score_letters(THREE, posed(THREE), results)
    assert score.verdict == "correct"
    assert score.detail["S"] == pytest.approx(1 / (1 + exp(-1) + exp(-2)))
    assert score.detail["b"] == pytest.approx(1.5)
    two_best = [Weighing({"A": -1.0, "B": -1.0, "C": -9.0})] * 3
    assert score_letters(THREE, posed(THREE), two_best).verdict == "tied"


def test_bounds_decide_only_where_they_must() -> None:
    seen = Weighing({"A": -0.1}, bounds={"B": (-inf, -4.0)})
    mirror = Weighing({"B": -0.1}, bounds={"A": (-inf, -4.0)})
    right = score_letters(ITEM, posed(), [seen, mirror])
    assert (right.verdict, right.value, right.answer) == ("correct", 1.0, "basket")
    assert right.detail["S_bounds"] == pytest.approx([1 / (1 + exp(-3.9)), 1.0])
    wrong = score_letters(ITEM, posed(), [mirror, seen])
    assert (wrong.verdict, wrong.value, wrong.answer) == ("incorrect", 0.0, "box")
    open_ = score_letters(ITEM, posed(), [seen, seen])
    assert (open_.verdict, open_.value) == ("unparsed", None)
    assert "bounds do not decide" in open_.why
    assert "S" not in open_.detail


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (Weighing(error="the server is down"), "the server is down"),
        (Weighing({"A": -1.0}), "no log-probability for 'B'"),
        (Weighing({"A": -1.0, "B": nan}), "for 'B', which is no log-probability"),
        (Weighing({"A": 7.5, "B": 3.0}), "for 'A', which is no log-probability"),
        (Weighing({"A": -1.0, "B": -inf}), "for 'B', which is no log-probability"),
        (Weighing({"A": -0.1, "B": -0.2}), "a probability of 1.724 together"),
    ],
)
def test_what_cannot_be_scored_is_an_error_and_no_zero(bad: Weighing, words: str) -> None:
    score = score_letters(ITEM, posed(), [Weighing({"A": -1.0, "B": -2.0}), bad])
    assert (score.verdict, score.value) == ("error", None)
    assert words in score.why


def cloze(basket: float, box: float, tokens: tuple[int, int] = (1, 1)) -> Score:
    weighed = Weighing(
        {" basket": basket, " box": box},
        {" basket": ("t",) * tokens[0], " box": ("t",) * tokens[1]},
    )
    return score_cloze(ITEM, pose_cloze(ITEM, prompt="raw", seed=0), [weighed])


def test_a_cloze_is_judged_by_the_sum_and_keeps_the_mean() -> None:
    score = cloze(log(0.02), log(0.06), (2, 1))
    assert (score.verdict, score.value, score.answer) == ("incorrect", 0.0, "box")
    assert score.detail["S"] == pytest.approx(0.25)
    per_token = 0.02**0.5 / (0.02**0.5 + 0.06)
    assert score.detail["S_token"] == pytest.approx(per_token)
    assert score.detail["value_token"] == 1.0
    assert score.detail["mass"] == pytest.approx(0.08)


def test_a_cloze_without_tokens_has_no_mean() -> None:
    score = score_cloze(ITEM, pose_cloze(ITEM, prompt="raw", seed=0), [Weighing({" basket": -1.0, " box": -2.0})])
    assert score.verdict == "correct"
    assert "S_token" not in score.detail


def text(said: str, item: Item = ITEM, **parts: object) -> Score:
    (asked,) = pose_text(item, prompt="direct", seed=0)
    said = said.replace("RIGHT", "AB"[asked.choices.index(item.answer)]) if item.choices else said
    return score_text(item, [asked], [Response(said, **parts)])  # type: ignore[arg-type]


def test_words() -> None:
    assert text("RIGHT") == Score("correct", 1.0, "basket", text("RIGHT").why)
    assert text("the box").verdict == "incorrect"
    assert text("the box").value == 0.0
    unread = text("who knows")
    assert (unread.verdict, unread.value) == ("unparsed", None)


def test_letters_in_words_are_read_in_the_order_shown() -> None:
    for seed in range(6):
        (asked,) = pose_text(ITEM, prompt="direct", seed=seed)
        score = score_text(ITEM, [asked], [Response("A")])
        assert score.answer == asked.choices[0]


def test_how_words_can_fail() -> None:
    assert text("", error="too long").verdict == "error"
    assert text("RIGHT", finish="refused").verdict == "refused"
    assert text("I'm sorry, I can't help with where the box is.").verdict == "refused"
    assert text("I'm sorry. Answer: RIGHT").verdict == "correct"
    assert text("Well, Sally put it into the basket and", finish="length").verdict == "truncated"
    assert text("Answer: RIGHT", finish="length").verdict == "correct"
    assert text("Well, she looks in the box", finish="stop").verdict == "incorrect"


def test_free_words() -> None:
    item = Item(id="open", question="Where?", answer="basket")
    assert text("The basket.", item).verdict == "correct"
    assert text("The box.", item).verdict == "incorrect"
    assert text("She will look in the basket, I think", item).verdict == "unparsed"


@pytest.mark.parametrize(
    ("said", "finish", "verdict"),
    [
        ("I'm sorry, but I can't answer that.", "stop", "refused"),
        ("As an AI, I cannot assist with that.", "stop", "refused"),
        ("Let me think about this. First, Sally", "length", "truncated"),
        ("Answer: the box", "length", "incorrect"),
        ("basket", "length", "correct"),
        ("I do not know.", "stop", "incorrect"),
    ],
)
def test_free_words_that_are_no_answer_are_not_wrong_ones(said: str, finish: str, verdict: str) -> None:
    assert text(said, Item(id="open", question="Where?", answer="basket"), finish=finish).verdict == verdict


def test_every_detail_is_json_that_other_tools_can_read() -> None:
    numbers = letters((-1.0, -inf), (-2.0, -1.0)).detail.values()
    assert all(isfinite(n) for n in numbers if isinstance(n, float))


def test_unknown_ways() -> None:
    assert scoring("letters") is SCORES["letters"]
    with pytest.raises(UsageError, match=r"no score 'vibes'.*letters, cloze, answer"):
        scoring("vibes")
