"""One table for a model on benchmarks: published beside repaired, sets that count together, the best reader."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from otherminds.bridges.benchmarks import asked, table
from otherminds.bridges.benchmarks.known import read
from otherminds.cli import cli
from otherminds.errors import UsageError
from otherminds.formats.prompts import About
from otherminds.formats.scores import SCORES
from otherminds.items import Item, Suite
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.runs.runs import run
from otherminds.terminal import names
from tests.bridges.miniatures import MAKERS


@pytest.fixture(autouse=True)
def ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two ways as entry points give them, also where the package was installed before it had them."""
    monkeypatch.setitem(SCORES, "published", asked.PUBLISHED)
    monkeypatch.setitem(SCORES, "repaired", asked.REPAIRED)


def obedient(*, published: bool = False) -> Scripted:
    """Knows every repaired answer, or every published one, and gives it as it was asked to."""

    def answer(prompt: Prompt) -> str:
        assert isinstance(prompt.about, About)
        item, order = prompt.about.item, prompt.about.choices
        gold = item.meta["published_gold"]
        right = gold if published and gold in order else item.answer
        return asked.labelled(item, order, right)

    return Scripted(answer, name=f"obedient-{published}")


def both(name: str, folder: Path, model: Scripted) -> tuple[Suite, table.MarkedAnswers]:
    suite = read(MAKERS[name](folder))
    return suite, table.ask(suite, model, None, prompt="direct", letters=False)


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "opentom"])
def test_who_knows_the_repaired_answers_is_right_by_them(name: str, tmp_path: Path) -> None:
    suite, answers = both(name, tmp_path, obedient())
    scored = [item for item in suite if item.tags.get("scored") is not False]
    assert answers.repaired == dict.fromkeys((item.id for item in scored), 1.0)
    assert not answers.unparsed


def test_published_and_repaired_part_where_the_gold_does(tmp_path: Path) -> None:
    suite, answers = both("tomi", tmp_path, obedient())
    assert {id for id, value in answers.published.items() if value == 0} == {"test-1-5", "train-1-5"}
    rows = {row.kind: row for row in table.lines(suite.items, answers, whole=suite)}
    right = {kind: [one and one.value for one in (row.published, row.repaired)] for kind, row in rows.items()}
    assert right["all"] == [pytest.approx(22 / 24), 1]
    assert rows["all"].n == 24
    # Two of four stories have a question that the published gold gets wrong.
    assert right["joint"] == [0.5, 1]
    assert rows["memory"].reader == ("decoy", 1.0)


def test_who_answers_as_published_is_wrong_where_that_is(tmp_path: Path) -> None:
    _, answers = both("tomi", tmp_path, obedient(published=True))
    assert set(answers.published.values()) == {1.0}
    assert [id for id, value in answers.repaired.items() if value == 0] == ["test-1-5", "train-1-5"]


def test_what_cannot_be_read_is_counted_and_not_wrong(tmp_path: Path) -> None:
    suite = read(MAKERS["bigtom"](tmp_path))
    mute = Scripted(lambda prompt: "well", name="mute")
    answers = table.ask(suite, mute, None, prompt="raw", letters=False)
    assert set(answers.published.values()) == {0.0}
    assert answers.repaired == {}
    assert len(answers.unparsed) == len(suite)
    assert run(suite.using(score="published"), mute).verdicts()["unparsed"] == len(suite)


def test_both_ways_ask_the_same_prompts(tmp_path: Path) -> None:
    suite, model = read(MAKERS["tombench"](tmp_path)), obedient()
    one, two = (run(suite.using(score=score, prompt="direct"), model) for score in ("published", "repaired"))
    assert [record.prompts for record in one.records] == [record.prompts for record in two.records]
    assert all(len(record.prompts) == 5 for record in one.records)


def test_hitom_counts_an_order_only_with_all_below_it(tmp_path: Path) -> None:
    suite = read(MAKERS["hitom"](tmp_path))
    plain = [item for item in suite if item.tags["style"] == "CoTP" and not item.tags["deception"]]
    sets = table.joint_sets(plain)
    assert [len(ids) for ids in sets.values()] == [1, 2, 3]
    wrong_first = {item.id: float(item.tags["order"] != 0) for item in plain}
    assert set(table.joint_values(sets, wrong_first).values()) == {0.0}


def test_f1_over_labels_is_what_scikit_learn_says() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn comes with the extra harness")
    chance = random.Random(3)
    pairs = [(chance.choice("ab"), chance.choice("abc")) for _ in range(60)]
    gold, said = zip(*pairs, strict=True)
    for kind, ours in (("macro", table.macro_f1), ("weighted", table.weighted_f1)):
        assert ours(pairs) == pytest.approx(metrics.f1_score(gold, said, average=kind, zero_division=0))


def test_own_figures_of_who_knows_the_published_answers(tmp_path: Path) -> None:
    _, answers = both("opentom", tmp_path, obedient(published=True))
    assert set(answers.own.values()) == {1.0}
    assert set(answers.own) >= {"macro-F1, location_cg_fo", "macro-F1, location_fg_fo", "macro-F1, attitude"}
    folder = tmp_path / "fantom"
    folder.mkdir()
    assert set(both("fantom", folder, obedient())[1].own.values()) == {1.0}
    assert both("bigtom", tmp_path, obedient())[1].own == {}


def test_joint_values() -> None:
    sets = {"a": ["1", "2"], "b": ["3", "4"], "c": ["5", "6"]}
    assert table.joint_values(sets, {"1": 1.0, "2": 1.0, "3": 1.0, "5": 0.0}) == {"a": 1.0, "c": 0.0}


def test_a_sample_draws_alike_from_every_type() -> None:
    items = [Item(f"{kind}{n}", "?", "x", tags={"kind": kind}) for kind in "abc" for n in range(10)]
    drawn = table.stratified(items, 7, seed=1)
    assert sorted(str(item.tags["kind"]) for item in drawn) == ["a", "a", "a", "b", "b", "c", "c"]
    assert table.stratified(items, 7, seed=1) == drawn
    assert table.stratified(items, None) == tuple(items)


def test_a_sample_has_whole_sets_as_far_as_they_fit() -> None:
    items = [Item(f"{kind}{n}", "?", "x", tags={"kind": kind, "joint": f"s{n}"}) for n in range(10) for kind in "abc"]
    drawn = table.stratified(items, 8, seed=1)
    sizes = [len(ids) for ids in table.joint_sets(drawn).values()]
    assert len(drawn) == 8
    assert sizes[:2] == [3, 3]
    assert {item.id for item in table.stratified(items, 6, seed=1)} <= {item.id for item in drawn}


def test_items_of_no_benchmark_have_nothing_published() -> None:
    suite = Suite("mine", (Item("x", "Where?", "a", choices=("a", "b")),), score="published")
    with pytest.raises(UsageError, match="nothing is published about how to score it"):
        run(suite, Scripted(lambda prompt: "a", name="any"))
    with pytest.raises(UsageError, match="raw, direct and cot"):
        asked.pose(Item("x", "?", "a", meta={"benchmark": "tomi"}), prompt="plausible", seed=0)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    MAKERS["tomi"](tmp_path)
    MAKERS["simpletom"](tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(names, "open_model", lambda *_, **__: obedient())
    done = CliRunner().invoke(cli, ["benchmark", str(tmp_path), "--json", "--only", "split=test"])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["rows"]
    whole = {row["benchmark"]: row for row in rows if row["kind"] == "all"}
    assert (whole["tomi"]["n"], whole["simpletom"]["n"]) == (12, 3)
    assert whole["tomi"]["published"]["value"] == pytest.approx(11 / 12)
    shown = CliRunner().invoke(cli, ["benchmark", str(tmp_path), "--readers"])
    assert "earliest leaver" in shown.stdout
    nothing = tmp_path / "empty"
    nothing.mkdir()
    assert "looks like a benchmark" in CliRunner().invoke(cli, ["benchmark", str(nothing)]).output
