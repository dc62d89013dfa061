"""`otherminds train`: a model learns from lessons; what it learned is kept as adapters."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from otherminds.errors import UsageError
from otherminds.terminal.options import common
from otherminds.terminal.screen import note, print_json, say

NEEDED = ("torch", "tokenizers", "gguf", "safetensors")
FOLDER = click.Path(path_type=Path, file_okay=False)
PATH = click.Path(path_type=Path)


@click.command()
@click.argument("data", type=FOLDER)
@click.option("-o", "--output", type=FOLDER, required=True, metavar="DIR", help="Gets adapters, curve and scores.")
@click.option("-m", "--model", default="smollm2", show_default=True, help="smollm2, gguf:PATH, or a folder.")
@click.option("--rank", default=8, show_default=True, type=click.IntRange(1, 512), help="Of the additions.")
@click.option("--full", is_flag=True, help="All matrices learn; the best additions of the rank are kept.")
@click.option("--from", "start", default="", metavar="ADAPTER", help="Go on from this adapter, at its rank.")
@click.option("--steps", default=280, show_default=True, type=click.IntRange(min=1))
@click.option("--minutes", default=0.0, type=click.FloatRange(min=0), help="End after so long; the rate falls by it.")
@click.option("--rate", default=2e-3, show_default=True, type=click.FloatRange(min=0, min_open=True))
@click.option("--warm-up", default=40, show_default=True, type=click.IntRange(min=0), help="Steps to the full rate.")
@click.option("--decay", default=0.0, show_default=True, type=click.FloatRange(min=0), help="Of weights.")
@click.option("--rows", default=16, show_default=True, type=click.IntRange(min=1), help="In a step.")
@click.option("--length", default=4096, show_default=True, type=click.IntRange(min=64), help="Tokens of a row.")
@click.option(
    "--replay", default=0, show_default=True, type=click.IntRange(min=0), help="Texts that keep what it knew."
)
@click.option("--replay-rows", default=4, show_default=True, type=click.IntRange(min=1), help="Of these, in a step.")
@click.option("--keep", default="", metavar="STEP,…", help="Write an adapter after these steps too.")
@click.option(
    "--exam", "exams", type=PATH, multiple=True, help="Score on lessons (`build lessons --test`) or a suite (.jsonl)."
)
@click.option("--plain", type=PATH, multiple=True, help="A text: how many bits a character takes before and after.")
@click.option("--examine-every", default=0, type=click.IntRange(min=0), metavar="STEPS", help="Score in between too.")
@click.option("--save", type=click.Choice(["adapter", "full"]), default="adapter", help="full: the whole model too.")
@click.option("--save-every", default=200, show_default=True, type=click.IntRange(min=0), help="Steps; to go on from.")
@click.option("--device", default="auto", show_default=True, type=click.Choice(["auto", "cuda", "cpu"]))
@click.option("--seed", default=0, show_default=True)
@common
def train(
    data: Path,
    output: Path,
    model: str,
    rank: int,
    full: bool,
    start: str,
    steps: int,
    minutes: float,
    rate: float,
    warm_up: int,
    decay: float,
    rows: int,
    length: int,
    replay: int,
    replay_rows: int,
    keep: str,
    exams: tuple[Path, ...],
    plain: tuple[Path, ...],
    examine_every: int,
    save: str,
    save_every: int,
    device: str,
    seed: int,
    as_json: bool,
) -> None:
    """Train a model on the lessons in DATA.

    DATA is what `otherminds build lessons` wrote. The same command goes on with a run that was ended. What comes out
    is a model: `otherminds run SUITE -m smollm2+DIR/adapter.safetensors`, or with --save full
    `-m hf:DIR/model`. Needs the extra `train`.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(f"training needs {', '.join(missing)}: pip install 'otherminds[train]'")
    from otherminds.models.adapters import SUFFIX
    from otherminds.training.experiment import WHOLE, Plan, carry_out, steps_of
    from otherminds.training.loop import Settings

    settings = Settings(
        steps=steps,
        length=length,
        rows=rows,
        rate=rate,
        warm_up=warm_up,
        decay=decay,
        seed=seed,
        minutes=minutes,
    )
    plan = Plan(
        data=data,
        out=output,
        model=model,
        rank=rank,
        full=full,
        start=start,
        settings=settings,
        replay=replay,
        replay_rows=replay_rows,
        keep=steps_of(keep),
        exams=exams,
        device=device,
        every=min(50, max(1, steps // 10)),
        save_every=save_every,
        plain=plain,
        examine_every=examine_every,
        whole=save == "full",
    )
    written = [str(path) for path in carry_out(plan, note)]
    if as_json:
        found = [path for path in written if path.endswith(SUFFIX)]
        whole = {"model": str(output / WHOLE)} if save == "full" else {}
        print_json({"adapters": found, **whole, "curve": str(output / "curve.jsonl")})
        return
    for path in written:
        say(path)
