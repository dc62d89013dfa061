"""Page: what was found: the answer in words, the numbers behind it, and the stories themselves.

show(found, [om.run(build.suite(found), model)]).save("explore.html")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite

from otherminds import stats
from otherminds.files import read_words
from otherminds.minds.telling import listing
from otherminds.pages import plots
from otherminds.pages.report import Block, Cards, Cell, Figure, Report, Section, Table
from otherminds.results.grids import SERIES, Grid
from otherminds.results.labels import count, run_labels
from otherminds.results.run_details import how_it_answered, what_was_run
from otherminds.runs.runs import Run
from otherminds.stats import Difference, Estimate, span, sure
from otherminds.stats.significance import p_text
from otherminds.studies.explore.gallery import gallery
from otherminds.studies.explore.measure import SIMPLER, SPLITS, Contest, Measures, Pair, measure
from otherminds.studies.explore.published import WAYS
from otherminds.studies.explore.search.hunt import Found
from otherminds.studies.explore.shares import Share
from otherminds.studies.explore.sittings import HARDEST, Findings
from otherminds.studies.study import study_page

FOUND_BY = {
    "learn": "the search",
    "search": "the search",
    "random": "over-generation",
    "overgenerate": "over-generation",
}

_TEXTS = read_words("pages")["explore"]
LIMITS: str = _TEXTS["limits"]


_CONTEST: str = _TEXTS["contest"]


_OPEN = """The published search asks an open question and takes an answer for right that contains the expected \
words: "not the tin" is right where "tin" is. Here the same questions stand with options, open but read as everywhere \
here (exactly one of the possible answers is named), and open as published."""


def show(
    findings: Findings | Sequence[Found], runs: Sequence[Run], *, random_stories: int = 200, seed: int = 0
) -> Report:
    """The report of stories found and of the runs that asked about them.

    `random_stories` of each setting are drawn to tell how many need theory of mind at all; 0 leaves that out.
    """
    return report(findings, measure(findings, runs, random_stories=random_stories, seed=seed), runs)


def report(findings: Findings | Sequence[Found], found: Measures, runs: Sequence[Run]) -> Report:
    """The page of numbers that are there already, and of the runs behind them."""
    sections = [
        Section("", [_cards(found)]),
        Section("By kind of story", _by_kind(found)),
        Section("Hard or odd?", _hard_or_odd(found)),
        Section("Against over-generation", _against(found)),
        Section("In other words", _told(found)),
        Section("Without options", _published(found)),
        Section("Who needs theory of mind?", _needs(found)),
        Section("Models on each other's stories", _crossed(found)),
        Section("The stories", gallery(found.sittings, found.method)),
        Section("How answers ended", how_it_answered(runs, run_labels(runs))),
        Section("What was run", [_how_found(findings), *what_was_run(runs, run_labels(runs))]),
        Section("What this cannot show", [LIMITS]),
    ]
    who = list(dict.fromkeys(each.run.model for each in found.sittings))
    title = f"Stories that {listing(who)} {'gets' if len(who) == 1 else 'get'} wrong"
    return study_page("explore", title, lead(found), sections, [found.sittings[0].run])


def lead(found: Measures) -> str:
    """The answer in words, with its numbers: how bad it is, then what that is worth."""
    paragraphs, beside = [], dict(found.beside)
    for sitting, right in list(zip(found.sittings, found.overall, strict=True))[:SERIES]:
        if right is None:
            continue
        said = [
            f"{sitting.label} is right in {_short(right)} of the questions about a story, on average over "
            f"{count(right.n, 'story', 'stories')} that {FOUND_BY[found.method]} chose because it fails them"
            f"{_simpler(found)}."
        ]
        said.append(_on_reality(beside[sitting.label]))
        said += [_on_contest(contests[0]) for label, contests in found.contests if label == sitting.label]
        said += [_on_telling(pair) for pair in found.told if pair.label.startswith(f"{sitting.label}, ")]
        paragraphs.append(" ".join(filter(None, said)))
    return "\n\n".join(paragraphs)


def _simpler(found: Measures) -> str:
    """What could be had on the same questions without a mind."""
    rules = {label: estimates[0] for label, estimates in found.beside}
    parts = [f"guessing would give {found.guess:.2f}"] if found.guess is not None else []
    if same := rules.get("realist"):
        parts.append(f"answering with what is so {same.value:.2f}")
    return f"; {', '.join(parts)}" if parts else ""


def _on_reality(estimates: Sequence[Estimate | None]) -> str:
    same = estimates[list(SPLITS).index("what is so")]
    return f"Of the questions about what is so, it has {same.value:.2f} right." if same else ""


def _on_contest(contest: Contest) -> str:
    pair = contest.accuracy
    return (
        f"Setting by setting, the search comes down to {pair.first.value:.2f}, having asked about "
        f"{count(contest.asked[0], 'story', 'stories')}, and over-generation to {pair.second.value:.2f}, having asked "
        f"about {contest.asked[1]:,}: {_verdict(pair.difference)}."
    )


def _on_telling(pair: Pair) -> str:
    return (
        f"With the stories reworded, the same questions are right in {pair.second.value:.2f} instead of "
        f"{pair.first.value:.2f}: {_verdict(pair.difference)}."
    )


def _verdict(difference: Difference) -> str:
    if difference.value == 0:
        return "no difference"
    p = p_text(difference.p)
    return f"a clear difference ({p})" if difference.p < 0.05 else f"a difference that can be chance ({p})"


def _cards(found: Measures) -> Cards:
    cards = []
    for sitting, right, before in zip(found.sittings, found.overall, found.when_found, strict=True):
        if right and before:
            note = f"{sure(right)} stories; {before.value:.2f} when found"
            cards.append((f"Right, {sitting.label}", f"{right.value:.2f}", note))
    for label, contests in found.contests[:1]:
        other = contests[0].accuracy.second
        cards.append(("Over-generation", f"{other.value:.2f}", f"{label}; {sure(other)} settings"))
    for pair in found.told[:1]:
        note = f"{pair.label.rpartition(', ')[0]}, the same questions; {sure(pair.second)} stories"
        cards.append(("In other words", f"{pair.second.value:.2f}", note))
    for label, estimates in found.beside:
        if label == "realist" and estimates[0]:
            note = f"answers with what is so; {sure(estimates[0])} stories"
            cards.append(("Realist", f"{estimates[0].value:.2f}", note))
    if found.guess is not None:
        cards.append(("Chance", f"{found.guess:.2f}", "guessing among the choices"))
    return Cards(cards)


def _by_kind(found: Measures) -> list[Block]:
    who = [sitting.label for sitting in found.sittings]
    blocks: list[Block] = [
        f"The mean accuracy of the stories that {FOUND_BY[found.method]} found, over the questions it went by; of each"
        f" setting the {HARDEST} hardest stories. In an **asymmetric** story one event is secretly watched, or missed"
        " by somebody distracted.",
    ]
    columns = [f"{name}{kind}" for name in _prefixes(who) for kind in ("plain", "asymmetric")]
    sets = Grid(columns, found.sets)
    blocks.append(sets.compact.table("set of events", "Accuracy by set of events"))
    for start, name in enumerate(who[:SERIES]):
        own = replace(sets.only((2 * start, 2 * start + 1)), columns=("plain", "asymmetric"))
        caption = f"{name}: the mean accuracy of stories, with 95 % intervals."
        blocks.append(_figure(own, f"Accuracy of {name} by set of events", caption, _reference(found)))
    sizes = Grid(who, [("by people", ()), *found.people, ("by moves", ()), *found.moves])
    caption = "The same by the number of people and of moves that a story had to have."
    blocks.append(_figure(sizes, "Accuracy by people and by moves", caption, _reference(found)))
    return blocks


def _figure(grid: Grid, title: str, caption: str, reference: tuple[float, str] | None = None) -> Figure:
    return grid.figure(title, caption, reference=reference, measure="accuracy")


def _hard_or_odd(found: Measures) -> list[Block]:
    grid = Grid(list(SPLITS), found.beside).compact
    # With searches of the first order alone, the two columns would be the same.
    if all(line[0] == line[list(SPLITS).index("order 1")] for _, line in found.beside):
        grid = grid.only(place for place, name in enumerate(grid.columns) if name != "searched")
    drawn = [name for name in ("searched", "order 1", "order 2", "false belief") if name in grid.columns][:3]
    picked = grid.only(grid.columns.index(name) for name in drawn)
    models = len(found.sittings)
    lines = [*picked.lines[:models], ("baselines", []), *picked.lines[models:]]
    caption = "The mean accuracy of the stories on the same questions, with 95 % intervals."
    title = "The model beside mindless baselines, on the stories found"
    table = grid.shown(span).table("", "The model and the baselines on the stories found")
    count = ["stories", *(one and one.n for one in grid.lines[0][1])]
    blocks: list[Block] = [
        _TEXTS["hard_or_odd"],
        _figure(Grid(drawn, lines), title, caption),
        replace(table, rows=[*table.rows, count]),
    ]
    if found.wrong:
        note = (
            "Of the wrong answers about minds to which the simpler answer would have been wrong too, the share that"
            " is just that answer."
        )
        blocks.append(Grid(list(SIMPLER), found.wrong).compact.table("", "What the wrong answers were", note=note))
    return blocks


def _against(found: Measures) -> list[Block]:
    blocks: list[Block] = []
    for label, contests in found.contests:
        for what, pairs in (
            ("accuracy", [each.accuracy for each in contests]),
            ("events in a story", [each.length for each in contests]),
        ):
            rows: list[list[Cell]] = [
                [p.label, p.first.value, p.second.value, _gap(p.difference), f"{each.asked[0]:,} / {each.asked[1]:,}"]
                for each, p in zip(contests, pairs, strict=True)
            ]
            columns = ["", "search", "over-generation", "difference", "stories asked about"]
            blocks.append(Table(columns, rows, f"{label}: {what}, setting by setting"))
        counts = {
            "search harder": contests[0].harder,
            "alike": contests[0].alike,
            "over-generation harder": contests[0].easier,
        }
        svg = plots.bars([(label, counts)], title="Settings by which method found the harder stories")
        blocks.append(Figure(svg, "Settings by which method found the stories that the model answers worse."))
    if blocks:
        blocks.insert(0, _CONTEST)
    return blocks


def _gap(difference: Difference) -> Cell:
    # A single setting says nothing of others, and a length has no bounds between which they could lie.
    return difference if isfinite(difference.low) else f"{difference.value:+.2f} [–], n = {difference.n}"


def _told(found: Measures) -> list[Block]:
    if not found.told:
        return []
    rows: list[list[Cell]] = [[pair.label, pair.first, pair.second, pair.difference] for pair in found.told]
    return [
        "The same events and questions, told in words other than those the search saw. What stays hard is not hard"
        " because of its wording.",
        Table(["", "canonical", "reworded", "difference"], rows, "The same questions in two tellings"),
    ]


def _published(found: Measures) -> list[Block]:
    blocks: list[Block] = []
    for each in found.published:
        note = (
            f"n counts stories. Of {each.asked} open answers, {each.unread} name none of the possible answers, or"
            " several; these are left out of the second column."
        )
        grid = Grid(WAYS, each.lines).compact
        blocks.append(grid.table("set of events", f"{each.label}: the same questions in three ways", note=note))
    if blocks:
        blocks.insert(0, _OPEN)
    return blocks


def _needs(found: Measures) -> list[Block]:
    blocks: list[Block] = []
    if found.interesting:
        rows: list[list[Cell]] = [[pair.label, pair.first, pair.second, pair.difference] for pair in found.interesting]
        note = "Within stories that have both kinds of question, so n counts stories."
        columns = ["", "needs theory of mind", "does not", "difference"]
        blocks += [
            "A question **needs theory of mind** if another person, put in the place of one of its minds, would make"
            " its answer another one.",
            Table(columns, rows, "Questions that need theory of mind, and others", note=note),
        ]
    return [*blocks, *_random(found.random)] if found.random else blocks


def _random(drawn: Sequence[Share]) -> list[Block]:
    rows: list[list[Cell]] = [
        [
            f"{each.cell.people}, {each.cell.moves}, {each.cell.sentences}",
            *(span(part) for part in (each.stories, each.published, each.questions)),
        ]
        for each in drawn
    ]
    note = (
        f"{drawn[0].stories.n:,} stories of the set tomi in each setting, drawn without a model, unfinished ones"
        " included. By the published definition, whoever does not know has no answer. Questions of orders 1 and 2."
    )
    columns = ["people, moves, sentences", "stories", "by the published definition", "questions"]
    return [
        "How much there is to find: the share of random stories with such a question, and of such questions.",
        Table(columns, rows, "Random stories that need theory of mind", note=note),
    ]


def _crossed(found: Measures) -> list[Block]:
    if found.crossed is None:
        return []
    note = (
        "Questions drawn by a seed, the same for every model, about stories that a search chose because the model"
        " named first fails them; stories drawn at random are not among them."
    )
    grid = Grid(found.crossed.readers, found.crossed.rows).compact
    return [grid.table("found against", "Right answers on each other's stories", note=note)]


def _how_found(findings: Findings | Sequence[Found]) -> Table:
    known = findings if isinstance(findings, Mapping) else {"": findings}
    rows: list[list[Cell]] = []
    for model, found in known.items():
        for method in dict.fromkeys(each.method for each in found):
            some = [each for each in found if each.method == method]
            name = f"{FOUND_BY[method]}{f', against {model}' if model else ''}"
            chosen = stats.mean([each.accuracy for each in some])
            again = [each.confirmed for each in some if each.confirmed is not None]
            numbers = [len(some), sum(each.evaluated for each in some), len({each.cell for each in some})]
            rows.append([name, *numbers, span(chosen), span(stats.mean(again)) if again else "–"])
    note = (
        "Asked about: on the way to the stories found; searches that found none are not counted. Chosen: the mean"
        " accuracy by which they were chosen, which is low by luck as well. Confirmed: the same events with fresh names"
        " and in fresh words."
    )
    columns = ["", "stories", "stories asked about", "settings", "chosen", "confirmed"]
    return Table(columns, rows, "How the stories were found", note=note)


def _prefixes(who: Sequence[str]) -> list[str]:
    return [f"{name}, " for name in who] if len(who) > 1 else [""]


def _reference(found: Measures) -> tuple[float, str] | None:
    return None if found.guess is None else (found.guess, "chance")


def _short(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} (95 % interval {estimate.low:.2f} to {estimate.high:.2f})"
