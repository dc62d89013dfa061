"""What comes out of a file, a server or a store can neither steer a terminal nor run in a spreadsheet."""

import ast
import csv
import json
import os
import pty
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import example, given
from hypothesis import strategies as st

import otherminds
from otherminds.cli import cli
from otherminds.items import Item, Suite
from otherminds.pages import sheets
from otherminds.pages.report import Table
from otherminds.pages.table_files import as_csv
from otherminds.pages.violins import Violin, numbers
from otherminds.results.annotation_files import Taken, save, take
from otherminds.results.annotations import AnnotationBatch
from otherminds.stats import mean
from otherminds.store.store import MEMORY, Store

EVIL = "\x1b[35mEVIL\x1b]0;title\x07\x9b2J\u202e\x7f"
"""Colours, the window's title, an empty screen in one byte, and letters from right to left."""
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

# ---- the terminal ---------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    items = tuple(
        Item(
            id=f"{EVIL}{number}",
            context=f"Ada {EVIL} went.",
            question=f"Where {EVIL}?",
            answer=f"box {EVIL}",
            choices=(f"box {EVIL}", f"bag {EVIL}"),
            cloze="It is in the",
            tags={f"kind {EVIL}": f"tag {EVIL}", "false_belief": number % 2 == 0},
        )
        for number in range(4)
    )
    Suite(f"suite {EVIL}\nrun 123 · all right", items).save("evil.jsonl")
    story = [
        {"do": "enter_room", "person": f"Ada{EVIL}", "room": f"den{EVIL}"},
        {"do": "move_to_container", "person": f"Ada{EVIL}", "object": f"key{EVIL}", "container": f"box{EVIL}"},
    ]
    Path("story.json").write_text(json.dumps({"title": f"title {EVIL}", "events": story}))
    Path("lineup.yaml").write_text(LINEUP)
    return tmp_path


LINEUP = r"""
suite: {size: 4, tasks: [TB, FB/SA]}
models:
  - {name: "a \e[35mEVIL\x9b2J", spec: "baseline:random", series: "s \e[35m", rank: 1}
  - {name: "b \e[35mEVIL\x9b2J", spec: "baseline:oracle", series: "s \e[35m", rank: 2, partner: "c \e[35m"}
  - {name: "c \e[35m", spec: "baseline:realist", series: "s \e[35m", post_trained: false}
"""


def call(*args: str) -> Result:
    done = CliRunner().invoke(cli, list(args), catch_exceptions=False)
    for text in (done.stdout, done.stderr):
        found = STEERS.search(text)
        assert not found, (args, text[max(0, found.start() - 60) : found.end() + 20])
    return done


def ran() -> None:
    for model in ("oracle", "random"):
        assert call("run", "evil.jsonl", "-m", f"baseline:{model}").exit_code == 0


def test_runs_of_a_suite_with_evil_names(folder: Path) -> None:
    ran()
    ids = [row["id"] for row in json.loads(call("runs", "--json").stdout)]
    for args in (
        ["run", "evil.jsonl", "-m", "baseline:oracle", "--dry-run"],
        ["runs"],
        ["show", "last"],
        ["show", "last", f"{EVIL}1"],
        ["compare", *ids],
        ["report", "last", "-o", f"page{EVIL}.html"],
        ["export", "last", "--to", "csv", "-o", f"table{EVIL}.csv"],
        ["export", "evil.jsonl", "--to", "lm-eval", "-o", f"folder{EVIL}"],
    ):
        assert call(*args).exit_code == 0, args
    call("lint", "evil.jsonl")


def test_a_name_cannot_begin_a_line_of_its_own(folder: Path) -> None:
    said = call("run", "evil.jsonl", "-m", "baseline:oracle").stdout
    assert said.startswith("suite \\x1b[35mEVIL")
    assert "\\x0arun 123 · all right · oracle · " in said.split("\n")[0]


def test_json_is_the_same_to_a_program(folder: Path) -> None:
    ran()
    shown = json.loads(call("show", "last", f"{EVIL}1", "--json").stdout)
    assert shown["item"]["id"] == f"{EVIL}1"
    told = json.loads(call("run", "evil.jsonl", "-m", "baseline:oracle", "--json").stdout)
    assert told["suite"] == Suite.load("evil.jsonl").name


def test_stories_lineups_and_sheets_with_evil_names(folder: Path) -> None:
    with Store("otherminds.db") as store:
        batch = AnnotationBatch(Suite.load("evil.jsonl"), store)
        for who, answer in (("Ada", f"box {EVIL}"), ("Ben", f"bag {EVIL}")):
            batch.keep(who, f"{EVIL}0", answer)
    for args in (
        ["tell", "story.json", "--questions"],
        ["annotate", "evil.jsonl", "--agreement", "--export", f"answers{EVIL}.csv"],
        ["annotate", "evil.jsonl", "--import", f"answers{EVIL}.csv"],
        ["series", "lineup.yaml", "-o", f"out{EVIL}"],
    ):
        assert call(*args).exit_code == 0, args
    for name in ("pairs.txt", "pairs.tex"):
        assert not STEERS.search(Path(f"out{EVIL}", name).read_text())


@pytest.mark.parametrize(
    "args",
    [
        [EVIL],
        [f"--{EVIL}"],
        ["run", f"--{EVIL}"],
        ["run", "starter", "--limit", EVIL],
        ["run", "starter", "-m", EVIL],
        ["run", EVIL],
        ["run", f"{EVIL}.jsonl"],
        ["export", "last", "--to", EVIL, "-o", "x"],
        ["show", EVIL],
        ["lint", "broken.jsonl"],
        ["report", "last", "-o", "x", EVIL],
    ],
)
def test_errors_quote_what_was_given_without_its_effects(folder: Path, args: list[str]) -> None:
    Path("broken.jsonl").write_text(json.dumps({"otherminds": 1, "suite": "x"}) + "\n" + json.dumps({EVIL: 1}) + "\n")
    done = call(*args)
    assert done.exit_code in (1, 2)
    assert done.stderr


def in_terminal(*args: str, folder: Path) -> str:
    """What a command writes on a terminal, bars and all."""
    here, there = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "otherminds", *args], cwd=folder, stdin=there, stdout=there, stderr=there
    ) as process:
        os.close(there)
        seen = b""
        while True:
            try:
                part = os.read(here, 65536)
            except OSError:  # on Linux, the other end is closed
                break
            if not part:
                break
            seen += part
    os.close(here)
    assert process.returncode is not None
    return seen.decode()


def test_bars_and_tracebacks_on_a_terminal(folder: Path) -> None:
    seen = in_terminal("run", "evil.jsonl", "-m", "baseline:oracle", folder=folder)
    seen += in_terminal("--debug", "run", f"{EVIL}.jsonl", folder=folder)
    assert "Traceback" in seen
    assert "\\x1b[35mEVIL" in seen
    assert "\x1b[35m" not in seen
    assert not re.search("[\x07\x7f-\x9f\u202e]", seen)


def test_nobody_prints_past_the_screen() -> None:
    package = Path(otherminds.__file__).parent
    printing = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Name("print") | ast.Attribute(ast.Name("click"), "echo" | "secho" | "confirm" | "prompt"):
                    printing.add(path.relative_to(package).as_posix())
                case ast.Attribute(ast.Name("sys"), "stdout" | "stderr"):
                    printing.add(path.relative_to(package).as_posix())
    assert printing == {"terminal/screen.py", "cli.py", "__main__.py"}


# ---- spreadsheets ---------------------------------------------------------------------------------------------------

FORMULAS = [
    "=1+1",
    "@SUM(1)",
    "+cmd|' /C calc'!A0",
    "-cmd",
    "-2+3+cmd|' /C calc'!A0",
    "+1-1",
    "-1.5-HYPERLINK(1)",
    "\t=1+1",
    "\tplain",
    "\r=1+1",
    "\n=1+1",
    " =1+1",
    "＝1+1",
    "－2+3",
    "--1",
    "-",
    "'=1+1",
]
NUMBERS = ["-0.25", "+0.123456", "-3", "-1e-05", "+1,234", "-12%", "+0.10*", "+0.10 [−0.20, 0.40]", "−0.2", "0", "x"]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_run_gets_a_mark(text: str) -> None:
    assert sheets.cell(text).startswith("'")
    assert sheets.text_of(sheets.cell(text)) == text.replace("\r", "\n")


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_stay_numbers(text: str) -> None:
    assert sheets.cell(text) == text


@given(st.text(alphabet=st.sampled_from("'=+-@ \t\n1a.0＝"), max_size=6) | st.text())
@example("'-3")
@example("''=x")
@example("'")
def test_a_cell_leads_back_to_its_text(text: str) -> None:
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    assert sheets.text_of(sheets.cell(text)) == plain
    assert not re.match(r"\s*[=@＝＠]|[\t\r\n]", sheets.cell(text))
    if re.match(r"\s*[-+－＋]", sheets.cell(text)):
        assert re.fullmatch(r"[-+]\d[\d,.eE+-]*%?\**( \[.*\])?", text)


def cells(text: str) -> list[str]:
    return [cell for row in csv.reader(StringIO(text)) for cell in row]


VALUES = [-0.25, 0.5, 0.75]


def tables(name: str) -> dict[str, str]:
    """All that writes CSV about models and items."""
    from otherminds.results.pairs import Pairing
    from otherminds.results.pairs import as_csv as pairs
    from otherminds.stats import Difference

    moved = Difference(-0.25, -0.5, -0.1, 4, 4, "", 0.01)
    pairing = Pairing(name, name, name, mean(VALUES), mean(VALUES), moved, 0.5)

    return {
        "a table": as_csv(Table([name, "x"], [[name, -0.25]], "t")),
        "violins": numbers([(name, [Violin(name, name, VALUES, mean(VALUES))])]),
        "pairs": pairs([pairing]),
    }


@pytest.mark.parametrize("name", ["=1+1", "-2+3+cmd|' /C calc'!A0", "\tx"])
@pytest.mark.parametrize("writer", ["a table", "violins", "pairs"])
def test_every_writer_marks_names_and_leaves_numbers(writer: str, name: str) -> None:
    found = cells(tables(name)[writer])
    assert f"'{name}" in found
    assert name not in found
    assert [cell for cell in found if cell in ("-0.25", "-0.250000")]


def test_there_is_one_writer_of_csv() -> None:
    package = Path(otherminds.__file__).parent
    writing = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"csv\.(?:Dict)?[wW]riter", path.read_text())
    }
    assert writing == {"pages/sheets.py"}


@pytest.mark.parametrize("name", ["answers.csv", "answers.json"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_answers_come_back_as_they_were(tmp_path: Path, name: str, end: str) -> None:
    odd = (*FORMULAS, *NUMBERS, f"two{end}lines", f"{end}=1", "a,b", '"', "'", "''")
    items = [
        Item(id=f"{text}{number}", context=text, question=f"{text}?", answer=text, choices=(text, "another"))
        for number, text in enumerate(odd)
    ]
    suite = Suite("odd", tuple(items))
    with Store(MEMORY) as store, Store(MEMORY) as empty:
        batch, other = AnnotationBatch(suite, store), AnnotationBatch(suite, empty)
        for item in suite:
            batch.keep("Ada", item.id, item.answer)
        save(batch, tmp_path / name)
        assert take(other, tmp_path / name) == Taken(kept=len(items))
        assert other.answers() == batch.answers()
