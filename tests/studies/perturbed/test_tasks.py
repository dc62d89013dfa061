"""The stages that come with the package keep every rule, and a file that breaks one is refused by name."""

import json
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from otherminds.errors import BadFile
from otherminds.studies.perturbed.calculus import CLASSES, VARIANTS, fold, right_belief
from otherminds.studies.perturbed.tasks.stages import (
    DEMONSTRATION,
    STAGES,
    Task,
    TaskStage,
    load,
    load_demonstration,
    read_stage,
    render,
)

FOLDER = files("otherminds") / "data" / "perturbed"
TASKS = [pytest.param(stage, task, id=f"{stage.name}-{task.perturbation}") for stage in load() for task in stage.tasks]


def test_the_grid() -> None:
    tasks = [(stage.name, task) for stage in load() for task in stage.tasks]
    assert len(tasks) == 74
    kept = [task.perturbation for _, task in tasks if not task.extra]
    assert [kept.count(name) for name in CLASSES] == [7, 7, 5, 4, 7, 7, 5, 7, 6, 6, 7]
    forms = {(name, task.form) for name, task in tasks if task.form}
    assert forms == {("UC-A", "U"), ("UC-B", "P"), ("UC-C", "U"), ("UC-D", "P")}
    ways = [task.testimony for _, task in tasks if task.testimony and not task.extra]
    assert sorted(ways) == ["discount"] * 3 + ["invert"] * 3


@pytest.mark.parametrize(("stage", "task"), TASKS)
def test_the_calculus_agrees_with_the_hand(stage: TaskStage, task: Task) -> None:
    for variant in VARIANTS:
        story = task.variants[variant]
        derived = fold(sentence.events for sentence in story)
        assert all(state in sentence.gold for state, sentence in zip(derived, story, strict=True))
        right = right_belief(stage.kind, task.perturbation, variant, form=task.form, testimony=task.testimony)
        assert derived[-1] == right
        assert story[-1].gold == (right,)


@pytest.mark.parametrize(("stage", "task"), TASKS)
def test_a_swap_changes_the_two_words_and_nothing_else(stage: TaskStage, task: Task) -> None:
    first, second = stage.values
    either = re.compile(rf"(?<!\w)({first}|{second})(?!\w)", re.IGNORECASE)

    def swapped(text: str) -> str:
        return either.sub(lambda word: second if word[0] == first else first, text)

    texts = [sentence.text for story in task.variants.values() for sentence in story]
    for text in [*texts, *task.questions.values()]:
        plain, turned = render(text, stage.words()), render(text, stage.words(swap=True))
        assert swapped(plain) == turned
        assert swapped(swapped(plain)) == plain
        assert not set(plain) & set("{}")
        assert either.findall(plain) != either.findall(turned) or "{O" not in text


def test_the_demonstration_shares_no_word_with_any_stage() -> None:
    shown, perceived = load_demonstration()
    texts = [render(s.text, shown.words()) for story in shown.tasks[0].variants.values() for s in story]
    words = {word.casefold() for text in texts for word in re.findall(r"\w+", text)}
    for stage in load():
        own = {*stage.values, *stage.people.values(), *(alias for some in stage.aliases.values() for alias in some)}
        assert not words & {word.casefold() for word in own}
    ends = {variant: shown.tasks[0].variants[variant][-1].gold for variant in perceived}
    assert ends == {"focal": ("O2",), "access": ("O1",)}


def test_up_to_the_first_change_a_variant_has_the_gold_of_the_focal_story() -> None:
    (stage,) = (stage for stage in load() if stage.name == "UC-A")
    (task,) = (task for task in stage.tasks if task.perturbation == "automatic_change_knowledge")
    doubt = next(n for n, sentence in enumerate(task.variants["focal"]) if len(sentence.gold) > 1)
    assert task.variants["informed"][doubt].gold == task.variants["focal"][doubt].gold
    assert len(task.variants["consistent"][doubt].gold) == 1


# ---- refusals ------------------------------------------------------------------------------------------------------


def write(folder: Path, change: Callable[[dict[str, Any]], object], name: str = "UC-A") -> Path:
    """A stage with one thing changed."""
    data = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    change(data)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def first(data: dict[str, Any], number: int = 1, variant: str = "focal") -> dict[str, Any]:
    sentence: dict[str, Any] = data["tasks"][0][variant][number - 1]
    return sentence


def put(key: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda data: data.update({key: value})


def task(number: int, **changes: object) -> Callable[[dict[str, Any]], object]:
    return lambda data: data["tasks"][number].update(changes)


def text(words: str, number: int = 1) -> Callable[[dict[str, Any]], object]:
    return lambda data: first(data, number).update(text=words)


BROKEN: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (put("canary", "bird"), "the canary"),
    (put("stage", "UC-Z"), "should be called UC-Z.json"),
    (put("kind", "UT"), "kind should be"),
    (put("values", ["paprika"]), "values should be two words"),
    (put("values", "paprika"), "values should be a list"),
    (put("agents", {"X": "Ilse"}), "agents should name X and Y"),
    (put("aliases", {}), "aliases should be given for both"),
    (put("aliases", {"paprika": ["cinnamon"], "cinnamon": []}), "should all differ"),
    (put("tasks", {}), "tasks should be a list"),
    (put("tasks", [7]), "task should be a object"),
    (lambda data: data["tasks"].pop(), "the classes should be none"),
    (lambda data: data["tasks"].append(data["tasks"][0]), "once each"),
    (lambda data: data["tasks"][0].pop("access"), "class none: access is missing"),
    (task(0, **{"class": "none at all"}), "the classes should be"),
    (task(0, target="Y"), "class none: target should be Y for non_protagonist_belief"),
    (task(0, extra=True), "class none: extra should be false"),
    (task(0, form="U"), "class none: form should be"),
    (task(3, form="Q"), "class uninformative_label: form should be"),
    (task(0, testimony="invert"), "class none: testimony should be"),
    (task(9, testimony=None), "class untrustworthy_testimony: testimony should be"),
    (task(0, questions={"reality": "What is in the tin?"}), "class none: belief is missing"),
    (task(0, questions={"reality": "What?", "belief": "What does {Y} think?"}), "should name the target {X}"),
    (task(0, questions={"reality": "Is it {O1}?", "belief": "What does {X} think?"}), "should name no value"),
    (task(0, focal=[]), "class none, access, sentence 1: there is no focal sentence 1"),
    (lambda data: data["tasks"][0]["informed"].extend([7, 7, 7]), "5 to 10 sentences, not 11"),
    (lambda data: first(data).pop("text"), "class none, focal, sentence 1: text is missing"),
    (lambda data: first(data).pop("gold"), "class none, focal, sentence 1: gold is missing"),
    (lambda data: first(data).update(events=[]), "focal, sentence 1: every sentence needs at least one event"),
    (lambda data: first(data).update(events=["SMELLS(O1)"]), "'SMELLS\\(O1\\)' is no event"),
    (lambda data: first(data).update(gold=[]), "focal, sentence 1: its events give unknown"),
    (lambda data: first(data).update(gold=["O1"]), "focal, sentence 1: its events give unknown"),
    (lambda data: first(data).update(gold=["unknown", "O3"]), "focal, sentence 1: gold should be one or more of"),
    (lambda data: first(data).update(gold=["unknown", "O2"]), "focal, sentence 1: .* needs a note"),
    (lambda data: first(data, 7).update(gold=["O1", "O2"], note="?"), "focal, sentence 7: the last gold set"),
    (lambda data: first(data, 5).update(events=["NARRATOR"]), "focal, sentence 5: its events give unknown"),
    (lambda data: first(data, 6, "access").update(gold=["O1"]), "access, sentence 6: gold sets belong to the focal"),
    (lambda data: first(data, 6, "access").update(events=["NOISE"]), "access, sentence 7: the last gold set is"),
    (lambda data: data["tasks"][0]["informed"].append(data["tasks"][0]["informed"].pop(6)), "last sentence but one"),
    (text("The {O1} is here."), "class none, focal: {O1} is named"),
    (text("A {Z} is here."), "focal, sentence 1: only O1, .* may stand in braces"),
    (text("A {O1 is here."), "may stand in braces"),
    (text("The Paprika is here."), "'paprika' is written out"),
    (text("Ilse is here."), "'Ilse' is written out"),
    (text("A tin  is here."), "single spaces"),
    (text("A tin is here"), "full stop"),
    (text("An {O1} is no {O2}."), "'An' does not suit both values"),
    (text("{X} thinks that it is {O1}, not {O2}."), "no sentence may say what somebody thinks"),
]


@pytest.mark.parametrize(("change", "words"), BROKEN, ids=[words for _, words in BROKEN])
def test_a_broken_rule_is_named(tmp_path: Path, change: Callable[[dict[str, Any]], object], words: str) -> None:
    with pytest.raises(BadFile, match=words) as refused:
        read_stage(write(tmp_path, change))
    assert "UC-A" in str(refused.value)


def test_too_many_doubts(tmp_path: Path) -> None:
    def doubt(data: dict[str, Any]) -> None:
        for each in data["tasks"]:
            for sentence in each["focal"][:2]:
                sentence.update(gold=["unknown", "O1", "O2"], note="?")

    with pytest.raises(BadFile, match="gold sets have more than one state; it should be under 15%"):
        read_stage(write(tmp_path, doubt))


def test_a_value_that_is_always_last(tmp_path: Path) -> None:
    def end(data: dict[str, Any]) -> None:
        # The last sentence of every story names both values, always in the same order.
        for each in data["tasks"]:
            each["focal"][-1]["text"] = "Here is no {O1}, there no {O2}."

    with pytest.raises(BadFile, match="named last in every story"):
        read_stage(write(tmp_path, end))


@pytest.mark.parametrize("content", ["", "[]", "{", "null", '{"stage": 1}', "[" * 100_000, "\ud800"])
def test_what_is_no_stage(tmp_path: Path, content: str) -> None:
    path = tmp_path / "UC-A.json"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(BadFile, match=r"UC-A\.json"):
        read_stage(path)
    with pytest.raises(BadFile, match="there is no file"):
        read_stage(tmp_path / "UC-B.json")


def test_the_shipped_files_are_read_as_they_are(tmp_path: Path) -> None:
    for name in (*STAGES, DEMONSTRATION):
        assert read_stage(write(tmp_path, lambda data: None, name)).name == name
