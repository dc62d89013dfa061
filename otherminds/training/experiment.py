"""Experiment: from lessons and a model's weights to adapters, with what they score by kind of question."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from otherminds.errors import UsageError
from otherminds.files import write_text
from otherminds.models import adapters
from otherminds.training.bases import base_digest, base_file, encoder_of, tokenizer_digest
from otherminds.training.batches import shard_path
from otherminds.training.encoding import Shard
from otherminds.training.loop import Machine, Settings, by_kind, right_answers, train
from otherminds.training.network import Llama
from otherminds.training.replay import Replay, replay
from otherminds.training.shards import RECIPE, make_folder, read_recipe
from otherminds.training.weights import HF_PARTS, from_gguf, low_rank

Parts = dict[str, tuple[Tensor, Tensor]]
TOKENS = 512
"""Of a replayed text."""


@dataclass(frozen=True)
class Plan:
    """What is trained, on what, and what is kept of it."""

    data: Path
    out: Path
    model: str = "smollm2"
    rank: int = 8
    full: bool = False
    """All matrices learn, and the best additions of this rank are kept."""
    scale: float = 2.0
    start: str = ""
    """An adapter to go on from."""
    settings: Settings = field(default_factory=Settings)
    replay: int = 0
    """Texts that the model writes beforehand and is held to."""
    replay_rows: int = 4
    keep: tuple[int, ...] = ()
    """Steps after which an adapter is written too."""
    exams: tuple[Path, ...] = ()
    device: str = "auto"
    every: int = 50
    save_every: int = 200


def carry_out(plan: Plan, say: Callable[[str], None]) -> list[Path]:
    """Train; the adapters that were written, the last one last."""
    found = check(plan)
    make_folder(plan.out)
    machine = Machine(plan.device if plan.device != "auto" else _device())
    base = base_file(plan.model)
    with _memory(plan.settings):
        network = from_gguf(base, attention="flex" if machine.half else "dense").to(machine.device)
        network.dtype = machine.dtype
        if machine.half:
            _compile(network)
        for weight in network.parameters():
            weight.requires_grad_(False)
        kept = _replay(plan, network, base, machine)
        before = {name: matrix().detach().clone() for name, matrix in network.matrices()} if plan.full else {}
        _open(plan, network, base)
        written: list[Path] = []

        def write(name: str) -> None:
            path = plan.out / f"{name}{adapters.SUFFIX}"
            _write(path, _parts(network, before, plan.rank), base)
            written.append(path)
            _examine(plan, name, network, machine, say)

        train(
            network,
            plan.data,
            int(found["shards"]),
            plan.settings,
            machine,
            out=plan.out,
            replay=kept,
            keep=lambda step, _: step in plan.keep,
            on_keep=lambda step, _: write(f"step-{step}"),
            every=plan.every,
            save_every=plan.save_every,
            say=say,
        )
        write("adapter")
    return written


# ---- before anything is loaded -------------------------------------------------------------------------------------


def check(plan: Plan) -> Mapping[str, Any]:
    """What the data folder says of itself, if the plan can be carried out."""
    if plan.full and plan.start:
        raise UsageError("all matrices learn, or an adapter goes on: give one of --full and --from")
    found = read_recipe(plan.data)
    if found["recipe"]["contexts"] == "test":
        raise UsageError(
            f"{plan.data} holds test stories (see its {RECIPE}); train on others, and give these with --exam"
        )
    base = base_file(plan.model)
    for folder in (plan.data, *plan.exams):
        if read_recipe(folder)["tokenizer"] != tokenizer_digest(base):
            raise UsageError(
                f"{folder} was not encoded for {plan.model}; make it with `build lessons --model {plan.model}`"
            )
    if plan.replay and plan.replay_rows >= plan.settings.rows:
        raise UsageError(
            f"of {plan.settings.rows} rows in a step {plan.replay_rows} would be replayed; leave some to learn"
        )
    return found


def _device() -> str:
    if not torch.cuda.is_available():
        raise UsageError(
            "there is no GPU that torch can use; a step of 16 rows takes a CPU minutes, so to train on it all the same"
            " say --device cpu, with few --rows and --steps"
        )
    return "cuda"


def _compile(network: Llama) -> None:
    torch.set_float32_matmul_precision("high")
    # Lessons, replay and exams come in batches of other forms, each of which is compiled once.
    torch._dynamo.config.recompile_limit = 64
    torch._dynamo.config.automatic_dynamic_shapes = False
    network.compile_layers()


@contextmanager
def _memory(settings: Settings) -> Any:
    try:
        yield
    except torch.OutOfMemoryError:
        there = f"{torch.cuda.mem_get_info()[1] / 2**30:.0f} GiB" if torch.cuda.is_available() else "memory"
        raise UsageError(
            f"{there} are too little for {settings.rows} rows of {settings.length:,} tokens in a step; lower --rows"
            " (the smallest model takes about 3 GiB for each row of 4,096)"
        ) from None


def _replay(plan: Plan, network: Llama, base: Path, machine: Machine) -> Replay | None:
    if not plan.replay:
        return None
    length = plan.settings.length
    return replay(
        network,
        encoder_of(base),
        machine,
        texts=plan.replay,
        tokens=min(TOKENS, length),
        length=length,
        rows=plan.settings.rows,
        share=plan.replay_rows,
        seed=plan.settings.seed,
    )


# ---- what learns, and what is kept of it ---------------------------------------------------------------------------


def _open(plan: Plan, network: Llama, base: Path) -> None:
    """Let the matrices learn, or additions to them."""
    generator = torch.Generator().manual_seed(plan.settings.seed)
    start = _start(plan.start, network, base, plan.model) if plan.start else {}
    for name, matrix in network.matrices():
        if plan.full:
            matrix.weight.requires_grad_(True)
        elif start:
            matrix.add(*start[name], 1.0)
        else:
            matrix.adapt(plan.rank, plan.scale, generator)


def _start(name: str, network: Llama, base: Path, model: str) -> Parts:
    adapter = adapters.read(adapters.find(name))
    shapes = {_hf_name(each): tuple(matrix.weight.shape) for each, matrix in network.matrices()}
    adapter.check({model: base_digest(base)}, shapes, model)
    missing = [each for each in shapes if each not in adapter.parts]
    if missing:
        raise UsageError(f"{adapter.path.name} has nothing for {missing[0]}, and training needs all matrices")
    both = {each: adapter.parts[_hf_name(each)] for each, _ in network.matrices()}
    return {each: (torch.from_numpy(down), torch.from_numpy(up)) for each, (down, up) in both.items()}


def _hf_name(matrix: str) -> str:
    number, part = matrix.split(".")
    return f"model.layers.{number}.{HF_PARTS[part]}"


def _parts(network: Llama, before: Mapping[str, Tensor], rank: int) -> Parts:
    if before:
        return low_rank(before, {name: matrix().detach() for name, matrix in network.matrices()}, rank)
    found: Parts = {}
    for name, matrix in network.matrices():
        assert matrix.down is not None
        assert matrix.up is not None
        found[name] = (matrix.down.detach(), matrix.up.detach() * matrix.scale)
    return found


def _write(path: Path, parts: Parts, base: Path) -> None:
    arrays = {_hf_name(name): (down.cpu().numpy(), up.cpu().numpy()) for name, (down, up) in parts.items()}
    adapters.write(path, arrays, base=base_digest(base))


def _examine(plan: Plan, name: str, network: Llama, machine: Machine, say: Callable[[str], None]) -> None:
    """The share of right answers by kind of question, kept in `scores.json`."""
    path = plan.out / "scores.json"
    scores: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    scores[name] = {folder.name: examine(network, folder, machine, plan.settings) for folder in plan.exams}
    if plan.exams:
        write_text(path, json.dumps(scores, indent=1) + "\n")
        told = [f"{exam} {table['all'][0]:.3f} (n {table['all'][1]:,})" for exam, table in scores[name].items()]
        say(f"{name}: {', '.join(told)}")


def examine(network: Llama, folder: Path, machine: Machine, settings: Settings) -> dict[str, tuple[float, int]]:
    """For every kind of question in a folder of lessons, the share answered right word for word, and of how many."""
    right: list[int] = []
    kinds: list[str] = []
    for number in range(int(read_recipe(folder)["shards"])):
        shard = Shard.load(shard_path(folder, number))
        found, names = right_answers(network, shard, machine, length=settings.length, rows=settings.rows)
        right += found.tolist()
        kinds += [name.split(" / ")[0] for name in names]
    return by_kind(right, kinds) | by_kind(right, ["all"] * len(right))


def steps_of(text: str) -> tuple[int, ...]:
    """8,16,80 as numbers."""
    words: Sequence[str] = [word.strip() for word in text.split(",") if word.strip()]
    if not all(word.isdecimal() for word in words):
        raise UsageError(f"--keep takes numbers of steps, such as 8,16,80, not {text!r}")
    return tuple(map(int, words))
