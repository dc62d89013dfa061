"""The plain report of runs: how often right, beside baselines and chance, how it answered, and what was asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any

from otherminds import stats
from otherminds.asking.plans import groups
from otherminds.asking.readers import baselines
from otherminds.asking.runs import Record, Run
from otherminds.errors import UsageError
from otherminds.items import Item, Suite, Tag
from otherminds.pages import plots
from otherminds.pages.report import Block, Cards, Cell, Example, Figure, Report, Section, Table, minus
from otherminds.results.labels import count, run_labels
from otherminds.results.leads import MANY, headline, lead
from otherminds.results.measures import (
    EVERYTHING,
    beliefs,
    by_suite,
    chance,
    items_of,
    leaning,
    mean_of,
    mean_over,
    missing,
    splits,
    twins_right,
)
from otherminds.results.reading import read_record, read_verdict
from otherminds.stats import Estimate, mean

EXAMPLES = 2
"""Right and wrong answers shown of every run."""
FAINT = 0.1
"""Below this share of all probability, a ratio of two choices says little."""

SHARES = "share of right answers"

LIMITS = """{it} can show that a model fails, and how; it cannot show that a model has a theory of mind. A model may \
be right because a word was named last, or because it has read many stories of this kind. That is why {twins}simple \
baselines stand beside the model, and why several ways of asking stand side by side: a finding that holds in only one \
of them is a finding about that way of asking.

**Intervals** are 95 %, by resampling whole stories with their twins, since such answers are not independent. They \
speak of stories like these, not of all there is to understand about other people."""

TWINS = " All twins right: the share of stories where every twin is right; the same answer to both never is."

WAYS = {
    "letters": "**Letters**: the model weighs the letters of the choices, in every order of the choices; a liking for a"
    " letter, whatever it stands for, is averaged out.",
    "cloze": "**Cloze**: each choice ends the same sentence, and the model weighs the endings; no choice is shown"
    " beforehand.",
    "text": "**Text**: the model writes, and an answer counts only if it is clear.",
    "json": "**JSON**: the model writes an object with its answer, in a form that it is held to where it can be.",
    "json-free": "**JSON, free**: the model writes an object with its answer, and nothing holds it to the form.",
}


def summarise(runs: Sequence[Run], *, title: str = "") -> Report:
    """One report of one or more runs; runs of different suites stand one after another."""
    shown = list({run.id: run for run in runs if run.records}.values())
    if not shown:
        raise UsageError("there is nothing to report: no item of these runs was answered yet")
    labels = run_labels(shown)
    suites = by_suite(shown)
    sections = [Section("", [_cards(suites, labels)])]
    for together in suites:
        suffix = f": {together[0].suite}" if len(suites) > 1 else ""
        sections += [
            Section(f"Right answers{suffix}", _right_answers(together, labels)),
            Section(f"Beside the baselines{suffix}", _beside_baselines(together, labels)),
            Section(f"How it answered{suffix}", how_it_answered(together, labels)),
        ]
    sections += [
        Section("Answers to look at", _examples(shown, labels)),
        Section("What was run", what_was_run(shown, labels)),
        Section("How to read this", [_limits(suites)]),
    ]
    return Report(title or headline(shown), lead(shown, labels), sections, subtitle=_subtitle(shown))


def _limits(suites: Sequence[Sequence[Run]]) -> str:
    """What such a report cannot show; of the suite only what is so."""
    ours = all(some[0].suite == "starter" for some in suites)
    it = "This is a small suite of short stories. It" if ours else "A suite of questions"
    twins = "every false-belief question has a twin whose answer is the other one, why "
    return LIMITS.format(it=it, twins=twins if all(_twinned(items_of(some)) for some in suites) else "")


def _twinned(items: Iterable[Item]) -> bool:
    """Whether every question about a false belief has a twin with another answer."""
    answers: dict[Tag | None, set[str]] = {}
    wanted: list[Tag | None] = []
    for item in items:
        if "twin" in item.tags:
            answers.setdefault(item.tags["twin"], set()).add(item.answer)
        if item.tags.get("false_belief") is True:
            wanted.append(item.tags.get("twin"))
    return bool(wanted) and all(len(answers.get(twin, ())) > 1 for twin in wanted)


def _subtitle(runs: Sequence[Run]) -> str:
    dates = sorted(run.manifest["started"][:10] for run in runs)
    span = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    return f"otherminds {runs[0].manifest['otherminds']} · {span} · {count(len(runs), 'run')}"


def _cards(suites: Sequence[Sequence[Run]], labels: dict[str, str]) -> Cards:
    cards = []
    for some in suites:
        for run in some:
            estimate, lost = mean_of(run), missing(run)
            value = f"{estimate.value:.2f}" if estimate else "–"
            note = (
                f"95 % {estimate.low:.2f} to {estimate.high:.2f}, n = {estimate.n}" if estimate else "nothing to score"
            )
            note += f"; {lost} of {len(run)} without a value" if lost else ""
            cards.append((f"Right, {labels[run.id]}", value, note))
        guess = chance(items_of(some))
        if guess is not None:
            which = f", {some[0].suite}" if len(suites) > 1 else ""
            cards.append((f"Chance{which}", f"{guess:.2f}", "guessing among the choices"))
    return Cards(cards)


def _right_answers(runs: Sequence[Run], labels: dict[str, str]) -> list[Block]:
    items = items_of(runs)
    rows = [(split.label, [mean_of(run, **split.tags) for run in runs]) for split in splits(items)]
    together = [twins_right(run) for run in runs]
    twins = [("all twins right", together)] if any(together) else []
    scores = dict.fromkeys(run.score for run in runs)
    blocks: list[Block] = [
        "\n\n".join(WAYS[score] for score in scores if score in WAYS),
        Table(
            ["items", *(labels[run.id] for run in runs)],
            [[label, *estimates] for label, estimates in rows + twins],
            "Share of right answers, with 95 % intervals by story",
            note=_unscored(runs, labels) + (TWINS if twins else ""),
        ),
    ]
    for start in range(0, len(runs), MANY):
        part = slice(start, start + MANY)
        if not any(estimate for _, estimates in rows for estimate in estimates[part]):
            continue
        svg = plots.intervals(
            [(label, estimates[part]) for label, estimates in rows],
            title="Share of right answers by kind of item",
            series=[labels[run.id] for run in runs[part]],
            reference=_reference(items),
            measure=SHARES,
        )
        blocks.append(Figure(svg, "The same numbers; the broken line is what guessing would give."))
    return blocks


def _unscored(runs: Sequence[Run], labels: dict[str, str]) -> str:
    """How many answers had no value; they are in no mean."""
    said = ", ".join(f"{lost} of {labels[run.id]}" for run in runs if (lost := missing(run)))
    note = f"Without a value, and so in no mean: {said}." if said else "Every answer has a value."
    open_ended = max(run.verdicts().get("unscored", 0) for run in runs)
    if not open_ended:
        return note
    return f"{note} {count(open_ended, 'item')} without a right answer: not counted."


def _beside_baselines(runs: Sequence[Run], labels: dict[str, str]) -> list[Block]:
    """The runs, and what simple rules would score on all items that any of them was asked."""
    items = items_of(runs)
    # Those of a run in its own order, by which intervals are drawn.
    rows = [(labels[run.id], items_of([run]), run.values()) for run in runs]
    rows += [(label, items, values) for label, values in _baseline_values(runs[0].suite, items)]
    belief = beliefs(items)
    lines = [
        (label, [mean_over(own, values, **split.tags) for split in belief or [EVERYTHING]])
        for label, own, values in rows
    ]
    heading: list[tuple[str, list[Estimate | None]]] = [("baselines", [])]
    svg = plots.intervals(
        lines[: len(runs)] + heading + lines[len(runs) :],
        title="The model beside baselines",
        series=[split.label for split in belief] or [""],
        reference=_reference(items),
        measure=SHARES,
    )
    columns = [EVERYTHING, *belief]
    table = Table(
        ["", *(split.label for split in columns)],
        [[label, *(mean_over(own, values, **split.tags) for split in columns)] for label, own, values in rows],
        "The model and the baselines on all items that were asked",
        note="Baselines are rules without a model: the oracle knows every answer, the realist answers with what is"
        " really so, the decoy with what is not; the others look at words and never mind who knows what."
        + _on_fewer({label: len(values) for label, _, values in rows}),
    )
    return [
        "What a number is worth shows beside rules whose scores are known: a model that tracks beliefs is like the"
        " oracle on both kinds of item; one that only tracks the world is like the realist.",
        Figure(svg, "Share of right answers of the model and of the baselines, with 95 % intervals by story."),
        table,
    ]


def _on_fewer(scored: Mapping[str, int]) -> str:
    """Which lines rest on fewer items than the others, whether they were asked fewer or answered fewer clearly."""
    most = max(scored.values())
    some = [f"{label} ({n} of {most})" for label, n in scored.items() if n < most]
    return f" On fewer items than the rest, so mind the difference: {', '.join(some)}." if some else ""


def _baseline_values(name: str, items: Sequence[Item]) -> list[tuple[str, dict[str, float]]]:
    known: list[tuple[str, dict[str, float]]] = []
    for model in baselines(Suite(name, tuple(items))):
        values = model.values(items)
        # One draw of the random one says less than the line at chance; a double of another says nothing.
        if model.name != "random" and values not in [other for _, other in known]:
            known.append((model.name.replace("_", " "), values))
    return known


def how_it_answered(runs: Sequence[Run], labels: Mapping[str, str]) -> list[Block]:
    """How answers ended, and what weighing looked like; `labels` are by the ids of the runs."""
    counts = [(labels[run.id], run.verdicts()) for run in runs]
    ends = list(dict.fromkeys(verdict for _, part in counts for verdict in part))
    used = [end for end in ends if any(part.get(end) for _, part in counts)]
    bars = [(label, {end: part.get(end, 0) for end in used}) for label, part in counts]
    svg = plots.bars(bars, title="Verdicts", parts=used)
    blocks: list[Block] = [
        Figure(
            svg, "How answers ended. Tied: none preferred. Unparsed: no clear answer. Truncated: cut off before one."
        ),
        Table(["", *ends], [[label, *(part.get(end, 0) for end in ends)] for label, part in counts], "Verdicts"),
    ]
    weighed = [(run.where(lambda record: record.scored), lean) for run in runs if (lean := leaning(run))]
    if weighed:
        rows: list[list[Cell]] = [
            [
                *(labels[run.id], _three(mean_of(run, "S")), _three(mean_of(run, "S_token"))),
                *(mean_of(run, "consistent"), signed(_bias(run)), lean.mass, len(run.values("mass"))),
            ]
            for run, lean in weighed
        ]
        columns = ["", "S", "S per token", "same in all orders", "bias to A", "mass", "items"]
        note = (
            "S is the probability of the right choice among the choices; per token, it is evened out for length."
            " Mass is the probability of all choices together (median). Same in all orders: the share of items where"
            " every order of the choices prefers the same one; ties are left out. Bias: what A gets more than the other"
            " letters, in log-probability; [–] where there are too few stories, or all are alike."
        )
        faint = [labels[run.id] for run, lean in weighed if lean.mass < FAINT]
        if faint:
            note += f" **Mind {', '.join(faint)}**: the choices have so little mass that S compares tiny numbers."
        blocks.append(Table(columns, rows, "What the weighing looked like", note=note))
    return blocks


def _examples(runs: Sequence[Run], labels: dict[str, str]) -> list[Block]:
    blocks: list[Block] = ["Opened, each shows the story, the exact text that was sent, and all that came back."]
    for run in runs:
        for wanted in ("correct", "incorrect", "other"):
            chosen = [record for record in run.records if _kind(record) == wanted][:EXAMPLES]
            for record in chosen:
                heading = f"{labels[run.id]} · {record.item.id} · {read_verdict(record)}"
                blocks.append(Example(heading, read_record(record)))
    return blocks


def _kind(record: Record) -> str:
    return record.verdict if record.verdict in ("correct", "incorrect") else "other"


def what_was_run(runs: Sequence[Run], labels: Mapping[str, str]) -> list[Block]:
    """Every run with what it asked of whom, and all that is known of each model."""
    columns = ["", *(labels[run.id] for run in runs)]
    lines = [_manifest_lines(run) for run in runs]
    table = Table(columns, [[name, *(line[name] for line in lines)] for name in lines[0]], "The runs")
    identities = {run.fingerprint: run.manifest["identity"] for run in runs}
    return [
        "The same call is never asked twice, so calls may come from an earlier run.",
        table,
        *(
            Table(
                ["", "value"],
                [[name, str(value)] for name, value in _flat(identity)],
                f"Who was asked: fingerprint {mark}",
            )
            for mark, identity in identities.items()
        ),
    ]


def _manifest_lines(run: Run) -> dict[str, str]:
    manifest, results = run.manifest, [result for record in run.records for result in record.results]
    sent = sum(result.usage.prompt for result in results)
    shared = sum(result.usage.cached for result in results)
    return {
        "run": run.id + (" (not finished)" if run.partial else ""),
        "model": run.model,
        "fingerprint": run.fingerprint,
        "suite": f"{run.suite}, digest {run.digest}",
        "asked as": f"prompt {run.prompt}, score {run.score}",
        "items": f"{len(run)} of {manifest['items']}",
        "seed and limit": f"{manifest['seed']}, {manifest['limit'] or 'none'}",
        "calls": f"{len(results):,}",
        "tokens": f"{sent:,} sent ({shared:,} from a shared past), {sum(r.usage.written for r in results):,} written",
        "started": f"{manifest['started'][:19].replace('T', ' ')} UTC",
        "versions": f"otherminds {manifest['otherminds']}, Python {manifest['python']}, {manifest['platform']}",
    }


def _flat(value: Any, name: str = "") -> list[tuple[str, Any]]:
    """Nested settings as lines: engine.name, engine.version."""
    if not isinstance(value, dict):
        return [(name, value)]
    return [line for key, part in value.items() for line in _flat(part, f"{name}.{key}" if name else str(key))]


def _bias(run: Run) -> Estimate | None:
    """The mean liking for the first letter; in log-probability, which no bounds hold."""
    records = [record for record in run.records if record.value("b") is not None]
    values = [record.value("b") or 0.0 for record in records]
    by = groups([record.item for record in records])
    return mean(values, groups=by, bounds=(-inf, inf)) if values else None


def signed(estimate: Estimate | None) -> str | None:
    """What may lie on both sides of 0; nothing where nothing was measured."""
    return None if estimate is None else minus(stats.signed(estimate))


def _reference(items: Sequence[Item]) -> tuple[float, str] | None:
    guess = chance(items)
    return None if guess is None else (guess, "chance")


def _three(estimate: Estimate | None) -> str | None:
    """With a third decimal: S hardly moves where a share of answers jumps."""
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]" if estimate else None
