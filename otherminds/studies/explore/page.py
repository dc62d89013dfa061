"""Page: what was found: the answer in words, the numbers behind it, and the stories themselves.

show(found, [om.run(build.suite(found), model)]).save("explore.html")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from otherminds import stats
from otherminds.files import read_words
from otherminds.items.tags import CANONICAL, KIND, ORDER
from otherminds.minds.beliefs import traces
from otherminds.minds.telling import listing, sentences
from otherminds.pages import plots
from otherminds.pages.report import Block, Cards, Cell, Figure, Folded, Report, Section, Table
from otherminds.results.answers import Answers
from otherminds.results.labels import count, run_labels
from otherminds.results.measures import Split
from otherminds.results.reading import why
from otherminds.results.run_details import how_it_answered, what_was_run
from otherminds.results.sections import Across, Axis, Column, Each, Measure, Page, PictureOf, TableOf
from otherminds.results.storybook import trace_blocks
from otherminds.runs.runs import Run
from otherminds.stats import Difference, Estimate, span, sure
from otherminds.stats.significance import p_text
from otherminds.stories.need import Share
from otherminds.studies.explore.measure import (
    BASELINES,
    HARDEST,
    OF_SETTINGS,
    SIMPLER,
    Comparison,
    Findings,
    by_model,
    by_need,
    by_story,
    contests,
    crossed,
    found_answers,
    found_of,
    guess,
    labelled,
    like,
    of_settings,
    question_mean,
    random_shares,
    retold,
    searched_method,
    stories_asked,
    story_mean,
    when_found,
    with_baselines,
)
from otherminds.studies.explore.search.hunt import SEARCHES, Found
from otherminds.studies.study import study_page

TEXTS: dict[str, str] = read_words("pages")["explore"]
CAPTIONS = {
    "told": {"caption": "The same questions in two tellings"},
    "needed": {"caption": "Questions that need theory of mind, and others", "note": TEXTS["needed_note"]},
}
FOUND_BY = {
    **dict.fromkeys(SEARCHES, "the search"),
    **dict.fromkeys(("random", "overgenerate"), "over-generation"),
}
MOST_MODELS = 4
"""Models that are told of one after another."""
MOST_STORIES = 12
"""The most stories shown, and the most wrong answers of each."""
KINDS = [Split(name, {"asymmetric": name == "asymmetric"}) for name in ("plain", "asymmetric")]
SEARCHED, WHAT_IS_SO, FIRST, SECOND, FALSE, *_ = QUESTIONS = [
    Split("searched", {"searched": True}),
    Split("what is so", {ORDER: 0}, lambda row: row.item.tags.get(KIND) != "memory"),
    Split("order 1", {ORDER: 1}),
    Split("order 2", {ORDER: 2}),
    Split("false belief", {"false_belief": True}),
    Split("not known", {"ignorance": True}),
]
OPEN: dict[str, Measure] = {
    "with options": story_mean,
    "open, one answer named": lambda some: story_mean(some, lambda row: row.detail["named"]),
    "open, as published": lambda some: story_mean(some, lambda row: row.detail["published"]),
}


def show(found: Findings | Sequence[Found], runs: Sequence[Run], *, random_stories: int = 200, seed: int = 0) -> Report:
    """The report of stories found and of the runs that asked about them.

    `random_stories` of each setting are drawn to tell how many need theory of mind at all; 0 leaves that out.
    """
    return report(found, runs, found_answers(found, runs), random_shares(random_stories, seed), seed=seed)


def report(
    found: Findings | Sequence[Found],
    runs: Sequence[Run],
    table: Answers,
    drawn: Sequence[Share] = (),
    *,
    seed: int = 0,
) -> Report:
    """The page of answers that are there already, and of the runs behind them."""
    known, method, own = by_model(found), searched_method(table), table.where(telling=CANONICAL)
    ours = own.where(method=method)
    chosen, told = ours.where(searched=True), retold(table, method)
    openly = own.where(lambda row: "published" in row.detail, searched=True, method=SEARCHES)
    across = crossed(known, runs, seed) if len(known) > 1 and method in SEARCHES else Answers()
    readers = _models(dict.fromkeys(run.model for run in labelled(runs)))
    sections = [
        Section("", [_cards(own, chosen, told)]),
        Section("By kind of story", Page(chosen).blocks(_by_kind(chosen, method))),
        Section("Hard or odd?", Page(with_baselines(ours)).blocks(_hard_or_odd(ours))),
        Section("Against over-generation", list(_against(own))),
        Section("In other words", _compared(told, "told", "canonical", "reworded")),
        Section("Without options", list(_open(openly))),
        Section("Who needs theory of mind?", [*_needs(chosen), *_random(drawn)]),
        Section("Models on each other's stories", Page(across).blocks(_crossed(readers))),
        Section("The stories", list(_gallery(chosen, own))),
        Section("How answers ended", how_it_answered(runs, run_labels(runs))),
        Section("What was run", [_how_found(known), *what_was_run(runs, run_labels(runs))]),
        Section("What this cannot show", [TEXTS["limits"]]),
    ]
    asked = {run.id for run in own.runs}
    who = list(dict.fromkeys(run.model for run in runs if run.id in asked))
    title = f"Stories that {listing(who)} {'gets' if len(who) == 1 else 'get'} wrong"
    return study_page("explore", title, lead(table), sections, own.runs)


# ---- the answer in words --------------------------------------------------------------------------------------------


def lead(table: Answers) -> str:
    """The answer in words, with its numbers: how bad it is, then what that is worth."""
    method, own = searched_method(table), table.where(telling=CANONICAL)
    chosen, told = own.where(method=method, searched=True), retold(table, method)
    paragraphs = []
    for label, answers in list(own.by("model").items())[:MOST_MODELS]:
        if right := story_mean(chosen.where(model=label)):
            said = [
                f"{label} is right in {right.value:.2f} (95 % interval {right.low:.2f} to {right.high:.2f}) of the"
                f" questions about a story, on average over {count(right.n, 'story', 'stories')} that"
                f" {FOUND_BY[method]} chose because it fails them{_simpler(chosen)}."
            ]
            if same := story_mean(WHAT_IS_SO.of(answers.where(method=method))):
                said.append(f"Of the questions about what is so, it has {same.value:.2f} right.")
            if fought := contests(answers):
                (searched, drawn, gap), asked = fought["all settings"], stories_asked(answers)
                said.append(
                    f"Setting by setting, the search comes down to {searched.value:.2f}, having asked about"
                    f" {count(asked[0], 'story', 'stories')}, and over-generation to {drawn.value:.2f}, having asked"
                    f" about {asked[1]:,}: {_verdict(gap)}."
                )
            said += [
                f"With the stories reworded, the same questions are right in {other.value:.2f} instead of"
                f" {plain.value:.2f}: {_verdict(gap)}."
                for name, (plain, other, gap) in told.items()
                if name.startswith(f"{label}, ")
            ]
            paragraphs.append(" ".join(said))
    return "\n\n".join(paragraphs)


def _simpler(chosen: Answers) -> str:
    """What could be had on the same questions without a mind."""
    chance, same = guess(chosen), _realist(chosen)
    parts = [f"guessing would give {chance:.2f}"] if chance is not None else []
    parts += [f"answering with what is so {same.value:.2f}"] if same else []
    return f"; {', '.join(parts)}" if parts else ""


def _realist(chosen: Answers) -> Estimate | None:
    return story_mean(with_baselines(chosen).where(model="baseline:realist"))


def _verdict(difference: Difference) -> str:
    if difference.value == 0:
        return "no difference"
    p = p_text(difference.p)
    return f"a clear difference ({p})" if difference.p < 0.05 else f"a difference that can be chance ({p})"


def _cards(own: Answers, chosen: Answers, told: Mapping[str, Comparison]) -> Cards:
    cards = []
    for label, answers in chosen.by("model").items():
        if (right := story_mean(answers)) and (before := when_found(answers)):
            note = f"{sure(right)} stories; {before.value:.2f} when found"
            cards.append((f"Right, {label}", f"{right.value:.2f}", note))
    fought = {label: pairs["all settings"] for label, some in own.by("model").items() if (pairs := contests(some))}
    for label, (_, other, _) in list(fought.items())[:1]:
        cards.append(("Over-generation", f"{other.value:.2f}", f"{label}; {sure(other)} settings"))
    for label, (_, other, _) in list(told.items())[:1]:
        note = f"{label.rpartition(', ')[0]}, the same questions; {sure(other)} stories"
        cards.append(("In other words", f"{other.value:.2f}", note))
    if same := _realist(chosen):
        cards.append(("Realist", f"{same.value:.2f}", f"answers with what is so; {sure(same)} stories"))
    if (chance := guess(chosen)) is not None:
        cards.append(("Chance", f"{chance:.2f}", "guessing among the choices"))
    return Cards(cards)


# ---- tables and pictures --------------------------------------------------------------------------------------------


def _by_kind(chosen: Answers, method: str) -> list[Any]:
    who = list(chosen.by("model"))
    events = Axis("set of events", [Split(name, {"events": name}) for name in dict.fromkeys(chosen.get("events"))])
    columns = [
        Split(f"{name}, {kind.label}" if len(who) > 1 else kind.label, {**kind.tags, "model": name})
        for name in who
        for kind in KINDS
    ]
    sizes: list[Split | str] = []
    for name in ("people", "moves"):
        sizes += [f"by {name}", *(Split(f"{n} {name}", {name: n}) for n in sorted(set(chosen.get(name))))]
    chance = guess(chosen)
    reference = None if chance is None else (chance, "chance")
    title = "Accuracy of {} by set of events"
    picture = PictureOf(events, Axis("", KINDS), story_mean, title, TEXTS["by_set"], "accuracy", reference)
    return [
        TEXTS["by_kind"].format(found_by=FOUND_BY[method], hardest=HARDEST),
        TableOf([events], [Across(Axis("", columns), story_mean)], "Accuracy by set of events", compact=True),
        Each(Axis("", by="model"), [picture], most=MOST_MODELS),
        _figure(chosen, sizes, _models(who), "Accuracy by people and by moves", TEXTS["sizes"], reference),
    ]


def _models(names: Iterable[str]) -> list[Split]:
    return [Split(name, {"model": name}) for name in names]


def _figure(
    answers: Answers,
    rows: Iterable[Split | str],
    marks: Sequence[Split],
    title: str,
    caption: str,
    reference: tuple[float, str] | None = None,
) -> Figure:
    """Intervals under headings, which are rows without answers."""
    marks = marks[: plots.MOST_SERIES]
    lines = [
        (row, []) if isinstance(row, str) else (row.label, [story_mean(mark.of(row.of(answers))) for mark in marks])
        for row in rows
    ]
    series = [mark.label for mark in marks]
    svg = plots.intervals(lines, title=title, series=series, reference=reference, measure="accuracy")
    return Figure(svg, caption)


def _hard_or_odd(ours: Answers) -> list[Any]:
    both, models = with_baselines(ours), _models(ours.by("model"))
    rules = [Split(name, {"model": f"baseline:{name}"}) for name in BASELINES]
    lines = [row.of(both) for row in (*models, *rules)]
    shown = [each for each in QUESTIONS if any(story_mean(each.of(line)) for line in lines)]
    # With searches of the first order alone, the two columns would be the same.
    if all(story_mean(SEARCHED.of(line)) == story_mean(FIRST.of(line)) for line in lines):
        shown.remove(SEARCHED)
    drawn = [each for each in shown if each in (SEARCHED, FIRST, SECOND, FALSE)][:3]
    title = "The model beside mindless baselines, on the stories found"
    return [
        TEXTS["hard_or_odd"],
        _figure(both, [*models, "baselines", *rules], drawn, title, TEXTS["baselines"]),
        TableOf(
            [Axis("", [*models, *rules])],
            [Column(each.label, story_mean, span, part=each) for each in shown],
            "The model and the baselines on the stories found",
            foot={"stories": lambda some: len(by_story(models[0].of(some))) or None},
        ),
        TableOf(
            [Axis("", models)],
            [Column(name, like(simpler)) for name, simpler in SIMPLER.items()],
            "What the wrong answers were",
            TEXTS["wrong"],
            compact=True,
        ),
    ]


def _against(own: Answers) -> Iterator[Block]:
    fought = {label: answers for label, answers in own.by("model").items() if contests(answers)}
    yield from [TEXTS["contest"]] if fought else []
    for label, answers in fought.items():
        for what in OF_SETTINGS:
            rows: list[list[Cell]] = []
            for name, (searched, drawn, gap) in contests(answers, what).items():
                asked = " / ".join(f"{number:,}" for number in stories_asked(answers, name))
                # A single setting says nothing of others, and a length has no bounds between which they could lie.
                cell: Cell = gap if isfinite(gap.low) else f"{gap.value:+.2f} [–], n = {gap.n}"
                rows.append([name, searched.value, drawn.value, cell, asked])
            columns = ["", "search", "over-generation", "difference", "stories asked about"]
            yield Table(columns, rows, f"{label}: {what}, setting by setting")
        searched, drawn = of_settings(answers)
        gaps = [value - drawn[cell] for cell, value in searched.items()]
        counts = {
            "search harder": sum(gap < 0 for gap in gaps),
            "alike": sum(gap == 0 for gap in gaps),
            "over-generation harder": sum(gap > 0 for gap in gaps),
        }
        svg = plots.bars([(label, counts)], title="Settings by which method found the harder stories")
        yield Figure(svg, "Settings by which method found the stories that the model answers worse.")


def _compared(pairs: Mapping[str, Comparison], text: str, *columns: str) -> list[Block]:
    """Two means of each line and their difference, under a text."""
    table = Table(["", *columns, "difference"], [[name, *pair] for name, pair in pairs.items()], **CAPTIONS[text])
    return [TEXTS[text], table] if pairs else []


def _needs(chosen: Answers) -> list[Block]:
    found = {label: pair for label, some in chosen.by("model").items() if (pair := by_need(some))}
    return _compared(found, "needed", "needs theory of mind", "does not")


def _random(drawn: Sequence[Share]) -> list[Block]:
    rows: list[list[Cell]] = [
        [
            f"{each.cell.people}, {each.cell.moves}, {each.cell.sentences}",
            *(span(part) for part in (each.stories, each.published, each.questions)),
        ]
        for each in drawn
    ]
    note = TEXTS["random_note"].format(number=f"{drawn[0].stories.n:,}") if drawn else ""
    columns = ["people, moves, sentences", "stories", "by the published definition", "questions"]
    table = Table(columns, rows, "Random stories that need theory of mind", note=note)
    return [TEXTS["random"], table] if drawn else []


def _open(openly: Answers) -> Iterator[Block]:
    yield from [TEXTS["open"]] if openly else []
    for label, some in openly.by("model").items():
        unread = sum(row.detail["named"] is None for row in some)
        sets = [Split(name, {"set": name}) for name in dict.fromkeys(some.get("set"))]
        table = TableOf(
            [Axis("set of events", [*sets, Split("all")])],
            [Column(way, measure) for way, measure in OPEN.items()],
            f"{label}: the same questions in three ways",
            TEXTS["unread"].format(asked=len(some), unread=unread),
            compact=True,
        )
        yield from Page(some).blocks([table])


def _crossed(readers: Sequence[Split]) -> list[Any]:
    columns = [Across(Axis("", readers), question_mean)]
    rows = [Axis("found against", by="against")]
    return [TableOf(rows, columns, "Right answers on each other's stories", TEXTS["crossed"], compact=True)]


def _how_found(known: Findings) -> Table:
    rows: list[list[Cell]] = []
    for model, found in known.items():
        for method in dict.fromkeys(each.method for each in found):
            some = [each for each in found if each.method == method]
            name = f"{FOUND_BY[method]}{f', against {model}' if model else ''}"
            chosen = stats.mean([each.accuracy for each in some])
            again = [each.confirmed for each in some if each.confirmed is not None]
            numbers = [len(some), sum(each.evaluated for each in some), len({each.cell for each in some})]
            rows.append([name, *numbers, span(chosen), span(stats.mean(again)) if again else "–"])
    columns = ["", "stories", "stories asked about", "settings", "chosen", "confirmed"]
    return Table(columns, rows, "How the stories were found", note=TEXTS["how_found"])


# ---- the stories ----------------------------------------------------------------------------------------------------


def _gallery(chosen: Answers, own: Answers) -> Iterator[Block]:
    """The stories that the first model answers worst, each folded: what happens, who believes what, what was wrong."""
    values = by_story(chosen.where(model=own[0].get("model")))
    left = f" The {len(values) - MOST_STORIES} others are in the files." if len(values) > MOST_STORIES else ""
    yield TEXTS["gallery"] + left
    for found in sorted(values, key=lambda each: values[each])[:MOST_STORIES]:
        about = [row for row in chosen if found_of(row) == found and row.get("model") == own[0].get("model")]
        order = "" if found.order == 1 else f" of order {found.order}"
        right = f"{sum(row.value or 0 for row in about):g} of {len(about)}{order} right"
        blocks: list[Block] = [found.story.text, *_wrong_answers(found, own)]
        told = sentences(found.story)
        for trace in traces(found.story, order=2):
            blocks += [f"**{trace.heading}**", *trace_blocks(trace, told, order=2)]
        size = f"{found.people} people, {found.moves} moves"
        yield Folded(f"{found.set}, {size}: {right} ({found.context})", blocks)


def _wrong_answers(found: Found, own: Answers) -> list[Block]:
    wrong = [row for row in own if found_of(row) == found and row.value != 1]
    wrong.sort(key=lambda row: (not row.item.tags["searched"], row.item.tags[ORDER]))
    several = len(own.by("model")) > 1
    rows: list[list[Cell]] = [
        [
            *([row.get("model")] if several else []),
            *(row.item.question, row.said or "a tie", row.item.answer, why(found.story, row.item)),
        ]
        for row in wrong[:MOST_STORIES]
    ]
    columns = [*(["who"] if several else []), "question", "said", "right", "why"]
    more = f"{len(wrong) - MOST_STORIES} more were wrong." if len(wrong) > MOST_STORIES else ""
    return [Table(columns, rows, "Wrong answers", note=more)] if wrong else []
