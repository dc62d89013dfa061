"""What reads files and replies of others: for each a few valid ones, and all that is done with one that was read."""

import json
import random
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from otherminds.items import Suite, lint
from otherminds.minds.questions import quiz
from otherminds.minds.stories import STORIES, load_story
from otherminds.models import Prompt, adapters
from otherminds.models.api import replies
from otherminds.models.api.wire import Unanswered, Unsound
from otherminds.models.chat_template import chat_runs, raw_runs, shown
from otherminds.models.contract import Message
from otherminds.models.local.forward import Forward, supports
from otherminds.models.local.gguf import read_header
from otherminds.models.weighing import Tree
from otherminds.results.summary import summarise
from otherminds.runs.runs import load, run
from otherminds.store.soundness import examine
from otherminds.store.store import Store
from otherminds.studies.starter.study import starter
from tests.fuzz.spoiling import spoilt
from tests.malformed import as_lines, paths, spoilt_json


@dataclass(frozen=True, slots=True)
class Target:
    """One kind of input: how a file of it is called, valid ones, where their heads end, and who reads them."""

    file: str
    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[Path], object]
    head: int = 1 << 30
    form: str = ""
    """JSON in one value or by lines, of which parts are spoilt as well as bytes."""

    def spoilt(self, dice: random.Random) -> bytes:
        """A copy of a valid one with something wrong in it."""
        seeds = self.seeds()
        if not self.form or dice.random() < 0.3:
            return spoilt(seeds, self.head, dice)
        text = dice.choice(seeds).decode()
        for _ in range(dice.choice((1, 1, 2, 4))):
            try:
                value = parsed(text, self.form)
            except (ValueError, RecursionError):
                break  # it cannot be spoilt any further in this way
            if not list(paths(value)):
                break
            ((_, text),) = spoilt_json(value, dice, 1)
            text = as_lines(text) if self.form == "lines" else text
        return text.encode("utf-8", "surrogatepass")


def parsed(text: str, form: str) -> Any:
    """What is spoilt part by part: what could be written again."""
    value = [json.loads(line) for line in text.splitlines()] if form == "lines" else json.loads(text)
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    return value


# ---- weights --------------------------------------------------------------------------------------------------------


@cache
def ggufs() -> Sequence[bytes]:
    import gguf

    from tests.malformed_weights import VALUES, WHOLE, count, head, listing, text
    from tests.models.tiny import write_tiny

    kinds = gguf.GGMLQuantizationType
    marked = VALUES | {"tokenizer.ggml.bos_token_id": count(1), "general.file_type": count(1), "x": listing("y")}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.gguf"
        tiny = [
            write_tiny(path, kind=kind, own_head=kind == kinds.F16).read_bytes() for kind in (kinds.F16, kinds.Q8_0)
        ]
    odd = [text("x"), count(0), count(2**32 - 1), listing("a", "b"), (5, struct.pack("<i", -1)), (7, b"\x01")]
    odd += [(6, struct.pack("<f", 0.5)), (9, struct.pack("<IQ", 4, 0)), (9, struct.pack("<IQ5I", 4, 5, 3, 3, 3, 3, 3))]
    named = (*marked, "tokenizer.ggml.eos_token_id", "tokenizer.ggml.add_bos_token", "general.alignment")
    named += ("llama.block_count", "llama.attention.head_count", "llama.embedding_length", "llama.rope.freq_base")
    strange = [head(marked | {name: value}) for name in named for value in odd]
    return [*tiny * 40, WHOLE, head(marked), *strange]


def read_gguf(path: Path) -> None:
    header = read_header(path)
    _ = header.architecture, header.quantisation, header.plain, header.pieces, header.specials
    _ = header.special("bos"), header.special("eos")
    if f"{header.architecture}.context_length" in header.metadata:
        assert header.context >= 0
    shown(raw_runs("a text", header), header)
    if header.template:
        shown(chat_runs([Message("user", "a word")], "and", header), header)
    if supports(header) and header.plain:
        tree = Tree()
        end = tree.add([0, 1, len(header.pieces) - 1])[-1]
        with np.errstate(all="ignore"):
            Forward(path, header).score(tree, {end: [0, len(header.pieces) - 1]})


@cache
def safetensors() -> Sequence[bytes]:
    dice = np.random.default_rng(0)
    some = {f"model.layers.{n}.mlp.up_proj": dice.normal(size=(2, 4, 6)).astype(np.float32) for n in range(2)}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "adapter.safetensors"
        adapters.write(path, {name: (both[0][:2], both[1][:, :2]) for name, both in some.items()}, base="0" * 64)
        ours = path.read_bytes()
    names = [f"base_model.model.model.layers.0.mlp.up_proj.lora_{side}.weight" for side in "AB"]
    tensors: dict[str, Any] = {
        names[0]: {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
        names[1]: {"dtype": "BF16", "shape": [4, 2], "data_offsets": [24, 40]},
    }
    head = json.dumps(tensors | {"__metadata__": {"format": "pt"}}).encode()
    return [ours, len(head).to_bytes(8, "little") + head + bytes(range(40))]


def read_adapter(path: Path) -> None:
    found = adapters.read(path)
    for name in found.parts:
        found.addition(name)
    found.check({"a": found.base}, {name: (len(up), down.shape[1]) for name, (down, up) in found.parts.items()}, "m")


# ---- texts ----------------------------------------------------------------------------------------------------------


@cache
def stories() -> Sequence[bytes]:
    import otherminds

    folder = Path(otherminds.__file__).parent / "data" / "stories"
    return [(folder / f"{name}.json").read_bytes() for name in STORIES]


def read_story(path: Path) -> None:
    story = load_story(path)
    repr(story)
    for name in story.cast.people:
        repr(story.view(name))
    quiz(story, order=1)


@cache
def suites() -> Sequence[bytes]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        questions = starter()
        Suite("some", tuple(questions.items[:6])).save(path)
        return [path.read_bytes()]


def read_suite(path: Path) -> None:
    suite = Suite.load(path)
    lint.faults(suite)
    repr(suite)
    for item in suite:
        assert repr(item)
    from otherminds.heuristics.readers import oracle

    done = run(suite, oracle(suite))
    done.rows()
    summarise([done]).html()


# ---- stores ---------------------------------------------------------------------------------------------------------


@cache
def stores() -> Sequence[bytes]:
    from otherminds.heuristics.readers import oracle

    found = []
    with TemporaryDirectory() as folder:
        for number in (4, 12):
            suite = Suite("some", tuple(starter().items[:number]))
            path = Path(folder) / f"{number}.db"
            with Store(path) as store:
                run(suite, oracle(suite), store=store)
            found.append(path.read_bytes())
    return found


def read_store(path: Path) -> None:
    from otherminds.heuristics.readers import oracle

    for beside in path.parent.glob(f"{path.name}-*"):
        beside.unlink()
    with Store(path, create=False, read_only=True) as store:
        for row in store.runs():
            done = load(store, row.id)
            done.rows()
            summarise([done]).html()
        examine(store)
    suite = Suite("some", tuple(starter().items[:4]))
    with Store(path) as store:
        run(suite, oracle(suite), store=store)


# ---- replies --------------------------------------------------------------------------------------------------------

LETTERS = Prompt(text="x", choices=("A", "B"), labels=True)


@cache
def answers() -> Sequence[bytes]:
    top = [{"token": token, "logprob": -1.0 - place} for place, token in enumerate((" A", "A", " B", "B", "▁C"))]
    spent = {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 2}}
    spent["completion_tokens_details"] = {"reasoning_tokens": 2}
    choices: list[dict[str, Any]] = [
        {"message": {"role": "assistant", "content": "Answer: A", "refusal": None}, "finish_reason": "stop"},
        {
            "message": {"content": [{"type": "text", "text": "B"}]},
            "logprobs": {"content": [{**top[0], "top_logprobs": top}]},
        },
        {"text": " A", "logprobs": {"top_logprobs": [{each["token"]: each["logprob"] for each in top}]}},
        {"text": "so x A.", "logprobs": {"tokens": ["so", " x", " A", "."], "token_logprobs": [None, -2, -1, -0.5]}},
    ]
    said = [
        {"id": "1", "model": "m", "created": 1, "choices": [{"index": 0, **each}], "usage": spent} for each in choices
    ]
    return [json.dumps(each).encode() for each in [*said, {"scores": [[0.5, 0.25]], "tokens": [1, 2, 3]}]]


def read_reply(path: Path) -> None:
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError):  # the wire says so itself
        return
    ways: tuple[Callable[[], object], ...] = (
        lambda: replies.written(data),
        lambda: replies.usage(replies._object(data)),
        lambda: replies.thought(replies._object(data)),
        lambda: replies.counted(LETTERS, replies.reported(data, asked=5), replies.usage(data)),
        lambda: replies.echoed(data, "so x", " A"),
        lambda: replies.chances(data, 2),
        lambda: replies.token_numbers(data),
    )
    for way in ways:
        try:
            way()
        except (Unsound, Unanswered):
            continue


TARGETS = {
    "gguf": Target("model.gguf", ggufs, read_gguf, head=3000),
    "safetensors": Target("adapter.safetensors", safetensors, read_adapter, head=900),
    "stories": Target("story.json", stories, read_story, form="json"),
    "suites": Target("suite.jsonl", suites, read_suite, form="lines"),
    "stores": Target("a.db", stores, read_store),
    "replies": Target("reply.json", answers, read_reply, form="json"),
}
