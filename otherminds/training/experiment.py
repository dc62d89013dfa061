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

from otherminds.errors import BadFile, UsageError
from otherminds.files import parse_json, read_text, write_text
from otherminds.items import Suite
from otherminds.models import adapters
from otherminds.training import ranks
from otherminds.training.bases import base_digest, base_file, encoder_of, network_of, tokenizer_digest
from otherminds.training.encoding import Encoder
from otherminds.training.exams import examine as examine
from otherminds.training.exams import examine_plain, examine_suite, is_suite, read_plain, told
from otherminds.training.folders import write_folder
from otherminds.training.loop import Machine, Settings, train
from otherminds.training.network import Llama
from otherminds.training.replay import Replay, replay
from otherminds.training.shards import RECIPE, make_folder, read_recipe
from otherminds.training.weights import HF_PARTS, low_rank

Parts = dict[str, tuple[Tensor, Tensor]]
TOKENS = 512
"""Of a replayed text."""
SCORES, BEFORE, WHOLE = "scores.json", "before", "model"


@dataclass(frozen=True)
class ExperimentPlan:
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
    plain: tuple[Path, ...] = ()
    """Texts on which it is measured how well they are foretold."""
    examine_every: int = 0
    """Steps between two exams; 0: before and after, and where an adapter is kept."""
    whole: bool = False
    """Write the whole model too, as a folder of Hugging Face's."""


def carry_out(plan: ExperimentPlan, say: Callable[[str], None]) -> list[Path]:
    """Train; what was written, the last adapter last."""
    found = check(plan)
    make_folder(plan.out)
    machine = Machine(plan.device if plan.device != "auto" else _device())
    base = base_file(plan.model)
    if ranks.rank():
        say = lambda line: None  # noqa: E731
    with ranks.together(machine.device), _memory(plan.settings):
        network = network_of(base, attention="flex" if machine.half else "dense").to(machine.device)
        network.dtype = machine.dtype
        if machine.half:
            _compile(network)
        for weight in network.parameters():
            weight.requires_grad_(False)
        kept = _replay(plan, network, base, machine)
        before = {name: matrix().detach().clone() for name, matrix in network.matrices()} if plan.full else {}
        _open(plan, network, base)
        encoder = encoder_of(base)
        written: list[Path] = []

        def score(name: str) -> None:
            if not ranks.rank():
                _examine(plan, name, network, encoder, machine, say)

        def write(name: str) -> None:
            if ranks.rank():
                return
            path = plan.out / f"{name}{adapters.SUFFIX}"
            _write(path, _parts(network, before, plan.rank), base)
            written.append(path)
            score(name)

        if BEFORE not in _scores(plan.out / SCORES):
            score(BEFORE)
        train(
            network,
            plan.data,
            int(found["shards"]),
            plan.settings,
            machine,
            out=plan.out,
            replay=kept,
            keep=lambda step, _: step in plan.keep or _examined(plan, step),
            on_keep=lambda step, _: (write if step in plan.keep else score)(f"step-{step}"),
            every=plan.every,
            save_every=plan.save_every,
            say=say,
        )
        if plan.whole and not ranks.rank():
            written.append(write_folder(plan.out / WHOLE, network, base))
        write("adapter")
    return written


def _examined(plan: ExperimentPlan, step: int) -> bool:
    return plan.examine_every > 0 and step % plan.examine_every == 0 and step < plan.settings.steps


# ---- before anything is loaded -------------------------------------------------------------------------------------


def check(plan: ExperimentPlan) -> Mapping[str, Any]:
    """What the data folder says of itself, if the plan can be carried out."""
    if plan.full and plan.start:
        raise UsageError("all matrices learn, or an adapter goes on: give one of --full and --from")
    found = read_recipe(plan.data)
    if found["recipe"]["contexts"] == "test":
        raise UsageError(
            f"{plan.data} holds test stories (see its {RECIPE}); train on others, and give these with --exam"
        )
    base = base_file(plan.model)
    _check_exams(plan)
    for folder in (plan.data, *(exam for exam in plan.exams if not is_suite(exam))):
        if read_recipe(folder)["tokenizer"] != tokenizer_digest(base):
            raise UsageError(
                f"{folder} was not encoded for {plan.model}; make it with `build lessons --model {plan.model}`"
            )
    if plan.replay and plan.replay_rows >= plan.settings.rows:
        raise UsageError(
            f"of {plan.settings.rows} rows in a step {plan.replay_rows} would be replayed; leave some to learn"
        )
    if plan.settings.rows % ranks.world() or (plan.replay and plan.replay_rows % ranks.world()):
        raise UsageError(
            f"{ranks.world()} processes share the rows of a step; give --rows (and --replay-rows) that they can share"
        )
    return found


def _check_exams(plan: ExperimentPlan) -> None:
    names = [exam.name for exam in (*plan.exams, *plan.plain)]
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise UsageError(f"two exams are called {twice}, and scores go by that name; rename one")
    for text in plan.plain:
        read_plain(text)
    for exam in filter(is_suite, plan.exams):
        Suite.load(exam)


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


def _replay(plan: ExperimentPlan, network: Llama, base: Path, machine: Machine) -> Replay | None:
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


def _open(plan: ExperimentPlan, network: Llama, base: Path) -> None:
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


def _examine(
    plan: ExperimentPlan, name: str, network: Llama, encoder: Encoder, machine: Machine, say: Callable[[str], None]
) -> None:
    """What it scores by now, kept in `scores.json` under this name."""
    if not plan.exams and not plan.plain:
        return
    settings = plan.settings
    tables = {
        exam.name: examine_suite(network, exam, encoder, machine, settings)
        if is_suite(exam)
        else examine(network, exam, machine, settings)
        for exam in plan.exams
    }
    tables |= {text.name: examine_plain(network, text, encoder, machine, settings) for text in plan.plain}
    path = plan.out / SCORES
    write_text(path, json.dumps({**_scores(path), name: tables}, indent=1) + "\n")
    say(f"{name}: {told(list(tables.items()))}")


def _scores(path: Path) -> dict[str, Any]:
    try:
        return dict(parse_json(read_text(path))) if path.exists() else {}
    except (ValueError, TypeError) as error:
        raise BadFile(f"{path} is not what training writes ({error}); move it away") from None


def steps_of(text: str) -> tuple[int, ...]:
    """8,16,80 as numbers."""
    words: Sequence[str] = [word.strip() for word in text.split(",") if word.strip()]
    if not all(word.isdecimal() for word in words):
        raise UsageError(f"--keep takes numbers of steps, such as 8,16,80, not {text!r}")
    return tuple(map(int, words))
