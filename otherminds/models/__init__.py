"""Models: the contract of two verbs (`contract`), one folder a backend, the gate that every result passes.

A backend knows nothing of items, stories or runs; `models` imports `errors` and `files` alone.
"""

from otherminds.models.contract import (
    BACKENDS,
    BROKEN_OFF,
    Finish,
    Message,
    Model,
    ModelDefaults,
    Origin,
    Prompt,
    Response,
    Role,
    Submitting,
    Usage,
    Verb,
    Weighing,
    completed,
    fingerprint,
    get_model,
)

__all__ = [
    "BACKENDS",
    "BROKEN_OFF",
    "Finish",
    "Message",
    "Model",
    "ModelDefaults",
    "Origin",
    "Prompt",
    "Response",
    "Role",
    "Submitting",
    "Usage",
    "Verb",
    "Weighing",
    "completed",
    "fingerprint",
    "get_model",
]
