"""Page: what was found: the answer in words, the numbers behind it, and the stories themselves.

show(found, [om.run(build.suite(found), model)]).save("explore.html")
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

from otherminds.files import read_words
from otherminds.items.tags import ORDER
from otherminds.minds.beliefs import traces
from otherminds.minds.telling import listing, sentences
from otherminds.pages import plots
from otherminds.pages.report import Block, Cards, Cell, Figure, Folded, Report, Section, Table
from otherminds.results.answers import Answers
from otherminds.results.labels import count, run_labels
from otherminds.results.measures import Split
from otherminds.results.reading import why
from otherminds.results.run_details import how_it_answered, what_was_run
from otherminds.results.sections import Across, Axis, Column, Each, Page, PictureOf, TableOf, figure
from otherminds.results.storybook import trace_blocks
from otherminds.runs.runs import Run
from otherminds.search.hunt import DRAWS, SEARCHES, Found
from otherminds.search.versus import accuracies
from otherminds.stats import Estimate, in_words, span, sure
from otherminds.stories.need import Share, random_shares
from otherminds.studies.explore.material import measure
from otherminds.studies.explore.material.measure import (
    BESIDE,
    QUESTIONS,
    SEARCHED,
    Findings,
    StoryAnswers,
    by_story,
    found_of,
    story_mean,
)
from otherminds.studies.study import study_page

TEXTS: dict[str, Any] = read_words("pages")["explore"]
LEAD: dict[str, str] = TEXTS["lead"]
FOUND_BY = {**dict.fromkeys(SEARCHES, "the search"), **dict.fromkeys(DRAWS, "over-generation")}
MOST_MODELS = 4
"""Models that are told of one after another."""
MOST_STORIES = 12
"""The most stories shown, and the most wrong answers of each."""
KINDS = [Split(name, {"asymmetric": name == "asymmetric"}) for name in ("plain", "asymmetric")]
_, WHAT_IS_SO, FIRST, SECOND, FALSE, _ = QUESTIONS
OPEN = [
    Column("with options", story_mean),
    Column("open, one answer named", lambda some: story_mean(some, lambda row: row.detail["named"])),
    Column("open, as published", lambda some: story_mean(some, lambda row: row.detail["published"])),
]


def show(found: Findings | Sequence[Found], runs: Sequence[Run], *, random_stories: int = 200, seed: int = 0) -> Report:
    """The report of stories found and of the runs that asked about them.

    `random_stories` of each setting are drawn to tell how many need theory of mind at all; 0 leaves that out.
    """
    return report(found, runs, measure.measure(found, runs), random_shares(random_stories, seed), seed=seed)


def report(
    found: Findings | Sequence[Found], runs: Sequence[Run], told: StoryAnswers, drawn: Sequence[Share], *, seed: int = 0
) -> Report:
    """The page of answers that are there already, and of the runs behind them."""
    asked = {run.id for run in told.own.runs}
    who, labels = list(dict.fromkeys(run.model for run in runs if run.id in asked)), run_labels(runs)
    sections = [
        Section("", [_cards(told)]),
        Section("By kind of story", Page(told.chosen).blocks(_by_kind(told))),
        Section("Hard or odd?", list(_hard_or_odd(told))),
        Section("Against over-generation", list(_against(told.own))),
        Section("In other words", _compared(told.retold, "told", ["canonical", "reworded"])),
        Section("Without options", list(_open(told.own))),
        Section("Who needs theory of mind?", [*_needs(told.chosen), *_random(drawn)]),
        Section("Models on each other's stories", list(_crossed(told, seed))),
        Section("The stories", list(_gallery(told))),
        Section("How answers ended", how_it_answered(runs, labels)),
        Section("What was run", [_how_found(measure.by_model(found)), *what_was_run(runs, labels)]),
        Section("What this cannot show", [TEXTS["limits"]]),
    ]
    title = f"Stories that {listing(who)} {'gets' if len(who) == 1 else 'get'} wrong"
    return study_page("explore", title, lead(told), sections, told.own.runs)


# ---- the answer in words --------------------------------------------------------------------------------------------


def lead(told: StoryAnswers) -> str:
    """The answer in words, with its numbers: how bad it is, then what that is worth."""
    parts = [] if told.chance is None else [f"guessing would give {told.chance:.2f}"]
    parts += [f"answering with what is so {same.value:.2f}"] if (same := told.baseline("realist")) else []
    simpler, by = f"; {', '.join(parts)}" if parts else "", FOUND_BY[told.method]
    paragraphs = []
    for label, own in list(told.own.by("model").items())[:MOST_MODELS]:
        if right := story_mean(told.chosen.where(model=label)):
            stories = count(right.n, "story", "stories")
            said = [LEAD["right"].format(model=label, right=right, stories=stories, found_by=by, simpler=simpler)]
            if so := story_mean(WHAT_IS_SO.of(own.where(method=told.method))):
                said.append(LEAD["so"].format(so))
            for first, second, gap in list(measure.contests(own).values())[:1]:
                searched, drawn = measure.stories_asked(own)
                asked = {"stories": count(searched, "story", "stories"), "drawn": f"{drawn:,}"}
                said.append(LEAD["contest"].format(first, second, verdict=in_words(gap), **asked))
            for name, (plain, other, gap) in told.retold.items():
                if name.startswith(f"{label}, "):
                    said.append(LEAD["told"].format(plain, other, verdict=in_words(gap)))
            paragraphs.append(" ".join(said))
    return "\n\n".join(paragraphs)


def _cards(told: StoryAnswers) -> Cards:
    shown: list[tuple[str, Estimate, str]] = []
    for label, some in told.chosen.by("model").items():
        if (right := story_mean(some)) and (before := story_mean(some, lambda row: found_of(row).accuracy)):
            shown.append((f"Right, {label}", right, f"{sure(right)} stories; {before.value:.2f} when found"))
    fought = [(label, pairs) for label, own in told.own.by("model").items() if (pairs := measure.contests(own))]
    for label, pairs in fought[:1]:
        _, other, _ = pairs["all settings"]
        shown.append(("Over-generation", other, f"{label}; {sure(other)} settings"))
    for label, (_, other, _) in list(told.retold.items())[:1]:
        note = f"{label.rpartition(', ')[0]}, the same questions; {sure(other)} stories"
        shown.append(("In other words", other, note))
    if same := told.baseline("realist"):
        shown.append(("Realist", same, f"answers with what is so; {sure(same)} stories"))
    chance = [] if told.chance is None else [("Chance", f"{told.chance:.2f}", "guessing among the choices")]
    return Cards([*((label, f"{one.value:.2f}", note) for label, one, note in shown), *chance])


# ---- tables and pictures --------------------------------------------------------------------------------------------


def _by_kind(told: StoryAnswers) -> list[Any]:
    chosen, who = told.chosen, Axis("", by="model").of(told.chosen)
    events = Axis("set of events", Axis("", by="events").of(chosen))
    kinds = [
        Split(f"{one.label}, {kind.label}" if len(who) > 1 else kind.label, {**kind.tags, **one.tags})
        for one in who
        for kind in KINDS
    ]
    reference = None if told.chance is None else (told.chance, "chance")
    sizes: list[Any] = []
    for name in ("people", "moves"):
        parts = [Split(f"{number} {name}", {name: number}) for number in sorted(set(chosen.get(name)))]
        sizes += [(f"by {name}", []), *_lines(chosen, parts, who)]
    title, labels = "Accuracy of {} by set of events", [one.label for one in who]
    by_set = PictureOf(events, Axis("", KINDS), story_mean, title, TEXTS["by_set"], "accuracy", reference)
    return [
        TEXTS["by_kind"].format(found_by=FOUND_BY[told.method], hardest=measure.HARDEST),
        TableOf([events], [Across(Axis("", kinds), story_mean)], "Accuracy by set of events", compact=True),
        Each(Axis("", who), [by_set], most=MOST_MODELS),
        figure(sizes, labels, "Accuracy by people and by moves", TEXTS["sizes"], "accuracy", reference=reference),
    ]


def _lines(answers: Answers, rows: Sequence[Split], marks: Sequence[Split]) -> list[Any]:
    return [(row.label, [story_mean(mark.of(row.of(answers))) for mark in marks]) for row in rows]


def _hard_or_odd(told: StoryAnswers) -> Iterator[Block]:
    both = BESIDE.of(told.table).where(method=told.method)
    models = Axis("", by="model").of(told.own)
    rules = [Split(name, {"model": f"baseline:{name}"}) for name in measure.BASELINES]
    lines = [row.of(both) for row in (*models, *rules)]
    shown = [each for each in QUESTIONS if any(story_mean(each.of(line)) for line in lines)]
    # With searches of the first order alone, the two columns would be the same.
    if all(story_mean(SEARCHED.of(line)) == story_mean(FIRST.of(line)) for line in lines):
        shown.remove(SEARCHED)
    drawn = [each for each in shown if each in (SEARCHED, FIRST, SECOND, FALSE)][:3]
    picture = [*_lines(both, models, drawn), ("baselines", []), *_lines(both, rules, drawn)]
    title, marks = "The model beside mindless baselines, on the stories found", [each.label for each in drawn]
    yield TEXTS["hard_or_odd"]
    yield figure(picture, marks, title, TEXTS["baselines"], "accuracy")
    beside = TableOf(
        [Axis("", [*models, *rules])],
        [Column(each.label, story_mean, span, part=each) for each in shown],
        "The model and the baselines on the stories found",
        foot={"stories": lambda some: len(by_story(models[0].of(some))) or None},
    )
    wrong = [Column(name, measure.like(simpler)) for name, simpler in measure.SIMPLER.items()]
    odd = TableOf([Axis("", models)], wrong, "What the wrong answers were", TEXTS["wrong"], compact=True)
    yield from Page(both).blocks([beside, odd])


def _against(own: Answers) -> Iterator[Block]:
    fought = {label: answers for label, answers in own.by("model").items() if measure.contests(answers)}
    yield from [TEXTS["contest"]] if fought else []
    for label, answers in fought.items():
        for what in measure.OF_SETTINGS:
            rows: list[list[Cell]] = []
            for name, (search, other, gap) in measure.contests(answers, what).items():
                asked = " / ".join(f"{number:,}" for number in measure.stories_asked(answers, name))
                # A single setting says nothing of others, and a length has no bounds between which they could lie.
                cell: Cell = gap if isfinite(gap.low) else f"{gap.value:+.2f} [–], n = {gap.n}"
                rows.append([name, search.value, other.value, cell, asked])
            columns = ["", "search", "over-generation", "difference", "stories asked about"]
            yield Table(columns, rows, f"{label}: {what}, setting by setting")
        searched, drawn = measure.of_settings(answers)
        gaps = [value - drawn[cell] for cell, value in searched.items()]
        ends = {"search harder": sum(gap < 0 for gap in gaps), "alike": gaps.count(0)}
        ends["over-generation harder"] = len(gaps) - sum(ends.values())
        svg = plots.bars([(label, ends)], title="Settings by which method found the harder stories")
        yield Figure(svg, "Settings by which method found the stories that the model answers worse.")


def _compared(pairs: dict[str, measure.Comparison], text: str, columns: Sequence[str], note: str = "") -> list[Block]:
    rows: list[list[Cell]] = [[name, *pair] for name, pair in pairs.items()]
    table = Table(["", *columns, "difference"], rows, TEXTS[f"{text}_caption"], note)
    return [TEXTS[text], table] if pairs else []


def _needs(chosen: Answers) -> list[Block]:
    """Questions that need theory of mind and others, within stories: hard stories are no hard questions."""
    found = {}
    for label, some in chosen.by("model").items():
        needed, others = (by_story(some.where(interesting=wanted)) for wanted in (True, False))
        if pair := measure.compared(needed, others):
            found[label] = pair
    return _compared(found, "needed", ["needs theory of mind", "does not"], TEXTS["needed_note"])


def _random(drawn: Sequence[Share]) -> list[Block]:
    rows: list[list[Cell]] = [
        [f"{cell.people}, {cell.moves}, {cell.sentences}", *map(span, (each.stories, each.published, each.questions))]
        for each in drawn
        for cell in [each.cell]
    ]
    columns = ["people, moves, sentences", "stories", "by the published definition", "questions"]
    note = TEXTS["random_note"].format(number=f"{drawn[0].stories.n:,}") if drawn else ""
    return [TEXTS["random"], Table(columns, rows, "Random stories that need theory of mind", note)] if drawn else []


def _open(own: Answers) -> Iterator[Block]:
    asked = SEARCHED.of(own).where(lambda row: "published" in row.detail, method=SEARCHES)
    yield from [TEXTS["open"]] if asked else []
    for label, some in asked.by("model").items():
        note = TEXTS["unread"].format(asked=len(some), unread=sum(row.detail["named"] is None for row in some))
        sets = Axis("set of events", [*Axis("", by="set").of(some), Split("all")])
        caption = f"{label}: the same questions in three ways"
        yield from Page(some).blocks([TableOf([sets], OPEN, caption, note, compact=True)])


def _crossed(told: StoryAnswers, seed: int) -> list[Block]:
    """Models on each other's stories, which only searches are about that several were searched against."""
    against, readers = Axis("found against", by="against"), Axis("", Axis("", by="model").of(told.table))
    caption = "Right answers on each other's stories"
    table = TableOf([against], [Across(readers, measure.question_mean)], caption, TEXTS["crossed"], compact=True)
    several = len(set(told.table.get("against"))) > 1 and told.method in SEARCHES
    return Page(told.crossed(seed)).blocks([table]) if several else []


def _how_found(known: Findings) -> Table:
    rows: list[list[Cell]] = []
    for model, found in known.items():
        for method in dict.fromkeys(each.method for each in found):
            some = [each for each in found if each.method == method]
            means = ["–" if one is None else span(one) for one in accuracies(some)]
            numbers = [len(some), sum(each.evaluated for each in some), len({each.cell for each in some})]
            rows.append([f"{FOUND_BY[method]}{f', against {model}' if model else ''}", *numbers, *means])
    columns = ["", "stories", "stories asked about", "settings", "chosen", "confirmed"]
    return Table(columns, rows, "How the stories were found", TEXTS["how_found"])


# ---- the stories ----------------------------------------------------------------------------------------------------


def _gallery(told: StoryAnswers) -> Iterator[Block]:
    """The stories that the first model answers worst, each folded: what happens, who believes what, what was wrong."""
    values = by_story(first := told.chosen.where(model=told.own[0].get("model")))
    left = f" The {len(values) - MOST_STORIES} others are in the files." if len(values) > MOST_STORIES else ""
    yield TEXTS["gallery"] + left
    for found in sorted(values, key=lambda each: values[each])[:MOST_STORIES]:
        about = [row for row in first if found_of(row) == found]
        order = "" if found.order == 1 else f" of order {found.order}"
        right = f"{sum(row.value or 0 for row in about):g} of {len(about)}{order} right"
        blocks: list[Block] = [found.story.text, *_wrong_answers(found, told.own)]
        for trace in traces(found.story, order=2):
            blocks += [f"**{trace.heading}**", *trace_blocks(trace, sentences(found.story), order=2)]
        yield Folded(f"{found.set}, {found.people} people, {found.moves} moves: {right} ({found.context})", blocks)


def _wrong_answers(found: Found, own: Answers) -> list[Block]:
    wrong = [row for row in own if found_of(row) == found and row.value != 1]
    wrong.sort(key=lambda row: (row.item.tags[ORDER] != found.order, row.item.tags[ORDER]))
    rows: list[list[Cell]] = [
        [row.get("model"), row.item.question, row.said or "a tie", row.item.answer, why(found.story, row.item)]
        for row in wrong[:MOST_STORIES]
    ]
    columns = ["who", "question", "said", "right", "why"]
    alone = len(own.by("model")) == 1
    more = f"{len(wrong) - MOST_STORIES} more were wrong." if len(wrong) > MOST_STORIES else ""
    return [Table(columns[alone:], [row[alone:] for row in rows], "Wrong answers", more)] if wrong else []
