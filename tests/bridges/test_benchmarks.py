"""Every benchmark: a miniature in its own format is read, marked as its script would, and repaired."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from otherminds.bridges.benchmarks.asked import judge_published, judge_repaired, pose
from otherminds.bridges.benchmarks.known import BENCHMARKS, checked, guess, patch, read, repairs
from otherminds.commands import imports
from otherminds.errors import BadFile, UsageError
from otherminds.formats.scores import Score
from otherminds.items import Item, Suite
from otherminds.models import Response
from tests.bridges import miniatures
from tests.bridges.miniatures import MAKERS

SIZES = {"tomi": 24, "hitom": 7, "bigtom": 50, "opentom": 7, "tombench": 6, "fantom": 7, "simpletom": 3, "tomato": 1}
SIZES |= {"exploretom": 2}


def made(name: str, folder: Path) -> Suite:
    return read(MAKERS[name](folder), name)


def marks(item: Item, text: str) -> tuple[Score, Score]:
    """What a text is worth as published and as repaired."""
    asked = pose(item, prompt="raw", seed=0)
    said = [Response(text)] * len(asked)
    return judge_published(item, asked, said), judge_repaired(item, asked, said)


def test_the_command_names_every_benchmark() -> None:
    assert tuple(BENCHMARKS) == get_args(imports.Benchmark) == tuple(MAKERS)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_miniature_is_known_read_and_kept(name: str, tmp_path: Path) -> None:
    path = MAKERS[name](tmp_path)
    assert guess(path).name == name
    suite = read(path)
    assert len(suite) == SIZES[name]
    suite.save(tmp_path / "suite.jsonl")
    again = Suite.load(tmp_path / "suite.jsonl")
    assert again.digest == suite.digest
    for item in again:
        assert item.meta["benchmark"] == name
        assert "published_gold" in item.meta
        assert "raw" in item.meta or "rest" in item.meta
        assert item.tags["story"]
        assert item.tags["kind"]


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_right_option_by_its_label_is_right_both_ways(name: str, tmp_path: Path) -> None:
    for item in made(name, tmp_path):
        asked = pose(item, prompt="direct", seed=3)
        kind = BENCHMARKS[name]
        said = []
        for each in asked:
            shown = kind.option and item.choices and item.choices != ("yes", "no")
            place = each.choices.index(item.answer) if shown else 0
            label = kind.option.partition("{choice}")[0].format(letter="ABCD"[place], lower="abcd"[place])
            said.append(Response(f"[{label.strip(' .')}]" if name == "tombench" else label if shown else item.answer))
        published, repaired = judge_published(item, asked, said), judge_repaired(item, asked, said)
        if item.tags.get("scored") is not False:
            assert repaired.verdict == "correct", (item.id, said, repaired)
        stale = item.meta["published_gold"] != item.answer and "names" not in item.meta
        if not stale and not item.meta.get("breaks") and item.tags.get("form") != "fine":
            assert published.value == 1, (item.id, said, published)


# ---- gold labels ----------------------------------------------------------------------------------------------------


def test_tomi_labels_that_the_events_contradict_are_named(tmp_path: Path) -> None:
    suite = made("tomi", tmp_path)
    found = checked(suite)
    assert found.items == 24
    assert found.contradicted == ("test-1-5", "train-1-5")
    assert [(row["published"], row["repaired"]) for row in patch(suite)] == [("oak_chest", "tin_box")] * 2
    assert Counter(item.tags["kind"] for item in suite)["second_order_0_no_tom"] == 4
    assert {item.tags["joint"] for item in suite} == {"test-1", "test-2", "train-1", "train-2"}
    published = read(tmp_path / "tomi_small.zip", gold="published")
    assert {item.id: item.answer for item in published}["test-1-5"] == "oak_chest"
    assert published.name == "tomi-published"


def test_tomi_without_a_trace_takes_kinds_from_the_words(tmp_path: Path) -> None:
    (tmp_path / "test.txt").write_text(miniatures.tomi_texts()[0])
    suite = read(tmp_path / "test.txt")
    assert Counter(item.tags["kind"] for item in suite) == {
        "memory": 2,
        "reality": 2,
        "first_order": 4,
        "second_order": 4,
    }
    assert next(iter(repairs(suite).values())) == 12


def test_hitom_takes_the_label_of_the_other_style_where_they_differ(tmp_path: Path) -> None:
    suite = made("hitom", tmp_path)
    changed = [item for item in suite if item.meta["published_gold"] != item.answer]
    assert [(item.tags["style"], item.tags["order"], item.answer) for item in changed] == [("VP", 2, "oak_chest")]
    counted = {words.split(",")[0]: number for words, number in repairs(suite).items()}
    assert counted["the instruction before the story"] == 3
    assert counted["the stars behind the story are cut off"] == 1
    # The engine tells the stories in which nobody talks, and there sides with the label that stands in.
    assert checked(suite).items == 6
    assert checked(suite).contradicted == (changed[0].id,)
    assert len({item.context.split("\nNote")[0] for item in suite if not item.tags["deception"]}) == 1


def test_bigtom_is_built_as_published(tmp_path: Path) -> None:
    suite = made("bigtom", tmp_path)
    by_id = {item.id: item for item in suite}
    assert len({item.id.rpartition("-")[0] for item in suite}) == 25
    seen = by_id["1_forward_belief_true_belief-1"]
    assert seen.context.endswith("while Ida sweeps the floor. Ida sees the helper swap the flour.")
    assert "Ida believes that the bowl holds rye flour." in seen.context
    assert seen.answer == "Ida believes the bowl holds wheat."
    hidden = by_id["0_forward_action_false_belief-1"]
    assert "believes that" not in hidden.context
    assert hidden.answer == "Ida will pour water into the bowl."
    control = by_id["0_forward_belief_true_control-1"]
    assert control.context.endswith("A cat jumps on a sack. Ida sees the cat jump.")
    assert control.answer == "Ida believes the bowl holds rye."
    backward = by_id["0_backward_belief_true_belief-1"]
    assert backward.context.endswith("Ida empties the bowl.")
    pairs = Counter(item.tags["joint"] for item in suite if "joint" in item.tags)
    assert set(pairs.values()) == {2}
    assert len(pairs) == 12


def test_opentom_drops_the_original_place_as_published_and_keeps_it_repaired(tmp_path: Path) -> None:
    places = {item.id: item for item in made("opentom", tmp_path) if item.tags["form"] == "fine"}
    first, second, narrator = places.values()
    assert [score.value for score in marks(first, "apron pocket")] == [None, 1.0]
    assert [score.value for score in marks(second, "the attic")] == [1.0, 1.0]
    assert narrator.answer == "the attic"
    assert narrator.meta["published_gold"] == "attic"


@pytest.mark.parametrize(
    ("text", "published"),
    [("I know he would not", "no"), ("Noah thinks yes", None), ("yes", "yes"), ("perhaps", None)],
)
def test_opentom_looks_for_parts_of_words(text: str, published: str | None, tmp_path: Path) -> None:
    (item,) = [item for item in made("opentom", tmp_path) if item.tags["form"] == "coarse"]
    score = marks(item, text)[0]
    assert score.value == (None if published is None else float(published == "yes"))
    assert (score.verdict == "unparsed") is (published is None)


def test_tombench_missing_options_and_a_label_with_a_dot(tmp_path: Path) -> None:
    suite = made("tombench", tmp_path)
    english = [item for item in suite if item.tags["language"] == "en"]
    assert [len(item.choices) for item in english] == [4, 4, 2]
    assert english[1].choices == ("Box", "Tin", "Jar", "Pot")
    assert english[1].answer == "Box"
    assert len({item.tags["ability"] for item in suite}) == 1
    asked = pose(english[1], prompt="direct", seed=0)
    assert len(asked) == 5
    right = [Response(f"[[{'ABCD'[each.choices.index('Box')]}]]") for each in asked]
    assert judge_published(english[1], asked, right).value == 0
    assert judge_repaired(english[1], asked, right).value == 1
    assert marks(english[2], "[[B]]")[0].value is None
    assert "breaks" in marks(english[2], "[[B]]")[0].why


@pytest.mark.parametrize(
    ("name", "text", "published", "repaired"),
    [
        ("simpletom", "(B) rather than (A)", 0.0, None),
        ("simpletom", "I cannot say", 0.0, None),
        ("tomato", "[A] is tempting, but it is [B]", 0.0, None),
        ("tomato", "B", 0.0, 1.0),
        ("exploretom", "I know it", 1.0, None),
        ("exploretom", "Yes, though nobody knows", 1.0, 0.0),
    ],
)
def test_traps_of_reading(name: str, text: str, published: float, repaired: float | None, tmp_path: Path) -> None:
    item = made(name, tmp_path).items[0]
    ours, theirs = marks(item, text)[1], marks(item, text)[0]
    assert theirs.value == published
    assert ours.value == repaired


def test_bigtom_takes_a_label_inside_a_word_and_the_right_one_of_two(tmp_path: Path) -> None:
    item = next(item for item in made("bigtom", tmp_path) if item.choices[0] == item.answer)
    assert marks(item, "schema)")[0].value == 1
    assert marks(item, "b) or a)")[0].value == 1
    assert [score.value for score in marks(item, "neither")] == [0.0, None]
    assert marks(item, "neither")[0].verdict == "unparsed"


def test_fantom_sets_and_rules(tmp_path: Path) -> None:
    suite = made("fantom", tmp_path)
    by_kind = {item.tags["kind"]: item for item in suite}
    assert sum("joint" in item.tags for item in suite) == 6  # all but the fact; no:long is dropped
    names = by_kind["answerability list"]
    assert [score.value for score in marks(names, "Ida and Ole")] == [1.0, 1.0]
    assert [score.value for score in marks(names, "Ida, Ole and Una")] == [0.0, 0.0]
    assert marks(names, "Idaho and Oleander")[0].value == 1
    assert marks(names, "Idaho and Oleander")[1].verdict == "unparsed"
    no = by_kind["information access yes or no"]
    assert marks(no, "No, nobody knows it")[0].answer == "yes"
    assert marks(by_kind["fact"], "it is called Fig")[0].value == pytest.approx(0.75)


def test_a_table_of_fantom(tmp_path: Path) -> None:
    path = miniatures.fantom_table(tmp_path)
    assert guess(path).name == "fantom"
    (item,) = read(path)
    assert (item.tags["order"], item.answer) == (2, "Nothing.")


# ---- bad input ------------------------------------------------------------------------------------------------------


def test_a_zip_that_is_cut_short_is_a_sentence(tmp_path: Path) -> None:
    path = MAKERS["tomi"](tmp_path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(BadFile, match="not a whole zip archive"):
        read(path)


def test_a_trace_of_another_split_is_refused(tmp_path: Path) -> None:
    text, trace = miniatures.tomi_texts()
    (tmp_path / "fb_all_test.txt").write_text(text)
    (tmp_path / "fb_all_test.trace").write_text("\n".join(trace.split("\n")[1:]))
    with pytest.raises(BadFile, match=r"12 questions and its \.trace 11 lines"):
        read(tmp_path / "fb_all_test.txt")


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("hitom", lambda text: text.replace('"answer": "tin_box"', '"answer": "moon"'), "'moon' is not one of"),
        ("hitom", lambda text: text.replace("A. tin_box", "A) tin_box"), "choices should be like"),
        ("hitom", lambda text: "[1]", "should be"),
        ("bigtom", lambda text: text.replace(";auto;0", ""), "17 columns"),
        ("bigtom", lambda text: text.replace("Ida bakes bread in a mill. ", ""), "4 sentences and should have 5"),
        ("fantom", lambda text: text.replace('"short_context"', '"context"'), "short_context is missing"),
        ("simpletom", lambda text: text.replace("gen1_aware", "gen1"), "should end in _aware"),
        ("simpletom", lambda text: text.replace('"answerKey": "B"', '"answerKey": "C"'), "none of the labels"),
        ("tomato", lambda text: text.replace('"a_idx": 1', '"a_idx": 2'), "a_str is not option a2"),
        ("exploretom", lambda text: text.replace(",tin,", ",,"), "expected_answer should be text"),
        ("exploretom", lambda text: text + "odd\n", "not as many cells"),
    ],
)  # fmt: skip
def test_a_bad_record_is_a_sentence_with_its_place(name, change, sentence: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = MAKERS[name](tmp_path)
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(BadFile, match=sentence):
        read(path, name)


def test_opentom_without_its_stories(tmp_path: Path) -> None:
    home = MAKERS["opentom"](tmp_path)
    (home / "meta_data.json").unlink()
    with pytest.raises(BadFile, match="there is no file"):
        read(home, "opentom")


def test_what_looks_like_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text("{}")
    with pytest.raises(UsageError, match="looks like none of tomi, hitom"):
        guess(tmp_path / "notes.json")
    with pytest.raises(BadFile, match="there is no file or folder"):
        guess(tmp_path / "nothing")


def test_what_could_be_two_is_told(tmp_path: Path) -> None:
    path = MAKERS["hitom"](tmp_path)
    both = path.rename(tmp_path / "fantom_or_hitom.json")
    with pytest.raises(UsageError, match="could be hitom or fantom; say which with --from"):
        guess(both)


# ---- the published files, where somebody has them -------------------------------------------------------------------

FULL = os.environ.get("OTHERMINDS_BENCHMARKS", "")
full = pytest.mark.skipif(not FULL, reason="OTHERMINDS_BENCHMARKS names no folder with the published files")


@full
def test_tomi_in_full() -> None:
    suite = read(Path(FULL) / "tomi_balanced_story_types.zip")
    assert Counter(item.tags["split"] for item in suite) == {"train": 5994, "val": 5994, "test": 5994}
    wrong = [item for item in suite if not item.tags["consistent"]]
    assert {item.tags["order"] for item in wrong} == {2}
    assert Counter(item.tags["split"] for item in wrong)["test"] == 464
    test = Counter(item.tags["kind"] for item in suite if item.tags["split"] == "test")
    assert (test["first_order_1_tom"], test["second_order_0_tom"], test["second_order_1_no_tom"]) == (404, 275, 724)


@full
def test_bigtom_in_full() -> None:
    suite = read(Path(FULL) / "bigtom.csv")
    assert len(suite) == 5000
    assert set(Counter(item.id.rpartition("-")[0] for item in suite).values()) == {200}


@full
def test_opentom_in_full() -> None:
    suite = read(Path(FULL) / "opentom")
    assert len(suite) == 13_708
    coarse = Counter((item.tags["order"], item.answer) for item in suite if item.tags["form"] == "coarse")
    assert coarse == {(1, "Yes"): 343, (1, "No"): 849, (2, "Yes"): 734, (2, "No"): 458}
    attitude = Counter(item.answer for item in suite if item.tags["form"] == "attitude")
    assert attitude == {"positive": 211, "negative": 209, "neutral": 176}
    fine = [item for item in suite if item.tags["form"] == "fine"]
    dropped = Counter(item.tags["order"] for item in fine if marks(item, "nowhere")[0].why.startswith("their script"))
    assert (dropped[1], dropped[2]) == (343, 734)


@full
def test_tombench_in_full() -> None:
    suite = read(Path(FULL) / "tombench", language="en")
    sizes = Counter(item.tags["kind"] for item in suite)
    assert (len(suite), len(sizes)) == (2860, 20)
    assert (sizes["False Belief Task"], sizes["Faux-pas Recognition Test"], sizes["Strange Story Task"]) == (
        600,
        560,
        407,
    )
    assert sum(item.tags["options"] == 2 for item in suite) == 483
    assert sum(item.tags["options"] == 2 for item in read(Path(FULL) / "tombench", language="zh")) == 484
    assert len({item.tags["ability"] for item in suite}) == 31
    assert sum("more than a letter" in words for item in suite for words in item.meta.get("repairs", ())) == 1


def test_the_raw_record_is_untouched(tmp_path: Path) -> None:
    path = MAKERS["simpletom"](tmp_path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [item.meta["raw"] for item in read(path)] == rows
