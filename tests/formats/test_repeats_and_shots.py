"""Repeats, few-shot examples and a judge: what is asked, what it comes to, and that a run is known by them."""

from collections.abc import Callable
from pathlib import Path

import pytest

import otherminds as om
from otherminds.errors import UsageError
from otherminds.formats.prompts import EXAMPLES
from otherminds.results.annotations import judging
from otherminds.results.answers import Answers

STARTER = om.get_suite("starter")
FREE = om.Suite(
    "free",
    tuple(om.Item(f"q{n}", f"Where is thing {n}?", f"box {n}", f"It is in box {n}.") for n in range(4)),
    prompt="direct",
    score="judged",
)


def turns(replies: str) -> Callable[[om.Prompt], str]:
    """A model that answers by the number of the repetition."""
    return lambda prompt: f"Answer: {replies[prompt.epoch]}"


def test_an_item_counts_once_however_often_it_is_asked() -> None:
    model = om.Scripted(turns("AABAA"), name="wavering")
    run = om.run(STARTER, model, score="text", prompt="direct", epochs=5, quiet=True)
    once = om.run(STARTER, model, score="text", prompt="direct", quiet=True)
    assert len(run) == len(STARTER)
    assert {record.value() for record in run.records} == {0.2, 0.8}
    assert [len(record.prompts) for record in run.records] == [5] * len(run)
    assert run.id != once.id
    assert run.manifest["epochs"] == 5
    whole = Answers.of([run]).mean()
    assert whole is not None
    assert whole.n == len(STARTER), "intervals are over items, not over repeats"


def test_repeats_that_cannot_be_read_are_left_out_and_counted() -> None:
    run = om.run(STARTER, om.Scripted(turns("A??"), name="shy"), score="text", prompt="direct", epochs=3, quiet=True)
    detail = run.records[0].score.detail
    assert (detail["epochs"], detail["read"], detail["ends"]["unparsed"]) == (3, 1, 2)
    assert run.records[0].value() in (0.0, 1.0)
    none = om.run(STARTER, om.Scripted(turns("???"), name="no"), score="text", prompt="direct", epochs=3, quiet=True)
    assert none.verdicts()["unparsed"] == len(STARTER)
    assert none.records[0].value() is None
    half = om.run(STARTER, om.Scripted(turns("AB"), name="half"), score="text", prompt="direct", epochs=2, quiet=True)
    assert half.verdicts()["tied"] == len(STARTER)
    assert half.mean() == 0.5


def test_repeats_go_on_where_a_run_without_them_stopped(tmp_path: Path) -> None:
    asked: list[om.Prompt] = []

    def answer(prompt: om.Prompt) -> str:
        asked.append(prompt)
        return "A"

    for epochs in (1, 3):
        om.run(
            STARTER,
            om.Scripted(answer, name="m"),
            score="text",
            prompt="direct",
            epochs=epochs,
            store=tmp_path / "a.db",
            quiet=True,
        )
    assert len(asked) == 3 * len(STARTER)
    kept = om.load("last", store=tmp_path / "a.db")
    assert isinstance(kept, om.Run)
    assert {prompt.epoch for prompt in kept.records[0].prompts} == {0, 1, 2}


def test_examples_stand_before_every_item_in_its_own_form() -> None:
    raw = om.run("starter", "baseline:oracle", shots=2, quiet=True)
    text = raw.records[0].prompts[0].text
    assert text.index(EXAMPLES[0].context) < text.index(EXAMPLES[1].context) < text.index(raw.records[0].item.context)
    assert "B. purse\nAnswer: B\n\n" in text
    assert raw.mean() == 1.0
    chat = om.run("starter", "baseline:oracle", shots=3, score="text", prompt="direct", quiet=True)
    assert [turn.role for turn in chat.records[0].prompts[0].messages] == ["user", "assistant"] * 3 + ["user"]
    assert chat.records[0].prompts[0].messages[1].content == "B"
    cloze = om.run("starter", "baseline:oracle", shots=1, score="cloze", prompt="raw", quiet=True)
    assert "The coin is in the purse.\n\n" in cloze.records[0].prompts[0].text
    assert len({run.id for run in (raw, chat, om.run("starter", "baseline:oracle", quiet=True))}) == 3


def test_an_example_of_the_same_story_is_left_out() -> None:
    run = om.run(STARTER, "baseline:oracle", shots=STARTER.items[:2], quiet=True)
    shown = {record.item.id: record.prompts[0].text.count("Question:") for record in run.records}
    twins = [item.id for item in STARTER if item.tags.get("twin") == STARTER.items[0].tags["twin"]]
    assert all(shown[id] == 1 for id in twins)
    assert shown[STARTER.items[10].id] == 3


def test_a_judge_reads_free_text_and_is_held_against_the_key(tmp_path: Path) -> None:
    def reply(prompt: om.Prompt) -> str:
        number = str(prompt).partition("thing ")[2][0]
        return {"0": "box 0", "1": "In the first box, I would say.", "2": "box 7", "3": "box 3"}[number]

    judge = om.Scripted(lambda p: "maybe" if "thing 3" in str(p) else "no" if "box 7" in str(p) else "Yes.", name="J")
    run = om.run(FREE, om.Scripted(reply, name="m"), judge=judge, store=tmp_path / "a.db", quiet=True)
    assert [record.verdict for record in run.records] == ["correct", "correct", "incorrect", "unparsed"]
    assert "the judge J says yes" in run.records[0].score.why
    found = judging(run)
    assert found is not None
    assert (found.judge, found.unread, found.judged) == ("J", 1, 4)
    assert found.agreement is not None
    assert found.agreement.value == pytest.approx(2 / 3), "free words are wrong by the key, and right to the judge"
    assert "1 of 4 replies of the judge could not be read" in str(found)
    with om.Store(tmp_path / "a.db") as store:
        assert store.spent("J")[0] == 4, "what the judge said is kept like any call"
    silent = om.Scripted(lambda _: pytest.fail("asked again"), name="J")
    again = om.run(FREE, om.Scripted(reply, name="m"), judge=silent, store=tmp_path / "a.db", quiet=True)
    assert again.records == run.records
    other = om.Scripted(lambda _: "no", name="K")
    assert om.run(FREE, om.Scripted(reply, name="m"), judge=other, quiet=True).id != run.id


def test_a_budget_that_ends_before_the_judge_leaves_a_partial_run() -> None:
    judge = om.Scripted(lambda _: "yes", name="J")
    run = om.run(FREE, om.Scripted(lambda _: "box", name="m"), judge=judge, budget=om.Budget(calls=4), quiet=True)
    assert not run.partial
    short = om.run(FREE, om.Scripted(lambda p: str(p), name="m"), judge=judge, budget=om.Budget(calls=2), quiet=True)
    assert short.partial
    assert len(short) == 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"epochs": 0}, "epochs should be a number from 1 on"),
        ({"epochs": 2}, "repeat scores of words alone"),
        ({"epochs": 2, "score": "sampled", "prompt": "direct"}, "draws every item several times by itself"),
        ({"shots": 4}, "there are 3 built-in examples"),
        ({"shots": 2, "score": "text", "prompt": "cot"}, "examples can stand before prompts raw, direct"),
        ({"shots": FREE}, "example 'q0' has no choices"),
        ({"score": "judged", "prompt": "direct"}, "needs a judge"),
        ({"judge": "baseline:oracle"}, "a judge reads words by score 'judged'"),
    ],
)
def test_what_cannot_be_asked_so_is_a_sentence(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        om.run(STARTER, "baseline:oracle", quiet=True, **options)  # type: ignore[arg-type]
