"""Ladder: a series of two that any machine can load, so that a profile of a small model shows what a series is.

The second is another small model where its terms were accepted. Otherwise it is the same model without its last
layers: an ablation, and named so, which says nothing of how models develop.
"""

from __future__ import annotations

from otherminds.models import Model, get_model
from otherminds.models.local.weights import WEIGHTS, present
from otherminds.pages.report import Section
from otherminds.runs.runs import run
from otherminds.studies.safety.build import build
from otherminds.studies.safety.measure import measure
from otherminds.studies.safety.page import versions
from otherminds.studies.safety.series import Lineup, Member
from otherminds.studies.study import Desk, Subject

LIGHT = 300_000_000
"""Bytes of weights that any machine can load a second time."""
TASKS = ("TB", "FB/SA")
SAID = (
    "What a series looks like, with what any machine can load. Where the second is the same model **ablated**, its last"
    " layers were left out: that says nothing of how models develop. `otherminds series` measures real ones."
)


def ladder(subject: Subject, desk: Desk, size: int) -> list[Section]:
    """The section on a small model beside a second one; none for other models, and none without an answer."""
    model = subject.model
    found = _second(model) if model else None
    if model is None or found is None:
        return []
    second, series = found
    asked = build(tasks=TASKS, size=size, seed=desk.seed)
    runs = {}
    for each in (second, model):
        with desk.progress(f"safety · series · {each.name}") as bar:
            done = run(asked, each, store=desk.store, seed=desk.seed, budget=desk.budget, progress=bar)
        if done.partial:
            return []
        runs[each.name] = [done]
    members = tuple(Member(name, name, series, rank) for rank, name in enumerate(runs, start=1))
    lineup = Lineup(members, size=size, tasks=TASKS, seed=desk.seed)
    return [Section("A series of two", [SAID, *versions(measure(lineup, runs), lineup)])]


def _second(model: Model) -> tuple[Model, str] | None:
    """Who stands beside a model, and what the series is called; nobody beside one that is large, or whole only."""
    shallower = model.shallower()
    if shallower is None or model.identity["size"] > LIGHT:
        return None
    for name, source in WEIGHTS.items():
        if source.terms and present(name) and name != model.name:
            return get_model(name, accept_licence=True), "two small models"
    return shallower, "layers left out, an ablation"
