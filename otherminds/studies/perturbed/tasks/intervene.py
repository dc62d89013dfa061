"""Intervene: give a model a chain, ask only for the answer, and see whether the answer follows the chain.

    own         the chain that the model wrote: the control
    truncated   the first half of it
    right       a gold chain
    wrong       the same gold chain, but for its last state, which is wrong

Chains that go together with answers need not lead to them. If answers follow these chains wherever they lead, they
do; if answers stay what they were, the chain was company. The model's own answer tells how often it would have said
the same without being led.

A chain is given in one of two ways: as notes under the story, for any model that can chat; or as the beginning of the
model's own turn (prefill), which is closer to its own reasoning and needs a model that weighs continuations.

    suite = build(run)                     # of a run in the style cot
    show([run, om.run(suite, model)])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal

from otherminds.errors import UsageError
from otherminds.items import Item, Suite
from otherminds.runs.runs import Record, Run
from otherminds.studies.perturbed.tasks.build import STYLES
from otherminds.studies.perturbed.tasks.chains import PATH_RULES

How = Literal["notes", "prefill"]
WAYS: dict[How, tuple[str, str]] = {"notes": (STYLES["vanilla"], "json"), "prefill": ("direct", "cloze")}
"""The prompt and the score by which a chain that is given in that way is asked about."""

Chain = tuple[str, ...]


def build(run: Run, *, how: How = "notes", focal: bool = True) -> Suite:
    """Every answer of a run in the style cot with each kind of chain; ids end in the kind."""
    if run.prompt != STYLES["cot"]:
        raise UsageError(f"run {run.id} was asked with prompt {run.prompt!r}; chains come from the style cot")
    if how not in WAYS:
        raise UsageError(f"a chain cannot be given by {how!r}; there are {', '.join(WAYS)}")
    items = tuple(
        _led(record, edit, chain, how)
        for record in run.records
        if record.score.value is not None
        and record.item.tags["question"] == "belief"
        and (record.item.tags["focal"] or not focal)
        for edit, chain in edits(record)
    )
    if not items:
        raise UsageError(f"run {run.id} has no chain that could be read, so there is none to edit")
    prompt, score = WAYS[how]
    return Suite(f"{run.suite}-led", items, prompt=prompt, score=score)


def edits(record: Record) -> Iterator[tuple[str, Chain]]:
    """The chains to be given for one answer; one that ends in no choice cannot be followed, and is left out."""
    for name, edit in EDITS.items():
        chain = edit(record)
        if chain and chain[-1] in record.item.choices:
            yield name, chain


# ---- chains -------------------------------------------------------------------------------------------------------


def _own(record: Record) -> Chain:
    return tuple(record.score.detail.get("states", ()))


def _truncated(record: Record) -> Chain:
    own = _own(record)
    return own[: (len(own) + 1) // 2]


def _right(record: Record) -> Chain:
    """A valid chain that ends as it must, found from its end back to its beginning."""
    meta = record.item.meta
    sets, rule = meta["gold"], PATH_RULES[meta["path_rule"]]
    chain = [meta["final"][0]]
    for before, now in zip(sets[-2::-1], sets[:0:-1], strict=True):
        # Staying is always allowed, so the state itself comes first.
        chain.append(next(old for old in [chain[-1], *before] if old in before and rule(old, chain[-1], before, now)))
    return tuple(reversed(chain))


def _wrong(record: Record) -> Chain:
    item = record.item
    others = [item.meta["reality"], item.meta["decoy"], *item.choices]
    return (*_right(record)[:-1], next(state for state in others if state != item.answer))


EDITS: dict[str, Callable[[Record], Chain]] = {
    "own": _own,
    "truncated": _truncated,
    "right": _right,
    "wrong": _wrong,
}


# ---- items --------------------------------------------------------------------------------------------------------


def _led(record: Record, edit: str, chain: Chain, how: How) -> Item:
    item = record.item
    target = item.meta["target"]
    tags = {**item.tags, "edit": edit}
    meta = {**item.meta, "given": list(chain), "own": record.score.answer}
    made = replace(item, id=f"{item.id}/{edit}", tags=tags, meta=meta)
    if how == "notes":
        lines = [f"After sentence {number}: {state}" for number, state in enumerate(chain, start=1)]
        notes = "\n".join([f"Notes on what {target} believes, sentence by sentence:", *lines])
        return replace(made, context=f"{item.context}\n\n{notes}")
    steps = " ".join(f"After sentence {number}, {target} believes: {state}." for number, state in enumerate(chain, 1))
    return replace(made, cloze=f"{steps} So the answer is:")
