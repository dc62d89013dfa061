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
    from otherminds.errors import BadFile, InvalidEvent, ModelError, OthermindsError, StoreError, UsageError
    from otherminds.items import Item, Suite
    from otherminds.models import Message, Model, Prompt, Response, Weighing, get_model
    from otherminds.models.check import check_model
    from otherminds.models.scripted import Scripted
    from otherminds.report import Report
    from otherminds.runs import Budget, Recorded, Run, run
    from otherminds.scores import Score
    from otherminds.store import Store
    from otherminds.suites import get_suite
    from otherminds.summary import summarise

# Looked up on first use: the command line must not wait for numpy, httpx or an engine before it can say --help.
_HOMES = {
    "BadFile": "errors",
    "Budget": "runs",
    "InvalidEvent": "errors",
    "Item": "items",
    "Message": "models",
    "Model": "models",
    "ModelError": "errors",
    "OthermindsError": "errors",
    "Prompt": "models",
    "Recorded": "runs",
    "Report": "report",
    "Response": "models",
    "Run": "runs",
    "Score": "scores",
    "Scripted": "models.scripted",
    "Store": "store",
    "StoreError": "errors",
    "Suite": "items",
    "UsageError": "errors",
    "Weighing": "models",
    "check_model": "models.check",
    "get_model": "models",
    "get_suite": "suites",
    "oracle": "baselines",
    "realist": "baselines",
    "run": "runs",
    "summarise": "summary",
}

__all__ = [
    "BadFile",
    "Budget",
    "InvalidEvent",
    "Item",
    "Message",
    "Model",
    "ModelError",
    "OthermindsError",
    "Prompt",
    "Recorded",
    "Report",
    "Response",
    "Run",
    "Score",
    "Scripted",
    "Store",
    "StoreError",
    "Suite",
    "UsageError",
    "Weighing",
    "check_model",
    "get_model",
    "get_suite",
    "oracle",
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
