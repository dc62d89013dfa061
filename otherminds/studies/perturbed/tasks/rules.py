"""The rules of a stage: whatever could make an answer key wrong, or give an answer away, is looked for here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from otherminds.studies.perturbed.calculus import (
    CLASSES,
    O1,
    O2,
    STATES,
    UNKNOWN,
    VARIANTS,
    Event,
    fold,
    right_belief,
)
from otherminds.studies.perturbed.tasks.stages import DEMONSTRATION, STAGES, SYMBOL, Sentence, Task, TaskStage

EXTRA = frozenset(
    {
        ("preposition_replacement", "UC-C"),
        ("preposition_replacement", "UC-D"),
        ("automatic_change_knowledge", "UC-B"),
        ("automatic_change_knowledge", "UC-D"),
        ("untrustworthy_testimony", "UC-B"),
        ("induction_from_baseline", "UT-F"),
    }
)
"""The six cells of the full grid that are not among the 68 tasks."""

SHORTEST, LONGEST = 5, 10
AMBIGUOUS = 0.15
"""More gold sets than this with two members, and a stage asks too much of its readers."""

SYMBOLS = frozenset({"O1", "O2", "O1^", "O2^", "X", "Y"})
_GIVEN_AWAY = re.compile(r"\b(?:thinks?|believes?|expects?|supposes?|assumes?)\b[^.]*\{O[12]")
_ARTICLE = re.compile(r"\b(an?) \{O[12]\}", re.IGNORECASE)


def faults(stage: TaskStage) -> list[str]:
    """Every rule that a stage breaks, as sentences that name class, variant and sentence."""
    return [
        *_whole(stage),
        *(f"class {task.perturbation}{fault}" for task in stage.tasks for fault in _task(stage, task)),
    ]


def _whole(stage: TaskStage) -> Iterator[str]:
    """What can only be seen over all tasks together."""
    if stage.kind not in ("UC", "UT") or (stage.name in STAGES and not stage.name.startswith(stage.kind)):
        yield f"kind should be UC or UT and begin the stage's name, not {stage.kind!r}"
    names = [task.perturbation for task in stage.tasks]
    labels = stage.kind == "UC"
    # Where something is moved no label is read, so that class cannot be.
    wanted = ["none"] if stage.name == DEMONSTRATION else [n for n in CLASSES if labels or n != "uninformative_label"]
    if names != wanted:
        yield f"the classes should be {', '.join(wanted)}, in this order and once each, not {', '.join(names)}"
    words = [*stage.values, *(alias for some in stage.aliases.values() for alias in some)]
    if len({word.casefold() for word in words}) < len(words) or UNKNOWN in words:
        yield "values and aliases should all differ, and none may be 'unknown'"
    sets = [sentence.gold for task in stage.tasks for sentence in task.variants["focal"]]
    doubtful = sum(len(gold) > 1 for gold in sets)
    if doubtful >= AMBIGUOUS * len(sets):
        yield f"{doubtful} of {len(sets)} gold sets have more than one state; it should be under {AMBIGUOUS:.0%}"
    # A reader who always says what was named last must be wrong somewhere, or the stage measures nothing.
    lasts = {_mentions(story)[-1:] for task in stage.tasks for story in task.variants.values()}
    if len(lasts) < 2:
        yield "one of the two values is named last in every story, which gives answers away"


def _task(stage: TaskStage, task: Task) -> Iterator[str]:
    if task.target != ("Y" if task.perturbation == "non_protagonist_belief" else "X"):
        yield f": target should be Y for non_protagonist_belief and X for all others, not {task.target!r}"
    if (task.form in ("U", "P")) != (task.perturbation == "uninformative_label") or task.form not in ("U", "P", None):
        yield f": form should be U or P for uninformative_label and null for all others, not {task.form!r}"
    ways = ("discount", "invert")
    if (task.testimony in ways) != (task.perturbation == "untrustworthy_testimony") or task.testimony not in (
        *ways,
        None,
    ):
        yield f": testimony should be discount or invert for untrustworthy_testimony alone, not {task.testimony!r}"
    if task.extra != ((task.perturbation, stage.name) in EXTRA):
        yield f": extra should be {str(not task.extra).lower()} here"
    yield from _questions(stage, task)
    for variant in VARIANTS:
        story = task.variants[variant]
        yield from (f", {variant}{fault}" for fault in _story(stage, task, variant, story))
        for number, sentence in enumerate(story, start=1):
            yield from (f", {variant}, sentence {number}: {fault}" for fault in _text(stage, sentence.text))
    for number, sentence in enumerate(task.variants["focal"], start=1):
        yield from (f", focal, sentence {number}: {fault}" for fault in _gold(sentence))


def _questions(stage: TaskStage, task: Task) -> Iterator[str]:
    for kind, question in task.questions.items():
        if "{O" in question or not question.endswith("?"):
            yield f": the {kind} question should name no value and end in a question mark: {question!r}"
        yield from (f", {kind} question: {fault}" for fault in _text(stage, question))
    if f"{{{task.target}}}" not in task.questions["belief"]:
        yield f": the belief question should name the target {{{task.target}}}: {task.questions['belief']!r}"
    if SYMBOL.search(task.questions["reality"]):
        yield f": the reality question should name nobody: {task.questions['reality']!r}"


def _story(stage: TaskStage, task: Task, variant: str, story: Sequence[Sentence]) -> Iterator[str]:
    """Length, chain, final answer, balance, and where the informed sentence stands."""
    if not SHORTEST <= len(story) <= LONGEST:
        yield f": a story should have {SHORTEST} to {LONGEST} sentences, not {len(story)}"
        return
    for number, (sentence, state) in enumerate(zip(story, fold(s.events for s in story), strict=True), start=1):
        if state not in sentence.gold:
            yield f", sentence {number}: its events give {state}, which is not in its gold set {list(sentence.gold)}"
    right = right_belief(stage.kind, task.perturbation, variant, form=task.form, testimony=task.testimony)
    if story[-1].gold != (right,):
        yield f", sentence {len(story)}: the last gold set is {list(story[-1].gold)}, but the right belief is {right}"
    counts = [_mentions(story).count(symbol) for symbol in (O1, O2)]
    if abs(counts[0] - counts[1]) > (task.perturbation != "none"):
        yield f": {{O1}} is named {counts[0]} times and {{O2}} {counts[1]} times; it should be equally often" + (
            "" if task.perturbation == "none" else ", give or take one"
        )
    # Where the other person is asked about, it is still the protagonist who is told.
    if variant == "informed" and task.target == "X" and Event("TOLD", O1, ("trust",)) not in story[-2].events:
        yield f", sentence {len(story) - 1}: the last sentence but one should be the trusted person's word"


def _text(stage: TaskStage, text: str) -> Iterator[str]:
    """What is wrong with one text."""
    unknown = [symbol for symbol in SYMBOL.findall(text) if symbol not in SYMBOLS]
    if unknown or set(SYMBOL.sub("", text)) & set("{}"):
        yield f"only {', '.join(sorted(SYMBOLS))} may stand in braces: {text!r}"
    plain = SYMBOL.sub("|", text)
    for word in (*stage.values, *(a for some in stage.aliases.values() for a in some), *stage.people.values()):
        if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", plain, re.IGNORECASE):
            yield f"{word!r} is written out; symbols only, or the swap would miss it: {text!r}"
    if text != " ".join(text.split()) or not re.search(r"[.!?][\"”’']?$", text):
        # One double space has been seen to flip a model's answer.
        yield f"single spaces, and a full stop at the end: {text!r}"
    for article in _ARTICLE.findall(text):
        if {article.casefold()} != {"an" if value[0] in "aeiou" else "a" for value in stage.values}:
            yield f"{article!r} does not suit both values: {text!r}"
    if _GIVEN_AWAY.search(text):
        yield f"no sentence may say what somebody thinks: {text!r}"


def _gold(sentence: Sentence) -> Iterator[str]:
    if not sentence.gold or len(set(sentence.gold)) < len(sentence.gold) or not set(sentence.gold) <= set(STATES):
        yield f"gold should be one or more of {', '.join(STATES)}, not {list(sentence.gold)}"
    if len(sentence.gold) > 1 and not sentence.note:
        yield "a gold set with more than one state needs a note that says why"


def _mentions(story: Sequence[Sentence]) -> tuple[str, ...]:
    """The values a story names, in order."""
    symbols = (symbol.rstrip("^") for sentence in story for symbol in SYMBOL.findall(sentence.text))
    return tuple(symbol for symbol in symbols if symbol in (O1, O2))
