"""`otherminds export` and `track`: suites and runs for other programs, as tables, and for trackers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from otherminds.terminal.derived import File, command
from otherminds.terminal.names import runs_of
from otherminds.terminal.options import STORE
from otherminds.terminal.screen import note, print_json, say

if TYPE_CHECKING:
    from otherminds.runs.runs import Run


@command(what={"metavar": "SUITE|RUN"})
def export(
    as_json: bool,
    what: str,
    *,
    to: Literal["lm-eval", "inspect", "hf", "inspect-log", "csv"],
    output: Path,
    store: File = STORE,
) -> None:
    """Write a suite or a run for another program.

    \b
    lm-eval       SUITE, as a folder of tasks for lm-evaluation-harness
    inspect       SUITE, as a folder with a task.py for Inspect
    hf            SUITE, as a folder that datasets.load_dataset reads
    inspect-log   RUN, as a file .eval for `inspect view`
    csv           RUN, as a table with a row for every item

    output: A folder, or for runs a file.
    """
    if to in SUITES:
        files, hint = SUITES[to](what, output)
    else:
        (run,) = runs_of(store, what)
        RUNS[to](run, output)
        files, hint = [output], ""
    if as_json:
        print_json({"files": [str(file) for file in files]})
        return
    for file in files:
        say(str(file))
    if hint:
        note(hint)


def _lm_eval(what: str, folder: Path) -> tuple[list[Path], str]:
    from otherminds.bridges.replay import readme
    from otherminds.results.exports import lm_eval_files, name_of, weighed
    from otherminds.studies.suites import get_suite

    suite = get_suite(what)
    written = _write(folder, lm_eval_files(suite) | readme(suite))
    command = f"lm_eval run --model hf --model_args pretrained=… --tasks {name_of(suite)} --include_path {folder}"
    return written, _left_out(len(suite) - len(weighed(suite)), "no right answer, or no choices") + command


def _inspect(what: str, folder: Path) -> tuple[list[Path], str]:
    from otherminds.results.exports import answered, inspect_files
    from otherminds.studies.suites import get_suite

    suite = get_suite(what)
    written = _write(folder, inspect_files(suite))
    command = f"inspect eval {folder / 'task.py'} --model …"
    return written, _left_out(len(suite) - len(answered(suite)), "no right answer") + command


def _hugging_face(what: str, folder: Path) -> tuple[list[Path], str]:
    from otherminds.bridges.datasets import write
    from otherminds.studies.suites import get_suite

    return write(get_suite(what), folder), f'datasets.load_dataset("{folder}", split="test")'


def _left_out(number: int, why: str) -> str:
    return f"{number} items are left out: they have {why}\n" if number else ""


def _write(folder: Path, files: dict[str, str]) -> list[Path]:
    from otherminds.files import write_text

    for name, text in files.items():
        write_text(folder / name, text)
    return [folder / name for name in files]


def _inspect_log(run: Run, path: Path) -> None:
    from otherminds.results.exports import save

    save(run, path)


def _csv(run: Run, path: Path) -> None:
    from otherminds.files import write_text
    from otherminds.results.exports import csv_text

    write_text(path, csv_text(run))


SUITES: dict[str, Callable[[str, Path], tuple[list[Path], str]]] = {
    "lm-eval": _lm_eval,
    "inspect": _inspect,
    "hf": _hugging_face,
}
RUNS: dict[str, Callable[[Run, Path], None]] = {"inspect-log": _inspect_log, "csv": _csv}


@command()
def track(
    as_json: bool, run: str, *, tracker: Literal["mlflow", "wandb"], project: str = "otherminds", store: File = STORE
) -> None:
    """Log a run's summary with MLflow or Weights & Biases.

    Means, intervals and verdicts are sent, and what was asked of whom; neither questions nor answers. Where to is the
    client's own matter: MLFLOW_TRACKING_URI, WANDB_MODE and so on.

    tracker (--with): Whose client logs it.
    project: The project, or MLflow's experiment.
    """
    from otherminds.bridges.track import track as log

    (found,) = runs_of(store, run)
    there = log(found, tracker, project=project)
    if as_json:
        print_json({"run": found.id, "tracker": tracker, "project": project, "id": there})
    else:
        say(f"run {found.id} is {there} in {tracker}, project {project}")
