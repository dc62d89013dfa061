"""A large run, of which columns tell: every number is what its records give, one by one."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from otherminds.cli import cli
from otherminds.items import Item, Suite
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.results.measures import compare
from otherminds.results.summary import examples, summarise
from otherminds.runs import records, runs
from otherminds.runs.runs import Run, load, run, with_texts
from otherminds.store.store import Store
from otherminds.web.pages import compare_page, view
from otherminds.web.serving import PageRequest
from otherminds.web.site import Site
from tests.older_stores import remove_seals


@pytest.fixture(scope="module")
def suite() -> Suite:
    def item(number: int) -> Item:
        kind = {"scored": False} if number % 10 == 9 else {"order": 1 + number % 3}
        return Item(
            id=f"i{number}",
            context=f"The letter lay in the drawer, then in the box. Story {number // 2}.",
            question="Where is it?",
            answer="box" if number % 2 else "drawer",
            choices=("drawer", "box") if number % 5 else ("drawer", "box", "shelf"),
            tags={"twin": f"t{number // 2}", "false_belief": number % 2 == 0, **kind},
            meta={"reality": "box"},
        )

    return Suite("many", tuple(map(item, range(60))))


def model(name: str, often: int) -> Scripted:
    """Says box of every so manieth story, or drawer, or nothing of some."""

    def weigh(prompt: Prompt) -> dict[str, float]:
        number = int(prompt.text.partition("Story ")[2].partition(".")[0])
        said = "nothing" if number % 7 == 0 else "box" if number % often == 0 else "drawer"
        weights = {label: 1.0 + (f"{label}. {said}" in prompt.text) for label in prompt.choices}
        return {label: weight / sum(weights.values()) for label, weight in weights.items()}

    return Scripted(lambda _: "", name=name, weigh=weigh)


@pytest.fixture
def path(suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with two runs that count as large."""
    for module in (records, runs):
        monkeypatch.setattr(module, "CHECKED", 20)
    with Store(tmp_path / "s.db") as store:
        for name, often in (("one", 2), ("two", 3)):
            run(suite, model(name, often), store=store)
    return tmp_path / "s.db"


def plainly(path: Path) -> None:
    """As if an older otherminds had written the store."""
    remove_seals(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE columns")
        db.commit()


def read(store: Store, id: str) -> Run:
    """As reports read it: with columns, or with all results, whose tokens they add up."""
    found = load(store, id, texts=False)
    return with_texts(store, found, examples(found)) if not found.records.in_memory else load(store, id)


def test_reports_comparisons_and_pages_are_the_same_with_columns_and_without(path: Path) -> None:
    found = []
    for _ in range(2):
        with Store(path, read_only=True) as store:
            one, two = (read(store, row.id) for row in store.runs())
            rows = {row.id: row for row in store.runs()}
            both = compare(one, two)
            found.append(
                [
                    not one.records.in_memory,
                    *(summarise([each]).html() for each in (one, two)),
                    summarise([one, two]).html(),
                    [(row.items, row.difference, row.holm) for row in both.rows],
                    (both.gained, both.lost, both.mcnemar, both.unpaired),
                    compare_page(one, two).html(),
                    [view(rows[each.id], each) for each in (one, two)],
                    [[record.item.id for record in examples(each)] for each in (one, two)],
                    [each.verdicts() for each in (one, two)],
                    [(record.item, record.score) for record in one.records],
                ]
            )
        if len(found) == 1:
            plainly(path)
    quick, slow = found
    assert (quick[0], slow[0]) == (True, False)
    for with_columns, without in zip(quick[1:], slow[1:], strict=True):
        assert with_columns == without


def call(*args: str) -> Result:
    return CliRunner().invoke(cli, list(args))


def test_commands_say_the_same_with_columns_and_without(path: Path) -> None:
    with Store(path, read_only=True) as store:
        ids = [row.id for row in store.runs()]
    asked = [("compare", *ids), ("compare", *ids, "--json"), ("show", "last", "i7")]
    said = [call(*args, "--store", str(path)).stdout for args in asked]
    listed = json.loads(call("runs", "--json", "--store", str(path)).stdout)
    plainly(path)
    assert [call(*args, "--store", str(path)).stdout for args in asked] == said
    # The one list differs in whether runs are sealed.
    for row, again in zip(listed, json.loads(call("runs", "--json", "--store", str(path)).stdout), strict=True):
        assert {name for name in row if row[name] != again[name]} <= {"state", "sealed", "written"}


def test_asked_again_a_large_run_is_the_same_and_nothing_is_posed(
    suite: Suite, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = model("one", 2)
    with Store(path) as store:
        first = load(store, run(suite, same, store=store).id)
        assert not same.history
        monkeypatch.setattr(runs, "plan", None)
        told: list[tuple[int, int]] = []
        again = run(suite, same, store=store, progress=lambda *done: told.append(done))
        assert told == [(again.manifest["calls"]["reused"],) * 2]
        assert again.manifest["calls"]["reused"] == len({key for record in first.records for key in record.calls})
        assert list(again.records) == list(first.records)
        assert again.records[3].results
        assert not load(store, again.id, texts=False).records.in_memory, "the columns are still good"
        assert store.runs()[0].id == again.id


@pytest.mark.parametrize("damage", ["UPDATE records SET score = '{}'", "UPDATE calls SET rendered = 'x'"])
def test_what_is_damaged_in_a_large_run_is_made_anew(suite: Suite, path: Path, damage: str) -> None:
    with Store(path) as store:
        whole = load(store, store.runs()[0].id).records
        with closing(sqlite3.connect(path)) as db:
            db.execute(damage)
            db.commit()
        assert run(suite, model("two", 3), store=store).records == whole


def test_columns_of_another_program_or_of_a_run_that_changed_count_for_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(path) as store:
        row = store.runs()[0]
        with monkeypatch.context() as patched:
            patched.setattr("otherminds.runs.columns.program", lambda: "another")
            assert load(store, row.id, texts=False).records.in_memory
        store.keep_run(row, list(store.records(row.id, most=30)))
        assert len(load(store, row.id, texts=False)) == 30


def test_pages_of_answers_are_read_as_they_are_turned_to(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("otherminds.web.run_page.PAGE", 25)
    with Store(path, read_only=True) as store:
        id = store.runs()[0].id
    site = Site(path)
    for page, there in (("1", "i3"), ("3", "i55")):
        reply = site.respond(PageRequest("GET", f"/runs/{id}", {"items": page}, {}, ""))
        assert reply.status == 200, reply.text[-400:]
        assert f'"{there}"' in reply.text
    answer = site.respond(PageRequest("GET", f"/runs/{id}/answer.json", {"item": "i55"}, {}, ""))
    assert json.loads(answer.text)["item"]["id"] == "i55"
