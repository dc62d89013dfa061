"""A capable writer and judges on a loopback server: they know what the stories prove, and err as often as told.

The writer plants an error in some of the passages it offers and remembers which. What a judge should say of a passage
is worked out from the events that the passage really tells.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from otherminds.minds.telling import clause
from otherminds.prose.claims import Step, claims, steps
from otherminds.prose.judges import PAIRS, PLANTED, trials
from otherminds.studies.explore.material.folders import load
from tests.models.scripted_server import Call, Reply, chat

SCENE = "Rain taps on the roof. It smells of soap."


def unit(*parts: str) -> float:
    """A number from 0 to 1, the same for the same texts."""
    return int(hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12], 16) / 16**12


def wrong_steps(step: Step) -> Iterator[Step]:
    """The same step with one thing changed in its only event."""
    if len(step.moments) == 1:
        for plant in PLANTED.values():
            for event in filter(step.before.can, plant(step.moments[0].event, step.before)):
                changed = steps(step.before.after(event))[-1]
                if changed.raw != step.raw:
                    yield changed


def holds(question: str, step: Step, real: Step) -> bool:
    """Whether yes is right of a passage that was to tell `step` and tells `real`."""
    hoped = {claim.question: claim.hoped for claim in claims(step)}[question]
    if step is real:
        return hoped
    known = {claim.question: claim.hoped for claim in claims(real)}
    if question in known:
        return known[question]
    if "Does the passage tell this" in question:
        return step.after.view().facts() == real.after.view().facts()
    if "Does anybody secretly" in question:
        return bool(real.moments[0].event.peekers)
    if "Is anybody there distracted" in question:
        return bool(real.moments[0].event.distracted)
    for name in (None, *real.after.people):
        view = real.after.view(*([name] if name else []))
        says = f"does {name} think that" if name else "is it so that"
        for fact in {*step.after.view().facts(), *real.after.view().facts()}:
            if question == f"After the new passage, {says} {clause(fact, real.after.cast.roles)}?":
                return view.has(fact)
    return hoped


@dataclass
class Company:
    """Answers for a writer and any number of judges, by the name of the model that is called."""

    folder: Path
    planted_share: float = 0.25
    judge_errors: float = 0.1
    planted: set[str] = field(default_factory=set)
    offered: dict[str, tuple[Step, Step]] = field(default_factory=dict)
    """Every passage that was offered, what it should tell and what it tells."""

    def __call__(self, call: Call) -> Reply:
        if "messages" not in call.body:
            return Reply({"error": "chat only"}, status=404)
        asked = call.body["messages"][-1]["content"]
        model = str(call.body["model"])
        if "What happens next, in bare words: " in asked:
            return chat(self.write(asked))
        if "It is going to be told at length" in asked:
            return chat(json.dumps({"scene": SCENE, "goals": []}))
        if "yes or no" in asked:
            return chat(self.judge(model, asked))
        return chat("Hello there.")

    def write(self, asked: str) -> str:
        raw, so_far = _part("What happens next, in bare words: ", asked), _part("The story so far: ", asked)
        number = int(re.search(r"Write (\d+) different", asked)[1])  # type: ignore[index]
        step = self.step(raw, [self.offered[text][0].raw for text in _passages(so_far)])
        wrong = list(wrong_steps(step))
        texts = []
        for at in range(number):
            errs = wrong and unit("writer", asked, str(at)) < self.planted_share
            real = wrong[int(unit("which", asked, str(at)) * len(wrong))] if errs else step
            # No two passages are alike, so that a passage tells by itself what it was to tell.
            text = f"After {int(unit('breaths', asked, str(at)) * 1e9)} breaths: {real.raw}"
            self.offered[text] = (step, real)
            self.planted |= {text} if real is not step else set()
            texts.append(text)
        return json.dumps({"continuations": texts})

    def step(self, raw: str, before: list[str]) -> Step:
        """The step that these bare words are, after those before it."""
        told = [*before, raw]
        for each in load(self.folder):
            parts = steps(each.story)
            if [step.raw for step in parts][: len(told)] == told:
                return parts[len(before)]
        raise AssertionError(f"no story goes on like this: {told}")

    def judge(self, model: str, asked: str) -> str:
        wrong = unit(model, asked) < self.judge_errors
        return "yes" if self.truth(asked) is not wrong else "no"

    def truth(self, asked: str) -> bool:
        if "The opening: " in asked:
            return "coherent" in asked
        question = asked.split("\n\n")[-1].splitlines()[0]
        passage = _part("The new passage: ", asked)
        if passage in self.offered:
            return holds(question, *self.offered[passage])
        about = asked.rpartition(f"\n\n{question}")[0]
        return next(
            trial.claim.hoped is not trial.planted
            for trial in trials(PAIRS)
            if trial.preface == about and trial.claim.question == question
        )


def _part(label: str, asked: str) -> str:
    return asked.partition(label)[2].partition("\n")[0]


def _passages(so_far: str) -> list[str]:
    return [text.strip() for text in re.split(r"(?=After \d+ breaths:)", so_far)[1:]]
