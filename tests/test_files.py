"""Files that are whole or not there, and JSON as the standard has it."""

from pathlib import Path

import pytest

from otherminds.errors import BadFile
from otherminds.files import parse_json, write_text


def test_json_is_read() -> None:
    assert parse_json('{"a": [1, 2.5, "\\ud83d\\ude00", null, -0.0, 1e308]}') == {"a": [1, 2.5, "😀", None, 0, 1e308]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "Expecting"),
        ("[NaN]", "NaN is not a number"),
        ("[-Infinity]", "-Infinity is not a number"),
        ("[1e999]", "1e999 is not a number"),
        ('["\\ud800"]', "half of a character"),
        ('{"\\uDFFF": 1}', "half of a character"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_could_not_be_written_again_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_json(text)


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    for name, text in (("file/below", "new"), ("x" * 300, "new"), ("half", "\ud800")):
        with pytest.raises(BadFile, match="cannot be written"):
            write_text(tmp_path / name, text)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"
