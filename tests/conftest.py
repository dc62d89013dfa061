import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from otherminds.minds.events import Enter, Leave, Move
from otherminds.minds.story import Story
from otherminds.models.api import wire

# No test looks at the clock: a busy machine makes inputs slowly, and that is no fault.
settings.register_profile("gate", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("gate")

# Shells let background jobs ignore Ctrl-C, and so would every program that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
SLEEP = wire.sleep


@pytest.fixture
def sally_anne() -> Story:
    """The field's best-known story: the marble goes from the basket to the box while Sally is away."""
    return Story.of(
        Enter("Sally", "den"),
        Enter("Anne", "den"),
        Move("Sally", "marble", "basket"),
        Leave("Sally", "den"),
        Move("Anne", "marble", "box"),
    )


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, whose store is its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OTHERMINDS_STORE", raising=False)
    return tmp_path


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that fails is tried again as often as in earnest, only sooner."""
    if wire.sleep is SLEEP:
        monkeypatch.setattr(wire, "sleep", lambda seconds: SLEEP(min(seconds * 0.02, 0.2)))
