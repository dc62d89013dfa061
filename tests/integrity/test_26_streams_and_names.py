"""What cannot be printed is said in a sentence; names neither steer a terminal, nor run in a spreadsheet."""

import csv
import json
import os
import re
import subprocess
import sys
from http import HTTPStatus
from io import StringIO
from pathlib import Path

import pytest

import otherminds as om
from otherminds.diagnosis.evidence import answers_of
from otherminds.items import Item, Suite
from otherminds.minds.events import Enter, Move
from otherminds.minds.story import Story
from otherminds.profiles.findings import Profile
from otherminds.store.store import Store
from otherminds.web.run_page import Notes
from otherminds.web.serving import PageRequest
from otherminds.web.site import Site

# ---- streams --------------------------------------------------------------------------------------------------------

NEEDS_FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
COMMANDS = (
    ("run", "starter", "-m", "baseline:oracle", "--limit", "4"),
    ("runs",),
    ("show", "last"),
    ("report", "last", "-o", "page.html"),
    ("tell", "sally-anne"),
    ("--help",),
)


def shell(folder: Path, args: tuple[str, ...], redirected: str) -> subprocess.CompletedProcess[str]:
    """A command with its streams where a shell puts them."""
    line = f'exec "$0" -m otherminds "$@" {redirected}'
    environment = os.environ | {"PYTHONPATH": str(Path(om.__file__).parents[1])}
    words = ["sh", "-c", line, sys.executable, *args]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    assert shell(folder, COMMANDS[0], "").returncode == 0
    return folder


@NEEDS_FULL
@pytest.mark.parametrize("args", COMMANDS, ids=" ".join)
def test_a_full_stdout_is_a_sentence(folder: Path, args: tuple[str, ...]) -> None:
    done = shell(folder, args, "> /dev/full")
    said = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert (done.returncode, len(said)) == (1, 1), done.stderr
    assert "stdout could not take what it said (No space left on device)" in said[0]
    assert "fault of ours" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_closed_stdout_is_a_sentence_and_the_store_is_sound(folder: Path) -> None:
    done = shell(folder, (*COMMANDS[0], "--store", "closed.db"), ">&-")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("error: what this command did is done, but stdout could not")
    assert shell(folder, ("store", "verify", "--store", "closed.db"), "").returncode == 0


@NEEDS_FULL
@pytest.mark.parametrize("redirected", ["2> /dev/full", "2>&-", "<&-"])
def test_work_does_not_end_because_nobody_hears_a_remark(folder: Path, redirected: str) -> None:
    done = shell(folder, COMMANDS[0], redirected)
    assert done.returncode == 0
    assert "correct" in done.stdout or "right" in done.stdout
    assert shell(folder, ("run", "nonsense"), redirected).returncode == 2


def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    line = f"set -o pipefail; {sys.executable} -m otherminds runs --json | head -c 1"
    environment = os.environ | {"PYTHONPATH": str(Path(om.__file__).parents[1])}
    done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.stdout == "["
    assert done.stderr == ""


# ---- names ----------------------------------------------------------------------------------------------------------

EVIL = "\x1b[35mEVIL\x1b]0;title\x07\x9b2J\u202e\x7f\nrun 123"
STEERS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_what_a_shell_shows_of_a_value_cannot_steer_it(tmp_path: Path) -> None:
    items = tuple(
        Item(f"{EVIL}{n}", f"{EVIL}?", f"box {EVIL}", EVIL, (f"box {EVIL}", "bag"), tags={EVIL: EVIL, "n": n})
        for n in range(4)
    )
    suite = Suite(EVIL, items)
    runs = [om.run(suite, f"baseline:{name}", store=tmp_path / "a.db", quiet=True) for name in ("oracle", "random")]
    story = Story.of(Enter(f"Ada{EVIL}", f"den{EVIL}"), Move(f"Ada{EVIL}", f"key{EVIL}", f"box{EVIL}"))
    run, record = runs[0], runs[0].records[0]
    shown = [suite, items[0], run, record, record.prompts[0], record.results[0], record.score, story, story.view()]
    shown += [om.timeline(story), om.compare(*runs), om.diagnose(run), om.summarise([run]), story.events, run.mean()]
    shown += [Profile([EVIL], []), om.Message("user", EVIL), om.Scripted(lambda _: EVIL, name=EVIL), answers_of([run])]
    for thing in shown:
        assert not STEERS.search(repr(thing)), repr(thing)
    for thing in (suite, items[0], run, story, story.view(), om.summarise([run]), om.compare(*runs), om.diagnose(run)):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", thing._repr_html_())


FORMULAS = ("=1+1", "+1-cmd|' /C calc'!A0", "-1+2", "@SUM(1)", "\t=1", "\r=1")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_as_csv_runs_nothing(tmp_path: Path, library: str) -> None:
    pytest.importorskip(library)
    items = tuple(
        Item(f"{text}{n}", text, text, text, (text, "-3"), tags={f"={n}": text}) for n, text in enumerate(FORMULAS)
    )
    run = om.run(Suite("=suite", items), "baseline:oracle", quiet=True)
    frame = run.frame(library)  # type: ignore[arg-type]
    text = frame.to_csv(index=False) if library == "pandas" else frame.write_csv()
    cells = [cell for row in csv.reader(StringIO(text)) for cell in row]
    assert not [cell for cell in cells if re.match(r"\s*[=+@]|[\t\r\n]|-\D", cell)]
    assert len([cell for cell in cells if cell.startswith("'=")]) > 5


def test_negative_numbers_of_a_frame_stay_numbers() -> None:
    pytest.importorskip("pandas")
    from otherminds.runs.records import frame

    made = frame([{"a": -0.25, "b": "-3", "c": -7}], "pandas")
    assert made.to_csv(index=False) == "a,b,c\n-0.25,-3,-7\n"
    assert made["a"].sum() == -0.25


# ---- notes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damaged", [b"[1]", b"{", b"\xff\xfe", b'{"a": {"tags": 1}}', b"[" * 100_000])
def test_damaged_notes_are_a_sentence_on_the_page_and_are_kept_aside(tmp_path: Path, damaged: bytes) -> None:
    path = tmp_path / "a.db"
    run = om.run("starter", "baseline:oracle", store=path, limit=4, quiet=True).id
    notes = Notes(path)
    notes.path.write_bytes(damaged)
    for address in ("/", f"/runs/{run}"):
        page = Site(path).respond(PageRequest("GET", address, {}, {}, "token"))
        assert page.status == HTTPStatus.OK
        assert "No tags and notes are shown" in page.text
        assert notes.path.name in page.text
    assert notes.path.read_bytes() == damaged
    kept = Site(path).respond(PageRequest("POST", "/notes", {}, {"run": run, "note": "new"}, "token"))
    assert json.loads(kept.text)["note"] == "new"
    assert [one.read_bytes() for one in tmp_path.glob("*.damaged-*")] == [damaged]
    assert notes.read()[run].note == "new"
    with Store(path, read_only=True) as store:
        assert store.run(run)
