"""Malformed input of every kind to every command: a sentence, an exit code, nothing half-written, the store intact."""

import os
import shutil
import sqlite3
import subprocess
import sys
import webbrowser
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from otherminds.cli import COMMANDS, LONGEST, cli
from otherminds.web.serving import PageServer
from tests.formats import FORMATS, SUITE
from tests.malformed import Case, Format, cases, still_valid
from tests.malformed_options import BASE, OPTIONS
from tests.malformed_stores import STORES
from tests.malformed_weights import HEADLESS, WEIGHTS, WHOLE

TIMES = 40
"""How often a part of a file's JSON is spoilt; a line-up that happens to be valid is run, which takes longer."""
ASIDE = (".db", ".db-wal", ".db-shm", ".db.lock")
"""A store is whole at any time, so one that is new is nothing half-written."""
GROUPS: dict[str, list[Case]] = {
    **{kind.name: list(cases(kind, times=15 if kind.form == "yaml" else TIMES)) for kind in FORMATS},
    "stores": STORES,
    "weights": WEIGHTS,
    "options": OPTIONS,
}


def call(*args: str) -> Result:
    """A command by the way that the program itself takes."""
    return CliRunner().invoke(cli, args, prog_name="otherminds")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite and a valid store."""
    folder = tmp_path_factory.mktemp("kept")
    (folder / "kept.jsonl").write_bytes(SUITE.valid.replace(b'"tiny"', b'"kept"'))
    store = ("--store", str(folder / "otherminds.db"))
    for model in ("baseline:realist", "baseline:random"):
        assert call("run", str(folder / "kept.jsonl"), "-m", model, *store).exit_code == 0
    return folder


@pytest.fixture(autouse=True)
def nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is served ends at once, and no test finds a key, a browser or weights."""
    monkeypatch.setattr(PageServer, "serve", lambda _: None)
    monkeypatch.setattr(webbrowser, "open", lambda _: True)
    for name in ("OTHERMINDS_STORE", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OTHERMINDS_CACHE", "no-weights-here")


# ---- one case -------------------------------------------------------------------------------------------------------


def rows(store: Path) -> set[str]:
    """All that a store holds, which must be sound."""
    with sqlite3.connect(store) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        tables = ("runs", "records", "calls", "models", "annotations")
        held = {f"{table} {row!r}" for table in tables for row in db.execute(f"SELECT * FROM {table}")}
    db.close()
    return held


def listed(folder: Path) -> set[str]:
    """Every file and folder, but not what a store has beside it."""
    found = (Path(base) / name for base, folders, files in os.walk(folder) for name in (*folders, *files))
    return {str(path.relative_to(folder)) for path in found if not path.name.endswith(ASIDE)}


def meet(case: Case, folder: Path) -> Iterator[str]:
    """What a command does wrong with a malformed input."""
    for name, put in case.put:
        put(folder / name)
    before, held = listed(folder), rows(folder / "otherminds.db")
    done = call(*case.args)
    after = rows(folder / "otherminds.db")
    last = (done.stderr.strip().splitlines() or [""])[-1]
    if "Traceback" in done.output or "a fault of ours" in done.output or done.exit_code not in range(4):
        yield f"exit code {done.exit_code}, {done.exception!r}: {last}"
    if not held <= after:
        yield "the store has lost something"
    if any(name.endswith(".part") for name in listed(folder)):
        yield "half a file was left"
    if done.exit_code == 0:
        if case.refused or not case.fits(folder):
            yield f"it was taken for valid: {done.stdout[:200]!r}"
        return
    if last.lower().startswith("error: "):
        if len(last) > LONGEST + 100:
            yield f"the sentence has {len(last)} characters"
        if after != held:
            yield "it failed, and the store is another"
        if new := {name for name in listed(folder) - before if (folder / name).is_file()}:
            yield f"it failed, and left {new}"
    elif done.exit_code == 3 or case.args[0] == "lint":
        pass  # work that was stopped is kept, and lint tells what is wrong on stdout
    else:
        yield f"no sentence: {done.output[-200:]!r}"


@pytest.fixture
def place(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """Makes a folder of its own for every case, and goes there."""
    numbers = count()

    def fresh() -> Path:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        for name in ("kept.jsonl", "otherminds.db"):
            shutil.copy(kept / name, folder)
        monkeypatch.chdir(folder)
        return folder

    return fresh


@pytest.mark.parametrize("group", GROUPS)
def test_refused_with_a_sentence(group: str, place: Callable[[], Path]) -> None:
    wrong = []
    for case in GROUPS[group]:
        folder = place()
        wrong += [f"{case.name} ({' '.join(case.args)[:120]}): {said}" for said in meet(case, folder)]
        shutil.rmtree(folder)
    assert not wrong, "\n".join(wrong)


def test_there_are_enough_and_for_every_command() -> None:
    every = [case for group in GROUPS.values() for case in group]
    assert len(every) >= 500
    assert len({(case.name, case.args) for case in every}) > 0.95 * len(every)
    named = {path[0] for path in BASE}
    assert named == set(COMMANDS)
    for group in ("build", "models", "store"):
        commands = cli.get_command(click.Context(cli), group)
        assert isinstance(commands, click.Group)
        assert {path[1] for path in BASE if path[0] == group and len(path) > 1} == set(
            commands.list_commands(click.Context(commands))
        )


# ---- what is not malformed is taken, or the tests above would prove nothing -----------------------------------------


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
def test_a_valid_file_is_taken_by_each_of_its_commands(kind: Format, place: Callable[[], Path]) -> None:
    for command in kind.commands:
        folder = place()
        (folder / kind.file).write_bytes(kind.valid)
        assert still_valid(folder, kind)
        done = call(*(word.replace("FILE", kind.file) for word in command))
        assert done.exit_code == 0, done.output


def test_a_valid_head_of_weights_is_taken(place: Callable[[], Path]) -> None:
    (place() / "model.gguf").write_bytes(WHOLE)
    assert call(*WEIGHTS[0].args).exit_code == 0


# ---- the same through the program itself ----------------------------------------------------------------------------

PROGRAM = (sys.executable, "-c", "from otherminds.cli import main; main()")


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["run", "kept.jsonl", "-m", "gguf:headless.gguf"], 1, "headless.gguf"),
        (["models", "probe", "gguf:headless.gguf", "-M", "layers=-1"], 2, "layers"),
        (["lint", b"\xff.jsonl"], 2, "not text in UTF-8"),
        (["tell", "deep.json"], 1, "nested too deeply"),
        (["runs", "--store", "deep.json"], 1, "not a database"),
    ],
)
def test_the_program_ends_with_a_sentence(
    args: list[str | bytes], code: int, said: str, place: Callable[[], Path]
) -> None:
    folder = place()
    (folder / "headless.gguf").write_bytes(HEADLESS)
    (folder / "deep.json").write_bytes(b"[" * 100_000)
    done = subprocess.run([*PROGRAM, *args], capture_output=True, check=False, timeout=60)
    assert done.returncode == code
    assert said in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert rows(folder / "otherminds.db")
