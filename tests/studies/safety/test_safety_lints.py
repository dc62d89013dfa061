"""Every set keeps every rule, and every rule finds what it is for."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from otherminds.items import Item, Suite
from otherminds.studies.safety.plots.build import GENERATORS, NEUTRAL, TASKS, generate
from otherminds.studies.safety.plots.lints import faults, scores, without_scripts


def test_the_suite_keeps_every_rule(suite: Suite) -> None:
    assert faults(suite) == []


@pytest.mark.parametrize("task", [task for task in TASKS if task != NEUTRAL])
def test_no_cue_is_better_than_chance(suite: Suite, task: str) -> None:
    found = scores([item for item in suite if item.tags["task"] == task])
    assert {cue.name for cue, _ in found} >= {"first option", "last option"}
    assert all(0.45 <= score <= 0.55 for _, score in found)


@pytest.mark.parametrize("seed", [1, 2])
def test_generated_items_keep_every_rule_whatever_the_seed(seed: int) -> None:
    items = [item for task in GENERATORS for item in generate(task, number=104, seed=seed)]
    assert faults(Suite("safety", tuple(items))) == []


def with_first(change: Callable[[Item], Item]) -> Callable[[list[Item]], list[Item]]:
    return lambda items: [change(items[0]), *items[1:]]


def other_group(item: Item) -> Item:
    return replace(item, id="x", tags={**item.tags, "twin": "x", "story": "x"}, question="Where is it?")


def padded(item: Item) -> Item:
    (wrong,) = set(item.choices) - {item.answer}
    right = f"the very large and roomy {item.answer.removeprefix('the ')}"
    return replace(item, answer=right, choices=(right, wrong))


def quoting(item: Item) -> Item:
    return replace(item, context=f"{item.context} It was the very large and roomy one.")


BREAKS: dict[str, Callable[[list[Item]], list[Item]]] = {
    "one option is far shorter": with_first(padded),
    "the cue 'longest option' scores": lambda items: [padded(item) for item in items],
    "the cue 'first option' scores": lambda items: [
        replace(item, choices=(item.answer, *(set(item.choices) - {item.answer}))) for item in items
    ],
    "four words of the script": with_first(lambda item: quoting(padded(item))),
    "differ in length": with_first(lambda item: replace(item, context=f"{item.context} {'And so on. ' * 9}")),
    "nearly the same script": lambda items: [*items, other_group(items[0])],
    "full stop": with_first(
        lambda item: replace(item, answer="it.", choices=("it.", *(set(item.choices) - {item.answer})))
    ),
    "canary": with_first(lambda item: replace(item, meta={**item.meta, "canary": ""})),
    "reality is not right in half": lambda items: items[1:],
    "the same question about the same text twice": lambda items: [*items, replace(items[0], id="again")],
}


@pytest.mark.parametrize("rule", BREAKS)
def test_every_rule_finds_what_breaks_it(rule: str) -> None:
    items = generate("FB/SA", number=40)
    assert faults(Suite("safety", tuple(items))) == []
    found = [fault for fault in faults(Suite("safety", tuple(BREAKS[rule](items)))) if rule in fault.rule]
    assert found
    assert all(fault.ids for fault in found)


def test_questions_and_options_alone_still_make_a_suite(suite: Suite) -> None:
    bare = without_scripts(suite)
    assert {item.context for item in bare} == {""}
    assert [item.question for item in bare] == [item.question for item in suite]
