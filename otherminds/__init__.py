"""otherminds: measure, stress-test, explain and train theory of mind in language models.

import otherminds as om

run = om.run("starter", "smollm2", store="otherminds.db")
om.summarise([run]).save("report.html")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from otherminds.commands.check import check
    from otherminds.commands.compare import compare
    from otherminds.commands.profile import profile
    from otherminds.commands.run import run
    from otherminds.commands.show import load
    from otherminds.diagnosis.diagnosis import diagnose
    from otherminds.errors import InvalidEvent, OthermindsError
    from otherminds.formats.scores import Score
    from otherminds.heuristics.readers import oracle, realist
    from otherminds.items import Item, Suite
    from otherminds.minds.events import Carry, Change, Enter, Leave, Look, Move, Open, Place, Tell
    from otherminds.minds.questions import quiz
    from otherminds.minds.setting import Setting
    from otherminds.minds.stories import load_story
    from otherminds.minds.story import Premises, Story
    from otherminds.minds.world import Fact
    from otherminds.models import Message, Model, Prompt, Response, Weighing
    from otherminds.models.check import check_model
    from otherminds.models.scripted import Scripted
    from otherminds.pages.report import Report
    from otherminds.results.storybook import timeline
    from otherminds.results.summary import summarise
    from otherminds.runs.runs import Budget, Recorded, Run
    from otherminds.store.store import Store
    from otherminds.studies.explore.exploring import explore
    from otherminds.studies.suites import get_suite
    from otherminds.terminal.names import get_model

# Looked up on first use: the command line must not wait for numpy or an engine before it can say --help.
_HOMES = {
    "Budget": "runs.runs",
    "Carry": "minds.events",
    "Change": "minds.events",
    "Enter": "minds.events",
    "Fact": "minds.world",
    "InvalidEvent": "errors",
    "Item": "items",
    "Leave": "minds.events",
    "Look": "minds.events",
    "Message": "models",
    "Model": "models",
    "Move": "minds.events",
    "Open": "minds.events",
    "OthermindsError": "errors",
    "Place": "minds.events",
    "Premises": "minds.story",
    "Prompt": "models",
    "Recorded": "runs.runs",
    "Report": "pages.report",
    "Response": "models",
    "Run": "runs.runs",
    "Score": "formats.scores",
    "Scripted": "models.scripted",
    "Setting": "minds.setting",
    "Store": "store.store",
    "Story": "minds.story",
    "Suite": "items",
    "Tell": "minds.events",
    "Weighing": "models",
    "check": "commands.check",
    "check_model": "models.check",
    "compare": "commands.compare",
    "diagnose": "diagnosis.diagnosis",
    "explore": "studies.explore.exploring",
    "get_model": "terminal.names",
    "get_suite": "studies.suites",
    "load": "commands.show",
    "load_story": "minds.stories",
    "oracle": "heuristics.readers",
    "profile": "commands.profile",
    "quiz": "minds.questions",
    "realist": "heuristics.readers",
    "run": "commands.run",
    "summarise": "results.summary",
    "timeline": "results.storybook",
}

__all__ = [
    "Budget",
    "Carry",
    "Change",
    "Enter",
    "Fact",
    "InvalidEvent",
    "Item",
    "Leave",
    "Look",
    "Message",
    "Model",
    "Move",
    "Open",
    "OthermindsError",
    "Place",
    "Premises",
    "Prompt",
    "Recorded",
    "Report",
    "Response",
    "Run",
    "Score",
    "Scripted",
    "Setting",
    "Store",
    "Story",
    "Suite",
    "Tell",
    "Weighing",
    "check",
    "check_model",
    "compare",
    "diagnose",
    "explore",
    "get_model",
    "get_suite",
    "load",
    "load_story",
    "oracle",
    "profile",
    "quiz",
    "realist",
    "run",
    "summarise",
    "timeline",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("otherminds")
    if name not in _HOMES:
        raise AttributeError(f"module 'otherminds' has no attribute {name!r}")
    value = getattr(import_module(f"otherminds.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
