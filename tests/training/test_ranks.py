"""Two processes with half of the rows each take the steps of one that has them all."""

import os
import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")

from otherminds.training import ranks  # noqa: E402
from tests.models.tiny import write_tiny  # noqa: E402
from tests.training.test_train_command import call, lessons, refuses  # noqa: E402


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_two_processes_learn_what_one_learns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = write_tiny(tmp_path / "tiny.gguf")
    data = lessons(tmp_path / "data", base)
    more = ["--full", "--device", "cpu", "--rows", "4", "--length", "512", "--steps", "2", "--save-every", "2"]
    more += ["--rate", "0.001", "--warm-up", "0", "--replay", "4", "--replay-rows", "2", "-m", f"gguf:{base}"]
    together = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    arguments = ["train", str(data), "-o", str(tmp_path / "two"), *more]
    other = subprocess.Popen(
        [sys.executable, "-m", "otherminds", *arguments],
        env={**os.environ, **together, "RANK": "1", "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
    )
    call("train", data, "-o", tmp_path / "one", *more)
    with monkeypatch.context() as first:
        first.setattr(ranks, "PATIENCE", timedelta(seconds=60))
        for name, value in {**together, "RANK": "0"}.items():
            first.setenv(name, value)
        assert "adapter.safetensors" in call(*arguments)
    assert other.communicate(timeout=60)[0] == b""
    assert other.returncode == 0
    one, two = (torch.load(tmp_path / name / "state.pt", weights_only=True) for name in ("one", "two"))
    for name, weight in one["weights"].items():
        torch.testing.assert_close(two["weights"][name], weight, atol=2e-5, rtol=1e-4)
    # Adam takes the same step for gradients twice as large, so these are compared too.
    for number, state in one["optimizer"]["state"].items():
        assert state["exp_avg"].abs().max() > 1e-4
        torch.testing.assert_close(two["optimizer"]["state"][number]["exp_avg"], state["exp_avg"], atol=1e-6, rtol=1e-3)
    assert two["curve"][-1]["loss"] == pytest.approx(one["curve"][-1]["loss"], rel=1e-4)
    monkeypatch.setenv("WORLD_SIZE", "3")
    assert "3 processes share the rows of a step" in refuses("train", data, "-o", tmp_path / "three", *more)
