"""People's answers: kept, exported, imported, compared."""

import csv
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from otherminds import stats
from otherminds.cli import cli
from otherminds.errors import BadFile, StoreError, UsageError
from otherminds.items import Item, Suite
from otherminds.models.scripted import Scripted
from otherminds.results.annotation_files import Taken, save, take
from otherminds.results.annotations import AnnotationBatch, agreement, agreement_by_kind, check_name, majorities
from otherminds.runs.runs import run
from otherminds.store import tables
from otherminds.store.store import MEMORY, Store
from otherminds.web.serving import PageReply, PageServer

QUOTES = 'she said, "no"\nand left'
SUITE = Suite(
    "small",
    (
        Item(id="a", context="One.\nTwo.", question="Where?", answer="box", choices=("basket", "box")),
        Item(id="b, or so", question="Who?", answer=QUOTES, choices=(QUOTES, "=1+1", "ß")),
        Item(id="c", question="When?", answer="now", choices=("now", "then"), tags={"story": "s"}),
    ),
)
GIVEN = {
    "Ada": {"a": "box", "b, or so": QUOTES, "c": "now"},
    "Ben Ó": {"a": "basket", "b, or so": "=1+1"},
    "Cleo": {"a": "box", "c": "then"},
}


@pytest.fixture
def batch() -> Iterator[AnnotationBatch]:
    with Store(MEMORY) as store:
        yield filled(store)


def filled(store: Store, suite: Suite = SUITE) -> AnnotationBatch:
    batch = AnnotationBatch(suite, store)
    for annotator, answers in GIVEN.items():
        for id, answer in answers.items():
            batch.keep(annotator, id, answer)
    return batch


# ── kept ──


def test_the_last_answer_of_a_person_counts(batch: AnnotationBatch) -> None:
    assert batch.answers() == GIVEN
    batch.keep(" Ada ", "a", "basket")
    assert batch.answers()["Ada"]["a"] == "basket"
    assert batch.answers()["Cleo"] == GIVEN["Cleo"]
    assert batch.answers_of("Nobody") == {}


def test_answers_to_another_text_no_longer_count(batch: AnnotationBatch) -> None:
    first = SUITE.items[0]
    changed = Item(id="a", context="One.\nTwo!", question=first.question, answer="box", choices=first.choices)
    other = AnnotationBatch(Suite("small", (changed, *SUITE.items[1:])), batch._store)
    assert "a" not in other.answers()["Ada"]
    assert other.answers()["Ada"]["c"] == "now"
    retagged = Item(id="a", context="One.\nTwo.", question=first.question, answer="basket", choices=first.choices)
    assert AnnotationBatch(Suite("small", (retagged,)), batch._store).answers()["Ada"] == {"a": "box"}, (
        "only what is seen counts"
    )


def test_another_batch_is_another_matter(batch: AnnotationBatch) -> None:
    assert AnnotationBatch(Suite("other", SUITE.items), batch._store).answers() == {}


@pytest.mark.parametrize(
    ("annotator", "id", "answer", "sentence"),
    [
        ("Ada", "z", "box", "no item 'z'"),
        ("Ada", "a", "tin", "'tin' is not one of the choices"),
        ("", "a", "box", "cannot be the name"),
        ("=cmd", "a", "box", "cannot be the name"),
        ("A\nB", "a", "box", "cannot be the name"),
        ("A" * 61, "a", "box", "at most 60"),
    ],
)
def test_what_is_no_answer_is_refused(
    batch: AnnotationBatch, annotator: str, id: str, answer: str, sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        batch.keep(annotator, id, answer)
    assert batch.answers() == GIVEN


def test_names_may_be_of_any_script() -> None:
    assert [check_name(name) for name in ("Åsa", " 李 雷", "anna@example.org", "7")] == [
        "Åsa",
        "李 雷",
        "anna@example.org",
        "7",
    ]


def test_people_can_only_choose() -> None:
    with Store(MEMORY) as store, pytest.raises(UsageError, match="'free' has no choices"):
        AnnotationBatch(Suite("free", (Item(id="free", question="Why?", answer="because"),)), store)


def test_an_older_store_gets_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "store.db"
    with monkeypatch.context() as older:
        older.setattr(tables, "MIGRATIONS", tables.MIGRATIONS[:1])
        Store(path).close()
    with Store(path) as store:
        assert filled(store).answers() == GIVEN


def test_an_older_store_where_nobody_can_write_is_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "store.db"
    monkeypatch.setattr(tables, "MIGRATIONS", tables.MIGRATIONS[:1])
    with Store(path) as store:
        store.keep_model("f", "model", {"weights": "w"})
    monkeypatch.undo()
    monkeypatch.setattr("os.access", lambda *_: False)
    with Store(path) as store:
        assert store.identity("f") == {"weights": "w"}
        with pytest.raises(StoreError, match="older otherminds wrote it"):
            store.annotations("small")


# ── files ──


@pytest.mark.parametrize("name", ["answers.csv", "answers.json"])
def test_what_is_exported_can_be_imported(batch: AnnotationBatch, tmp_path: Path, name: str) -> None:
    written = save(batch, tmp_path / name)
    assert all(path.exists() for path in written)
    with Store(MEMORY) as empty:
        other = AnnotationBatch(SUITE, empty)
        taken = take(other, tmp_path / name)
        assert (taken.kept, taken.refused) == (7, {})
        assert other.answers() == GIVEN
        save(other, tmp_path / f"again-{name}")
    assert (tmp_path / name).read_text() == (tmp_path / f"again-{name}").read_text()


def test_csv_as_a_spreadsheet_reads_it(batch: AnnotationBatch, tmp_path: Path) -> None:
    save(batch, tmp_path / "answers.csv")
    rows = sheet(tmp_path / "answers.csv")
    assert rows[0] == ["id", "annotator", "answer", "digest", "context", "question", "A", "B", "C"]
    assert rows[1][4:] == ["One.\nTwo.", "Where?", "basket", "box", ""]
    assert rows[2][:3] == ["b, or so", "Ada", QUOTES]
    assert rows[5][2] == rows[5][7] == "'=1+1", "a spreadsheet would reckon it out"
    assert len(rows) == 8


def sheet(path: Path, rows: list[list[str]] | None = None) -> list[list[str]]:
    """The cells of a file as a spreadsheet reads them, and writes them if any are given."""
    if rows is not None:
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.reader(file))


def test_a_sheet_that_nobody_has_answered_can_be_filled_in(tmp_path: Path) -> None:
    path = tmp_path / "blank.csv"
    with Store(MEMORY) as store:
        batch = AnnotationBatch(SUITE, store)
        save(batch, path)
        rows = sheet(path)
        assert [row[:3] for row in rows[1:]] == [[item.id, "", ""] for item in SUITE]
        assert take(batch, path) == Taken()
        rows[1][1:3] = ["Ada", "box"]
        assert rows[1].pop() == "", "Excel leaves out what is empty at the end"
        # As copied from the cell beside it; the digest is what a spreadsheet makes of one that looks like a number.
        rows[2][1:4] = ["Ada", rows[2][7], "9E+15"]
        rows[3][1] = "Ada"
        sheet(path, rows)
        taken = take(batch, path)
        assert (taken.kept, taken.refused) == (2, {"no answer": ["line 6"]})
        assert batch.answers() == {"Ada": {"a": "box", "b, or so": "=1+1"}}


@pytest.mark.parametrize("column", [4, 5, 6, 8])
def test_a_text_changed_in_a_sheet_is_noticed_whatever_the_digest_says(
    batch: AnnotationBatch, tmp_path: Path, column: int
) -> None:
    path = tmp_path / "answers.csv"
    save(batch, path)
    rows = sheet(path)
    rows[1][column] += "!"
    sheet(path, rows)
    assert take(batch, path).refused == {"the text shown is not the item's": ["line 3"]}
    sheet(path, [row[:4] for row in rows])
    assert take(batch, path).refused == {}, "without the texts the digest speaks for them"


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_whatever_ends_a_line_is_read_back(tmp_path: Path, ends: str) -> None:
    item = Item(id="a", context=f"One.{ends}Two.", question="'=?", answer="@x", choices=("@x", "''-y", "'z", "-1"))
    for name in ("answers.csv", "answers.json"):
        with Store(MEMORY) as store:
            batch = AnnotationBatch(Suite("ends", (item,)), store)
            for who, answer in zip("PQRS", item.choices, strict=True):
                batch.keep(who, "a", answer)
            save(batch, tmp_path / name)
            assert take(batch, tmp_path / name) == Taken(kept=4)


def test_a_file_that_contradicts_itself_or_what_is_kept(batch: AnnotationBatch, tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    save(batch, path)
    good = [row[:4] for row in sheet(path)]
    head, ada, digest = good[0], good[1], good[1][3]
    turned = [["a", " Ada ", "basket", digest], ada, ["a", "Ben Ó", "basket", digest], ["a", "Ben Ó", "basket", digest]]
    sheet(path, [head, *turned, ["a", "Dana", "box", digest]])
    taken = take(batch, path)
    assert taken == Taken(3, {"the same annotator gave another answer further up": ["line 3"]}, replaced=1)
    assert batch.answers()["Ada"]["a"] == "basket"
    assert take(batch, path).replaced == 0


def test_label_studio_gets_the_interface_and_never_the_answer(batch: AnnotationBatch, tmp_path: Path) -> None:
    data, config = save(batch, tmp_path / "answers.json")
    listed = json.loads(data.read_text())
    assert [set(entry["data"]) for entry in listed] == [{"id", "context", "question", "choices", "digest"}] * 3
    assert listed[0]["data"]["choices"] == [{"value": "basket"}, {"value": "box"}]
    view = ElementTree.fromstring(config.read_text())
    named = {tag.get("name"): tag for tag in view}
    (choices,) = view.findall("Choices")
    assert named[choices.get("toName")].tag == "Text"
    shown = {str(tag.get("value")).removeprefix("$") for tag in view}
    assert shown == {"context", "question", "choices"}
    annotation = listed[0]["annotations"][0]
    assert "completed_by" not in annotation, "an address that nobody has there makes Label Studio refuse the file"
    result = annotation["result"][0]
    assert (result["from_name"], result["to_name"]) == (choices.get("name"), choices.get("toName"))


def test_a_label_studio_export_with_all_its_extras(batch: AnnotationBatch, tmp_path: Path) -> None:
    (data, _) = save(batch, tmp_path / "answers.json")
    entry = json.loads(data.read_text())[0]

    def said(by: Any, *choices: Any, **extra: Any) -> dict[str, Any]:
        return {"completed_by": by, "result": [{"value": {"choices": list(choices)}}] if choices else [], **extra}

    entry |= {"id": 12, "project": 3, "predictions": [], "total_annotations": 9}
    entry["annotations"] = [
        said(7, "box", id=1, was_cancelled=False, lead_time=3.2),
        said({"id": 8, "email": "dana@example.org", "first_name": "Dana"}, "basket"),
        said(9, "box", was_cancelled=True),
        said(10),
        said(11, "box", "basket"),
        said(12, "tin"),
        said(None, "box"),
        "odd",
    ]
    (tmp_path / "in.json").write_text(json.dumps([entry, 5, {"data": {"id": "a"}}]))
    taken = take(batch, tmp_path / "in.json")
    assert taken.kept == 2
    assert {reason: len(places) for reason, places in taken.refused.items()} == {
        "skipped by the annotator": 1,
        "no answer": 2,
        "more than one answer": 1,
        "the answer is not one of the choices": 1,
        "the annotator's name cannot be used": 1,
        "no data or no list of annotations": 2,
    }
    assert batch.answers()["7"] == {"a": "box"}
    assert batch.answers()["dana@example.org"] == {"a": "basket"}


def test_label_studio_gives_back_whom_we_named(batch: AnnotationBatch, tmp_path: Path) -> None:
    (data, _) = save(batch, tmp_path / "answers.json")
    listed = json.loads(data.read_text())
    for entry in listed:
        for annotation in entry["annotations"]:
            annotation["completed_by"] = 1  # whoever imported the file there
            annotation["result"][0]["id"] = "x"
    data.write_text(json.dumps(listed))
    with Store(MEMORY) as empty:
        other = AnnotationBatch(SUITE, empty)
        assert take(other, data) == Taken(7)
        assert other.answers() == GIVEN


def test_a_text_changed_in_label_studio_is_noticed_whatever_the_digest_says(
    batch: AnnotationBatch, tmp_path: Path
) -> None:
    (data, _) = save(batch, tmp_path / "answers.json")
    listed = json.loads(data.read_text())
    listed[0]["data"]["context"] = "One. Three."
    listed[2]["data"]["choices"].reverse()
    data.write_text(json.dumps(listed))
    taken = take(batch, data)
    assert taken.refused == {"the text shown is not the item's": ["entry 1"] * 3 + ["entry 3"] * 2}
    assert taken.kept == 2


def test_bad_rows_are_counted_and_good_ones_stay(batch: AnnotationBatch, tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    save(batch, path)
    good = path.read_text().splitlines()[1].split(",")
    rows = [
        ["id", "annotator", "answer", "digest", "remark"],
        ["a", "Dana", "basket", good[3], ""],
        ["unknown", "Dana", "basket", good[3], ""],
        ["a", "Emil", "box", "0" * 16, ""],
        ["a", "Finn", "tin", good[3], ""],
        ["a", "+Gus", "box", good[3], ""],
        ["a", "Hal"],
        ["a", "Ida", "box", good[3], "", "more"],
    ]
    path.write_text("\ufeff" + "".join(",".join(row) + "\r\n" for row in rows), encoding="utf-8")
    taken = take(batch, path)
    assert taken.kept == 1
    assert taken.refused == {
        "unknown id": ["line 3"],
        "the text shown is not the item's": ["line 4"],
        "the answer is not one of the choices": ["line 5"],
        "the annotator's name cannot be used": ["line 6"],
        "not a whole row": ["line 7", "line 8"],
    }
    assert batch.answers() == {**GIVEN, "Dana": {"a": "basket"}}


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("x.csv", b"id,annotator,answer\na,Ada,box\n", "column 'digest' is missing"),
        ("x.csv", b"", "column 'id' is missing"),
        ("x.csv", b'id,annotator,answer,digest\na,Ada,"box', "is not CSV"),
        ("x.csv", b"\xff\xfe\x00", "cannot be read"),
        ("x.json", b"[", "is not JSON"),
        ("x.json", b"[" * 100_000, "is not JSON"),
        ("x.json", b'{"data": {}}', "should be a list"),
        ("x.txt", b"", "should end in .csv"),
    ],
)
def test_a_file_of_another_kind_is_refused(
    batch: AnnotationBatch, tmp_path: Path, name: str, text: bytes, sentence: str
) -> None:
    (tmp_path / name).write_bytes(text)
    with pytest.raises((BadFile, UsageError), match=sentence):
        take(batch, tmp_path / name)
    assert batch.answers() == GIVEN


# ── agreement ──


def test_agreement_by_hand(batch: AnnotationBatch) -> None:
    assert majorities(SUITE, GIVEN) == {"a": "box", "b, or so": None, "c": None}
    found = agreement(SUITE, batch.answers())
    assert found.annotators == {"Ada": 3, "Ben Ó": 2, "Cleo": 2}
    assert (found.compared, found.majority, found.undecided) == (3, {"B": 1}, 2)
    # By place: B A B, A B, A B. Pooled A 3, B 4: expected 2 * 3 * 4 / (7 * 6); observed (4/2 + 2 + 2) / 7.
    assert found.alpha is not None
    assert found.alpha.value == pytest.approx(1 - (6 / 7) / (24 / 42))


def test_choices_that_are_the_same_are_compared_by_text() -> None:
    pair = ("yes", "no")
    items = [Item(id=f"i{n}", question="?", answer="yes", choices=pair if n % 2 else pair[::-1]) for n in range(4)]
    said = {name: {f"i{n}": pair[n // 2] for n in range(4)} for name in ("Ada", "Ben")}
    found = agreement(Suite("same", tuple(items)), said)
    assert found.majority == {"no": 2, "yes": 2}
    assert found.alpha is not None
    assert found.alpha.value == 1


BASKET = Scripted(lambda prompt: "basket", name="basket sayer")
TYPES = Suite(
    "types",
    tuple(
        Item(
            id=f"{kind}{n}",
            question="?",
            answer="box",
            choices=("basket", "box"),
            tags={"kind": kind, "order": order, "story": f"{kind}{n}"},
        )
        for kind, order in (("place", 1), ("state", 2))
        for n in range(4)
    ),
    prompt="direct",
    score="text",
)


def test_people_beside_the_key_and_a_model_by_kind() -> None:
    place = {"place0": "box", "place1": "box", "place2": "box", "place3": "basket"}
    said = {"Ada": place | {"state0": "box"}, "Ben": place | {"state0": "basket"}}
    lines = agreement_by_kind(TYPES, said, run(TYPES, BASKET))
    assert [(line.kind, line.order, line.undecided) for line in lines] == [
        ("place", "1", 0),
        ("state", "2", 1),
        ("all", "", 1),
    ]
    first, second, every = lines
    assert first.people_key == every.people_key == stats.mean([1.0, 1.0, 1.0, 0.0], groups="abcd")
    assert first.model_people == stats.mean([0.0, 0.0, 0.0, 1.0], groups="abcd")
    assert (second.people_key, second.model_people) == (None, None)
    assert agreement_by_kind(TYPES, said)[0].model_people is None
    assert agreement_by_kind(TYPES, {}) == []


def test_a_model_that_was_shown_something_else_is_not_beside_people() -> None:
    other = replace(TYPES, items=tuple(replace(item, context="Something else.") for item in TYPES))
    (line,) = agreement_by_kind(TYPES, {"Ada": {"place0": "box"}}, run(other, BASKET))
    assert line.people_key is not None
    assert line.model_people is None


# ── the command ──


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OTHERMINDS_STORE", raising=False)
    SUITE.save("small.jsonl")
    return tmp_path


def call(*args: str, code: int = 0) -> str:
    done = CliRunner().invoke(cli, ["annotate", "small.jsonl", *args])
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done.output


def test_in_numbers_and_out_again(folder: Path) -> None:
    with Store("otherminds.db") as store:
        filled(store)
    call("--export", "answers.csv")
    found = json.loads(CliRunner().invoke(cli, ["annotate", "small.jsonl", "--agreement", "--json"]).stdout)
    assert found["agreement"]["compared"] == 3
    shown = call("--import", "answers.csv", "--agreement", "--export", "answers.json")
    assert "answers.csv: 7 answers kept, 0 refused" in shown
    assert "Krippendorff's alpha" in shown
    assert "most people give the answer of the key" in " ".join(shown.split())
    asked = CliRunner().invoke(cli, ["run", "small.jsonl", "-m", "baseline:oracle"])
    assert asked.exit_code == 0, asked.output
    found = json.loads(
        CliRunner().invoke(cli, ["annotate", "small.jsonl", "--agreement", "--run", "last", "--json"]).stdout
    )
    assert found["agreement"]["by_kind"][0]["model_people"]["value"] == 1.0
    assert "oracle gives" in " ".join(call("--agreement", "--run", "last").split())
    assert "give --agreement with it" in call("--run", "last", code=2)
    assert sorted(path.suffix for path in folder.glob("answers.*")) == [".csv", ".json", ".xml"]


def test_an_import_says_what_it_replaced(folder: Path) -> None:
    with Store("otherminds.db") as store:
        filled(store)
    call("--export", "answers.csv")
    rows = sheet(folder / "answers.csv")
    rows[1][2] = "basket"
    sheet(folder / "answers.csv", [*rows, [*rows[1][:2], "box", *rows[1][3:]]])
    shown = call("--import", "answers.csv")
    assert "7 answers kept, 1 refused" in shown
    assert "1 refused: the same annotator gave another answer further up" in shown
    assert "1 replaced an earlier answer" in shown


def test_a_file_without_one_good_row_fails_with_the_reasons(folder: Path) -> None:
    Path("in.csv").write_text("id,annotator,answer,digest\nz,Ada,box,0\na,Ada,box,0\n")
    shown = call("--import", "in.csv", code=1)
    assert "1 times unknown id; 1 times the text shown is not the item's" in shown


def test_sentences_for_what_cannot_be(folder: Path) -> None:
    assert "nobody has answered yet; `otherminds annotate small.jsonl`" in call("--agreement", code=2)
    assert not Path("otherminds.db").exists()
    assert "cannot be the name of an annotator" in call("--annotator", "=x", "--no-open", code=2)
    with PageServer(lambda _: PageReply("")) as taken:
        assert f"port {taken.port} cannot be used" in call("--port", str(taken.port), "--no-open", code=2)


def test_while_the_page_is_there_others_read_and_write(folder: Path) -> None:
    program = [sys.executable, "-c", "from otherminds.cli import main; main()", "annotate", "small.jsonl", "--no-open"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as serving:
        assert serving.stdout
        assert serving.stdout.readline().startswith("http://127.0.0.1:")
        with Store("otherminds.db") as store:
            assert store.annotations("small") == []
            AnnotationBatch(SUITE, store).keep("Ada", "a", "box")
        call("--export", "answers.csv")
        serving.kill()
    with sqlite3.connect("otherminds.db") as db:
        assert db.execute("SELECT count(*) FROM annotations").fetchone() == (1,)
    db.close()
