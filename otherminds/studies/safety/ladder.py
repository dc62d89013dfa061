"""Ladder: a series of two that any machine can load, so that a profile of the default model shows what a series is.

The second is another small model where its terms were accepted. Otherwise it is the default model without its last
layers: an ablation, and named so, which says nothing of how models develop.
"""

from __future__ import annotations

from otherminds.chapters import Desk, Subject
from otherminds.models import Model, get_model
from otherminds.models.local import Local
from otherminds.models.weights import present
from otherminds.report import Section
from otherminds.runs import run
from otherminds.studies.safety.measure import measure
from otherminds.studies.safety.series import Lineup, Member
from otherminds.studies.safety.sets import build
from otherminds.studies.safety.show import versions

FIRST, OTHER = "smollm2", "gemma-270m"
KEPT = 20
"""Layers of thirty."""
TASKS = ("TB", "FB/SA")


def ladder(subject: Subject, desk: Desk, size: int) -> list[Section]:
    """The section on the default model beside a second one; none for other models, and none without an answer."""
    if not isinstance(subject.model, Local) or subject.name != FIRST:
        return []
    second, name = _second()
    asked = build(tasks=TASKS, size=size, seed=desk.seed)
    runs = {}
    for model in (second, subject.model):
        with desk.progress(f"safety · series · {model.name}") as bar:
            done = run(asked, model, store=desk.store, seed=desk.seed, budget=desk.budget, progress=bar)
        if done.partial:
            return []
        runs[model.name] = [done]
    members = (Member(second.name, OTHER, name, 1), Member(FIRST, FIRST, name, 2))
    lineup = Lineup(members, size=size, tasks=TASKS, seed=desk.seed)
    return [Section("A series of two", versions(measure(lineup, runs), lineup))]


def _second() -> tuple[Model, str]:
    if present(OTHER):
        return get_model(OTHER, accept_licence=True), "two small models"
    return get_model(FIRST, layers=KEPT), "layers left out, an ablation"
