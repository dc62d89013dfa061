"""The keys that mean something: every one that is read is named, every one that is built has a value it may have."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import otherminds as om
from otherminds.errors import BadFile
from otherminds.items import Suite
from otherminds.items.tags import META, STATE, TAGS, Key
from otherminds.minds.questions import quiz
from otherminds.studies.explore.material.build import suite as explored
from otherminds.talks.talk import TRAITS, State
from tests.studies.explore.test_build import drawn

PACKAGE = Path(om.__file__).parent
DOCS = Path(__file__).parents[2] / "docs" / "items.md"
HEADER = {"otherminds": 1, "suite": "mine"}
ITEM = {"id": "one", "question": "Where?", "answer": "box", "choices": ["box", "tin"]}
BY_TAG = ("mean", "mean_of", "values", "verdicts", "where", "flip_sensitivity")
"""Functions whose keywords are tags."""
NO_TAGS = {
    "model",
    "score",
    "suite",
    "prompt",
    "verdict",
    "keep",
    "groups",
    "draws",
    "seed",
    "bounds",
    "axis",
    "keepdims",
    "with_",
}
"""Keywords of namesakes of these functions."""


def load(path: Path, **tags: object) -> Suite:
    lines = [HEADER, ITEM, ITEM | {"id": "two", "tags": tags}]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return Suite.load(path)


@pytest.mark.parametrize(
    ("tag", "value", "words"),
    [
        ("order", "two", "a whole number from 0 on"),
        ("order", -1, "a whole number from 0 on"),
        ("order", 1.5, "a whole number from 0 on"),
        ("order", True, "a whole number from 0 on"),
        ("false_belief", 1, "true or false"),
        ("false_belief", "yes", "true or false"),
        ("scored", "no", "true or false"),
        ("story", 7, "text"),
        ("state", "hunger", "one of belief, intention, desire, emotion, knowledge"),
        ("openness", "middling", "one of high, low"),
    ],
)
def test_a_value_that_a_known_tag_cannot_have_is_named_with_its_line(
    tmp_path: Path, tag: str, value: object, words: str
) -> None:
    with pytest.raises(BadFile) as refused:
        load(tmp_path / "suite.jsonl", **{tag: value})
    assert f"suite.jsonl, line 3: the tag {tag} is {value!r}, which should be {words}; change" in str(refused.value)


def test_tags_of_ones_own_and_tags_of_free_text_stay_free(tmp_path: Path) -> None:
    mine = {"colour": "red", "orders": "two", "kind": "riddle", "class": 3, "task": True, "order": 12}
    assert load(tmp_path / "suite.jsonl", **mine).items[1].tags == mine


def test_what_was_recorded_once_can_be_read_for_good() -> None:
    assert om.Item.from_dict(ITEM | {"tags": {"order": "two"}}).tags == {"order": "two"}


# ---- the package reads no other key ---------------------------------------------------------------------------------


def test_every_key_that_the_package_reads_is_named() -> None:
    read = [(what, key, where) for path in sorted(PACKAGE.rglob("*.py")) for what, key, where in keys_read(path)]
    assert len({key for _, key, _ in read}) > 20
    named = {"tags": TAGS, "meta": META}
    assert not [f"{where} reads {what}[{key!r}]" for what, key, where in read if key not in named[what]]


def test_a_key_is_found_in_every_form_that_it_is_read_in() -> None:
    forms = [
        'item.tags["a"]',
        'item.meta.get("a", 1)',
        '"a" not in meta',
        "run.where(a=1, keep=None)",
        'each.tag("a")',
        '[item.tags[name] for name in ("a", "a")]',
        'Item(tags={"a": 1})',
    ]
    for form in forms:
        assert {key for node in ast.walk(ast.parse(form)) for _, key in read_by(node)} == {"a"}, form


def keys_read(path: Path) -> Iterator[tuple[str, str, str]]:
    """Each literal by which tags or meta are read or written: of which of the two, which, and where."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for what, key in read_by(node):
            # The settings of the command line are kept in a meta of their own, under the name of the package.
            if not key.startswith("otherminds."):
                yield what, key, f"{path.relative_to(PACKAGE)}:{getattr(node, 'lineno', 0)}"


def read_by(node: ast.AST) -> list[tuple[str, str]]:
    match node:
        case ast.keyword(arg="tags" | "meta" as what, value=ast.Dict(keys=keys)):
            return [(what, word) for key in keys for word in words(key)]
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), keywords=keywords) if name in BY_TAG:
            return [("tags", each.arg) for each in keywords if each.arg and each.arg not in NO_TAGS]
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            return [found for loop in node.generators for found in read_in(node, loop)]
    return [(what, word) for what, key in reading(node) for word in words(key)]


def read_in(node: ast.AST, loop: ast.comprehension) -> list[tuple[str, str]]:
    """What `item.tags[name] for name in ("story", "state")` reads."""
    if not (isinstance(loop.iter, ast.Tuple) and isinstance(loop.target, ast.Name)):
        return []
    named = [what for part in ast.walk(node) for what, key in reading(part) if ast.dump(key) == loaded(loop.target)]
    return [(what, word) for what in named for each in loop.iter.elts for word in words(each)]


def loaded(name: ast.Name) -> str:
    return ast.dump(ast.Name(name.id, ast.Load()))


def reading(node: ast.AST) -> list[tuple[str, ast.expr]]:
    """Tags or meta, and the key, where a node takes one out of the other."""
    match node:
        case ast.Subscript(value=of, slice=key):
            return [(what, key) for what in holder(of)]
        case ast.Call(func=ast.Attribute(value=of, attr="get"), args=[key, *_]):
            return [(what, key) for what in holder(of)]
        case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[of]):
            return [(what, key) for what in holder(of)]
        case ast.Call(func=ast.Attribute(attr="tag"), args=[key]):
            return [("tags", key)]
    return []


def words(key: ast.expr | None) -> list[str]:
    return [key.value] if isinstance(key, ast.Constant) and isinstance(key.value, str) else []


def holder(of: ast.expr) -> list[str]:
    name = of.attr if isinstance(of, ast.Attribute) else of.id if isinstance(of, ast.Name) else ""
    return [name] if name in ("tags", "meta") else []


# ---- what is built has such values ----------------------------------------------------------------------------------


def built(name: str) -> Suite:
    return explored(drawn(40)) if name == "explore" else om.get_suite(name)


@pytest.mark.parametrize("name", ["starter", "perturbed", "safety", "dialogue", "explore"])
def test_every_key_of_a_built_suite_is_named_and_its_value_fits(name: str) -> None:
    suite = built(name)
    assert not faults({(tag, value) for item in suite for tag, value in item.tags.items()})
    assert not {key for item in suite for key in item.meta} - META.keys()
    setters = {tag: TAGS[tag].by for item in suite for tag in item.tags}
    assert not {tag: by for tag, by in setters.items() if name not in by and by != "every study"}


def test_every_key_of_a_quiz_is_named_and_its_value_fits(sally_anne: om.Story) -> None:
    assert not faults({(tag, value) for item in quiz(sally_anne) for tag, value in item.tags.items()})


def faults(found: set[tuple[str, object]]) -> list[tuple[str, object]]:
    return [(tag, value) for tag, value in found if tag not in TAGS or not TAGS[tag].values.fit(value)]


def test_states_and_traits_are_those_of_the_talks() -> None:
    assert TAGS[STATE].values.words == f"one of {', '.join(get_args(State))}"
    assert all(TAGS[trait].values.fit("high") for trait in TRAITS)


# ---- the page for users says the same -------------------------------------------------------------------------------


def row(key: Key) -> str:
    return f"| `{key.name}` | {key.values.words} | {key.means} | {key.by} |"


def test_the_page_lists_every_tag() -> None:
    table = "\n".join(["| tag | may be | means | set by |", "|---|---|---|---|", *map(row, TAGS.values())])
    assert f"\n{table}\n\n" in DOCS.read_text(encoding="utf-8"), f"the table should be\n{table}"
