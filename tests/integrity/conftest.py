from collections.abc import Iterator

import pytest

from tests.faults.bench import Bench, hastened
from tests.faults.server import FaultServer


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """A small suite, and a server whose faults a test chooses."""
    with hastened(), FaultServer().running() as server:
        yield Bench(server, items=16, limit=30)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between tries, which are noted and not waited."""
    noted: list[float] = []

    async def note(seconds: float) -> bool:
        noted.append(seconds)
        return False

    monkeypatch.setattr("otherminds.models.api.wire.sleep", note)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return noted
