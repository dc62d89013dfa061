"""Record and Run: what came of putting items to a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Literal

import numpy as np

from otherminds.errors import UsageError
from otherminds.formats.scores import VERDICTS, Score, scoring
from otherminds.items import Item, Tag
from otherminds.items.tags import has_right_answer
from otherminds.models import Prompt
from otherminds.runs.columns import Columns, Records
from otherminds.runs.frames import frame
from otherminds.showing.brief import brief, cut, plain
from otherminds.showing.notebook import Shown
from otherminds.stats import Bounded
from otherminds.store.packing import Result
from otherminds.store.tables import RunHead

Measured = Literal["exact", "within bounds", "drawn", "read"]


@dataclass(frozen=True, slots=True, repr=False)
class Record:
    """One item, what was asked, what came back, and how good it was."""

    item: Item
    prompts: tuple[Prompt, ...]
    results: tuple[Result, ...]
    calls: tuple[str, ...]
    """The keys under which the store keeps them."""
    score: Score

    def __repr__(self) -> str:
        return plain(f"<Record of {brief(self.item.id)}: {self.verdict}, answer {brief(self.score.answer)}>")

    @property
    def verdict(self) -> str:
        """How the answer ended: the score's verdict, or "unscored" for an item that has no right answer."""
        read = self.score.verdict in ("correct", "incorrect", "tied")
        return "unscored" if read and not self.scored else self.score.verdict

    def value(self, of: str = "value") -> float | None:
        """The score's value, or a number from its detail, such as S; none where no answer is right or wrong."""
        if of == "value" and not self.scored:
            return None
        found = self.score.value if of == "value" else self.score.detail.get(of)
        if found is None:
            return None
        bounds = self.score.detail.get("S_bounds") if of == "S" else None
        return Bounded(*bounds) if bounds else float(found)

    @property
    def scored(self) -> bool:
        """Whether any answer to the item is right."""
        return has_right_answer(self.item.tags)


@dataclass(frozen=True, slots=True, repr=False)
class Run(RunHead, Shown):
    """One suite put to one model."""

    records: Sequence[Record]
    manifest: Mapping[str, Any]
    partial: bool = False
    """Stopped before every item was asked; run again to go on."""

    def __post_init__(self) -> None:
        if not isinstance(self.records, Records):
            object.__setattr__(self, "records", Records(self.records))

    def __repr__(self) -> str:
        state = ", not finished" if self.partial else ""
        asked = f"{self.suite} · {self.model} · {self.prompt}, {self.score}"
        return plain(f"<Run {self.id} of {cut(asked, 200)}: {len(self)} items{state}>")

    def __len__(self) -> int:
        return len(self.records)

    @property
    def measured(self) -> Measured:
        """How its scores came about: exactly, within bounds, by draws, or read out of words."""
        how = scoring(self.score)
        if how.verb == "ask":
            return "drawn" if how.more else "read"
        return "within bounds" if "S low" in self.columns.numbers else "exact"

    @property
    def columns(self) -> Columns:
        """What statistics need of all records."""
        assert isinstance(self.records, Records)
        return self.records.columns

    @property
    def doubts(self) -> Sequence[str]:
        """What speaks against one model having given all answers; a run without any is clean."""
        told = self.manifest.get("provenance", {})
        return (*told.get("findings", ()), *([told["open"]] if "open" in told else []))

    def where(self, keep: Callable[[Record], bool] | None = None, **tags: Tag) -> Run:
        """The run with only the records whose item has these tags and that `keep` keeps."""
        return replace(self, records=tuple(record for record in self._with(tags) if keep is None or keep(record)))

    def _with(self, tags: Mapping[str, Tag]) -> Iterator[Record]:
        return (record for record in self.records if all(record.item.tags.get(n) == v for n, v in tags.items()))

    def values(self, of: str = "value", /, **tags: Tag) -> dict[str, float]:
        """By item id, the scores' values (or another number, such as S), without items where there is none."""
        chosen = self.columns.with_tags(tags)
        if chosen is None:
            found = ((record.item.id, record.value(of)) for record in self._with(tags))
            return {id: value for id, value in found if value is not None}
        places = np.flatnonzero(chosen & ~np.isnan(self.columns.number(of)))
        ids = (self.columns.ids[place] for place in places.tolist())
        return dict(zip(ids, self.columns.numbers_at(places, of), strict=True))

    def mean(self, of: str = "value", /, **tags: Tag) -> float:
        """The mean over the items that have a value; `verdicts` tells how many have none."""
        values = self.values(of, **tags)
        if not values:
            wanted = ", ".join(f"{name}={value!r}" for name, value in tags.items()) or "any tags"
            raise UsageError(f"run {self.id} has no {of} for an item with {wanted}")
        return fmean(values.values())

    def verdicts(self, **tags: Tag) -> dict[str, int]:
        """How many answers ended in which way; "unscored" is among them only where some items have no right answer."""
        ends = Counter(record.verdict for record in self._with(tags)) if tags else self.columns.verdicts.counted
        return {**dict.fromkeys(VERDICTS, 0), **ends}

    def rows(self) -> list[dict[str, Any]]:
        """A flat row for every item, all with the same columns: answers, verdict, the numbers of its score, tags."""
        details = [record.score.detail for record in self.records]
        numbers = dict.fromkeys(name for detail in details for name, n in detail.items() if isinstance(n, int | float))
        tags = dict.fromkeys(name for record in self.records for name in record.item.tags)
        rows = []
        for record in self.records:
            item, score = record.item, record.score
            row: dict[str, Any] = {
                "run": self.id,
                "suite": self.suite,
                "model": self.model,
                "prompt": self.prompt,
                "score": self.score,
                "id": item.id,
                "question": item.question,
                "answer": item.answer,
                "said": score.answer,
                "verdict": record.verdict,
                "value": record.value(),
            }
            row |= {name: score.detail.get(name) for name in numbers}
            # A tag may have the name of a column, as `question` has in one of our own suites.
            rows.append(row | {f"tag_{name}" if name in row else name: item.tags.get(name) for name in tags})
        return rows

    def frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """The rows as a DataFrame: of pandas if that is installed, else of polars, or of the one that is named."""
        return frame(self.rows(), library)
