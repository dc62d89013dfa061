"""Labels that a careful reader would give too: of nested thoughts, of those who conceal, of aims, and of none."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.items import Item, Suite
from otherminds.studies.dialogue.questions import published
from otherminds.studies.dialogue.questions.artefacts import cut
from otherminds.studies.dialogue.questions.build import build
from otherminds.studies.dialogue.questions.overlap import picks, tokens, word_types, words
from otherminds.studies.safety.plots.build import generate
from otherminds.studies.safety.plots.deceivers import FAMILIES, PLANS
from otherminds.studies.safety.plots.nested import AWAY, DISTRACTED, HERE, WATCHING, NestedPlot
from otherminds.talks import bank
from tests.careful_readers import READERS, Reader, answers
from tests.safety_labels import concealed, label, unsaid

# ---- nested thoughts ---------------------------------------------------------------------------------------------

NOBODY, EARLY, LATE = (Reader(witnesses, True) for witnesses in ("nobody", "early", "late"))


def told(*events: str, about: str = "bell") -> list[dict[str, Any]]:
    """Events from short lines: "X in", "X out", "M puts urn", "M tells X urn", "M says urn | X peeks, Y misses"."""
    found: list[dict[str, Any]] = []
    for line in events:
        words_of, _, secrets = line.partition(" | ")
        who, do, *rest = words_of.split()
        event: dict[str, Any] = {"person": who, "room": "hall"}
        fact = {"entity": about, "property": "container", "value": rest[-1] if rest else ""}
        match do:
            case "in":
                event["do"] = "enter_room"
            case "out":
                event["do"] = "leave_room"
            case "puts":
                event = {"do": "move_to_container", "person": who, "object": about, "container": rest[0]}
            case "says":
                event = {"do": "tell_publicly", "speaker": who, "fact": fact}
            case "tells":
                event = {"do": "tell_privately", "speaker": who, "listener": rest[0], "fact": fact}
        for secret in filter(None, secrets.split(", ")):
            name, does = secret.split()
            event.setdefault("peekers" if does == "peeks" else "distracted", []).append(name)
        found.append(event)
    return found


ALL_IN = ("M in", "X in", "Y in", "M puts urn")


@pytest.mark.parametrize(
    ("events", "nobody", "early", "late"),
    [
        # X left Y with the thing and hears that it was moved: Y may well have seen that.
        ((*ALL_IN, "X out", "M puts box", "M tells X box"), "urn", "box", "box"),
        # So too if Y has gone by the time X comes back and hears of it.
        ((*ALL_IN, "X out", "M puts box", "Y out", "X in", "M says box"), "urn", "box", "box"),
        # Y had left with X: nobody was left who could have seen it.
        ((*ALL_IN, "X out", "Y out", "M puts box", "M tells X box"), "urn", "urn", "urn"),
        # Y is told before X's eyes.
        ((*ALL_IN, "X out", "M puts box", "X in", "M says box"), "box", "box", "box"),
        # X does not hear of it, and so has no reason to think of it.
        ((*ALL_IN, "X out", "M puts box"), "urn", "urn", "urn"),
        # X was there all the time and cannot say when it was moved: before Y left, or after.
        ((*ALL_IN, "Y out", "M puts box | X misses", "M tells X box"), "urn", "box", "urn"),
        # X saw it, and that Y was away.
        ((*ALL_IN, "Y out", "M puts box", "M tells Y box"), "urn", "urn", "urn"),
    ],
)
def test_what_readers_make_of_a_missed_move(events: tuple[str, ...], nobody: str, early: str, late: str) -> None:
    found = answers(told(*events), ["X", "Y"], "bell")
    assert (found[NOBODY], found[EARLY], found[LATE]) == (nobody, early, late)


def test_who_overhears_a_room_does_not_see_who_has_come_into_it() -> None:
    events = told(*ALL_IN, "Y out", "M puts box", "X out", "Y in", "M says box | X peeks")
    found = answers(events, ["X", "Y"], "bell")
    assert found[NOBODY] == "box"
    assert found[Reader("nobody", False)] == "urn"


@pytest.mark.parametrize("seed", [0, 21])
def test_nested_questions_have_one_answer_for_every_reader(seed: int) -> None:
    items = generate("FB/HO", number=150, seed=seed)
    assert len(items) == 150
    for item in items:
        found = answers(item.meta["events"], item.meta["minds"], item.meta["about"])
        assert len(found) == len(READERS) == 6
        assert {f"the {place}" for place in found.values()} == {item.answer}, item.id


@pytest.mark.parametrize(
    ("moving", "talking", "listener", "settled"),
    [
        ((AWAY, HERE), (AWAY, AWAY), 0, False),  # X left Y there and is told by phone
        ((AWAY, HERE), (HERE, HERE), None, True),  # both are told together
        ((AWAY, HERE), (HERE, WATCHING), None, False),
        ((AWAY, AWAY), (AWAY, AWAY), 0, True),
        ((AWAY, HERE), (AWAY, AWAY), 1, True),  # X hears of nothing
        ((HERE, AWAY), (WATCHING, HERE), None, False),  # X overhears a room into which Y has come
        ((HERE, AWAY), (WATCHING, AWAY), 1, True),  # X overhears what is said to Y alone
        ((DISTRACTED, AWAY), (HERE, AWAY), None, False),  # X cannot tell when it was moved
        ((HERE, AWAY, HERE), (HERE, HERE, AWAY), None, False),  # X thinks that Y left Z there and now hears of it
        ((HERE, AWAY, AWAY), (HERE, HERE, AWAY), None, True),
    ],
)
def test_which_plots_are_settled(
    moving: tuple[str, ...], talking: tuple[str, ...], listener: int | None, settled: bool
) -> None:
    assert NestedPlot(moving, talking, listener, back=False).settled is settled


def staged(plot: NestedPlot) -> list[dict[str, Any]]:
    """The events of a plot for the minds X, Y and Z, staged once more."""
    names = "XYZ"[: len(plot.moving)]
    there = set(names)
    lines = ["M in", *(f"{name} in" for name in names), "M puts urn"]

    def scene(act: str, parts: Sequence[str]) -> None:
        outside = {name for name, part in zip(names, parts, strict=True) if part in (AWAY, WATCHING)}
        lines.extend(f"{name} out" for name in names if name in there & outside)
        lines.extend(f"{name} in" for name in names if name not in there | outside)
        there.difference_update(outside)
        there.update(set(names) - outside)
        does = {WATCHING: "peeks", DISTRACTED: "misses"}
        secrets = [f"{name} {does[part]}" for name, part in zip(names, parts, strict=True) if part in does]
        lines.append(f"{act} | {', '.join(secrets)}")

    scene("M puts box", plot.moving)
    if plot.listener is not None:
        watching = [name for name, part in zip(names, plot.talking, strict=True) if part == WATCHING]
        peeks = ", ".join(f"{name} peeks" for name in watching if name != names[plot.listener])
        lines.append(f"M tells {names[plot.listener]} box | {peeks}")
    elif plot.talks:
        scene("M says box", plot.talking)
    return told(*lines)


@pytest.mark.parametrize(("order", "number"), [(2, 768), (3, 3_000)])
def test_settled_plots_have_one_answer_for_every_reader(order: int, number: int) -> None:
    parts = list(product((HERE, AWAY, WATCHING, DISTRACTED), repeat=2 * order))
    plots = [
        NestedPlot(part[:order], part[order:], listener, back=False)
        for part, listener in product(parts, (None, *range(order)))
    ]
    kinds = Counter()
    for plot in random.Random(5).sample(plots, number):
        found = set(answers(staged(plot), list("XYZ"[:order]), "bell").values())
        kinds[plot.settled, len(found)] += 1
        assert len(found) == 1 or not plot.settled, plot
    assert kinds[False, 2] > number / 20  # such plots are not rare, and all of them are left out
    assert kinds[True, 1] > number / 5


# ---- deceivers and aims ------------------------------------------------------------------------------------------


def test_nothing_is_concealed_by_words_from_somebody_who_does_not_know_of_it() -> None:
    assert "surprise" not in {family for family, kind in PLANS if kind == "conceal"}
    items = [item for item in generate("FB/D/A", number=150) if item.tags["choice"] == "conceal"]
    assert len(items) == 30
    assert {item.tags["family"] for item in items} == {name for name, family in FAMILIES.items() if family.seek}
    for item in items:
        assert unsaid(item) == []
        assert concealed(item) == item.answer
        # V comes for it only after having been there, so that what V saw did not end the matter.
        sentences = item.context.split(". ")
        left = next(index for index, one in enumerate(sentences) if one.endswith(item.meta["events"][-1]["room"]))
        came = next(index for index, one in enumerate(sentences) if one.startswith("Later "))
        assert left < came


def test_the_second_program_sees_what_a_script_leaves_open() -> None:
    item = next(item for item in generate("FB/D/A", number=150) if item.tags["choice"] == "conceal")
    kept, _, _ = item.context.partition(" Later ")
    assert unsaid(replace(item, context=kept)) == ["that the other knows of the thing"]
    both = [item for item in generate("FB/D/CA", number=16) if item.tags["twin_kind"] == "mistaken-hinders"]
    said, put = (next(item for item in both if item.tags["family"] == kind) for kind in ("say", "put"))
    assert unsaid(said) == unsaid(put) == []
    bare = ". ".join(one for one in said.context.split(". ") if "neither" not in one)
    assert unsaid(replace(said, context=bare)) == ["that the actor knows no more"]
    vague = put.context.replace("neither heard nor suspected this call", "heard nothing of it")
    assert unsaid(replace(put, context=vague)) == ["that the actor suspects no call"]


@pytest.mark.parametrize("task", ["FB/D/A", "FB/D/CA"])
@pytest.mark.parametrize("seed", [0, 21])
def test_every_script_says_what_its_label_needs(task: str, seed: int) -> None:
    for item in generate(task, number=160, seed=seed):
        assert unsaid(item) == [], item.id
        assert label(item) == item.answer


def test_what_the_actor_knows_is_said_in_all_twins_alike() -> None:
    """Otherwise the sentence would tell the twins apart."""
    by_group: dict[str, set[bool]] = {}
    for item in generate("FB/D/CA", number=160):
        by_group.setdefault(str(item.tags["twin"]), set()).add("nor heard anything" in item.context)
    assert all(len(found) == 1 for found in by_group.values())


# ---- labels of dialogues -----------------------------------------------------------------------------------------


def written(suite: Suite, path: Path) -> list[dict[str, Any]]:
    published.write(suite, path)
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def test_what_nobody_has_judged_is_not_called_true(tmp_path: Path) -> None:
    talks = bank.authored()[:2]
    records = written(build(talks), tmp_path / "bare.json")
    assert {record["false_belief"] for record in records} == {None}
    again = published.read(tmp_path / "bare.json")
    assert all("false_belief" not in item.tags for item in again)
    assert written(again, tmp_path / "again.json") == records


def test_judged_questions_keep_their_label(tmp_path: Path) -> None:
    suite = build(bank.authored()[:4], labels=bank.labels())
    records = written(suite, tmp_path / "judged.json")
    by_order = {order: {record["false_belief"] for record in records if record["order"] == order} for order in (1, 2)}
    assert by_order == {1: {None}, 2: {True, False}}
    for item, back in zip(suite, published.read(tmp_path / "judged.json"), strict=True):
        assert back.tags.get("false_belief") is item.tags.get("false_belief")


@pytest.mark.parametrize("missing", [True, False])
def test_a_record_without_a_label_is_read_as_unknown(tmp_path: Path, missing: bool) -> None:
    records = written(build(bank.authored()[:1], labels=bank.labels()), tmp_path / "some.json")
    for record in records:
        record["false_belief"] = None
        if missing:
            del record["false_belief"]
    (tmp_path / "none.json").write_text(json.dumps(records), encoding="utf-8")
    assert all("false_belief" not in item.tags for item in published.read(tmp_path / "none.json"))


def test_the_command_labels_nothing_by_itself(tmp_path: Path) -> None:
    talks = tmp_path / "talks.jsonl"
    talks.write_text("\n".join(json.dumps(talk.to_dict()) for talk in bank.authored()[:2]), encoding="utf-8")
    command = ["build", "dialogue", "--talks", str(talks), "-o", str(tmp_path / "own.jsonl")]
    assert CliRunner().invoke(cli, [*command, "--as-published", str(tmp_path / "own.json")]).exit_code == 0
    records = json.loads((tmp_path / "own.json").read_text(encoding="utf-8"))
    assert records
    assert {record["false_belief"] for record in records} == {None}


# ---- words with apostrophes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["'", "’"])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I don't know", ["i", "don", "t", "know"]),
        ("She's Ann's; they'll go.", ["she", "s", "ann", "s", "they", "ll", "go"]),
        ("rock 'n' roll", ["rock", "n", "roll"]),
        ("I couldn't've", ["i", "couldn", "t", "ve"]),
    ],
)
def test_words_are_parted_by_any_apostrophe(text: str, found: list[str], mark: str) -> None:
    assert words(text.replace("'", mark)) == found
    assert word_types(text.replace("'", mark)) == sorted(set(found))


def test_a_hand_counted_overlap_with_the_conversation() -> None:
    """The words of the talk are i, don, t, know, it, s, ann and book."""
    choices = ("He likes the red one", "He doesn't want it", "He won't say; it's so")
    asked = Item("one", "Why?", choices[2], context='"I don’t know. It’s Ann’s book."', choices=choices)
    # In common: nothing; t and it; t, it and s.
    assert picks(Suite("s", (asked,)), with_="conversation") == {"one": choices[2]}


def test_the_cut_of_the_question_is_the_published_one() -> None:
    assert tokens("I don't know, it's Ann's.") == ["I", "do", "n't", "know", ",", "it", "'s", "Ann", "'s", "."]


def test_artefacts_take_apostrophes_out() -> None:
    assert cut("Don't, don’t — Ann's") == ["dont", "dont", "anns"]
