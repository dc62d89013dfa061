"""Writes docs/api.md from docstrings: `python docs/make_api.py`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from inspect import Parameter, Signature, getdoc, isclass, signature
from pathlib import Path
from typing import Any

import otherminds as om

PUBLIC = {
    "Stories": "Story Premises Setting Fact Enter Leave Move Carry Open Look Tell Change Place load_story timeline",
    "Questions and suites": "quiz Item Suite get_suite load",
    "Models": "get_model Model Prompt Message Response Weighing Scripted check_model",
    "Baselines": "oracle realist",
    "Runs": "run Run Score Store Recorded Budget",
    "Findings": "summarise Report compare check diagnose profile explore",
    "Errors": "OthermindsError InvalidEvent",
}
"""Every name of `import otherminds as om`, by what it is for."""
MODULES = {
    "Other modules": {
        "models": "fingerprint",
        "models.check": "BrokenContract",
        "models.adapters": "Adapter read write shipped",
        "commands.train": "train",
        "training.lessons": "Recipe lesson Lesson Branch",
        "runs.runs": "load estimate Record",
        "results.answers": "Answers Answer",
        "results.measures": "mean_of twins_right compare chance leaning",
        "results.comparisons": "Comparisons compare_several",
        "items.lint": "faults",
        "heuristics.rules": "Heuristic rules_for",
        "heuristics.cues": "Cue cues HeuristicScore tried",
        "results.exports": "lm_eval_files inspect_files csv_text save as_log",
        "heuristics.readers": "baselines Reader",
        "stats": "Estimate Difference",
        "results.storybook": "Timeline",
        "diagnosis.diagnosis": "Diagnosis",
        "diagnosis.audit": "audit Audit separate",
        "diagnosis.confusion": "Confusion",
        "diagnosis.cells": "MapCell",
        "pages.report": "Section Table Figure Cards Folded Example",
        "studies.study": "Study Subject Desk Finding Chapter ask_each",
        "studies.declared": "ScoreOf GapOf findings declared_study",
        "studies.builds": "Build Built",
    },
    "Study: explore": {
        "stories.sets": "choose grid",
        "stories.contexts": "bank read_contexts",
        "studies.explore.exploring": "Exploration",
        "studies.explore.retelling": "tell_in_prose",
        "search.hunt": "hunt Found",
        "studies.explore.material.build": "suite open_suite pairs balanced",
        "studies.explore.material.folders": "load save",
        "studies.explore.material.measure": "measure StoryAnswers",
        "studies.explore.page": "show",
        "search.training": "triples save",
        "prose.retelling": "retell retell_all",
        "prose.invent": "invent write_context",
        "stories.need": "shares",
    },
    "Study: perturbed": {
        "studies.perturbed.tasks.build": "build",
        "studies.perturbed.tasks.intervene": "build",
        "studies.perturbed.measure": "measure",
        "studies.perturbed.page": "show",
        "studies.perturbed.tasks.chains": "compare",
    },
    "Study: safety": {
        "studies.safety.plots.build": "build",
        "studies.safety.lineups": "measure LineupResults",
        "studies.safety.page": "show save",
        "results.lineups": "Member Lineup read_lineup",
        "commands.series": "measure_series Measured",
    },
    "Study: dialogue": {
        "talks.bank": "people scenes castings authored labels",
        "talks.play": "play",
        "talks.talk": "Talk Turn load save",
        "studies.dialogue.questions.build": "build",
        "studies.dialogue.questions.published": "read write",
        "talks.judge": "misreads coherence safety validity suited verdicts sift accord Judged",
        "studies.dialogue.answered": "DialogueAnswers",
        "studies.dialogue.page": "show",
        "talks.ablation": "ablate",
        "studies.dialogue.questions.traits": "pairs judge_suite",
        "commands.play": "play_talks",
        "commands.judge": "judge_talks write_forms",
    },
}
HEAD = """# API reference

Made from docstrings by `python docs/make_api.py`. Options stand after `*` and are given by name.
What the words mean is in [semantics.md](semantics.md) and in the page of each study.
"""


class Plain(str):
    """An annotation that is printed without quotes."""

    __repr__ = str.__str__


def page() -> str:
    """The whole page."""
    lines = [HEAD, "## import otherminds as om\n"]
    for title, names in PUBLIC.items():
        lines += [f"### {title}\n", *(line for name in names.split() for line in entry(name, getattr(om, name))), ""]
    for title, modules in MODULES.items():
        lines += [f"## {title}\n"]
        for module, names in modules.items():
            home = import_module(f"otherminds.{module}")
            found = (line for name in names.split() for line in entry(name, getattr(home, name)))
            lines += [f"### otherminds.{module}\n", *found, ""]
    return "\n".join(lines).rstrip() + "\n"


def entry(name: str, thing: Any) -> Iterator[str]:
    """A name with its signature and what it is; a class with its verbs."""
    yield f"- `{name}{shown(thing)}`  \n  {summary(thing)}"
    for verb, part in vars(thing).items() if isclass(thing) else ():
        inner = getattr(part, "__func__", part)
        if verb.startswith("_") or not getattr(inner, "__doc__", None):
            continue
        if isinstance(part, property | cached_property):
            yield f"  - `.{verb}`: {summary(part)}"
        elif callable(inner):
            yield f"  - `.{verb}{shown(inner)}`: {summary(inner)}"


def shown(thing: Any) -> str:
    """The signature, without quotes, `self` and long defaults; nothing where there is none to call."""
    if isclass(thing) and (issubclass(thing, BaseException) or getattr(thing, "_is_protocol", False)):
        return ""
    given = signature(thing)
    parts = [plain(part) for name, part in given.parameters.items() if name not in ("self", "cls")]
    back = Signature.empty if isclass(thing) else Plain(given.return_annotation)
    return str(given.replace(parameters=parts, return_annotation=back))


def plain(part: Parameter) -> Parameter:
    kind = part.annotation
    if kind is not Parameter.empty:
        part = part.replace(annotation=Plain(getattr(kind, "__forward_arg__", kind)))
    long = part.default is not Parameter.empty and ("<" in repr(part.default) or len(repr(part.default)) > 24)
    return part.replace(default=Plain("…")) if long else part


def summary(thing: Any) -> str:
    """The first paragraph of the docstring, on one line."""
    return " ".join((getdoc(thing) or "").split("\n\n")[0].split())


if __name__ == "__main__":
    Path(__file__).with_name("api.md").write_text(page(), encoding="utf-8")
