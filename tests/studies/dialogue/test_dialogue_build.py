"""Talks become questions; and `otherminds build dialogue`."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.errors import UsageError
from otherminds.heuristics.readers import oracle
from otherminds.items import Item, Suite
from otherminds.items.lint import faults
from otherminds.runs.runs import run
from otherminds.studies.dialogue.questions import build
from otherminds.studies.dialogue.questions.artefacts import of_options
from otherminds.studies.dialogue.third_person.retell import retell
from otherminds.talks import bank
from otherminds.talks.talk import STATES, Casting, Person, Scene, State, Talk, Turn, save

OMAR = Person("omar", "Omar", "Reyes", 40, "baker", "he", "HLHLH")
NORA = Person("nora", "Nora", "Lund", 41, "roofer", "she", "LHLHL")
VERA = Person("vera", "Vera", "Holm", 30, "pilot", "she", "LLLLL")
QUINN = Person("quinn", "Quinn", "Moss", 22, "nurse", "they", "HHHHH")
SCENE = Scene("stall-01", "bargaining", "Two people meet at a stall.", ("You want to sell.", "You want to buy."))
THINGS = ("the lamp", "a red bicycle", "two old maps", "that heavy clock", "my grandfather's coat", "some garden tools")


def talk(
    *, people: tuple[Person, Person] = (OMAR, NORA), state: State = "desire", first: int = 0, turns: int = 12
) -> Talk:
    """A talk in which every thought is about something else."""
    made = []
    for number in range(turns):
        thing = THINGS[number // 2 % len(THINGS)]
        other = people[1 - number % 2].pronoun
        wants = f"{other} want" if other == "they" else f"{other} wants"
        own = number % 2 == first
        thought = f"I want {thing} for my shop." if own else f"I think that {wants} {thing} for a song."
        made.append(Turn(number % 2, thought, f"Message {number} is about something else."))
    return Talk("stall", Casting(SCENE, people), state, tuple(made), first)


def by_id(suite: Suite) -> dict[str, Item]:
    return {item.id: item for item in suite}


def test_one_question_a_message() -> None:
    suite = build.build([talk()])
    assert [item.id for item in suite] == [f"stall/{turn:02}" for turn in range(12)]
    item = suite.items[3]
    assert item.context == talk().transcript
    assert item.answer == "Nora thinks that Omar wants a red bicycle for a song."
    assert len(set(item.choices)) == 4
    assert all(choice.startswith("Nora thinks that Omar wants") for choice in item.choices)
    assert (suite.name, suite.prompt, suite.score) == ("dialogue", "raw", "letters")


def test_tags_and_meta_say_who_is_asked_about() -> None:
    suite = build.build([talk()], labels={("stall", 3): True, ("stall", 5): False, ("stall", 2): True})
    second, other, first = (by_id(suite)[f"stall/{turn:02}"] for turn in (3, 5, 2))
    levels = {"openness": "low", "conscientiousness": "high", "extraversion": "low", "agreeableness": "high"}
    expected = {"story": "stall", "state": "desire", "order": 2, "false_belief": True, "category": "bargaining"}
    surface = {"surface": second.tags["surface"], "neuroticism": "low"}
    assert dict(second.tags) == expected | levels | surface
    assert other.tags["false_belief"] is False
    assert "false_belief" not in first.tags, "only what somebody thinks about the other can misread them"
    assert "false_belief" not in by_id(suite)["stall/07"].tags, "nobody has labelled it"
    meta = {key: second.meta[key] for key in ("speaker", "partner", "turn", "scene", "people")}
    assert meta == {"speaker": "nora", "partner": "omar", "turn": 3, "scene": "stall-01", "people": ["omar", "nora"]}
    assert second.meta["thought"] == "I think that he wants a red bicycle for a song."
    assert second.meta["why"] == f"Nora's own thought at that moment, which Omar did not hear: {second.meta['thought']}"
    assert second.meta["big_five"] == (
        "Openness to Experience - Low; Conscientiousness - High; Extraversion - Low; Agreeableness - High; "
        "Neuroticism - Low"
    )


@pytest.mark.parametrize(
    ("state", "people", "turn", "surface", "expected"),
    [
        ("desire", (OMAR, NORA), 0, "last", 'What does Omar want when he says "U"?'),
        ("desire", (OMAR, NORA), 0, "first", 'When Omar says "U", what does he want?'),
        ("desire", (OMAR, NORA), 1, "last", 'What does Nora think Omar wants when she says "U"?'),
        ("desire", (OMAR, NORA), 1, "first", 'When Nora says "U", what does she think Omar wants?'),
        ("desire", (VERA, NORA), 1, "last", 'What does Nora think Vera wants when Nora says "U"?'),
        ("emotion", (QUINN, NORA), 0, "last", 'How does Quinn feel when they say "U"?'),
        ("emotion", (QUINN, NORA), 0, "first", 'When Quinn says "U", how do they feel?'),
        ("emotion", (NORA, QUINN), 1, "last", 'How does Quinn think Nora feels when Quinn says "U"?'),
        ("intention", (OMAR, NORA), 0, "last", 'What does Omar intend to do when he says "U"?'),
        ("intention", (OMAR, NORA), 1, "first", 'When Nora says "U", what does she think Omar will do?'),
        ("belief", (OMAR, NORA), 0, "last", 'What does Omar think when he says "U"?'),
        ("belief", (OMAR, NORA), 1, "last", 'What does Nora think Omar thinks when she says "U"?'),
        ("knowledge", (OMAR, NORA), 0, "first", 'When Omar says "U", what does he know?'),
        ("knowledge", (OMAR, NORA), 1, "last", 'What does Nora think Omar knows when she says "U"?'),
    ],
)
def test_questions(state: State, people: tuple[Person, Person], turn: int, surface: str, expected: str) -> None:
    asked = talk(people=people, state=state)
    turns = tuple(replace(message, speech="U") for message in asked.turns)
    assert build.question(replace(asked, turns=turns), turn, surface=surface) == expected


def test_who_thinks_of_whom_may_be_the_other_way_round() -> None:
    suite = by_id(build.build([talk(first=1)]))
    assert suite["stall/00"].tags["order"] == 2
    assert suite["stall/01"].tags["order"] == 1
    assert suite["stall/00"].answer == "Omar thinks that Nora wants the lamp for a song."


# ---- what is left out ---------------------------------------------------------------------------------------------


def changed(given: Talk, turn: int, **changes: str) -> Talk:
    turns = list(given.turns)
    turns[turn] = replace(turns[turn], **changes)
    return replace(given, turns=tuple(turns))


def test_near_duplicates_are_never_side_by_side() -> None:
    twice = changed(talk(), 0, thought="I want the lamp for my little shop, and I want it now.")
    twice = changed(twice, 4, thought="I want the old lamp for my little shop, and I want it now.")
    items = by_id(build.build([twice]))
    lamps = {"Omar wants the lamp for his little shop, and he wants it now."}
    lamps |= {"Omar wants the old lamp for his little shop, and he wants it now."}
    for seed in range(20):
        items = by_id(build.build([twice], seed=seed))
        assert not any(lamps <= set(item.choices) for item in items.values())
    assert "stall/00" in items


def test_a_speaker_with_too_few_thoughts_is_not_asked_about() -> None:
    suite, left_out = build.build_counted([talk(turns=7)])
    assert [item.tags["order"] for item in suite] == [1, 1, 1, 1]
    assert left_out == {build.FEW: 3}


def test_what_cannot_be_told_is_counted_and_is_no_wrong_option() -> None:
    unsure = changed(talk(), 2, thought="I put the lamp away, and that was that.")
    suite, left_out = build.build_counted([unsure])
    assert "stall/02" not in by_id(suite)
    assert left_out == {f"{build.NOT_RETOLD}: a verb whose tense cannot be told": 1}
    assert not any("put the lamp away" in choice for item in suite for choice in item.choices)


def test_a_message_said_twice_is_not_asked_about() -> None:
    suite, left_out = build.build_counted([changed(talk(), 4, speech=talk().turns[8].speech)])
    assert left_out == {build.REPEATED: 2}
    assert faults(suite) == []


def test_a_thought_said_aloud_is_not_asked_for() -> None:
    thought = talk().turns[4].thought
    _, left_out = build.build_counted([changed(talk(), 4, speech=f"Well, {thought[0].lower()}{thought[1:]}")])
    assert left_out == {build.ALOUD: 1}


def test_talks_without_thoughts_say_so() -> None:
    silent = [replace(turn, thought="") for turn in talk().turns]
    with pytest.raises(UsageError, match=build.SILENT):
        build.build([replace(talk(), turns=tuple(silent))])


def test_nothing_to_ask_is_a_sentence() -> None:
    with pytest.raises(UsageError, match=r"none of the 1 talks gives a question .*differ enough: 6"):
        build.build([talk(turns=6)])
    with pytest.raises(UsageError, match="there are no talks"):
        build.build([])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("I want the old lamp.", "I want the old lamp!", True),
        ("I want the old brass lamp from the shelf.", "I want the brass lamp from the old shelf today.", True),
        ("I want the old brass lamp.", "I want a red bicycle.", False),
        ("I think that he wants to leave.", "I think that he wants to stay.", False),
        ("I do.", "I do.", True),
    ],
)
def test_alike(one: str, other: str, same: bool) -> None:
    assert build.alike(one, other) is same


# ---- reproducible -------------------------------------------------------------------------------------------------


def test_the_same_whatever_the_hash_seed(tmp_path: Path) -> None:
    file = tmp_path / "talks.jsonl"
    save(file, [talk()])
    program = (
        "import sys; from otherminds.studies.dialogue.questions import build; from otherminds.talks import talk; "
        "print(build.build(talk.load(sys.argv[1]), seed=3).digest)"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program, str(file)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert digests == {build.build([talk()], seed=3).digest}


def test_a_seed_draws_other_options() -> None:
    first, second = build.build([talk()], seed=1), build.build([talk()], seed=2)
    assert first.digest != second.digest
    assert [item.answer for item in first] == [item.answer for item in second]


def test_leaving_one_talk_out_changes_no_other_question() -> None:
    other = replace(talk(people=(VERA, QUINN)), id="other")
    assert set(build.build([talk()])) < set(build.build([other, talk()]))


# ---- the written set ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def written() -> Suite:
    return build.build(bank.authored(), labels=bank.labels())


def test_the_written_set_is_whole_and_clean(written: Suite) -> None:
    messages = sum(len(each.turns) for each in bank.authored())
    assert len(written) == messages
    assert faults(written) == []
    assert {item.tags["state"] for item in written} == set(STATES)
    assert {item.tags["order"] for item in written} == {1, 2}
    assert run(written, oracle(written)).mean() == 1.0


def test_right_and_wrong_options_are_thoughts_of_the_speaker(written: Suite) -> None:
    talks = {each.id: each for each in bank.authored()}
    told = {
        (each.id, turn.speaker, retell(turn.thought, each.speaker(n), each.partner(n)).text): n
        for each in talks.values()
        for n, turn in enumerate(each.turns)
    }
    for item in written:
        story, turn = str(item.tags["story"]), item.meta["turn"]
        turns = [told[story, turn % 2, choice] for choice in item.choices]
        assert turns[item.choices.index(item.answer)] == turn
        assert f'"{talks[story].turns[turn].speech}"' in item.question


def test_places_and_wordings_are_even(written: Suite) -> None:
    places = Counter(item.choices.index(item.answer) for item in written)
    surfaces = Counter(item.tags["surface"] for item in written)
    n = len(written)
    # Four standard errors of a fair draw.
    assert all(abs(places[place] - n / 4) < 4 * (n * 3 / 16) ** 0.5 for place in range(4))
    assert abs(surfaces["first"] - n / 2) < 4 * (n / 4) ** 0.5


# ---- the command --------------------------------------------------------------------------------------------------


def test_build_writes_a_suite_and_its_card(tmp_path: Path) -> None:
    file = tmp_path / "written.jsonl"
    done = CliRunner().invoke(cli, ["build", "dialogue", "-o", str(file), "--json"])
    assert done.exit_code == 0, done.output
    suite = Suite.load(file)
    told = json.loads(done.output)
    assert told["items"] == len(suite)
    assert told["faults"] == []
    first = told["overlap"][0]
    assert (first["with_"], first["state"], first["false_belief"], first["n"]) == ("question", "belief", None, 112)
    assert told["artefacts"]["paper-like"]["words"] == len(of_options(suite, "paper-like").words)
    card = file.with_suffix(".md").read_text(encoding="utf-8")
    assert "not produced by role-playing models" in card
    assert f"{len(suite)} questions about {len(bank.authored())} conversations" in card
    assert "Every message is asked about." in card
    assert "| gardner |" in card


def test_the_card_says_what_was_left_out(tmp_path: Path) -> None:
    talks, file = tmp_path / "talks.jsonl", tmp_path / "own.jsonl"
    save(talks, [changed(talk(), 4, speech=talk().turns[8].speech)])
    done = CliRunner().invoke(cli, ["build", "dialogue", "--talks", str(talks), "-o", str(file)])
    assert done.exit_code == 0, done.output
    card = file.with_suffix(".md").read_text(encoding="utf-8")
    assert "| left out because | messages |" in card
    assert f"| {build.REPEATED} | 2 |" in card


def test_build_of_ones_own_talks_and_both_formats(tmp_path: Path) -> None:
    talks, file, records = tmp_path / "talks.jsonl", tmp_path / "own.jsonl", tmp_path / "own.json"
    save(talks, [talk()])
    args = ["build", "dialogue", "--talks", str(talks), "-o", str(file), "--as-published", str(records), "--seed", "3"]
    done = CliRunner().invoke(cli, args)
    assert done.exit_code == 0, done.output
    assert Suite.load(file).items == build.build([talk()], seed=3).items
    assert len(json.loads(records.read_text(encoding="utf-8"))) == 12
    again = tmp_path / "again.jsonl"
    done = CliRunner().invoke(cli, ["build", "dialogue", "--published", str(records), "-o", str(again)])
    assert done.exit_code == 0, done.output
    assert [item.choices for item in Suite.load(again)] == [item.choices for item in Suite.load(file)]
    assert re.search(r"question +– +– +\d+/12 +– +– +\d+/12", done.stdout)
    assert "its terms of use go with them" in again.with_suffix(".md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--talks", "{there}", "--published", "{there}"], "give one of them"),
        (["--talks", "{nowhere}"], "there is no file"),
        (["--published", "{nowhere}"], "there is no file"),
        (["--as-published", "{output}"], "would be overwritten"),
    ],
)
def test_bad_requests_are_sentences_and_write_nothing(tmp_path: Path, args: list[str], sentence: str) -> None:
    there, output = tmp_path / "talks.jsonl", tmp_path / "s.jsonl"
    save(there, [talk()])
    places = {"there": there, "nowhere": tmp_path / "nowhere", "output": output}
    done = CliRunner().invoke(cli, ["build", "dialogue", "-o", str(output), *(arg.format(**places) for arg in args)])
    assert done.exit_code != 0
    assert sentence in done.output
    assert list(tmp_path.iterdir()) == [there]
