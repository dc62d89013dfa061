"""A Llama of a few thousand random weights in a GGUF file: real enough for llama.cpp, quick enough for every test."""

from pathlib import Path

import gguf
import numpy as np

WIDTH, HEADS, KV_HEADS, LAYERS, INNER, CONTEXT = 64, 4, 2, 2, 96, 512
CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def byte_characters() -> list[str]:
    """GPT-2's printable stand-ins for the 256 bytes, written here a second time to check the package's own table."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(others)) for byte in range(256)]


def write_tiny(
    path: Path,
    *,
    seed: int = 0,
    kind: gguf.GGMLQuantizationType = gguf.GGMLQuantizationType.F32,
    template: str = TEMPLATE,
    own_head: bool = True,
    more: dict[str, float] | None = None,
) -> Path:
    """A tiny Llama at `path`; `kind` is how its matrices are kept."""
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_file_type({"F32": 0, "F16": 1, "BF16": 32, "Q8_0": 7}[kind.name])
    for key, value in (more or {}).items():
        writer.add_float32(key, value)
    count = _add_vocabulary(writer, template)
    _add_tensors(writer, np.random.default_rng(seed), kind, count, own_head)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_vocabulary(writer: gguf.GGUFWriter, template: str) -> int:
    characters = byte_characters()
    merges = [("Ġ", letter) for letter in "ABCabtr"] + [("Ġb", "o"), ("Ġbo", "x"), ("Ġr", "e"), ("Ġre", "d")]
    tokens = [*CONTROL, *characters, *(left + right for left, right in merges)]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([3] * len(CONTROL) + [1] * (len(tokens) - len(CONTROL)))
    writer.add_token_merges([f"{left} {right}" for left, right in merges])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(False)
    if template:
        writer.add_chat_template(template)
    return len(tokens)


def _add_tensors(
    writer: gguf.GGUFWriter, random: np.random.Generator, kind: gguf.GGMLQuantizationType, count: int, own_head: bool
) -> None:
    def matrix(name: str, rows: int, columns: int) -> None:
        data = random.normal(0, 1.5 / np.sqrt(columns), (rows, columns)).astype(np.float32)
        writer.add_tensor(name, gguf.quantize(data, kind), raw_dtype=kind)

    def norm(name: str) -> None:
        writer.add_tensor(name, random.uniform(0.5, 1.5, WIDTH).astype(np.float32))

    matrix("token_embd.weight", count, WIDTH)
    kv_width = WIDTH // HEADS * KV_HEADS
    for layer in range(LAYERS):
        norm(f"blk.{layer}.attn_norm.weight")
        matrix(f"blk.{layer}.attn_q.weight", WIDTH, WIDTH)
        matrix(f"blk.{layer}.attn_k.weight", kv_width, WIDTH)
        matrix(f"blk.{layer}.attn_v.weight", kv_width, WIDTH)
        matrix(f"blk.{layer}.attn_output.weight", WIDTH, WIDTH)
        norm(f"blk.{layer}.ffn_norm.weight")
        matrix(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
        matrix(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
        matrix(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)
    norm("output_norm.weight")
    if own_head:
        matrix("output.weight", count, WIDTH)
