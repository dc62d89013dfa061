"""otherminds: measure, stress-test, explain and train theory of mind in language models.

import otherminds as om

run = om.run(om.get_suite("starter"), om.get_model("smollm2"), store=om.Store("otherminds.db"))
om.summarise([run]).save("report.html")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from otherminds.baselines import oracle, realist
    from otherminds.errors import InvalidEvent, OthermindsError
    from otherminds.events import Carry, Change, Enter, Leave, Look, Move, Open, Place, Tell
    from otherminds.items import Item, Suite
    from otherminds.models import Message, Model, Prompt, Response, Weighing, get_model
    from otherminds.models.check import check_model
    from otherminds.models.scripted import Scripted
    from otherminds.questions import quiz
    from otherminds.report import Report
    from otherminds.runs import Budget, Recorded, Run, run
    from otherminds.scores import Score
    from otherminds.setting import Setting
    from otherminds.store import Store
    from otherminds.stories import load_story
    from otherminds.story import Premises, Story
    from otherminds.suites import get_suite
    from otherminds.summary import summarise
    from otherminds.world import Fact

# Looked up on first use: the command line must not wait for numpy, httpx or an engine before it can say --help.
_HOMES = {
    "Budget": "runs",
    "Carry": "events",
    "Change": "events",
    "Enter": "events",
    "Fact": "world",
    "InvalidEvent": "errors",
    "Item": "items",
    "Leave": "events",
    "Look": "events",
    "Message": "models",
    "Model": "models",
    "Move": "events",
    "Open": "events",
    "OthermindsError": "errors",
    "Place": "events",
    "Premises": "story",
    "Prompt": "models",
    "Recorded": "runs",
    "Report": "report",
    "Response": "models",
    "Run": "runs",
    "Score": "scores",
    "Scripted": "models.scripted",
    "Setting": "setting",
    "Store": "store",
    "Story": "story",
    "Suite": "items",
    "Tell": "events",
    "Weighing": "models",
    "check_model": "models.check",
    "get_model": "models",
    "get_suite": "suites",
    "load_story": "stories",
    "oracle": "baselines",
    "quiz": "questions",
    "realist": "baselines",
    "run": "runs",
    "summarise": "summary",
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
    "check_model",
    "get_model",
    "get_suite",
    "load_story",
    "oracle",
    "quiz",
    "realist",
    "run",
    "summarise",
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
