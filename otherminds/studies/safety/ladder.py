"""Ladder: a series of two that any machine can load, so that a profile of the default model shows what a series is.

The second is another small model where its terms were accepted. Otherwise it is the default model without its last
layers: an ablation, and named so, which says nothing of how models develop.
"""

from __future__ import annotations

from otherminds.asking.runs import run
from otherminds.models import Model, get_model
from otherminds.models.local.weights import present
from otherminds.pages.report import Section
from otherminds.studies.safety.build import build
from otherminds.studies.safety.measure import measure
from otherminds.studies.safety.page import versions
from otherminds.studies.safety.series import Lineup, Member
from otherminds.studies.study import Desk, Subject

FIRST, OTHER = "smollm2", "gemma-270m"
KEPT = 20
"""Layers of thirty."""
TASKS = ("TB", "FB/SA")
SAID = (
    "What a series looks like, with what any machine can load. Where the second is the same model **ablated**, its last"
    " layers were left out: that says nothing of how models develop. `otherminds series` measures real ones."
)


def ladder(subject: Subject, desk: Desk, size: int) -> list[Section]:
    """The section on the default model beside a second one; none for other models, and none without an answer."""
    model = subject.model
    if model is None or subject.name != FIRST or model.identity.get("backend") != "gguf":
        return []
    second, name = _second()
    asked = build(tasks=TASKS, size=size, seed=desk.seed)
    runs = {}
    for each in (second, model):
        with desk.progress(f"safety · series · {each.name}") as bar:
            done = run(asked, each, store=desk.store, seed=desk.seed, budget=desk.budget, progress=bar)
        if done.partial:
            return []
        runs[each.name] = [done]
    spec = FIRST if second.name.startswith(FIRST) else OTHER
    members = (Member(second.name, spec, name, 1), Member(FIRST, FIRST, name, 2))
    lineup = Lineup(members, size=size, tasks=TASKS, seed=desk.seed)
    return [Section("A series of two", [SAID, *versions(measure(lineup, runs), lineup)])]


def _second() -> tuple[Model, str]:
    if present(OTHER):
        return get_model(OTHER, accept_licence=True), "two small models"
    return get_model(FIRST, layers=KEPT), "layers left out, an ablation"
