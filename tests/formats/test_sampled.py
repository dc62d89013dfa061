"""Scores of models that tell no probabilities."""

import random

import pytest

import otherminds as om
from otherminds.formats.words import letter_prior
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted

ITEMS = tuple(
    om.Item(f"i{n}", f"Where is thing {n}?", "box" if n % 2 else "jar", choices=("box", "jar")) for n in range(40)
)
SUITE = om.Suite("s", ITEMS, "direct", "sampled")


def drawing(chance: float, *, name: str) -> Scripted:
    """Answers rightly with this chance, by a die of its own for every draw."""

    def answer(prompt: Prompt) -> str:
        item, shown = prompt.about.item, prompt.about.choices  # type: ignore[attr-defined]
        right = random.Random(f"{prompt.messages[0].content}:{prompt.draw}").random() < chance
        choice = item.answer if right else next(each for each in item.choices if each != item.answer)
        return "AB"[shown.index(choice)]

    return Scripted(answer, name=name)


def test_every_order_is_drawn_and_more_where_they_disagree() -> None:
    model = drawing(0.7, name="wavering")
    run = om.run(SUITE, model, draws=5)
    draws = {record.score.detail["draws"] for record in run.records}
    assert draws == {2, 10}
    for record in run.records:
        detail = record.score.detail
        first = [p for p in record.prompts if p.draw == 1]
        assert len(first) == 2
        assert (detail["draws"] == 2) == (detail["S"] in (0.0, 1.0))


def test_the_mean_is_that_of_the_model_and_the_interval_holds_it() -> None:
    run = om.run(SUITE, drawing(0.8, name="mostly right"), draws=4)
    assert 0.65 <= run.mean("S") <= 0.92
    held = [low <= 0.8 <= high for r in run.records for low, high in [r.score.detail["S_interval"]]]
    assert sum(held) / len(held) >= 0.95


def test_one_draw_is_enough_for_who_is_sure() -> None:
    model = drawing(1.0, name="sure")
    run = om.run(SUITE, model, draws=9)
    assert run.mean() == run.mean("S") == 1.0
    assert len(model.history) == 80


def test_letters_that_are_liked_show() -> None:
    run = om.run(SUITE, Scripted(lambda _: "A", name="likes A"))
    assert letter_prior(record.score for record in run.records) == "A 1.00"
    assert set(run.verdicts()) >= {"tied"}
    assert run.verdicts()["tied"] == 40


def test_it_goes_on_where_it_was_stopped() -> None:
    whole = om.run(SUITE, drawing(0.7, name="wavering"), draws=4)
    with om.Store(":memory:") as store:
        for calls in (30, 100, None):
            budget = om.Budget(calls=calls) if calls else None
            run = om.run(SUITE, drawing(0.7, name="wavering"), draws=4, store=store, budget=budget)
        assert not run.partial
        assert run.values("S") == whole.values("S")
        assert [r.score for r in run.records] == [r.score for r in whole.records]


def test_what_cannot_be_read_is_not_wrong() -> None:
    run = om.run(SUITE, Scripted(lambda _: "hm", name="mumbles"))
    assert run.verdicts()["unparsed"] == 40


def test_the_number_of_draws_makes_another_run() -> None:
    model = drawing(0.7, name="wavering")
    assert om.run(SUITE, model, draws=2).id != om.run(SUITE, model, draws=3).id
    plain = SUITE.using(score="text")
    assert om.run(plain, model, draws=2).id == om.run(plain, model, draws=3).id


@pytest.mark.parametrize("choices", [("box", "jar", "tin"), ("box", "jar", "tin", "bag")])
def test_more_choices_have_more_orders(choices: tuple[str, ...]) -> None:
    suite = om.Suite("s", (om.Item("i", "Where?", "tin", choices=choices),), "direct", "sampled")
    run = om.run(suite, Scripted(lambda prompt: "tin", name="tin"))
    assert run.records[0].score.detail["draws"] == len(choices)
