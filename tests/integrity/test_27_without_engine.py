"""Where cyllama is missing, the default model is scored with the same tokens and the same numbers; the rest says so."""

import json
import os
import re
import shutil
import sys
import unicodedata
from importlib.metadata import PackageNotFoundError
from math import prod
from pathlib import Path
from typing import Any

import pytest

from otherminds.models.local import weights
from otherminds.models.local.gguf import PLAIN, read_header
from otherminds.models.local.model import Local
from tests.models.tiny import write_tiny
from tests.without_engine import ROOT, answers, elsewhere

SIZE = {"every": 23, "texts": 1000}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with nothing in it but the weights as they were fetched."""
    folder = tmp_path_factory.mktemp("cache")
    shutil.copyfile(weights.get("smollm2"), folder / "smollm2.gguf")
    return folder


@pytest.fixture(scope="module")
def without(home: Path) -> dict[str, Any]:
    other = write_tiny(home / "tiny.gguf")
    before = os.environ.get("OTHERMINDS_CACHE")
    os.environ["OTHERMINDS_CACHE"] = str(home)
    try:
        sizes = [word for name, size in SIZE.items() for word in (f"--{name}", str(size))]
        return elsewhere(*sizes, "--other", str(other))
    finally:
        os.environ.pop("OTHERMINDS_CACHE")
        if before is not None:
            os.environ["OTHERMINDS_CACHE"] = before


def test_tokens_numbers_and_fingerprint_are_those_of_the_engine(without: dict[str, Any]) -> None:
    with_it = answers(**SIZE)
    assert (without["engine"], with_it["engine"]) == ("BytePairs", "Engine")
    assert [key for key in with_it if with_it[key] != without[key]] == ["engine"]
    assert len(without["weighed"]) > 20


@pytest.mark.parametrize("what", ["text", "unexpanded", "other"])
def test_what_needs_the_engine_says_so_in_one_sentence(without: dict[str, Any], what: str) -> None:
    name = "gguf:tiny.gguf" if what == "other" else "smollm2"
    assert without["refusals"][what].startswith(
        f"{name} needs cyllama, which cannot be imported (No module named 'cyllama')"
    )
    assert f"pip install cyllama=={weights.ENGINE}" in without["refusals"][what]


def test_the_weights_at_16_bits_are_those_of_the_engine(tmp_path: Path, without: dict[str, Any], home: Path) -> None:
    (ours,) = home.glob(f"{weights.WEIGHTS['smollm2'].sha256}.f16.gguf")
    theirs = weights.expand(weights.get("smollm2"), sha256=weights.WEIGHTS["smollm2"].sha256)
    one, two = read_header(ours), read_header(theirs)
    assert (dict(one.metadata), one.tensors.keys()) == (dict(two.metadata), two.tensors.keys())
    first, second = ours.read_bytes(), theirs.read_bytes()
    for name, tensor in one.tensors.items():
        other, size = two.tensors[name], PLAIN[tensor.kind] * prod(tensor.shape)
        assert tensor.kind == other.kind
        assert first[tensor.start : tensor.start + size] == second[other.start : other.start + size], name


def test_the_engine_we_stand_in_for_is_the_one_in_pyproject(monkeypatch: pytest.MonkeyPatch) -> None:
    pinned = re.search(r'"cyllama==([\d.]+)', (ROOT / "pyproject.toml").read_text("utf-8"))
    assert pinned
    assert pinned[1] == weights.ENGINE
    identity = Local("smollm2").identity

    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(weights, "version", missing)
    assert Local("smollm2").identity == identity


def test_letters_are_those_of_llama_cpps_unicode() -> None:
    table = json.loads((ROOT / "otherminds/data/unicode.json").read_text("utf-8"))
    if unicodedata.unidata_version != table["unicode"]:
        pytest.skip(f"this Python has Unicode {unicodedata.unidata_version}")
    for kind, first in (("letters", "L"), ("numbers", "N")):
        found = re.compile(f"[{table[kind]}]")
        for code in range(sys.maxunicode + 1):
            assert bool(found.match(chr(code))) == unicodedata.category(chr(code)).startswith(first), hex(code)
