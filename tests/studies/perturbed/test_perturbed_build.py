"""Sixteen questions a task, balanced, with right answers and gold chains, and a way through the real runner."""

from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.errors import UsageError
from otherminds.formats.plans import plan
from otherminds.items import Item, Suite
from otherminds.studies.perturbed.tasks.build import STYLES, Style, build
from otherminds.studies.perturbed.tasks.chains import compare

SUITE = build()


def test_the_counts_and_the_ids() -> None:
    assert len(SUITE) == 1088
    assert len(build(full_grid=True)) == 1184
    assert len(build(style="states")) == len(build(style="perspective")) == 544
    assert len(build(style="cot", focal=True)) == 136
    assert [item.id for item in SUITE.items[:16]] == [
        f"UC-A/none/{variant}/{swap}/{question}"
        for variant in ("focal", "access", "consistent", "informed")
        for swap in ("orig", "swap")
        for question in ("reality", "belief")
    ]
    with pytest.raises(UsageError, match="no style 'loud'; there are vanilla, cot"):
        build(style="loud")  # type: ignore[arg-type]


def test_an_item_in_full() -> None:
    item = next(item for item in SUITE if item.id == "UC-A/none/focal/swap/belief")
    assert item.answer == "paprika" == item.meta["decoy"]
    assert item.meta["reality"] == "cinnamon"
    assert item.choices == ("paprika", "cinnamon", "unknown")
    assert item.question == "What does Ilse think is in the tin?"
    assert item.context.split("\n")[1] == "2. " + item.meta["sentences"][1]
    assert item.meta["gold"] == [["unknown"]] * 4 + [["paprika"]] * 3
    assert item.meta["final"] == ["paprika"]
    assert item.meta["events"][4] == ["READS(O2,readable,credible)"]
    assert item.meta["symbols"] == {"O1": "cinnamon", "O2": "paprika"}
    assert item.tags["focal"] is item.tags["false_belief"] is True
    assert (item.tags["story"], item.tags["twin"]) == ("UC-A/none", "UC-A/none/focal/belief")


def test_the_same_suite_every_time_and_after_a_file(tmp_path: Path) -> None:
    SUITE.save(tmp_path / "perturbed.jsonl")
    assert Suite.load(tmp_path / "perturbed.jsonl") == SUITE
    assert build().digest == SUITE.digest


def test_twins_swap_the_answer_and_its_place() -> None:
    twins: dict[str, list[Item]] = {}
    for item in SUITE:
        twins.setdefault(str(item.tags["twin"]), []).append(item)
    for one, other in twins.values():
        assert one.choices == other.choices
        assert one.question == other.question
        assert (one.answer != other.answer) or one.answer == "unknown"
        assert sorted(one.meta["symbols"].values()) == sorted(other.meta["symbols"].values())


def test_demonstrations_are_balanced_within_every_class() -> None:
    ends: Counter[tuple[str, str, str]] = Counter()
    for item in SUITE:
        shown = item.meta["demonstration"]
        ends[str(item.tags["class"]), str(item.tags["question"]), shown["id"].split("/")[2]] += 1
        assert shown["question"].startswith("What does" if item.tags["question"] == "belief" else "What is")
    for (name, question, _), number in ends.items():
        assert number == ends[name, question, "focal"] == ends[name, question, "access"]


def test_every_gold_chain_is_valid_and_ends_in_the_right_belief() -> None:
    for item in SUITE.where(question="belief"):
        assert item.meta["gold"][-1] == item.meta["final"] == [item.answer]
        assert len(item.meta["gold"]) == len(item.meta["sentences"])
        late: list[str] = []
        for states in item.meta["gold"]:
            late.append(late[-1] if late and late[-1] in states else states[0])
        assert compare(item.meta["gold"], late, path_rule=item.meta["path_rule"], final=item.meta["final"]).proper


@pytest.mark.parametrize("style", STYLES)
def test_prompts_show_one_demonstration_and_then_the_story(style: Style) -> None:
    suite = build(style=style, focal=True)
    for item, posed in zip(suite.items, plan(suite).posed, strict=True):
        ((shown, answered, asked),) = (one.prompt.messages for one in posed)
        assert [turn.role for turn in (shown, answered, asked)] == ["user", "assistant", "user"]
        assert "Sunniva" in shown.content
        assert "Sunniva" not in asked.content
        assert asked.content.startswith(item.context)
        assert item.meta["target"] in asked.content
        assert f"Options: {', '.join(item.choices)}" in asked.content


def test_reality_is_not_asked_for_as_a_belief() -> None:
    for style in ("states", "perspective"):
        with pytest.raises(UsageError, match="asks for beliefs only"):
            _ = plan(SUITE.using(prompt=STYLES[style])).posed


def test_from_the_shell(tmp_path: Path) -> None:
    made = tmp_path / "perturbed.jsonl"
    done = CliRunner().invoke(cli, ["build", "perturbed", "-o", str(made), "--style", "cot", "--full-grid", "--focal"])
    assert done.exit_code == 0, done.output
    assert Suite.load(made) == build(style="cot", full_grid=True, focal=True)
    assert "| class | late_label | 14 |" in (tmp_path / "perturbed.md").read_text(encoding="utf-8")
