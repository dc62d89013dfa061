from pathlib import Path

import gguf
import pytest

from otherminds.errors import WeightsError
from otherminds.models.local.gguf import read_header
from tests.models.tiny import CONTEXT, CONTROL, TEMPLATE, byte_characters, write_tiny


def test_reads_what_the_gguf_package_wrote(tiny_path: Path) -> None:
    header = read_header(tiny_path)
    assert (header.architecture, header.context, header.quantisation) == ("llama", CONTEXT, "F32")
    assert header.template == TEMPLATE
    assert header.specials == {name: number for number, name in enumerate(CONTROL)}
    reader = gguf.GGUFReader(str(tiny_path))
    assert {t.name: tuple(reversed(t.shape.tolist())) for t in reader.tensors} == {
        name: tensor.shape for name, tensor in header.tensors.items()
    }
    assert {t.name: t.data_offset for t in reader.tensors} == {n: t.start for n, t in header.tensors.items()}


def test_every_byte_has_its_piece(tiny_path: Path) -> None:
    header = read_header(tiny_path)
    start = len(CONTROL)
    assert header.pieces[start : start + 256] == [bytes([byte]) for byte in range(256)]
    assert len(set(byte_characters())) == 256
    assert b" box" in header.pieces


def test_sentencepiece_pieces(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(str(tmp_path / "spm.gguf"), "llama")
    writer.add_tokenizer_model("llama")
    writer.add_token_list(["<s>", "<0x0A>", "▁box", "é"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    assert read_header(tmp_path / "spm.gguf").pieces == [b"<s>", b"\n", b" box", "é".encode()]


def test_quantised_or_not(tmp_path: Path) -> None:
    kinds = gguf.GGMLQuantizationType
    for kind in (kinds.F32, kinds.F16, kinds.BF16):
        assert read_header(write_tiny(tmp_path / "plain.gguf", kind=kind)).plain
    assert not read_header(write_tiny(tmp_path / "small.gguf", kind=kinds.Q8_0)).plain


def test_files_that_cannot_be_used(tiny_path: Path, tmp_path: Path) -> None:
    whole = tiny_path.read_bytes()
    cases = {
        "text.gguf": (b"hello", "is not a GGUF file"),
        "head.gguf": (whole[:2000], "damaged"),
        "half.gguf": (whole[: len(whole) // 2], "cut short"),
        "old.gguf": (whole[:4] + bytes([1, 0, 0, 0]) + whole[8:], "version 1"),
        "empty.gguf": (whole[:8] + bytes(16), "general.architecture"),
    }
    for name, (content, reason) in cases.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(WeightsError, match=reason):
            read_header(tmp_path / name)
    with pytest.raises(WeightsError, match="there is no file"):
        read_header(tmp_path / "missing.gguf")
    with pytest.raises(WeightsError, match="cannot be read"):
        read_header(tmp_path)
