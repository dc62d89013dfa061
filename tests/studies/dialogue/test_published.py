"""The published record format, with records of our own invention."""

import json
import random
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from otherminds.errors import BadFile, UsageError
from otherminds.items import Item, Suite
from otherminds.items.lint import faults
from otherminds.studies.dialogue.questions import build, overlap, published
from otherminds.talks import bank
from otherminds.talks.talk import STATES, TRAITS

SIX = [
    ("belief", 2, "1", True, "What does Bo think that Al thinks when he says {said}?"),
    ("belief", 1, "2", False, "When Al says {said}, what does Al think?"),
    ("emotion", 2, "3", True, "When Bo says {said}, how does he think that Al feels?"),
    ("desire", 2, "13", False, "What does Bo think that Al wants when he says {said}?"),
    ("intention", 1, "0", False, "What will Al do when he says {said}?"),
    ("knowledge", 2, "5", True, "When Bo says {said}, what does Bo think that Al knows?"),
]
BIG_FIVE = (
    "Openness to Experience - High; Conscientiousness - Low; Extraversion - High; Agreeableness - Low; "
    "Neuroticism - High"
)


def record(state: str, order: int, turn: str, label: bool, question: str, *, combo: str = "c01", gold: int = 2) -> Any:
    """One record as such files have them; the texts are made up."""
    said = [f"“Line {line}” — it’s the {combo} one" for line in range(14)]
    lines = ['Al Old: "Hi!"', 'Bo New: "Hi, how are you?"']
    lines += [f'{("Al Old", "Bo New")[line % 2]}: "{text}"' for line, text in enumerate(said)]
    options = [f"He thinks that the {word} of {combo} is his." for word in ("hat", "cup", "map", "key")]
    about = f"2nd-order-belief-about-{state}" if order == 2 else f"1st-order-{state}"
    return {
        "q_id": f"{about}_{combo}_{turn}",
        "q": question.format(said=f'"{said[int(turn)]}"'),
        **{f"a{place}": option for place, option in enumerate(options)},
        "a_idx": gold,
        "a_str": options[gold],
        "conversation": "\n".join(lines),
        "mental_state": state,
        "order": order,
        "false_belief": label,
        "big_five": BIG_FIVE,
        "sotopia_agents": ["01AL", "01BO"],
        "sotopia_environment": "01ENV",
        "u_id": turn,
    }


@pytest.fixture
def six() -> list[Any]:
    return [record(*each) for each in SIX]


def saved(path: Path, records: Any) -> Path:
    path.write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
    return path


def test_texts_and_options_are_taken_as_they_are(tmp_path: Path, six: list[Any]) -> None:
    suite = published.read(saved(tmp_path / "six.json", six))
    assert suite.name == "six"
    for item, given in zip(suite, six, strict=True):
        assert item.id == given["q_id"]
        assert item.context == given["conversation"]
        assert item.question == given["q"]
        assert item.choices == (given["a0"], given["a1"], given["a2"], given["a3"])
        assert item.answer == given["a_str"]
    assert faults(suite) == []


def test_tags_and_meta(tmp_path: Path, six: list[Any]) -> None:
    suite = published.read(saved(tmp_path / "six.json", six))
    second, first = suite.items[0], suite.items[1]
    assert [second.tags[trait] for trait in TRAITS] == ["high", "low", "high", "low", "high"]
    assert (second.tags["state"], second.tags["order"], second.tags["false_belief"]) == ("belief", 2, True)
    assert "false_belief" not in first.tags
    assert first.tags["story"] == second.tags["story"], "two questions about one conversation are not independent"
    assert suite.items[2].tags["story"] != second.tags["story"]
    assert [item.tags["surface"] for item in suite] == ["last", "first", "first", "last", "last", "first"]
    assert (second.meta["speaker"], second.meta["partner"], second.meta["turn"]) == ("01BO", "01AL", 1)
    assert (first.meta["speaker"], first.meta["scene"]) == ("01AL", "01ENV")


def test_what_was_read_is_written_again(tmp_path: Path, six: list[Any]) -> None:
    six[1]["transcript"] = six[1].pop("conversation")
    six[2]["u_id"] = 3
    six[3]["note"] = {"kept": ["as", "it", "is"]}
    six[4]["false_belief"] = True
    six[5]["q_id"] = "of another form"
    suite = published.read(saved(tmp_path / "six.json", six))
    published.write(suite, tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8")) == six
    # Through our own format as well.
    suite.save(tmp_path / "suite.jsonl")
    published.write(Suite.load(tmp_path / "suite.jsonl"), tmp_path / "third.json")
    assert json.loads((tmp_path / "third.json").read_text(encoding="utf-8")) == six


def test_many_records_load_and_come_back(tmp_path: Path) -> None:
    rng = random.Random(1)
    many = [
        record(state, 2, str(turn), True, SIX[0][4], combo=f"{combo:03}", gold=rng.randrange(4))
        for combo in range(6)
        for state in STATES
        for turn in range(1, 14, 4)
    ]
    for each in many:
        each["big_five"] = "; ".join(f"{factor} - {rng.choice(('High', 'Low'))}" for factor in build.FACTORS)
    suite = published.read(saved(tmp_path / "many.json", many))
    assert len(suite) == len(many) == 120
    assert sum(item.tags["false_belief"] is True for item in suite) == 120
    published.write(suite, tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8")) == many
    assert {one.n for one in overlap.scores(suite).values() if one.state == "all" and one.false_belief is None} == {120}


def test_a_repeated_option_keeps_its_letter(tmp_path: Path, six: list[Any]) -> None:
    given = six[0]
    given["a0"] = given["a1"] = given["a2"]
    suite = published.read(saved(tmp_path / "one.json", [given]))
    (item,) = suite
    assert item.choices.index(item.answer) == given["a_idx"] == 2
    assert len(set(item.choices)) == 4
    assert [choice.strip() for choice in item.choices] == [given[f"a{place}"] for place in range(4)]
    suite.save(tmp_path / "one.jsonl")
    published.write(Suite.load(tmp_path / "one.jsonl"), tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8")) == [given]


def test_options_that_differ_in_spaces_are_told_apart_too(tmp_path: Path, six: list[Any]) -> None:
    given = six[0] | {"a0": "x", "a1": "x ", "a2": "x", "a_str": "x"}
    path = tmp_path / "marked.json"
    path.write_text("\ufeff" + json.dumps([given]), encoding="utf-8")
    suite = published.read(path)
    assert len(set(suite.items[0].choices)) == 4
    published.write(suite, path)
    assert json.loads(path.read_text(encoding="utf-8")) == [given]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"a2": None}, "record 2: a2 is missing"),
        ({"a2": ""}, "record 2: a2 should be text, not ''"),
        ({"a_idx": 4}, "record 2: a_idx should be a number from 0 to 3, not 4"),
        ({"a_idx": True}, "a_idx should be a number from 0 to 3, not True"),
        ({"a_idx": 1}, "record 2: a_str is not option a1, which a_idx says is right"),
        ({"a_str": "something else"}, "a_str is not option a2"),
        ({"conversation": None}, "record 2: conversation is missing; it may also be called transcript"),
        ({"mental_state": "mood"}, "mental_state should be one of belief, intention, desire, emotion, knowledge"),
        ({"order": 3}, "order should be 1 or 2, not 3"),
        ({"false_belief": "yes"}, "false_belief should be true, false or null, not 'yes'"),
        ({"u_id": "first"}, "u_id should be the number of the message, not 'first'"),
        ({"sotopia_agents": ["01AL"]}, "sotopia_agents should be two ids"),
        ({"big_five": "Openness to Experience - High"}, "big_five should say 'Conscientiousness - High' or '- Low'"),
        ({"q_id": "2nd-order-belief-about-belief_c01_1"}, "record 2: there are two questions with q_id"),
    ],
)
def test_a_bad_record_is_named(tmp_path: Path, six: list[Any], changes: dict[str, Any], sentence: str) -> None:
    for field, value in changes.items():
        six[1][field] = value
        if value is None:
            del six[1][field]
    with pytest.raises(BadFile) as error:
        published.read(saved(tmp_path / "bad.json", six))
    assert sentence in str(error.value)


@pytest.mark.parametrize("text", ["", "{", '{"a": 1}', "[]", "[1]", '"text"', "[" * 100_000])
def test_no_list_of_records_is_a_sentence(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadFile, match=r"bad\.json"):
        published.read(file)


def test_our_own_questions_can_be_written_so(tmp_path: Path) -> None:
    suite = build.build(bank.authored(), labels=bank.labels())
    published.write(suite, tmp_path / "ours.json")
    records = json.loads((tmp_path / "ours.json").read_text(encoding="utf-8"))
    assert set(records[0]) == set(record(*SIX[0]))
    again = published.read(tmp_path / "ours.json")
    kept = ("state", "order", "false_belief", "surface", *TRAITS)
    for item, back in zip(suite, again, strict=True):
        assert (back.context, back.question, back.answer, back.choices) == (
            item.context,
            item.question,
            item.answer,
            item.choices,
        )
        assert {tag: back.tags.get(tag) for tag in kept} == {tag: item.tags.get(tag) for tag in kept}
    published.write(again, tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8")) == records


def test_other_items_cannot_be_published_so(tmp_path: Path, six: list[Any]) -> None:
    with pytest.raises(UsageError, match="item 'x' has no state"):
        published.write(Suite("s", (Item("x", "Where?", "box"),)), tmp_path / "x.json")
    given = deepcopy(published.read(saved(tmp_path / "six.json", six)).items[0])
    fewer = Item(given.id, given.question, given.answer, choices=(given.answer, "no"), tags=given.tags, meta=given.meta)
    with pytest.raises(UsageError, match="has 2 choices"):
        published.write(Suite("s", (fewer,)), tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()
