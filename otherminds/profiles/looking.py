"""Every study in turn on some models, and the folder that comes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from otherminds import studies
from otherminds.errors import ModelError, Unable, UsageError
from otherminds.files import parse_json, write_text
from otherminds.profiles.findings import Profile, ToldStudy, as_data
from otherminds.profiles.page import pages
from otherminds.studies import controlled
from otherminds.studies.study import Chapter, Desk, Subject
from otherminds.terminal.screen import note

Tell = Callable[[str], object]
"""Hears what is being done."""


@dataclass(frozen=True, slots=True)
class ProfileStep:
    """One part of a profile: its name, its question, and what looks at models."""

    name: str
    asks: str
    look: Callable[[Sequence[Subject], Desk], Chapter | None]


def steps_of(alone: bool) -> Iterator[ProfileStep]:
    """The starter suite, then every study unless it is to be alone."""
    for make in list(studies.STUDIES.values())[: 1 if alone else None]:
        study = make()
        yield ProfileStep(study.name, study.asks, partial(controlled.look, study))


def check_names(names: Sequence[str]) -> None:
    """Refuse two models of one name."""
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"two models are called {name}, so a report could not tell them apart; name each once, or give one a"
                " name of its own, as in -m 'vllm:m,name=warm'"
            )


def look(
    steps: Sequence[ProfileStep],
    subjects: Sequence[Subject],
    desk: Desk,
    output: Path,
    *,
    tell: Tell = note,
    left: Callable[[], str] = str,
) -> Profile | None:
    """Every step in turn, the page written anew after each: whoever waits can look at what there is.

    `left` says before each how long the rest will take, if that is known.
    """
    names = [subject.name for subject in subjects]
    told: list[ToldStudy] = []
    failed = {step.name: "still to come" for step in steps}
    left_out: list[str] = []
    found = None
    for number, step in enumerate(steps, start=1):
        ahead = f"; {words}" if (words := left()) else ""
        tell(f"{number} of {len(steps)}: {step.name}{ahead}")
        failed[step.name] = "the budget was spent before there was anything to report"
        try:
            if chapter := step.look(subjects, desk):
                told.append(ToldStudy(step.name, step.asks, chapter))
                del failed[step.name]
                _note(chapter, tell)
            else:
                tell(f"  {failed[step.name]}")
        except Unable as error:
            del failed[step.name]
            left_out.append(f"{step.name}: {error}")
            tell(f"  left out: {error}")
        except ModelError as error:
            failed[step.name] = str(error)
            tell(f"  failed: {error}")
            # If not even the first and shortest works, nothing will.
            if number == 1:
                raise
        if any(each.runs for each in told):
            spent = {name: desk.store.spent(name) for name in names}
            found = Profile(names, list(told), desk.size, desk.seed, dict(failed), list(left_out), spent)
            _write(found, output)
    if found is None and left_out:
        raise Unable("; ".join(left_out))
    return found


def _note(chapter: Chapter, tell: Tell) -> None:
    for finding in chapter.findings:
        if finding.first:
            tell(f"  {finding.model}: {finding.what}: {finding.estimate}")
    for said in (*chapter.cut, *chapter.left_out):
        tell(f"  {said}")


def _write(found: Profile, output: Path) -> None:
    """The page, the numbers, tables and figures; files of an earlier profile that this one lacks are removed."""
    made = pages(found)
    data = output / "profile.json"
    for stale in sorted(_earlier(data) - set(made.files)):
        (output / stale).unlink(missing_ok=True)
    for path, text in made.files.items():
        write_text(output / path, text)
    write_text(data, json.dumps(as_data(found, list(made.files)), ensure_ascii=False, indent=2) + "\n")
    made.report.save(output / "profile.html")


def _earlier(data: Path) -> set[str]:
    """The tables and figures that an earlier profile wrote here."""
    try:
        files = parse_json(data.read_text(encoding="utf-8"))["files"]
        return {name for name in files if name.startswith(("tables/", "figures/")) and ".." not in name}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return set()
