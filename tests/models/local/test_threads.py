"""How many threads the local engine takes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from otherminds.models.local import threads


@pytest.fixture
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.setattr(threads, "_cores", lambda: 4)


@pytest.mark.usefixtures("eight_cores")
@pytest.mark.parametrize(("others", "wanted"), [(0, 4), (4, 4), (5, 3), (7, 1), (8, 1), (100, 1)])
def test_only_cores_that_nobody_uses_are_taken(monkeypatch: pytest.MonkeyPatch, others: int, wanted: int) -> None:
    monkeypatch.setattr(threads, "_others", lambda: others)
    assert threads.free() == wanted


@pytest.mark.usefixtures("eight_cores")
def test_what_the_user_says_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_others", lambda: 100)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert threads.free() == 3


def test_this_program_is_not_one_of_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = tmp_path / "loadavg"
    load.write_text("0.20 0.18 0.12 3/1200 4711\n")
    own = _tasks(tmp_path, "R", "S")
    assert threads._others(str(load), own) == 2
    monkeypatch.setattr("os.getloadavg", lambda: (1.6, 0.0, 0.0))
    load.write_text("nothing that we know")
    assert threads._others(str(load)) == threads._others(str(tmp_path / "none")) == 2


def test_threads_that_still_spin_after_a_multiplication_are_not_others(tmp_path: Path) -> None:
    load = tmp_path / "loadavg"
    load.write_text("0.20 0.18 0.12 3/1200 4711\n")
    assert threads._others(str(load), _tasks(tmp_path, "R", "R", "S")) == 1
    load.write_text("0.20 0.18 0.12 1/1200 4711\n")  # one of the two went to sleep in between
    assert threads._others(str(load), str(tmp_path / "task")) == 0


def _tasks(folder: Path, *states: str) -> str:
    for number, state in enumerate(states):
        task = folder / "task" / str(number)
        task.mkdir(parents=True, exist_ok=True)
        (task / "stat").write_text(f"{number} (odd) name) {state} 1 2 3\n")
    return str(folder / "task")


def test_as_many_threads_as_are_free_multiply_each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr(threads, "_set_threads", lambda: taken.append)
    for free in (2, 1):
        monkeypatch.setattr(threads, "free", lambda free=free: free)
        with threads.apart() as each:
            done: list[int] = []
            each(range(5), done.append)
            assert (each.threads, sorted(done)) == (free, [0, 1, 2, 3, 4])
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    with threads.apart() as each:
        assert each.threads == 1
    assert taken == [1, 1]


def test_what_fails_in_a_thread_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr(threads, "free", lambda: 2)
    with threads.apart() as each, pytest.raises(ZeroDivisionError):
        each([1, 0], lambda number: divmod(1, number))


def test_products_do_not_depend_on_the_threads() -> None:
    a, b = np.random.default_rng(0).standard_normal((2, 576, 576), dtype=np.float32)
    products = []
    for number in (1, 2):
        threads._set_threads()(number)
        products.append(a @ b)
    np.testing.assert_allclose(products[0], products[1], rtol=0, atol=1e-3)


def test_waiting_threads_sleep_unless_somebody_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOMP_SPINCOUNT", "7")
    threads.sleep_soon()
    assert os.environ["GOMP_SPINCOUNT"] == "7"
    monkeypatch.delenv("GOMP_SPINCOUNT")
    threads.sleep_soon()
    assert os.environ["GOMP_SPINCOUNT"] == threads.SPINS
