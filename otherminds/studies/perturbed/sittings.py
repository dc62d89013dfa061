"""Sittings: what one model answered in each style, and which of its answers may be compared.

A style in which an answer cannot be read says nothing about that item, and what cannot be read is not left to chance:
long stories and hard classes have more of it. So an item counts only if every style gave a readable answer to it, and
how many were lost is a result of its own. Calls that failed were never answered, and are no faults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.asking.runs import Record, Run
from otherminds.errors import UsageError
from otherminds.items import Item
from otherminds.results.labels import tell_apart
from otherminds.studies.perturbed.build import STYLES, Style

PAIR: tuple[Style, Style] = ("vanilla", "cot")
"""The two styles that everything is measured in; others are only set beside them."""
_STYLE: dict[str, Style] = {prompt: style for style, prompt in STYLES.items()}


@dataclass(frozen=True, slots=True)
class Answer:
    """One item in one style."""

    item: Item
    value: float | None
    """1 right, 0 wrong; None where nothing could be read: a fault."""
    said: str
    states: tuple[str, ...] = ()
    """The chain, where one was asked for."""
    record: Record | None = None
    """None for a rule, which was never asked."""

    @property
    def right(self) -> bool:
        """Whether it is right; a fault is not."""
        return self.value == 1

    def tag(self, name: str) -> str:
        """A tag of its item, as text."""
        return str(self.item.tags[name])


SCOPES: dict[str, Callable[[Answer], bool]] = {
    "focal": lambda answer: answer.item.tags["focal"] is True,
    "all": lambda answer: True,
}
"""The false-belief items alone, and all questions of a task."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """The answers of one model, or of a rule, by style and then by the item's id."""

    label: str
    answers: Mapping[str, Mapping[str, Answer]]

    @property
    def styles(self) -> tuple[str, ...]:
        """Those of the pair that there are."""
        return tuple(style for style in PAIR if style in self.answers)

    def asked(self, keep: Callable[[Answer], bool] = lambda _: True) -> dict[str, list[Answer]]:
        """By style, the answers to the items that every style was asked, in one order; faults among them."""
        by_style = [self.answers[style] for style in self.styles]
        shared = [id for id in by_style[0] if all(id in answers for answers in by_style)]
        chosen = [id for id in shared if keep(by_style[0][id])]
        return {style: [self.answers[style][id] for id in chosen] for style in self.styles}

    def read(self, keep: Callable[[Answer], bool] = lambda _: True) -> dict[str, list[Answer]]:
        """The same without the items that have a fault in any style."""
        asked = self.asked(keep)
        good = [all(each.value is not None for each in row) for row in zip(*asked.values(), strict=True)]
        return {
            style: [each for each, whole in zip(answers, good, strict=True) if whole]
            for style, answers in asked.items()
        }


def sit(runs: Sequence[Run]) -> tuple[Sitting, ...]:
    """One sitting a model; a model asked with and without a schema is two."""
    together: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        plain = run.where(lambda record: "edit" not in record.item.tags and record.score.verdict != "error")
        if run.prompt in _STYLE and plain.records:
            together.setdefault((run.fingerprint, run.score), []).append(plain)
    named = _labels(list(together.values()))
    sittings = tuple(Sitting(name, _by_style(some)) for name, some in zip(named, together.values(), strict=True))
    with_answers = tuple(each for each in sittings if each.styles and any(each.asked().values()))
    if not with_answers:
        raise UsageError(
            "none of these runs has answers to perturbed tasks in the styles vanilla or cot; build the suite with "
            "`otherminds build perturbed` and run it"
        )
    return with_answers


def rule(label: str, key: str, items: Iterable[Item], styles: Sequence[str]) -> Sitting:
    """Whoever always answers with what the item has under this key of its meta, in whatever style."""

    def answer(item: Item) -> Answer:
        said = item.meta[key]
        return Answer(item, float(said == item.answer), said, (said,) * len(item.meta["sentences"]))

    known = {item.id: answer(item) for item in items}
    return Sitting(label, dict.fromkeys(styles, known))


def _by_style(runs: Sequence[Run]) -> dict[str, dict[str, Answer]]:
    found: dict[str, dict[str, Answer]] = {}
    for run in runs:
        for record in run.records:
            found.setdefault(_STYLE[run.prompt], {})[record.item.id] = _answer(record)
    return found


def _answer(record: Record) -> Answer:
    detail: Mapping[str, Any] = record.score.detail
    value = record.value()
    return Answer(record.item, value, record.score.answer, tuple(detail.get("states", ())), record)


def _labels(groups: Sequence[Sequence[Run]]) -> list[str]:
    """A name for every sitting: its model, and only what else tells it from the others."""
    names = [some[0].model + (", without a schema" if some[0].score == "json-free" else "") for some in groups]
    return tell_apart([(name, f" ({some[0].fingerprint[:6]})") for name, some in zip(names, groups, strict=True)])
