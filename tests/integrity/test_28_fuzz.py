"""Files and replies of others, spoilt in any way, come to a result or a sentence: a part of `python -m tests.fuzz`."""

import sys

import pytest

from tests.fuzz.fuzzing import fuzz
from tests.fuzz.targets import TARGETS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded by what Linux tells of it")
INPUTS = {"gguf": 60, "safetensors": 200, "stories": 60, "suites": 12, "stores": 10, "replies": 150}


@pytest.mark.parametrize("name", TARGETS)
def test_spoilt_inputs_come_to_a_result_or_a_sentence(name: str) -> None:
    tried, findings = fuzz(name, inputs=INPUTS[name], seed=1)
    assert tried == INPUTS[name]
    assert not [finding.why for finding in findings]


def test_a_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: object) -> None:
        raise KeyError(path)

    target = TARGETS["replies"]
    monkeypatch.setitem(TARGETS, "replies", type(target)("x", target.seeds, read))
    _, (finding,) = fuzz("replies", inputs=2)
    assert finding.why.startswith("KeyError")
