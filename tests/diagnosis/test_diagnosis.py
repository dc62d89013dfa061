"""What is said of models whose way of reading is known; `benchmarks/recovery.py` has many more of them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import otherminds as om
from otherminds.cli import cli
from otherminds.diagnosis.cells import happened
from otherminds.diagnosis.confusion import GUESS, NAMES, NONE
from otherminds.diagnosis.diagnosis import Diagnosis, diagnose, diagnose_answers
from otherminds.diagnosis.evidence import ModelAnswers, answers_of, predict
from otherminds.errors import UsageError
from otherminds.formats.prompts import About
from otherminds.heuristics.readers import BASELINES, random
from otherminds.models import Prompt, Response, Weighing
from otherminds.models.scripted import Scripted
from otherminds.store.store import Store
from otherminds.studies.safety.plots.build import build

STARTER = om.get_suite("starter")
SAFETY = build(size=24, seed=0)


def simulated(items: Sequence[om.Item], share: float, reader: str, seed: int) -> ModelAnswers:
    """Who follows a reader in such a share of items, and guesses in the others."""
    dice = np.random.default_rng(seed)
    asked = tuple((number, item.choices) for number, item in enumerate(items))
    predicted = predict(items, asked)[:, NAMES.index(reader)]
    chosen = []
    for item, odds in zip(items, predicted, strict=True):
        count = len(item.choices)
        own = odds[:count] if dice.random() < share else np.full(count, 1 / count)
        chosen.append(int(dice.choice(count, p=own)))
    return ModelAnswers("simulated", tuple(items), asked, np.array(chosen), (None,) * len(items))


def said(run: om.Run) -> Diagnosis:
    return diagnose(run, draws=50)


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("oracle", "oracle"),
        ("realist", "realist"),
        ("first_order", "first order"),
        ("decoy", "decoy"),
        ("last_mention", "last mention"),
        ("longest_option", "longest option"),
        ("random", GUESS),
        ("option_only", NONE),
    ],
)
def test_every_baseline_is_named(name: str, reader: str) -> None:
    found = said(om.run(SAFETY, BASELINES[name](SAFETY)))
    assert found.dominant == reader
    assert reader == GUESS or found.shares[reader].low > 0.8
    assert len(found.sentences) <= 5


def test_whoever_likes_a_letter_is_named_though_every_item_is_tied() -> None:
    model = Scripted(lambda _: "A", name="A", weigh=lambda prompt: {c: 0.9 - 0.8 * (c != "A") for c in prompt.choices})
    run = om.run(STARTER, model)
    assert run.verdicts()["tied"] == len(STARTER)
    found = said(run)
    assert found.dominant == "first letter"
    assert not found.map  # nothing is right or wrong where all is tied


def test_by_text_and_by_cloze_it_is_the_same() -> None:
    for suite in (STARTER.using(score="text", prompt="direct"), STARTER.using(score="cloze")):
        assert said(om.run(suite, om.realist(suite))).dominant == "realist"


def test_what_cannot_be_told_apart_is_merged_and_said() -> None:
    found = said(om.run(STARTER, om.oracle(STARTER)))
    assert ("oracle", "first order") in found.confusion.merged
    assert found.dominant == "oracle or first order"
    assert "cannot be told apart" in found.sentences[0]
    assert ("realist", "decoy") in found.confusion.opposites
    assert "earliest leaver" in found.confusion.without


def test_slips_are_guesses_and_the_share_is_within_its_interval() -> None:
    found = diagnose_answers(simulated(SAFETY.items, 0.7, "realist", 3), draws=100)
    assert found.dominant == "realist"
    assert found.shares["realist"].low < 0.7 < found.shares["realist"].high
    assert found.slip == pytest.approx(0.3, abs=0.12)
    assert sum(one.value for one in found.shares.values()) == pytest.approx(1, abs=1e-6)


def test_of_fifty_guesses_nothing_is_said() -> None:
    spoke = [
        diagnose_answers(simulated(SAFETY.items[seed * 4 : seed * 4 + 50], 0, "oracle", seed), draws=50).says
        for seed in range(20)
    ]
    assert sum(spoke) <= 1


def test_fifty_items_of_a_realist_are_enough() -> None:
    items = [item for item in SAFETY if "reality" in item.meta][:50]
    assert diagnose_answers(simulated(items, 0.9, "realist", 1), draws=50).dominant == "realist"


def test_who_reads_otherwise_from_the_second_order_on_is_told_so() -> None:
    items = om.get_suite("safety").items
    shallow = [item for item in items if item.tags.get("order") == 1]
    deep = [item for item in items if item.tags.get("order") == 2]
    one, other = simulated(shallow, 1, "oracle", 0), simulated(deep, 0, "oracle", 1)
    asked = (*one.asked, *((number + len(shallow), shown) for number, shown in other.asked))
    chosen = np.concatenate([one.chosen, other.chosen])
    both = ModelAnswers("shallow", (*shallow, *deep), asked, chosen, (None,) * len(asked))
    found = diagnose_answers(both, draws=50)
    assert found.by_order[1].first.startswith("oracle")
    assert found.by_order[2].first == GUESS
    assert found.dominant != GUESS
    assert any("second-order" in sentence and "like guessing" in sentence for sentence in found.sentences)


def test_who_follows_no_reader_but_is_right_where_one_thing_happens_is_told_so() -> None:
    items, where = tuple(SAFETY), "a faux pas"
    asked = tuple((number, item.choices) for number, item in enumerate(items))
    said = [item.answer if happened(item) == where else min(item.choices) for item in items]
    chosen = np.array([item.choices.index(choice) for item, choice in zip(items, said, strict=True)])
    found = diagnose_answers(ModelAnswers("by the alphabet", items, asked, chosen, (None,) * len(items)), draws=50)
    assert found.dominant == NONE
    assert [each.startswith(f"With “{where}” like an oracle") for each in found.sentences] == [False, True]
    assert not found.by_order, "what is fitted to all kinds of story at once would say nothing of any"


def test_every_item_with_a_verdict_is_in_one_cell_of_the_map() -> None:
    run = om.run(SAFETY, om.realist(SAFETY))
    found = said(run)
    known = {record.item.id: record for record in run.records if record.value() is not None}
    ids = [id for cell in found.map for id in cell.ids]
    assert sorted(ids) == sorted(known)
    for cell in found.map:
        values = [known[id].value() or 0.0 for id in cell.ids]
        assert (cell.right.n, cell.right.value) == (len(values), pytest.approx(np.mean(values)))
        tags = {(known[id].item.tags.get("order"), known[id].item.tags.get("false_belief")) for id in cell.ids}
        assert tags == {(cell.order, cell.false_belief)}
        assert {happened(known[id].item) for id in cell.ids} == {cell.happened}


def test_where_readers_are_alike_a_map_names_the_one_that_the_rest_is_like() -> None:
    for make, reader in ((om.realist, "realist"), (om.oracle, "oracle or first order")):
        found = said(om.run(STARTER, make(STARTER)))
        assert {cell.reader for cell in found.map} == {reader}
    half = om.Suite("half", tuple(item for item in STARTER if not item.tags["false_belief"]))
    alone = said(om.run(half, om.realist(half)))
    assert ("oracle", "realist", "first order") in alone.confusion.merged  # nothing parts them here


def test_the_same_answers_give_the_same_diagnosis() -> None:
    run = om.run(STARTER, om.realist(STARTER))
    first, second = said(run), said(run)
    assert first.shares == second.shares
    assert repr(first) == repr(second)
    assert repr(first).startswith("<Diagnosis of realist, 48 items: Answers like a realist")


@pytest.mark.parametrize("number", [1, 3, 8, 20])
def test_of_few_items_it_says_little_and_does_not_break(number: int) -> None:
    few = om.Suite("few", STARTER.items[:number])
    found = said(om.run(few, om.oracle(few)))
    assert found.items == number
    assert number > 8 or not any("oracle" in sentence for sentence in found.sentences)
    assert sum(cell.right.n for cell in found.map) == number


def test_runs_of_two_models_are_refused() -> None:
    with pytest.raises(UsageError, match="one model"):
        diagnose([om.run(STARTER, om.realist(STARTER)), om.run(STARTER, om.oracle(STARTER))])


def test_runs_without_an_answer_are_refused() -> None:
    silent = om.run(STARTER.using(score="text", prompt="direct"), Scripted(lambda _: "well", name="silent"))
    with pytest.raises(UsageError, match="nothing to diagnose"):
        diagnose(silent)


class TopTokens:
    """A realist whose server reports its likeliest tokens alone: the rest has bounds, near or far."""

    name, identity, batch, ask_batch, parallel = "top", {"backend": "top"}, 64, 64, 1
    cannot: frozenset[str] = frozenset()

    def __init__(self, high: float) -> None:
        self.high = high

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        raise NotImplementedError

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        return [self._weighing(prompt) for prompt in prompts]

    def _weighing(self, prompt: Prompt) -> Weighing:
        about = prompt.about
        assert isinstance(about, About)
        real = prompt.choices[about.choices.index(about.item.meta["reality"])]
        (other,) = set(prompt.choices) - {real}
        return Weighing({real: -0.1}, {real: (real,)}, {real: (-0.1, -0.05), other: (-inf, self.high)})


def test_bounds_hide_an_answer_only_where_the_other_might_weigh_more() -> None:
    suite = om.get_suite("starter")
    assert diagnose(om.run(suite, TopTokens(-3.0))).dominant == "realist"
    with pytest.raises(UsageError, match="nothing to diagnose"):
        diagnose(om.run(suite, TopTokens(-0.07)))


def test_what_could_not_be_read_is_counted_and_not_wrong() -> None:
    def answer(prompt: Prompt) -> str:
        return "A" if len(str(prompt)) % 2 else "no idea at all"

    run = om.run(STARTER.using(score="text", prompt="direct"), Scripted(answer, name="half"))
    found = answers_of([run])
    assert len(found.items) + found.unread == len(STARTER)
    assert found.unread == sum(record.score.answer == "" for record in run.records)


def kinds(events: Iterable[Mapping[str, object]]) -> str:
    return happened(om.Item("x", "Where?", "a", choices=("a", "b"), meta={"events": list(events)}))


def test_what_happened_is_read_off_the_events() -> None:
    leave = {"do": "leave_room", "person": "A", "room": "r"}
    assert kinds([leave]) == "somebody leaves"
    assert kinds([leave, {"do": "tell_privately"}]) == "something is said"
    assert kinds([leave, {"do": "move_to_container", "peekers": ["A"]}]) == "secret or missed"
    assert kinds([{"do": "enter_room"}]) == "all stay"
    assert happened(STARTER.items[0]) == "unexpected transfer"


def test_who_stays_with_a_guess_in_every_form_guesses_all_the_same() -> None:
    forms = [replace(SAFETY, score=score, prompt="raw") for score in ("letters", "cloze")]
    runs = [om.run(form, random(form)) for form in forms]
    found = om.diagnose(runs, draws=50)
    assert NONE not in found.needed
    assert len(found.sentences) == 1
    assert found.sentences[0].startswith("Answers like guessing")


def test_mixtures_are_drawn_a_bar_a_model(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        ids = [om.run(STARTER, make(STARTER), store=store).id for make in (om.realist, om.oracle)]
    picture = tmp_path / "mixtures.svg"
    done = CliRunner().invoke(cli, ["diagnose", *ids, "--store", str(tmp_path / "store.db"), "--svg", str(picture)])
    assert done.exit_code == 0, done.output
    told = picture.read_text(encoding="utf-8")
    assert "realist: realist 48" in told
    assert "oracle: realist 0, oracle or first order 48" in told


def test_a_ladder_of_models_is_drawn_with_intervals_in_the_order_given(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        runs = [om.run(STARTER, make(STARTER), store=store) for make in (om.oracle, om.realist)]
        om.run(replace(STARTER, name="starter-controls"), om.oracle(STARTER), store=store)
    picture, place = tmp_path / "ladder.svg", ["--store", str(tmp_path / "store.db")]
    words = ["diagnose", "-m", "realist", "-m", "oracle", *place, "--ladder", str(picture), "--json"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert [(each["model"], each["items"]) for each in found] == [("realist", len(runs[1])), ("oracle", len(runs[0]))]
    told = picture.read_text(encoding="utf-8")
    assert told.index("realist: 1.00 [0.") < told.index("oracle: 1.00 [0.")
    assert "oracle: 0.00 [0.00, 0." in told, "what the other one does has an interval too"
    done = CliRunner().invoke(cli, ["diagnose", "-m", "nobody", *place])
    assert (done.exit_code, "has no run of nobody" in done.stderr) == (2, True)
