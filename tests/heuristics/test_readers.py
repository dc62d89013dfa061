"""Baselines have the scores they were made for, however they are asked."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

import pytest

from otherminds.errors import ModelError, UsageError
from otherminds.formats.letters import pose_letters
from otherminds.formats.prompts import PROMPTS, Wording
from otherminds.heuristics.readers import BASELINES, baselines, first_order, oracle, random, realist
from otherminds.items import Item, Suite
from otherminds.models import Prompt, fingerprint
from otherminds.runs.runs import run
from otherminds.studies.starter.study import starter

WAYS = [
    ("raw", "letters"),
    ("direct", "letters"),
    ("raw", "cloze"),
    ("direct", "cloze"),
    ("raw", "text"),
    ("direct", "text"),
    ("cot", "text"),
]
DEEP = Suite(
    "deep",
    (
        Item(
            id="shallow",
            question="What does Ann think?",
            answer="cup",
            choices=("cup", "hat", "bag"),
            tags={"order": 1},
        ),
        Item(
            id="deep",
            question="What does Ann think Bob thinks?",
            answer="hat",
            choices=("cup", "hat", "bag"),
            tags={"order": 2},
            meta={"first_order": "bag", "reality": "cup"},
        ),
    ),
)


@pytest.mark.parametrize(("prompt", "score"), WAYS)
def test_known_scores_in_every_way_of_asking(prompt: str, score: str) -> None:
    suite = starter().using(prompt=prompt, score=score)
    expected = {"oracle": (1, 1), "realist": (0, 1), "decoy": (1, 0), "first_order": (1, 1), "last_mention": (0.5, 0.5)}
    for name, (wrong, right) in expected.items():
        # A seed of its own for the run: the baseline must find its item whatever order is shown.
        done = run(suite, BASELINES[name](suite), seed=5)
        assert (done.mean(false_belief=True), done.mean(false_belief=False)) == (wrong, right), name


@pytest.mark.parametrize("name", ["last_mention", "longest_option", "option_only"])
def test_cues_alone_are_worth_a_coin_on_the_starter_suite(name: str) -> None:
    suite = starter()
    assert run(suite, BASELINES[name](suite)).mean() == pytest.approx(0.5)


def test_random_is_fair_over_seeds() -> None:
    suite = starter()
    assert 0.45 < fmean(run(suite, random(suite, seed=seed)).mean() for seed in range(40)) < 0.55
    assert run(suite, random(suite, seed=1)).values() != run(suite, random(suite, seed=2)).values()
    assert run(suite, random(suite, seed=1)).values() == run(suite, random(suite, seed=1)).values()


@pytest.mark.parametrize("score", ["letters", "cloze", "text"])
def test_more_than_two_choices(score: str) -> None:
    suite = DEEP.using(score=score)
    assert run(suite, oracle(suite)).mean() == 1
    assert run(suite, first_order(suite)).values() == {"shallow": 1, "deep": 0}


def test_choices_that_it_cannot_tell_apart_are_a_tie() -> None:
    # The decoy leaves two of three choices, and the realist knows nothing of an item without a reality.
    assert run(DEEP, BASELINES["decoy"](DEEP)).verdicts()["tied"] == 2
    assert run(DEEP, realist(DEEP)).values() == {"deep": 0}


def test_free_text() -> None:
    suite = Suite("open", (Item(id="one", question="Where?", answer="the hall"),), score="text")
    assert run(suite, oracle(suite)).mean() == 1


def test_a_suite_that_carries_too_little_is_refused() -> None:
    bare = Suite("bare", (Item(id="one", question="Where?", answer="a", choices=("a", "b")),))
    for make in (realist, BASELINES["decoy"], first_order):
        with pytest.raises(UsageError, match="'bare' has none"):
            make(bare)
    odd = Suite("odd", (Item(id="one", question="Where?", answer="a", choices=("a", "b"), meta={"reality": 3}),))
    with pytest.raises(UsageError, match="in item 'one' meta\\.reality is 3"):
        realist(odd)
    assert [model.name for model in baselines(bare)] == [
        "oracle",
        "last_mention",
        "longest_option",
        "option_only",
        "random",
    ]


def test_a_baseline_of_one_suite_is_not_that_of_another() -> None:
    assert fingerprint(oracle(DEEP)) != fingerprint(oracle(starter()))
    assert fingerprint(random(DEEP, seed=1)) != fingerprint(random(DEEP, seed=2))
    with pytest.raises(ModelError, match="made for suite 'deep'"):
        oracle(DEEP).ask([Prompt(text="Question: something else?")])


def test_an_item_of_the_same_name_is_not_the_same_item() -> None:
    other = replace(DEEP.items[0], context="Ann put on her hat.")
    with pytest.raises(ModelError, match="has no such prompt"):
        oracle(DEEP).weigh([asked.prompt for asked in pose_letters(other, prompt="raw", seed=0)])


def test_nothing_is_rendered_but_what_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: list[str] = []

    def counting(name: str) -> Wording:
        wording = PROMPTS[name]

        def noted(item: Item, choices: Sequence[str]) -> Prompt:
            rendered.append(name)
            return wording(item, choices)

        return noted

    for name in list(PROMPTS):
        monkeypatch.setitem(PROMPTS, name, counting(name))
    suite = starter().using(prompt="direct", score="letters")
    model = oracle(suite)
    assert run(suite, model).mean() == 1
    assert rendered == ["direct"] * len(model.history) == ["direct"] * 2 * len(suite)


OPEN = Suite(
    "open",
    (
        Item("drink", "What does she drink?", "tea", meta={"reality": "coffee"}),
        Item("cup", "Which cup?", "red", choices=("red", "blue"), meta={"reality": "blue"}),
        Item("mood", "How is she?", "well", choices=("well", "ill"), tags={"scored": False}),
    ),
    score="text",
)


@pytest.mark.parametrize("suite", [starter(), DEEP, OPEN], ids=lambda suite: suite.name)
def test_what_a_baseline_gets_is_told_without_asking_it(suite: Suite) -> None:
    for model in baselines(suite):
        told = model.values(suite.items)
        assert not model.history
        assert told == run(suite, model).values()


def test_readers_answer_in_forms_without_a_sentence() -> None:
    suite = starter()
    answered = run(suite.using(score="answer"), oracle(suite))
    assert answered.mean() == 1.0
