"""Two writers of one file never share a half of it, and what a writer leaves that was killed is taken away."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from otherminds.errors import BadFile
from otherminds.files import write_parts, write_text

LARGE = 200_000
"""Characters that no buffer holds back."""


def test_one_writer_in_the_middle_of_another(tmp_path: Path) -> None:
    path = tmp_path / "report.html"

    def parts() -> Iterator[str]:
        yield "a" * LARGE
        write_text(path, "whole")
        assert path.read_text() == "whole"
        yield "b" * LARGE
        assert path.read_text() == "whole"

    write_parts(path, parts())
    assert path.read_text() == "a" * LARGE + "b" * LARGE
    assert os.listdir(tmp_path) == ["report.html"]


WRITER = """
import sys
from otherminds.files import write_parts
letter, path = sys.argv[1:]
for _ in range(60):
    write_parts(path, (letter * 20_000 for _ in range(20)))
"""


def test_whoever_reads_sees_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "shared.json"
    write_text(path, "x" * 400_000)
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, letter, str(path)]) for letter in "ab"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        text = path.read_text()
        seen.add((len(text), len(set(text))))
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen == {(400_000, 1)}
    assert os.listdir(tmp_path) == ["shared.json"]


KILLED = """
import sys, time
from otherminds.files import write_parts
def parts():
    yield "x" * 100_000
    print("begun", flush=True)
    time.sleep(60)
write_parts(sys.argv[1], parts())
"""


def test_what_a_killed_writer_leaves_is_removed_and_what_a_living_one_writes_is_not(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    (tmp_path / "table.csv.0123.part").write_text("somebody's own")
    with subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == "begun\n"
        assert len(os.listdir(tmp_path)) == 2
        write_text(path, "meanwhile")
        assert len(os.listdir(tmp_path)) == 3
        writer.send_signal(signal.SIGKILL)
    write_text(path, "afterwards")
    assert sorted(os.listdir(tmp_path)) == ["table.csv", "table.csv.0123.part"]
    assert path.read_text() == "afterwards"


def test_a_file_keeps_the_rights_that_new_files_get(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    write_text(tmp_path / "ours", "x")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_writer_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    write_text(path, "old")

    def parts(error: Exception) -> Iterator[str]:
        yield "new"
        raise error

    with pytest.raises(BadFile, match=r"weights cannot be written: No space"):
        write_parts(path, parts(OSError(28, "No space left on device")))
    with pytest.raises(KeyError):
        write_parts(path, parts(KeyError()))
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["weights"]


def test_nothing_is_written_past_the_one_way(tmp_path: Path) -> None:
    import otherminds

    package = Path(otherminds.__file__).parent
    replacing_files = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "os.replace(" in (text := path.read_text()) or '".part' in text or ".part'" in text
    }
    # In the cache of weights every writer has a folder of its own.
    assert replacing_files == {"files.py", "models/local/weights.py", "web/run_page.py"}
