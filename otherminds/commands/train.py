"""`otherminds train`: a model learns from lessons; what it learned is kept as adapters."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import click

from otherminds.errors import UsageError
from otherminds.terminal.derived import Amount, Count, Folder, Natural, command
from otherminds.terminal.screen import note, print_json, say

NEEDED = ("torch", "tokenizers", "gguf", "safetensors")


def train(
    data: Folder,
    *,
    output: Folder,
    model: str = "smollm2",
    rank: int = 8,
    full: bool = False,
    start: str = "",
    steps: Count = 280,
    minutes: Amount | None = None,
    rate: float = 2e-3,
    warm_up: Natural = 40,
    decay: Amount = 0.0,
    rows: Count = 16,
    length: int = 4096,
    replay: Natural = 0,
    replay_rows: Count = 4,
    keep: str = "",
    exams: tuple[Path, ...] = (),
    plain: tuple[Path, ...] = (),
    examine_every: Natural | None = None,
    save: Literal["adapter", "full"] = "adapter",
    save_every: Natural = 200,
    device: Literal["auto", "cuda", "cpu"] = "auto",
    seed: int = 0,
) -> list[Path]:
    """Train a model on the lessons in DATA.

    DATA is what `otherminds build lessons` wrote. The same command goes on with a run that was ended. What comes out
    is a model: `otherminds run SUITE -m smollm2+DIR/adapter.safetensors`, or with --save full
    `-m hf:DIR/model`. Needs the extra `train`.

    output (-o --output DIR): Gets adapters, curve and scores.
    model (-m --model): smollm2, gguf:PATH, or a folder.
    rank: Of the additions.
    full: All matrices learn; the best additions of the rank are kept.
    start (--from ADAPTER): Go on from this adapter, at its rank.
    minutes: End after so long; the rate falls by it.
    warm_up: Steps to the full rate.
    decay: Of weights.
    rows: In a step.
    length: Tokens of a row.
    replay: Texts that keep what it knew.
    replay_rows: Of these, in a step.
    keep (STEP,…): Write an adapter after these steps too.
    exams (--exam): Score on lessons (`build lessons --test`) or a suite (.jsonl).
    plain: A text: how many bits a character takes before and after.
    examine_every (STEPS): Score in between too.
    save: full: the whole model too.
    save_every: Steps; to go on from.
    """
    given = dict(locals())
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise UsageError(f"training needs {', '.join(missing)}: pip install 'otherminds[train]'")
    from otherminds.training.experiment import ExperimentPlan, carry_out, steps_of
    from otherminds.training.loop import Settings

    settings = ("steps", "length", "rows", "rate", "warm_up", "decay", "seed")
    same = ("model", "rank", "full", "start", "replay", "replay_rows", "exams", "device", "save_every", "plain")
    plan = ExperimentPlan(
        data=Path(data),
        out=Path(output),
        settings=Settings(minutes=minutes or 0.0, **{name: given[name] for name in settings}),
        keep=steps_of(keep),
        every=min(50, max(1, steps // 10)),
        examine_every=examine_every or 0,
        whole=save == "full",
        **{name: given[name] for name in same},
    )
    return carry_out(plan, note)


@command(
    train,
    rank={"type": click.IntRange(1, 512)},
    rate={"type": click.FloatRange(min=0, min_open=True)},
    length={"type": click.IntRange(min=64)},
    save={"show_default": False},
)
def train_command(as_json: bool, output: Path, **given: Any) -> None:
    written = [str(path) for path in train(output=output, **given)]
    if as_json:
        from otherminds.models.adapters import SUFFIX
        from otherminds.training.experiment import WHOLE

        whole = {"model": str(output / WHOLE)} if given["save"] == "full" else {}
        found = [path for path in written if path.endswith(SUFFIX)]
        print_json({"adapters": found, **whole, "curve": str(output / "curve.jsonl")})
    else:
        say(*written)
