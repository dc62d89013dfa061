"""Loop: learn from batches, step by step, so that a run that is killed goes on to the same weights."""

from __future__ import annotations

import json
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from otherminds.errors import UsageError
from otherminds.files import replacing, write_parts
from otherminds.training import ranks
from otherminds.training.batches import PARTS, ahead, batches
from otherminds.training.encoding import Encoded, EncodedShard, Rows, kinds_of, pack
from otherminds.training.masks import blocks_of, keys_of
from otherminds.training.network import Llama

if TYPE_CHECKING:
    from otherminds.training.replay import Replay


@dataclass(frozen=True, slots=True)
class Settings:
    """How a run learns."""

    steps: int = 2000
    length: int = 4096
    """Tokens in a row."""
    rows: int = 16
    """Rows in a step."""
    rate: float = 6e-4
    warm_up: int = 60
    """Steps until the rate is reached; from there it falls along a cosine to a twentieth."""
    decay: float = 0.05
    clip: float = 1.0
    seed: int = 0
    minutes: float = 0.0
    """If not 0, the run ends after so many minutes, and the rate falls by the clock."""


class Machine:
    """Where it runs, and in what precision."""

    def __init__(self, device: str) -> None:
        self.half = device == "cuda"
        self.device = torch.device(device, ranks.local()) if self.half else torch.device(device)
        if self.half:
            torch.cuda.set_device(self.device)
        self.dtype = torch.bfloat16 if self.half else torch.float32

    def precision(self) -> AbstractContextManager[Any]:
        """Half precision where the machine is fast at it."""
        return torch.autocast("cuda", torch.bfloat16) if self.half else nullcontext()

    def put(self, rows: Rows) -> dict[str, Tensor]:
        """Rows as tensors on the device, with what would have to be waited for if it were found there."""
        learned = np.flatnonzero(rows.targets >= 0)
        keys = keys_of(rows.lesson, rows.branch)
        arrays: dict[str, NDArray[Any]] = {"tokens": rows.tokens, "places": rows.places, "keys": keys}
        arrays |= {"learned": learned, "targets": rows.targets.ravel()[learned]}
        arrays |= {"question": rows.question.ravel()[learned]} | (blocks_of(keys) if self.half else {})
        return {name: self.put_one(array) for name, array in arrays.items()}

    def put_one(self, array: NDArray[Any]) -> Tensor:
        """An array as a tensor on the device, which is not waited for."""
        tensor = torch.from_numpy(np.ascontiguousarray(array))
        if not self.half:
            return tensor
        with torch.cuda.device(self.device):  # in a thread of its own it would be the first GPU
            return tensor.pin_memory().to(self.device, non_blocking=True)


def outputs(network: Llama, rows: Mapping[str, Tensor]) -> Tensor:
    """Logits at the learned places."""
    return network.logits(network.hidden(rows).flatten(0, 1).index_select(0, rows["learned"]))


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of a step that are this process's, ready on the device."""

    rows: Mapping[str, Tensor]
    tokens: int
    taught: int
    """Learned places of lessons, which come first; those of replayed text follow."""
    replayed: Tensor | None
    """Places of replayed text among all that is kept for replay."""
    together: int
    """Learned places of lessons in all processes."""

    @classmethod
    def of(cls, rows: Rows, machine: Machine, replay: Replay | None, seed: int, step: int) -> Batch:
        """The rows that are learned in a step, with those that are replayed in it."""
        tokens, together = int((rows.tokens >= 0).sum()), int((rows.targets >= 0).sum())
        rows = Rows(*(getattr(rows, part)[ranks.rank() :: ranks.world()] for part in PARTS))
        taught = int((rows.targets >= 0).sum())
        replayed = None
        if replay:
            beside, places = replay.part(seed, step)
            rows = Rows(*(np.concatenate([getattr(rows, part), getattr(beside, part)]) for part in PARTS))
            replayed = machine.put_one(places)
        return cls(machine.put(rows), tokens, taught, replayed, together)


def train(
    network: Llama,
    folder: Path,
    shards: int,
    settings: Settings,
    machine: Machine,
    *,
    out: Path,
    replay: Replay | None = None,
    keep: Callable[[int, float], bool] = lambda step, done: False,
    on_keep: Callable[[int, Llama], None] = lambda step, network: None,
    every: int = 50,
    save_every: int = 0,
    wait: float = 0.0,
    say: Callable[[str], None] = lambda line: None,
) -> list[dict[str, float]]:
    """Learn; a line of the curve every so many steps goes to `curve.jsonl`, and `save_every` steps all is saved.

    Where `out` holds a saved state of the same settings, the run goes on from there.
    """
    network.dtype = machine.dtype
    trainable = [weight for weight in network.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(
        _groups(trainable, settings.decay), lr=settings.rate, betas=(0.9, 0.95), fused=machine.half
    )
    start, curve = _resumed(out, network, optimizer, settings)
    packed = batches(
        folder,
        shards,
        length=settings.length,
        rows=settings.rows - (replay.share if replay else 0),
        seed=settings.seed,
        skip=start,
        wait=wait,
    )
    made = (Batch.of(rows, machine, replay, settings.seed, step) for step, rows in enumerate(packed, start))
    line = ahead(made) if machine.half else made
    began = last = time.monotonic()
    seen = 0
    losses: list[Tensor] = []
    for step in range(start, settings.steps):
        batch = next(line)
        seen += batch.tokens
        done = step / settings.steps
        if settings.minutes:
            done = ranks.greatest(max(done, (time.monotonic() - began) / 60 / settings.minutes), machine.device)
        if done >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = settings.rate * pace(step, done, settings.warm_up)
        taught, also = _losses(network, batch, machine, replay)
        (taught + also).backward()
        ranks.add_up([weight.grad for weight in trainable if weight.grad is not None])
        torch.nn.utils.clip_grad_norm_(trainable, settings.clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(torch.stack([taught.detach(), also.detach()]))
        if (step + 1) % every == 0:
            means = torch.stack(losses).mean(0)
            ranks.add_up([means])
            mean, moved = means.tolist()
            if not math.isfinite(mean + moved):
                raise UsageError(f"the loss is {mean} after {step + 1} steps; lower the rate")
            now = time.monotonic()
            curve.append({"step": step + 1, "loss": mean, "tokens_per_second": seen / (now - last), "done": done})
            if replay:
                curve[-1]["replay"] = moved
            if not ranks.rank():
                write_parts(out / "curve.jsonl", (json.dumps(line) + "\n" for line in curve))
            beside = f", replay {moved:.4f}" if replay else ""
            say(f"step {step + 1}: loss {mean:.4f}{beside}, {seen / (now - last):,.0f} tokens/s, {done:.0%}")
            losses, seen, last = [], 0, now
        if keep(step + 1, done):
            on_keep(step + 1, network)
            last = time.monotonic()
            seen = 0
        if save_every and (step + 1) % save_every == 0 and not ranks.rank():
            _save(out, network, optimizer, settings, step + 1, curve)
    return curve


def _losses(network: Llama, batch: Batch, machine: Machine, replay: Replay | None) -> tuple[Tensor, Tensor]:
    """What is to be learned, and how far replayed text has moved; both in one pass."""
    with machine.precision():
        logits = outputs(network, batch.rows)
        targets = batch.rows["targets"][: batch.taught]
        loss = F.cross_entropy(logits[: batch.taught].float(), targets, reduction="sum") / batch.together
        if not replay or batch.replayed is None:
            return loss, torch.zeros_like(loss)
        return loss, replay.loss(network, logits[batch.taught :], batch.replayed)


def pace(step: int, done: float, warm_up: int) -> float:
    """The share of the rate at a step: up along a line, then down along a cosine to a twentieth."""
    return min(1.0, (step + 1) / max(1, warm_up)) * (0.05 + 0.95 * (0.5 + 0.5 * math.cos(math.pi * min(1.0, done))))


def _groups(weights: list[torch.nn.Parameter], decay: float) -> list[dict[str, Any]]:
    """Matrices decay, norms do not."""
    return [
        {"params": [weight for weight in weights if weight.dim() > 1], "weight_decay": decay},
        {"params": [weight for weight in weights if weight.dim() < 2], "weight_decay": 0.0},
    ]


# ---- saving and going on ------------------------------------------------------------------------------------------


def _save(
    out: Path, network: Llama, optimizer: torch.optim.Optimizer, settings: Settings, step: int, curve: list[Any]
) -> None:
    learned = {name: weight for name, weight in network.named_parameters() if weight.requires_grad}
    state = {"weights": learned, "optimizer": optimizer.state_dict(), "step": step, "curve": curve}
    with replacing(out / "state.pt") as half, half.open("wb") as file:
        try:
            torch.save({**state, "settings": asdict(settings)}, file)
        except RuntimeError as error:  # how torch says that a file takes no more
            raise OSError(f"torch could not write it: {error.__context__ or error}") from None


def _resumed(
    out: Path, network: Llama, optimizer: torch.optim.Optimizer, settings: Settings
) -> tuple[int, list[dict[str, float]]]:
    """The step to go on from, with weights and optimizer as they were then."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / "state.pt"
    if not path.exists():
        return 0, []
    state = torch.load(path, weights_only=True, map_location=network.embedding.device)
    if state["settings"] != asdict(settings):
        other = sorted(name for name, value in asdict(settings).items() if state["settings"].get(name) != value)
        raise UsageError(f"{out} holds a run with another {other[0]}; give another folder, or the same settings")
    weights = dict(network.named_parameters())
    with torch.no_grad():
        for name, weight in state["weights"].items():
            weights[name].copy_(weight)
    optimizer.load_state_dict(state["optimizer"])
    return int(state["step"]), list(state["curve"])


# ---- how well it does ---------------------------------------------------------------------------------------------


def right_answers(
    network: Llama, shard: EncodedShard, machine: Machine, *, length: int, rows: int
) -> tuple[Tensor, list[str]]:
    """For every question of a shard whether its completion is what the model would write; -1 if it did not fit."""
    right = torch.full((len(shard.branches),), -1, dtype=torch.int64)
    with evaluating(network, machine):
        for part in _whole_batches(pack(shard, length), rows):
            put = machine.put(part)
            # Written greedily it would be this completion if, and only if, every token of it is the likeliest one.
            hit = (outputs(network, put).argmax(-1) == put["targets"]).cpu()
            numbers = put["question"].cpu()
            right[numbers.unique()] = 1
            right[numbers[~hit]] = 0
    return right, list(kinds_of(shard))


def by_kind(right: Sequence[int], kinds: Sequence[str]) -> dict[str, tuple[float, int]]:
    """The share of right answers and their number, by kind."""
    groups: dict[str, list[int]] = defaultdict(list)
    for value, kind in zip(right, kinds, strict=True):
        if value >= 0:
            groups[kind].append(value)
    return {kind: (sum(values) / len(values), len(values)) for kind, values in sorted(groups.items())}


def bits_per_character(
    network: Llama, tokens: list[int], characters: int, machine: Machine, *, length: int, rows: int
) -> float:
    """How badly plain text is foretold, cut into pieces of so many tokens."""
    pieces = [tokens[start : start + length] for start in range(0, len(tokens), length)]
    shard = EncodedShard.of(Encoded(piece[:1], [(piece[1:], 0, "text")]) for piece in pieces if len(piece) > 1)
    total = 0.0
    with evaluating(network, machine):
        for part in _whole_batches(pack(shard, length), rows):
            put = machine.put(part)
            total += float(F.cross_entropy(outputs(network, put).float(), put["targets"], reduction="sum"))
    return total / math.log(2) / characters


@contextmanager
def evaluating(network: Llama, machine: Machine) -> Iterator[None]:
    """Nothing is learned, and numbers are as wide as in training."""
    before, network.dtype = network.dtype, machine.dtype
    with torch.no_grad(), machine.precision():
        yield
    network.dtype = before


def _whole_batches(found: Rows, rows: int) -> Iterator[Rows]:
    """So many rows at a time, the last ones filled up: what is compiled is compiled for one form."""
    missing, length = -len(found.tokens) % rows, found.tokens.shape[1]
    nothing = np.full((missing, length), -1, np.int64)
    padded = {part: np.concatenate([getattr(found, part), nothing]) for part in PARTS}
    for start in range(0, len(found.tokens) + missing, rows):
        yield Rows(*(padded[part][start : start + rows] for part in PARTS))
