"""A sample of `python -m tests.integrity.fail_everything`: commands of which one open, write, rename … fails."""

from collections.abc import Iterator

import pytest

from tests.integrity.fail_everything import KINDS, Bench, benches, can_fail

pytestmark = pytest.mark.skipif(not can_fail(), reason="faults are made by a library that takes Linux and a C compiler")
FAULTS = {
    "run": (("open", 3), ("write", 60), ("connect", 5), ("fork", 1)),
    "train": (("write", 9), ("rename", 3)),
}


@pytest.fixture(scope="module")
def faulty() -> Iterator[dict[str, Bench]]:
    pytest.importorskip("torch")
    with benches(list(FAULTS)) as made:
        yield {bench.name: bench for bench in made}


@pytest.mark.parametrize("name", FAULTS)
def test_after_a_fault_there_is_a_sentence_and_then_the_undisturbed_result(faulty: dict[str, Bench], name: str) -> None:
    bench = faulty[name]
    calm, counts = bench.undisturbed()
    assert all(counts[kind] >= at for kind, at in FAULTS[name])
    assert not [wrong for kind, at in FAULTS[name] for wrong in bench.fail(kind, at, calm)]


def test_every_kind_is_made(faulty: dict[str, Bench]) -> None:
    seen = {}
    for kind in KINDS:
        bench = faulty["train" if kind == "rename" else "run"]
        folder = bench.fresh("calm")
        end = bench.run(bench.words(folder), folder, kind, 1, KINDS[kind][1][0])
        seen[kind] = bool(end.where)
    assert seen == dict.fromkeys(KINDS, True)
