"""Items and suites survive the way to disk and back, and a bad file is refused by line and field."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from otherminds.errors import BadFile, UsageError
from otherminds.items import Item, Suite
from otherminds.items.tags import TAGS

GOOD = {"id": "one", "question": "Where?", "answer": "box", "choices": ["box", "jar"]}
HEADER = {"otherminds": 1, "suite": "small"}

texts = st.text(min_size=1, max_size=20).filter(str.strip)
items = st.builds(
    Item,
    id=texts,
    question=texts,
    answer=texts,
    context=st.text(max_size=30),
    cloze=st.text(max_size=10),
    # Words of the package are drawn as well, and a known tag takes only some values.
    tags=st.dictionaries(
        texts.filter(lambda name: name not in TAGS), st.one_of(st.booleans(), st.integers(), texts), max_size=3
    ),
    meta=st.dictionaries(texts, st.lists(st.integers()), max_size=2),
)


@given(st.lists(items, min_size=1, max_size=4, unique_by=lambda item: item.id))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
def test_a_suite_survives_the_disk(tmp_path: Path, several: list[Item]) -> None:
    suite = Suite("any", tuple(several), prompt="direct", score="text")
    suite.save(tmp_path / "suite.jsonl")
    again = Suite.load(tmp_path / "suite.jsonl")
    assert again == suite
    assert again.digest == suite.digest


def write(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": ""}, "id"),
        ({"id": 7}, "id"),
        ({"question": " "}, "question"),
        ({"answer": None}, "answer"),
        ({"answer": "tin"}, "answer"),
        ({"context": ["no"]}, "context"),
        ({"cloze": 1}, "cloze"),
        ({"choices": "box"}, "choices"),
        ({"choices": ["box"]}, "choices"),
        ({"choices": ["box", "box"]}, "choices"),
        ({"choices": ["box", ""]}, "choices"),
        ({"tags": []}, "tags"),
        ({"tags": {"order": None}}, "tags"),
        ({"meta": 3}, "meta"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_bad_field_is_named_with_its_line(tmp_path: Path, change: dict[str, object], field: str) -> None:
    path = write(tmp_path / "suite.jsonl", HEADER, GOOD, "", GOOD | {"id": "two"} | change)
    with pytest.raises(BadFile, match=rf"line 4: .*{field}"):
        Suite.load(path)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "is empty"),
        ([GOOD], "line 1: no header"),
        ([{"otherminds": 99, "suite": "x"}, GOOD], "schema version 99"),
        ([{"otherminds": 1}, GOOD], "line 1: suite is missing"),
        ([HEADER | {"prompt": 3}, GOOD], "line 1: prompt"),
        ([HEADER, "{cut"], "line 2 is not JSON"),
        ([HEADER, "[1]"], "line 2 should be a JSON object"),
    ],
)
def test_a_bad_file_is_refused_with_a_sentence(tmp_path: Path, lines: list[object], words: str) -> None:
    with pytest.raises(BadFile, match=words):
        Suite.load(write(tmp_path / "suite.jsonl", *lines))


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="there is no file"):
        Suite.load(tmp_path / "none.jsonl")
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadFile, match="cannot be read"):
        Suite.load(tmp_path / "bytes.jsonl")


def test_a_suite_needs_items_with_names_of_their_own() -> None:
    with pytest.raises(UsageError, match="has no items"):
        Suite("none", ())
    one = Item.from_dict(GOOD)
    with pytest.raises(UsageError, match="two items called 'one'"):
        Suite("double", (one, one))


def test_the_digest_is_of_the_items_alone() -> None:
    suite = Suite("a", (Item.from_dict(GOOD),))
    assert suite.using(prompt="cot", score="text").digest == suite.digest
    assert Suite("a", (Item.from_dict(GOOD | {"answer": "jar"}),)).digest != suite.digest
