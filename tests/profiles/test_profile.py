"""The way from models to a folder with the page, the numbers, the tables and the store."""

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from otherminds import studies
from otherminds.cli import cli
from otherminds.commands import profile
from otherminds.errors import ModelError, Unable
from otherminds.items import Item, Suite
from otherminds.models.scripted import Scripted
from otherminds.models.specs import Spec
from otherminds.pages.report import Cards, Figure, Folded, Report, Section, Table
from otherminds.stats import difference, holm, proportion
from otherminds.store.store import Store
from otherminds.studies.study import Chapter, Desk, Finding, Study, Subject
from otherminds.terminal import names
from otherminds.terminal.names import open_model
from tests.studies.test_study_contract import guess

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><title>t</title></svg>'
PAGE = Report(
    "A page",
    "Nine of ten were right.",
    [
        Section("", [Cards([("Right", "0.90", "of ten")])]),
        Section("Details", [Folded("More", [Table(["a", "b"], [["=1+1", proportion(3, 4)]], "Small table")])]),
        Section("Picture", [Figure(SVG, "A picture")]),
    ],
)
Look = Callable[[Sequence[Subject], Desk], Chapter | None]


def deep(number: int) -> Item:
    """A question of the second order in every other pair, which a reader of first-order beliefs gets wrong."""
    order = 1 + number // 2 % 2
    tags = {"task": f"order {order}", "order": order, "story": f"s{number // 2}"}
    about = f"Story {number}: the marble is in the box or in the basket."
    meta = {"first_order": "box", "why": "because it is so"}
    return Item(f"q{number}", f"Where, {number}?", "basket", about, ("box", "basket"), tags=tags, meta=meta)


SUITE = Suite("made up", tuple(map(deep, range(16))))


def chapter(subjects: Sequence[Subject], desk: Desk) -> Chapter:
    runs = [desk.put(SUITE, subject, "made up") for subject in subjects]
    findings = [
        Finding(
            f"Right in <{run.suite}>",
            run.model,
            proportion(9, 10),
            0.5,
            "realist 0.10",
            {"model": run.model, "order": "2"},
            first=True,
        )
        for run in runs
    ]
    return Chapter(PAGE, findings, runs, by="task")


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Scripted:
    model = Scripted(lambda _: "A", name="stubborn", weigh=guess)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(names, "open_model", lambda *_, **__: model)
    return model


def profiled(monkeypatch: pytest.MonkeyPatch, look: Look, *options: str) -> Result:
    def verb(*_: Any) -> Any:
        raise AssertionError("only `look` belongs to a profile")

    study = Study("made-up", "What is all this?", verb, look)
    first = studies.STUDIES["starter"]
    monkeypatch.setattr(studies, "STUDIES", {"starter": first, "made-up": lambda: study})
    return CliRunner().invoke(cli, ["profile", *options])


def page() -> str:
    path = Path("profile/profile.html")
    return path.read_text(encoding="utf-8") if path.exists() else ""


def test_a_study_is_a_chapter(monkeypatch: pytest.MonkeyPatch) -> None:
    done = profiled(monkeypatch, chapter)
    assert done.exit_code == 0, done.output
    assert done.stdout == "profile/profile.html\n"
    assert "stubborn: Right in <made up>: 0.90" in done.stderr
    for part in ("<h2>Made-up</h2>", "What is all this?", "Nine of ten were right.", "<summary>Details</summary>"):
        assert part in page()
    assert "#items?study=made-up&amp;model=stubborn&amp;order=2" in page()
    assert "Right in &lt;made up&gt;" in page()


def test_the_folder_has_all_that_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    done = profiled(monkeypatch, chapter, "--json")
    data = json.loads(done.stdout)
    folder = Path("profile")
    assert data == json.loads((folder / "profile.json").read_text(encoding="utf-8")) | {"page": "profile/profile.html"}
    assert set(data["files"]) == {str(path.relative_to(folder)) for path in folder.glob("*/*")}
    assert (folder / "figures/made-up-01-a-picture.svg").read_text(encoding="utf-8") == SVG + "\n"
    with (folder / "tables/made-up-01-small-table.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    three = proportion(3, 4)
    assert rows == [["a", "b", "b low", "b high", "b n"], ["'=1+1", "0.75", str(three.low), str(three.high), "4"]]


def test_files_of_an_earlier_profile_go(monkeypatch: pytest.MonkeyPatch) -> None:
    profiled(monkeypatch, chapter)
    kept = Path("profile/tables/mine.csv")
    kept.write_text("mine")
    Path("outside.csv").write_text("not ours")
    data = Path("profile/profile.json")
    data.write_text(
        json.dumps(json.loads(data.read_text()) | {"files": ["tables/made-up-01-small-table.csv", "../outside.csv", 7]})
    )
    profiled(monkeypatch, lambda *_: None)
    assert kept.exists()
    assert Path("outside.csv").exists()
    data.write_text(json.dumps({"files": ["tables/made-up-01-small-table.csv", "tables/../../outside.csv"]}))
    profiled(monkeypatch, lambda *_: None)
    assert not Path("profile/tables/made-up-01-small-table.csv").exists()
    assert Path("outside.csv").exists()


SHAPE: dict[str, Any] = {
    "schema": int,
    "otherminds": str,
    "size": str,
    "seed": int,
    "models": [str],
    "partial": bool,
    "failed": dict,
    "left_out": [str],
    "answer": str,
    "diagnoses": dict,
    "studies": [
        {
            "study": str,
            "asks": str,
            "answer": str,
            "cut": [str],
            "findings": [
                {
                    "what": str,
                    "model": str,
                    "kind": str,
                    "value": float,
                    "low": float,
                    "high": float,
                    "n": int,
                    "clusters": int,
                    "method": str,
                    "chance": (float, type(None)),
                    "beside": str,
                    "items": dict,
                }
            ],
            "runs": [
                {
                    "run": str,
                    "suite": str,
                    "digest": str,
                    "model": str,
                    "fingerprint": str,
                    "prompt": str,
                    "score": str,
                    "items": int,
                    "partial": bool,
                    "verdicts": dict,
                    "weighing": (dict, type(None)),
                    "started": str,
                    "identity": dict,
                }
            ],
        }
    ],
    "differences": [
        {
            "study": str,
            "suite": str,
            "score": str,
            "prompt": str,
            "first": str,
            "second": str,
            "items": str,
            "tags": dict,
            "value": float,
            "low": float,
            "high": float,
            "n": int,
            "clusters": int,
            "method": str,
            "p": float,
            "holm": (float, type(None)),
            "only_first_right": [str],
            "only_second_right": [str],
        }
    ],
    "spent": dict,
    "files": [str],
}


def misshapen(data: Any, shape: Any, where: str = "profile") -> list[str]:
    """What is not as docs/profile.md says."""
    if isinstance(shape, dict):
        odd = [f"{where} has {name!r}" for name in (data.keys() ^ shape.keys()) - {"p"}]
        return odd + [
            bad for name in shape.keys() & data.keys() for bad in misshapen(data[name], shape[name], f"{where}.{name}")
        ]
    if isinstance(shape, list):
        return [bad for number, each in enumerate(data) for bad in misshapen(each, shape[0], f"{where}[{number}]")]
    return [] if isinstance(data, shape) else [f"{where} is {data!r}"]


def test_two_models_side_by_side_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "stubborn"
    done = profiled(monkeypatch, chapter, "-m", "some", "-m", "baseline:first_order", "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    del data["page"]
    assert data["models"] == [name, "first_order"]
    assert misshapen(data, SHAPE) == []
    own = [row for row in data["differences"] if row["study"] == "made-up"]
    assert [row["items"] for row in own] == ["all items", "task: order 1", "task: order 2"]
    # By hand: who is right where. The reader knows the answer to the first order and falls for "box" in the second;
    # the other picks by letters, which is the same in both orders only where the same words win.
    with Store("profile/otherminds.db") as store:
        from otherminds.runs.runs import load

        runs = {run["model"]: load(store, run["run"]) for run in data["studies"][1]["runs"]}
    model = runs[name].values()
    reader = {item.id: float(item.tags["order"] == 1) for item in SUITE}
    assert runs["first_order"].values() == reader
    for row, keep in zip(own, ((1, 2), (1,), (2,)), strict=True):
        items = [item for item in SUITE if item.tags["order"] in keep]
        groups = [item.tags["story"] for item in items]
        gap = difference([model[i.id] for i in items], [reader[i.id] for i in items], groups=groups)
        mean = sum(model[i.id] - reader[i.id] for i in items) / len(items)
        assert row["value"] == pytest.approx(mean)
        assert (row["low"], row["high"], row["n"], row["p"]) == (gap.low, gap.high, len(items), gap.p)
    for study in {row["study"] for row in data["differences"]}:
        rows = [row for row in data["differences"] if row["study"] == study]
        enough = [row for row in rows if row["clusters"] >= 6]
        assert [row["holm"] for row in enough] == holm([row["p"] for row in enough])
        assert all(row["holm"] is None for row in rows if row not in enough)
    assert set(own[0]["only_second_right"]) == {id for id in reader if (model[id], reader[id]) == (0, 1)}
    assert set(own[0]["only_first_right"]) == {id for id in reader if (model[id], reader[id]) == (1, 0)}
    for part in ("<h2>Differences</h2>", f"{name} less first_order", "first_order"):
        assert part in page()


def test_a_baseline_that_a_suite_does_not_carry_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def look(subjects: Sequence[Subject], desk: Desk) -> Chapter:
        raise Unable("the realist needs items with meta.reality")

    done = profiled(monkeypatch, look, "-m", "some", "-m", "baseline:realist", "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert data["left_out"] == ["made-up: the realist needs items with meta.reality"]
    assert "the realist needs items" in page()


def test_it_goes_round_what_a_model_cannot_do(monkeypatch: pytest.MonkeyPatch, scripted: Scripted) -> None:
    scripted.cannot = frozenset({"chat", "continuations"})
    data = json.loads(profiled(monkeypatch, chapter, "--json").stdout)
    runs = [run for run in data["studies"][0]["runs"] if run["suite"] == "starter"]
    assert ([(run["score"], run["prompt"]) for run in runs], data["partial"]) == (
        [("letters", "raw"), ("text", "raw")],
        False,
    )
    assert data["left_out"] == ["stubborn by cloze: it has no continuations"]


def test_a_model_that_can_do_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch, scripted: Scripted) -> None:
    scripted.cannot = frozenset({"chat", "raw"})
    done = profiled(monkeypatch, chapter, "--no-studies")
    assert done.exit_code == 1
    assert "stubborn can neither weigh raw prompts nor chat" in done.stderr


def test_two_models_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    done = profiled(monkeypatch, chapter, "-m", "one", "-m", "other")
    assert done.exit_code == 2
    assert "two models are called stubborn" in done.stderr


def test_the_seed_the_size_and_the_budget_reach_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Desk] = []

    def look(subjects: Sequence[Subject], desk: Desk) -> Chapter:
        given.append(desk)
        return chapter(subjects, desk)

    profiled(monkeypatch, look, "--seed", "7", "--budget", "calls=1000", "--size", "full")
    (desk,) = given
    assert desk.budget is not None
    assert (desk.seed, desk.size, desk.budget.calls) == (7, "full", 1000)


def test_a_study_that_fails_leaves_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    def look(*_: Any) -> Chapter:
        raise ModelError("it lost its voice")

    done = profiled(monkeypatch, look, "--json")
    assert done.exit_code == 3
    assert json.loads(done.stdout)["failed"] == {"made-up": "it lost its voice"}
    assert "<h2>Starter</h2>" in page()
    assert "it lost its voice" in page()


def test_a_study_without_anything_to_report_is_unfinished(monkeypatch: pytest.MonkeyPatch) -> None:
    done = profiled(monkeypatch, lambda *_: None, "--json")
    assert done.exit_code == 3
    assert "budget was spent" in json.loads(done.stdout)["failed"]["made-up"]
    assert "<h2>Made-up</h2>" not in page()


def test_a_study_that_was_cut_short_is_unfinished(monkeypatch: pytest.MonkeyPatch) -> None:
    done = profiled(monkeypatch, chapter, "--budget", "calls=100", "--json")
    assert done.exit_code == 0, done.stderr
    done = profiled(monkeypatch, chapter, "-o", "another", "--budget", "calls=20", "--json")
    assert done.exit_code == 3
    data = json.loads(done.stdout)
    assert data["partial"]
    assert any("the budget of 20 calls is spent" in said for said in data["studies"][0]["cut"])
    assert "Not finished" in data["answer"]


def test_given_again_it_asks_nothing_and_says_the_same(monkeypatch: pytest.MonkeyPatch, scripted: Scripted) -> None:
    profiled(monkeypatch, chapter)
    before, asked = page(), len(scripted.history)
    assert profiled(monkeypatch, chapter).exit_code == 0
    assert len(scripted.history) == asked
    assert page() == before


def test_studies_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def look(*_: Any) -> Chapter:
        raise AssertionError("not wanted")

    assert profiled(monkeypatch, look, "--no-studies").exit_code == 0


def test_a_dry_run_asks_nothing_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch, scripted: Scripted) -> None:
    monkeypatch.setattr(profile, "_known", lambda *_: ("stubborn", frozenset(), {}))
    done = profiled(monkeypatch, chapter, "--dry-run", "--json")
    assert done.exit_code == 0, done.output
    rows = {row["study"]: row for row in json.loads(done.stdout)}
    assert rows["made-up"]["calls"] == 32  # sixteen items in two orders
    assert rows["starter"]["calls"] > 192  # the items in three ways, and before that the controls in every form
    assert rows["starter"]["known"] == 0
    assert not scripted.history
    assert not Path("profile").exists()
    profiled(monkeypatch, chapter)
    done = profiled(monkeypatch, chapter, "--dry-run", "--json")
    rows = {row["study"]: row for row in json.loads(done.stdout)}
    assert {row["calls"] for row in rows.values()} == {0}
    assert rows["made-up"]["known"] == 32
    assert "32" in profiled(monkeypatch, chapter, "--dry-run").stdout


def test_a_dry_run_on_a_bare_machine_fetches_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OTHERMINDS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(names, "open_model", open_model)
    specs = ["-m", "smollm2", "-m", "api:far-away", "--base-url", "http://127.0.0.1:9/v1"]
    done = profiled(monkeypatch, chapter, *specs, "--dry-run", "--json")
    assert done.exit_code == 0, done.output
    assert {row["model"] for row in json.loads(done.stdout)} == {"smollm2", "api:far-away"}
    assert not (tmp_path / "cache").exists()


def test_a_dry_run_knows_a_model_by_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "open_model", open_model)
    spec = Spec("api:far-away", {"base_url": "http://127.0.0.1:9/v1", "temperature": 0.5})
    name, _, known_as = profile._known(spec) or ("", frozenset(), {})
    assert name == "api:far-away"
    told = {"base_url": "http://127.0.0.1:9/v1", "temperature": 0.5, "seed": None, "top_p": None, "max_tokens": None}
    assert told.items() <= known_as.items()
