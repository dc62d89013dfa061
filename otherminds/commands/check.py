"""`om.check` and `otherminds check`: whether a run is as good as it must be, for continuous integration."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from otherminds.errors import UsageError
from otherminds.terminal.derived import command
from otherminds.terminal.names import runs_of
from otherminds.terminal.options import STORE
from otherminds.terminal.screen import note, print_json, say

if TYPE_CHECKING:
    from otherminds.items import Tag
    from otherminds.runs.runs import Run
    from otherminds.stats import Estimate
    from otherminds.store.store import Store

ALL = "all"
_CONDITION = re.compile(r"\s*(?P<items>.+?)\s*>=\s*(?P<least>[0-9.]+)\s*(?P<percent>%?)\s*", re.ASCII)


class Condition(NamedTuple):
    """The least that some items must reach."""

    text: str
    tags: dict[str, tuple[Tag, ...]]
    least: float


class CheckResult(NamedTuple):
    """A run beside what it must reach."""

    run: Run
    sure: bool
    means: Sequence[tuple[Condition, Estimate]]

    @property
    def missed(self) -> list[str]:
        """The conditions that it does not meet."""
        return [one.text for one, mean in self.means if (mean.low if self.sure else mean.value) < one.least]

    @property
    def passed(self) -> bool:
        """Whether it meets all of them, is finished, and is of one model."""
        return not (self.missed or self.run.partial or self.run.doubts)


def check(
    run: Run | str, *, least: Sequence[str], sure: bool = False, store: Store | str | Path = STORE
) -> CheckResult:
    """Tell whether RUN has enough right answers.

    The exit code is 1 if it has not. ITEMS are all, or those with these tags: NAME for a tag that is true, NAME=VALUE,
    NAME=VALUE|VALUE for several, with commas between tags. A run that is not finished, or not clean, has not enough,
    whatever it has.

    least (--min ITEMS>=SHARE): Such as 'all>=0.7', 'false_belief>=0.8' or 'order=2|3,false_belief=false>=60%'. May be
      given several times.
    sure: By the lower end of the 95 % interval, not by the mean.
    """
    wanted = [read_condition(text) for text in least]
    (found,) = runs_of(store, run, texts=False)
    return CheckResult(found, sure, [(one, _mean(found, one)) for one in wanted])


@command(check)
def check_command(as_json: bool, **given: Any) -> int:
    found = check(**given)
    run, missed, sure = found.run, found.missed, found.sure
    if as_json:
        rows = [
            {"items": one.text, "least": one.least, "met": one.text not in missed} | asdict(mean)
            for one, mean in found.means
        ]
        print_json({"run": run.id, "sure": sure, "partial": run.partial, "conditions": rows})
    else:
        for one, mean in found.means:
            say(f"{'not met' if one.text in missed else 'met'}: {one.text} · right {mean}")
    if missed:
        by = "by the lower end of its interval" if sure else "by its mean"
        note(f"run {run.id} does not reach {', '.join(missed)} {by}")
    if run.partial:
        note(f"run {run.id} is not finished: {run.manifest['stopped'] or 'give its command again to go on'}")
    return 0 if found.passed else 1


def read_condition(text: str) -> Condition:
    """false_belief>=0.8 as what it wants."""
    found = _CONDITION.fullmatch(text)
    try:
        least = float(found["least"]) / (100 if found["percent"] else 1) if found else -1.0
    except ValueError:
        least = -1.0
    if found is None or not 0 <= least <= 1:
        raise UsageError(f"--min {text!r} should be items and the least share, such as 'false_belief>=0.8'")
    if found["items"] == ALL:
        return Condition(text.strip(), {}, least)
    return Condition(text.strip(), dict(map(_tag, found["items"].split(","))), least)


def _tag(part: str) -> tuple[str, tuple[Tag, ...]]:
    name, equals, values = (word.strip() for word in part.partition("="))
    if not name or (equals and not values):
        raise UsageError(f"{part!r} should be a tag such as false_belief, or a tag and a value such as order=2")
    return name, tuple(_value(one.strip()) for one in values.split("|")) if equals else (True,)


def _value(text: str) -> Tag:
    from otherminds.files import parse_json

    try:
        value: Any = parse_json(text)
    except ValueError:
        return text
    return value if isinstance(value, str | int | float | bool) else text


def _mean(run: Run, condition: Condition) -> Estimate:
    from otherminds.results.answers import Answers

    answers = Answers.of([run])
    known = {name for item in answers.items for name in item.tags}
    if unknown := sorted(set(condition.tags) - known - {"verdict"}):
        raise UsageError(f"no item of run {run.id} has a tag {unknown[0]!r}; there are {', '.join(sorted(known))}")
    mean = answers.where(None, **condition.tags).mean()
    if mean is None:
        raise UsageError(
            f"run {run.id} has no scored answer for {condition.text!r}, so it can be neither met nor missed"
        )
    return mean
