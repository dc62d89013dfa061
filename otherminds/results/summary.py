"""The plain report of runs: how often right, beside baselines and chance, how it answered, and what was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from typing import Any

import numpy as np

from otherminds.errors import UsageError
from otherminds.files import read_words
from otherminds.formats.plans import STORIES, groups
from otherminds.heuristics.readers import baselines
from otherminds.items import Item, Suite
from otherminds.minds.telling import listing
from otherminds.pages.report import Block, Cards, Example, Report, Section
from otherminds.results.answers import Answers
from otherminds.results.itembrowser import Links
from otherminds.results.labels import count, on_suite, run_labels
from otherminds.results.measures import EVERYTHING, Split, beliefs, by_suite, chance, missing, splits, twins_right
from otherminds.results.reading import read_record, read_verdict
from otherminds.results.run_details import how_it_answered, what_was_run
from otherminds.results.sections import Across, Axis, Column, Page, PictureOf, TableOf, figure, mean
from otherminds.runs.columns import twinned
from otherminds.runs.records import CHECKED
from otherminds.runs.runs import Record, Run
from otherminds.stats import interval_note, sure

EXAMPLES = 2
"""Right and wrong answers shown of every run."""
MANY = 4
"""The most runs, or models, that are named one by one."""
UNCLEAR = 0.1
"""From this share of answers without a value on, the lead speaks of them."""
MISSES = "One in twenty such intervals misses by chance."
SHARES = "share of right answers"

_TEXTS = read_words("pages")["runs"]
TWINS = " All twins right: the share of stories where every twin is right; the same answer to both never is."

WAYS: dict[str, str] = _TEXTS["ways"]


def summarise(runs: Sequence[Run], *, title: str = "", links: Links | None = None) -> Report:
    """One report of one or more runs; runs of different suites stand one after another.

    `links` lead from numbers to their answers, where the report is part of a page that shows these.
    """
    shown = list({run.id: run for run in runs if run.records}.values())
    if not shown:
        raise UsageError("there is nothing to report: no item of these runs was answered yet")
    labels = run_labels(shown)
    suites = [SuiteAnswers.of(some, labels) for some in by_suite(shown)]
    sections = [Section("", [_cards(suites)])]
    for asked in suites:
        suffix = f": {asked.runs[0].suite}" if len(suites) > 1 else ""
        page = Page(asked.everybody, links)
        sections += [
            Section(f"Right answers{suffix}", page.blocks(_right_answers(asked))),
            Section(f"Beside the baselines{suffix}", page.blocks(_beside_baselines(asked))),
            Section(f"How it answered{suffix}", how_it_answered(asked.runs, labels)),
        ]
    sections += [
        Section("Answers to look at", _examples(shown, labels)),
        Section("What was run", what_was_run(shown, labels)),
        Section("How to read this", [_limits(suites)]),
    ]
    return Report(title or _headline(shown), _lead(suites), sections, subtitle=_subtitle(shown))


@dataclass(frozen=True)
class SuiteAnswers:
    """One suite, and what each run answered to it, by label."""

    runs: Sequence[Run]
    parts: Mapping[str, Answers]

    @classmethod
    def of(cls, runs: Sequence[Run], labels: Mapping[str, str]) -> SuiteAnswers:
        """Runs of the same items."""
        return cls(runs, {labels[run.id]: Answers.of([run]) for run in runs})

    @cached_property
    def items(self) -> list[Item]:
        """All that any of the runs was asked."""
        return self.told.items

    @cached_property
    def told(self) -> Answers:
        """An answer to each item."""
        first, *others = self.parts.values()
        return reduce(or_, others, first).once

    @cached_property
    def twinned(self) -> bool:
        """Whether every question about a false belief has a twin with another answer."""
        return self.told.whole.twinned if self.told.whole else twinned(self.items)

    @cached_property
    def stories(self) -> int:
        """How many they are on."""
        return self.told.whole.stories if self.told.whole else len(set(groups(self.items, by=STORIES)))

    @cached_property
    def rules(self) -> dict[str, Answers]:
        """What each baseline gets, without the random one and doubles of others."""
        if self.told.whole and self.told.whole.readers:
            return {name: self.told.with_values(_baseline(name), values) for name, values in self._unlike().items()}
        return _baselines(self.runs[0].suite, self.items)

    def _unlike(self) -> dict[str, Any]:
        """Of a large run, whose columns have them, the values of baselines that differ."""
        assert self.told.whole
        known: dict[str, Any] = {}
        for name, values in self.told.whole.readers.items():
            if name != "random" and not any(np.array_equal(values, one, equal_nan=True) for one in known.values()):
                known[name.replace("_", " ")] = values
        return known

    @cached_property
    def everybody(self) -> Answers:
        """The answers of the runs and of the baselines."""
        return reduce(or_, (*self.parts.values(), *self.rules.values()))

    @property
    def splits(self) -> dict[str, Split]:
        """The runs among everybody."""
        return {label: Split(label, {"run": run.id}) for label, run in zip(self.parts, self.runs, strict=True)}

    @cached_property
    def guess(self) -> float | None:
        """What guessing would give."""
        return chance(self.told)

    @property
    def reference(self) -> tuple[float, str] | None:
        """The same for a picture."""
        return None if self.guess is None else (self.guess, "chance")


def _limits(suites: Sequence[SuiteAnswers]) -> str:
    """What such a report cannot show; of the suite only what is so."""
    ours = all(asked.runs[0].suite == "starter" for asked in suites)
    it = "This is a small suite of short stories. It" if ours else "A suite of questions"
    twins = "every false-belief question has a twin whose answer is the other one, why "
    method = interval_note(one for asked in suites for part in asked.parts.values() if (one := part.mean()))
    every = all(asked.twinned for asked in suites)
    return str(_TEXTS["limits"].format(it=it, twins=twins if every else "", method=method))


def _subtitle(runs: Sequence[Run]) -> str:
    dates = sorted(run.manifest["started"][:10] for run in runs)
    span = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    return f"otherminds {runs[0].manifest['otherminds']} · {span} · {count(len(runs), 'run')}"


def _cards(suites: Sequence[SuiteAnswers]) -> Cards:
    cards = []
    for asked in suites:
        for label, part in asked.parts.items():
            estimate, lost = part.mean(), missing(part)
            note = sure(estimate) if estimate else "nothing to score"
            note += f"; {lost} of {len(part)} without a value" if lost else ""
            cards.append((f"Right, {label}", f"{estimate.value:.2f}" if estimate else "–", note))
        if asked.guess is not None:
            which = f", {asked.runs[0].suite}" if len(suites) > 1 else ""
            cards.append((f"Chance{which}", f"{asked.guess:.2f}", "guessing among the choices"))
    return Cards(cards)


def _right_answers(asked: SuiteAnswers) -> list[Any]:
    parts = list(asked.splits.values())
    ways = [WAYS[score] for score in dict.fromkeys(run.score for run in asked.runs) if score in WAYS]
    twins = {"all twins right": twins_right} if any(map(twins_right, asked.parts.values())) else {}
    kinds = Axis("items", splits(asked.told))
    return [
        "\n\n".join(ways),
        TableOf(
            [kinds],
            [Across(Axis("", parts), mean(), linked=True)],
            "Share of right answers, with 95 % intervals by story",
            note=_unscored(asked) + (TWINS if twins else ""),
            keep=len,
            foot=twins,
        ),
        *(
            PictureOf(
                kinds,
                Axis("", parts[start : start + MANY]),
                mean(),
                "Share of right answers by kind of item",
                "The same numbers; the broken line is what guessing would give.",
                SHARES,
                reference=asked.reference,
            )
            for start in range(0, len(parts), MANY)
        ),
    ]


def _unscored(asked: SuiteAnswers) -> str:
    """How many answers had no value; they are in no mean."""
    said = ", ".join(f"{lost} of {label}" for label, part in asked.parts.items() if (lost := missing(part)))
    note = f"Without a value, and so in no mean: {said}." if said else "Every answer has a value."
    open_ended = max(len(part.where(verdict="unscored")) for part in asked.parts.values())
    if not open_ended:
        return note
    return f"{note} {count(open_ended, 'item')} without a right answer: not counted."


def _beside_baselines(asked: SuiteAnswers) -> list[Any]:
    """The runs, and what simple rules would score on all items that any of them was asked."""
    everybody = {**asked.parts, **asked.rules}
    belief = beliefs(asked.told)
    drawn = belief or [EVERYTHING]
    lines = [(label, [split.of(some).mean() for split in drawn]) for label, some in everybody.items()]
    numbers = {label: len(part.numbers()) for label, part in everybody.items()}
    return [
        _TEXTS["beside"],
        figure(
            [*lines[: len(asked.parts)], ("baselines", []), *lines[len(asked.parts) :]],
            [split.label for split in drawn],
            "The model beside baselines",
            "Share of right answers of the model and of the baselines, with 95 % intervals by story.",
            SHARES,
            reference=asked.reference,
        ),
        TableOf(
            [Axis("", [asked.splits.get(label, Split(label, {"model": _baseline(label)})) for label in everybody])],
            [Column(split.label, mean(), behind=Answers.with_value, part=split) for split in [EVERYTHING, *belief]],
            "The model and the baselines on all items that were asked",
            note=_TEXTS["baselines"] + _on_fewer(numbers),
            keep=len,
        ),
    ]


def _on_fewer(scored: Mapping[str, int]) -> str:
    """Which lines rest on fewer items than the others, whether they were asked fewer or answered fewer clearly."""
    most = max(scored.values())
    some = [f"{label} ({n} of {most})" for label, n in scored.items() if n < most]
    return f" On fewer items than the rest, so mind the difference: {', '.join(some)}." if some else ""


def _baselines(name: str, items: Sequence[Item]) -> dict[str, Answers]:
    """What each baseline gets; a double of another says nothing."""
    known: dict[str, dict[str, float]] = {}
    for model in baselines(Suite(name, tuple(items))):
        # One draw of the random one says less than the line at chance.
        if model.name != "random" and (values := model.values(items)) not in known.values():
            known[model.name.replace("_", " ")] = values
    return {name: Answers.by_rule(_baseline(name), items, values) for name, values in known.items()}


def _baseline(name: str) -> str:
    """What tells the answers of a baseline from those of a run of it."""
    return f"baseline: {name}"


def _examples(runs: Sequence[Run], labels: Mapping[str, str]) -> list[Block]:
    blocks: list[Block] = ["Opened, each shows the story, the exact text that was sent, and all that came back."]
    for run in runs:
        for record in examples(run):
            heading = f"{labels[run.id]} · {record.item.id} · {read_verdict(record)}"
            blocks.append(Example(heading, read_record(record)))
    return blocks


def read_for(run: Run) -> Sequence[Record]:
    """The answers whose texts a report needs: of all, to add up their tokens; of a large run, of those it shows."""
    return run.records if len(run) <= CHECKED else examples(run)


def examples(run: Run) -> list[Record]:
    """The answers that a report shows in full: the first that are right, wrong, and neither."""
    verdicts = run.columns.verdicts
    known = [_kind(verdict) for verdict in verdicts.values]
    places = [
        np.flatnonzero(np.isin(verdicts.codes, [code for code, one in enumerate(known) if one == kind]))[:EXAMPLES]
        for kind in ("correct", "incorrect", "other")
    ]
    return [run.records[place] for some in places for place in some.tolist()]


def _kind(verdict: str) -> str:
    return verdict if verdict in ("correct", "incorrect") else "other"


# ---- the answer in words ----------------------------------------------------------------------------------------


def _headline(runs: Sequence[Run]) -> str:
    """Who was asked what."""
    suites = list(dict.fromkeys(run.suite for run in runs))
    return f"{_who(runs)} on the {listing(suites)} suite{'s' * (len(suites) > 1)}"


def _lead(suites: Sequence[SuiteAnswers]) -> str:
    """The answer: a paragraph for every suite."""
    if len(suites) == 1:
        return _on_suite(suites[0])
    said = []
    for asked in suites:
        # The paragraph names the suite, so that the runs need not.
        short = {label.replace(on_suite(asked.runs[0]), ""): part for label, part in asked.parts.items()}
        said.append(f"**{asked.runs[0].suite}**: {_on_suite(SuiteAnswers(asked.runs, short))}")
    return "\n\n".join(said)


def _who(runs: Sequence[Run]) -> str:
    models = list(dict.fromkeys(run.model for run in runs))
    return listing(models) if len(models) <= MANY else f"{len(models)} models"


def _on_suite(asked: SuiteAnswers) -> str:
    what = f"{count(len(asked.told), 'question')} on {count(asked.stories, 'story', 'stories')}"
    scored = {label: part for label, part in asked.parts.items() if part.numbers()}
    told = _on_many(asked, scored) if len(scored) > MANY else _on_few(asked, scored)
    return " ".join(
        [
            f"{_who(asked.runs)}: {what}{_fewer(asked)}.",
            *_nothing({label: part for label, part in asked.parts.items() if label not in scored}),
            *told,
            *_cautions(scored),
            *(["Not every run is finished."] if any(run.partial for run in asked.runs) else []),
        ]
    )


def _fewer(asked: SuiteAnswers) -> str:
    some = [f"{label} ({len(part)})" for label, part in asked.parts.items() if len(part) < len(asked.told)]
    if not some:
        return ""
    return f"; asked fewer: {', '.join(some)}" if len(some) <= MANY else f"; {len(some)} runs were asked fewer"


def _nothing(empty: Mapping[str, Answers]) -> list[str]:
    """Which runs have not one answer that counts, and how theirs ended."""
    if len(empty) > MANY:
        return [f"No answer of {len(empty)} runs could be scored."]
    ends = {
        label: ", ".join(f"{n} of {len(part)} {end}" for end, n in part.runs[0].verdicts().items() if n)
        for label, part in empty.items()
    }
    return [f"No answer by {label} could be scored ({end})." for label, end in ends.items()]


def _on_few(asked: SuiteAnswers, parts: Mapping[str, Answers]) -> list[str]:
    """How often right, by belief where that is known, what chance would not do, and what twins say."""
    if not parts:
        return []
    kinds = beliefs(SuiteAnswers(asked.runs, parts).told) or [EVERYTHING]
    lines = [(label, [kind.of(part).mean() for kind in kinds]) for label, part in parts.items()]
    said = [
        f"{' and '.join(f'{one.value:.2f}' if one else 'nothing' for one in line)} by {label}" for label, line in lines
    ]
    sentences = [f"Right for {' and '.join(kind.label for kind in kinds)}: {'; '.join(said)}."]
    if (guess := asked.guess) is not None:
        found = [
            (f"{kind.label} by {label}", one)
            for label, line in lines
            for kind, one in zip(kinds, line, strict=True)
            if one
        ]
        above, below = [w for w, one in found if one.low > guess], [w for w, one in found if one.high < guess]
        sentences.append(f"Guessing would give {guess:.2f}.")
        sentences += [f"The interval lies above that: {', '.join(above)}."] if above else []
        sentences += [f"The interval lies below that: {', '.join(below)}."] if below else []
        sentences.append(MISSES if above or below else "None of these can be told from guessing.")
    shares = [f"{share.value:.2f} by {label}" for label, part in parts.items() if (share := twins_right(part))]
    return [*sentences, f"All twins of a story right: {', '.join(shares)}."] if shares else sentences


def _on_many(asked: SuiteAnswers, parts: Mapping[str, Answers]) -> list[str]:
    """The worst, the best, and how many of all lie off chance; the rest is for tables."""
    guess = asked.guess
    sentences = [] if guess is None else [f"Guessing would give {guess:.2f}."]
    off = 0
    for kind in beliefs(SuiteAnswers(asked.runs, parts).told) or [EVERYTHING]:
        found = [(one, label) for label, part in parts.items() if (one := kind.of(part).mean())]
        (least, worst), (most, best) = (pick(found, key=lambda pair: pair[0].value) for pick in (min, max))
        span = f"from {least.value:.2f} by {worst} to {most.value:.2f} by {best}"
        said = f"Right for {kind.label}: {span if least.value < most.value else f'{most.value:.2f} by all'}"
        if guess is not None:
            above, below = sum(one.low > guess for one, _ in found), sum(one.high < guess for one, _ in found)
            said += f"; of {len(found)} intervals, above guessing: {above}, below: {below}"
            off += above + below
        sentences.append(f"{said}.")
    return [*sentences, *([MISSES] if off else []), "The tables have all of them."]


def _cautions(parts: Mapping[str, Answers]) -> list[str]:
    gaps = [(label, missing(part), len(part)) for label, part in parts.items()]
    said = [f"{lost} of {asked} answers by {label}" for label, lost, asked in gaps if lost > asked * UNCLEAR]
    if len(said) > MANY:
        return [f"More than one answer in ten is not clear, and so not counted, in {len(said)} runs."]
    return [f"Without a clear answer, and so not counted: {', '.join(said)}."] if said else []
