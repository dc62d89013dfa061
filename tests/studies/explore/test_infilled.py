"""Prose to the end: found, told, checked by judges who err, asked about in both tellings, and built into a suite."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from otherminds.errors import BadFile, UsageError
from otherminds.heuristics.readers import oracle, realist
from otherminds.items import Suite
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.prose.judges import check_judge, trials
from otherminds.runs.runs import run
from otherminds.search.training import retold
from otherminds.studies.explore.material.build import compare_tellings, suite_in_prose
from otherminds.studies.explore.material.folders import load_prose, save
from tests.models.scripted_server import Serving, serving
from tests.shell import call, data
from tests.studies.explore.made_up import FALSE, TRUE
from tests.studies.explore.writers import Company

pytestmark = pytest.mark.usefixtures("own_folder")

FIND = ("explore", "-m", "baseline:first_order", "--order", "2", "--budget", "8", "--endings", "5", "--no-baseline")


def lines() -> list[Any]:
    return [json.loads(line) for line in Path("out/prose.jsonl").read_text(encoding="utf-8").splitlines()]


def judged(server: Serving) -> int:
    return sum("The new passage: " in str(call.body) for call in server.calls)


def test_what_is_kept_is_right_although_judges_err() -> None:
    company = Company(Path("out"), planted_share=0.3, judge_errors=0.1)
    with serving(company) as server:
        people = ("--writer", "api:writer", "--judge", "api:one", "--judge", "api:two", "--base-url", server.url)
        told = data(*FIND, "--stories", "4", "--moves", "2", "--prose", *people, "-o", "out")["prose"]
        asked = judged(server)
        data("retell", "out", *people)
        assert judged(server) == asked, "what the store remembers was asked again"
    kept = [step["text"] for line in lines() for step in line["steps"] if step["text"]]
    assert len(company.planted) > 10
    assert told["told"] >= 1
    assert sum(text in company.planted for text in kept) <= 0.02 * len(kept)
    assert [judge["found"]["value"] > 0.75 for judge in told["judges"]] == [True, True]
    assert told["asked"]["difference"]["value"] == 0, "a reader of items answers alike whatever the words"
    call("build", "explore", "out", "--prose", "-o", "suite.jsonl")
    tellings = [item.tags["telling"] for item in Suite.load("suite.jsonl")]
    triples = data("build", "training", "--prose", "out", "--test", "0", "-o", "lessons")
    assert triples["items"] == tellings.count("infilled")
    assert triples["faults"] == []
    assert tellings.count("canonical") == tellings.count("infilled") == told["asked"]["canonical"]["n"]


def test_every_planted_error_has_a_sound_twin_and_both_are_proved() -> None:
    pairs = trials(9)
    assert [trial.planted for trial in pairs] == [False, True] * 9
    assert {trial.kind for trial in pairs} == {"another container", "a secret watcher", "somebody misses it"}
    for sound, planted in zip(pairs[::2], pairs[1::2], strict=True):
        assert sound.claim == planted.claim
        assert sound.preface != planted.preface


@pytest.mark.parametrize("word", ["yes", "no", "perhaps"])
def test_a_judge_who_always_says_the_same_is_not_trusted(word: str) -> None:
    assert check_judge(Scripted(lambda _: word, name="judge")).distrust


def test_a_judge_who_knows_is_trusted() -> None:
    truth = {
        trial.preface + "\n\n" + trial.claim.question: trial.claim.hoped is not trial.planted for trial in trials(30)
    }

    def judge(prompt: Prompt) -> str:
        return "yes" if truth[prompt.messages[0].content.rpartition("\n")[0]] else "no"

    checked = check_judge(Scripted(judge, name="judge"))
    assert (checked.found.value, checked.objected.value, checked.distrust) == (1, 0, "")


def test_no_story_is_told_before_its_judge_is_trusted() -> None:
    with serving(Company(Path("out"), judge_errors=0.5)) as server:
        call(*FIND, "--stories", "1", "-o", "out")
        done = call("retell", "out", "--writer", "api:writer", "--base-url", server.url)
    assert done.exit_code == 2
    assert "of the planted errors" in done.stderr
    assert not Path("out/prose.jsonl").exists()


def test_tellings_are_compared_question_by_question() -> None:
    texts = {FALSE.id: "Once upon a time. " + FALSE.story.text, TRUE.id: "Long ago. " + TRUE.story.text}
    suite = suite_in_prose([FALSE, TRUE], texts, order=1)
    assert len(suite) == 2 * len({item.id.removesuffix("-infilled") for item in suite})
    found = compare_tellings(run(suite, realist(suite)))
    assert found["canonical"].value == found["infilled"].value
    assert (found["difference"].value, found["difference"].n) == (0, len(suite) // 2)
    assert compare_tellings(run(suite, oracle(suite)))["infilled"].value == 1


def test_stories_in_prose_as_training_triples(own_folder: Path) -> None:
    elsewhere = replace(TRUE, context="attic")
    texts = {FALSE.id: "Once upon a time. " + FALSE.story.text, TRUE.id: "Long ago. " + TRUE.story.text}
    made = list(retold([FALSE, elsewhere], texts, number=1000, test=0.5))
    asked = {(item.question, item.context): item.answer for item in suite_in_prose([FALSE, TRUE], texts)}
    assert {asked[each.question, each.context] == each.answer for each in made} == {True}
    assert len(made) == sum(story in texts.values() for _, story in asked)
    by_split = {
        split: {each.tags["context"] for each in made if each.tags["split"] == split} for split in ("train", "test")
    }
    assert by_split["train"] | by_split["test"] == {"attic", "den"}
    assert len(by_split["train"]) == len(by_split["test"]) == 1
    assert len(list(retold([FALSE], texts, number=3))) == 3
    with pytest.raises(UsageError, match="told to its end"):
        retold([FALSE], {}, number=3)
    save("out", [FALSE], searched={})
    assert "otherminds retell" in call("build", "training", "--prose", "out", "-o", "no").stderr
    refused = call("build", "training", "--prose", "out", "--sets", "tomi", "-o", "no")
    assert (refused.exit_code, "leave out --sets" in refused.stderr) == (2, True)
    assert not Path("no").exists()


def test_what_was_not_told_to_its_end_is_not_asked_about(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none of these stories"):
        suite_in_prose([FALSE], {})
    with pytest.raises(UsageError, match="otherminds retell"):
        load_prose(tmp_path)
    (tmp_path / "prose.jsonl").write_text('{"id": "one", "text": 3}\n')
    with pytest.raises(BadFile, match="line 1"):
        load_prose(tmp_path)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "--writer"),
        (("--writer", "baseline:oracle"), "neither write nor judge"),
        (("--writer", "smollm2", "--judge", "a", "--judge", "b", "--judge", "c"), "one or two"),
    ],
)
def test_who_cannot_write_or_judge_gets_a_sentence(options: tuple[str, ...], says: str) -> None:
    call(*FIND, "--stories", "1", "-o", "out")
    done = call("retell", "out", *options)
    assert done.exit_code == 2
    assert says in done.stderr
