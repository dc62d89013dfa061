"""What `hf:` is worth beside a plain transformers loop: questions a second, as ratios within one run.

    python benchmarks/gpu.py [--sizes tiny 135m 8b] [--questions 2000] [--texts 20] [--dtype bfloat16]

Weights are random, in the shape of a real model, so nothing is fetched. The plain loop is the one that anybody would
write: prompts sorted by length, batches, the head on the last token. Both are given the same prompts twice, and the
second time counts: independent prompts of about 250 tokens, then 20 questions on each story of about 200. The
distance is the greatest difference of a probability of A or B. Texts are prompts that get 160 tokens each: one after
the other by `generate`, and all at once by `hf:`. Without a GPU only the tiny shape is tried, on the CPU.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from math import exp
from types import SimpleNamespace
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils import logging

from otherminds.models import Prompt
from otherminds.models.hf.model import HuggingFace
from otherminds.models.hf.tokenizer import Tokens

SHAPES: dict[str, dict[str, int]] = {
    "tiny": {"hidden_size": 128, "intermediate_size": 352, "num_hidden_layers": 4, "num_attention_heads": 4,
             "num_key_value_heads": 2, "vocab_size": 8192},
    "135m": {"hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30, "num_attention_heads": 9,
             "num_key_value_heads": 3, "vocab_size": 49152},
    "8b": {"hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
           "num_key_value_heads": 8, "vocab_size": 128256},
}  # fmt: skip
TEXT = (
    "Sally Anne Ben Carla the a marble key letter apple basket box drawer bag kitchen garden puts takes leaves returns"
    " looks thinks believes that where will is in into out of and then while away sees nothing hears about it now again"
)
WORDS = TEXT.split()
BATCH = 64
PER_STORY = 20


def text_of(draw: random.Random, words: int) -> str:
    """So many words, in sentences of ten."""
    return " ".join(draw.choice(WORDS) + ("." if place % 10 == 9 else "") for place in range(words))


def prompts_of(count: int, per_story: int) -> list[Prompt]:
    """Prompts with the labels A and B; with one question a story, all are independent."""
    draw = random.Random(0)
    found: list[Prompt] = []
    while len(found) < count:
        story = text_of(draw, 215 if per_story == 1 else 180)
        found += [
            Prompt(text=f"{story}\n{text_of(draw, 12)}?\nA. {draw.choice(WORDS)}\nB. {draw.choice(WORDS)}\nAnswer:",
                   choices=("A", "B"), labels=True)
            for _ in range(per_story)
        ]  # fmt: skip
    return found[:count]


def tokenizer_of(texts: Sequence[str]) -> Any:
    """Whole words as tokens, letters where a word is new."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=1000, special_tokens=["<end>"], initial_alphabet=alphabet)
    tokenizer.train_from_iterator([*texts, *["Answer: A", "Answer: B"] * 100], trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", pad_token="<end>")


def plain_loop(model: Any, tokenizer: Any, prompts: Sequence[Prompt]) -> list[tuple[float, float]]:
    """The log-probabilities of A and B, the way one writes it in twenty lines."""
    labels = [token for label in (" A", " B") for token in tokenizer.encode(label)]
    assert len(labels) == 2, "each label is one token"
    ids = tokenizer([prompt.text for prompt in prompts])["input_ids"]
    order = sorted(range(len(ids)), key=lambda number: len(ids[number]))
    found: list[tuple[float, float]] = [(0.0, 0.0)] * len(ids)
    with torch.inference_mode():
        for first in range(0, len(order), BATCH):
            numbers = order[first : first + BATCH]
            longest = len(ids[numbers[-1]])
            rows = torch.tensor([ids[n] + [0] * (longest - len(ids[n])) for n in numbers], device=model.device)
            last = torch.tensor([len(ids[n]) - 1 for n in numbers], device=model.device)
            hidden = model.model(input_ids=rows, use_cache=False).last_hidden_state
            logits = model.lm_head(hidden[torch.arange(len(numbers), device=model.device), last]).float()
            values = logits.log_softmax(-1)[:, labels].tolist()
            for number, (a, b) in zip(numbers, values, strict=True):
                found[number] = (a, b)
    return found


def as_hf(model: Any, tokenizer: Any, dtype: str) -> HuggingFace:
    """The same weights as `hf:` holds them, without a folder on disk."""
    hf = HuggingFace("benchmark", dtype=dtype, device=model.device.type)
    hf._checkpoint = SimpleNamespace(unchanged=lambda: None)  # type: ignore[assignment]
    hf.__dict__ |= {"_model": model, "_tokens": Tokens(tokenizer, name=hf.name), "_ends": [0], "_device": "here"}
    return hf


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the second time."""
    for _ in range(2):
        began = time.perf_counter()
        result = work()
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        seconds = time.perf_counter() - began
    return seconds, result


def weigh(hf: HuggingFace, prompts: Sequence[Prompt]) -> list[Any]:
    """In calls of the size that it likes, as a run makes them."""
    return [one for first in range(0, len(prompts), hf.batch) for one in hf.weigh(prompts[first : first + hf.batch])]


def compare(hf: HuggingFace, model: Any, tokenizer: Any, prompts: Sequence[Prompt], title: str) -> None:
    """One line: both rates, their ratio, and how far the numbers lie apart."""
    slow, plain = timed(lambda: plain_loop(model, tokenizer, prompts))
    quick, weighed = timed(lambda: weigh(hf, prompts))
    # Two spellings of a label count for `hf:`; here only the one that the loop looks at is compared.
    spaced = hf.weigh([Prompt(text=prompt.text, choices=(" A", " B")) for prompt in prompts[:200]])
    pairs = zip(plain, ((one.logprobs[" A"], one.logprobs[" B"]) for one in spaced), strict=False)
    far = max(abs(exp(one) - exp(other)) for ours, theirs in pairs for one, other in zip(ours, theirs, strict=True))
    assert len(weighed) == len(prompts)
    count = len(prompts)
    print(f"  {title:32} plain {count / slow:9.1f}/s   hf {count / quick:9.1f}/s   {slow / quick:5.2f}x   {far:.1e}")


def write(hf: HuggingFace, model: Any, tokenizer: Any, texts: int) -> None:
    """Texts one by one against all at once."""
    prompts = [Prompt(text=prompt.text, max_tokens=160) for prompt in prompts_of(texts, 1)]

    def one_by_one() -> None:
        for prompt in prompts:
            ids = torch.tensor([tokenizer(prompt.text)["input_ids"]], device=model.device)
            model.generate(ids, max_new_tokens=160, do_sample=False, pad_token_id=0, eos_token_id=None)

    slow, _ = timed(one_by_one)
    quick, _ = timed(lambda: hf.ask(prompts))
    print(
        f"  {f'{texts} texts of up to 160 tokens':32} plain {slow:8.2f} s    hf {quick:8.2f} s    {slow / quick:5.2f}x"
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    gpu = torch.cuda.is_available()
    parser.add_argument("--sizes", nargs="+", choices=[*SHAPES], default=["135m", "8b"] if gpu else ["tiny"])
    parser.add_argument("--questions", type=int, default=2000 if gpu else 200)
    parser.add_argument("--texts", type=int, default=20)
    parser.add_argument("--dtype", choices=["float32", "bfloat16", "float16"], default="bfloat16" if gpu else "float32")
    given = parser.parse_args()
    logging.set_verbosity_error()
    device = "cuda" if gpu else "cpu"
    print(f"{torch.cuda.get_device_name() if gpu else 'CPU'}, {given.dtype}, {given.questions} questions")
    apart, on_stories = prompts_of(given.questions, 1), prompts_of(given.questions, PER_STORY)
    tokenizer = tokenizer_of([prompt.text for prompt in apart[:100]])
    for size in given.sizes:
        torch.manual_seed(0)
        with torch.device(device):
            torch.set_default_dtype(getattr(torch, given.dtype))
            config = LlamaConfig(**SHAPES[size], max_position_embeddings=2048, attn_implementation="sdpa")
            model = LlamaForCausalLM(config).eval()
            torch.set_default_dtype(torch.float32)
        hf = as_hf(model, tokenizer, given.dtype)
        print(f"{size}: {sum(part.numel() for part in model.parameters()) / 1e6:,.0f} million weights")
        compare(hf, model, tokenizer, apart, "independent prompts")
        compare(hf, model, tokenizer, on_stories, f"{PER_STORY} questions a story")
        write(hf, model, tokenizer, given.texts)
        del hf, model


if __name__ == "__main__":
    main()
