import signal

import pytest

from otherminds.minds.events import Enter, Leave, Move
from otherminds.minds.story import Story

# Shells let background jobs ignore Ctrl-C, and so would every program that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


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
