"""The page of a profile: the answer and the scores on its first screen, then a section a study, then every item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from otherminds.files import read_words
from otherminds.minds.telling import listing
from otherminds.pages.heatmap import Glossary, term
from otherminds.pages.report import Block, Cell, Folded, Linked, Number, Report, Scoreboard, ScoreLine, Section, Table
from otherminds.pages.table_files import files_in
from otherminds.profiles import leaderboard, ways_of_reading
from otherminds.profiles.findings import Contrast, Profile, against_chance, lead
from otherminds.results.itembrowser import browser, leads_to, link
from otherminds.results.measures import FEWEST, leaning
from otherminds.runs.runs import Run
from otherminds.stats import Difference, signed, span
from otherminds.stats.significance import p_text
from otherminds.studies.study import Finding

UNCLEAR = ("tied", "unparsed", "refused", "truncated", "error")

MORE_WORDS = "More words are in the glossary of the documentation (`docs/glossary.md`)."
_TEXTS: dict[str, str] = read_words("pages")["profiles"]
LIMITS = _TEXTS["limits"]


@dataclass(frozen=True, slots=True)
class Pages:
    """A profile to look at: the page, and by path every table and figure of it as a file of its own."""

    report: Report
    files: Mapping[str, str]


def pages(profile: Profile) -> Pages:
    """The whole profile as one page, and the files beside it."""
    before = _before(profile)
    after = [
        Section("All findings", _all_findings(profile)),
        Section("What was run", _what(profile)),
        Section("Glossary", [Glossary(read_words("terms")), MORE_WORDS]),
    ]
    files = files_in("profile", [block for section in [*before, *after] for block in section.blocks])
    for each in profile.told:
        files |= each.files
    studies = [each.many if profile.many else each.section for each in profile.told]
    return Pages(_report(profile, [*before, *studies, *after]), files)


def _report(profile: Profile, sections: Sequence[Section]) -> Report:
    items = Section("Items", [browser([part for each in profile.told for part in each.parts])])
    who = f"{len(profile.models)} models" if profile.many else listing(profile.models)
    manifest = profile.runs[0][1].manifest
    subtitle = (
        f"otherminds {manifest['otherminds']} · {manifest['started'][:10]} · size {profile.size}, seed {profile.seed}"
    )
    shown = [section for section in [*sections, items] if section.blocks]
    return Report(f"What {who} can tell of other minds", "\n\n".join(lead(profile)), shown, subtitle=subtitle)


def _before(profile: Profile) -> list[Section]:
    """What no study says alone: the first screen, models side by side, and how they were asked."""
    fronts = [block for each in profile.told for block in each.chapter.front]
    first = _first_of_many(profile, fronts) if profile.many else _first_screen(profile, fronts)
    asking = Section("How it was asked", _asking(profile))
    return [Section("", first), Section("Differences", _differences(profile)), asking]


def _first_screen(profile: Profile, fronts: Sequence[Block]) -> list[Block]:
    diagnoses = list(profile.diagnoses.values())
    read = [ways_of_reading.DiagnosedModel(each, profile.answers.where(model=each.model)) for each in diagnoses]
    shares = Folded("The shares of readers, with intervals", [ways_of_reading.shares(diagnoses)])
    words = Folded("The scores in words", against_chance(profile))
    return [*ways_of_reading.maps(read), *ways_of_reading.pictures(diagnoses), shares, _board(profile), words, *fronts]


def _first_of_many(profile: Profile, fronts: Sequence[Block]) -> list[Block]:
    diagnoses = profile.diagnoses
    board = leaderboard.board(profile.models, profile.abilities, diagnoses, profile.answers)
    own = [ways_of_reading.DiagnosedModel(each, profile.answers.where(model=each.model)) for each in diagnoses.values()]
    maps = [Folded(f"Map of {each.found.model}", ways_of_reading.maps([each])) for each in own]
    return [
        board,
        *ways_of_reading.together(list(diagnoses.values())),
        LIMITS,
        Folded("The shares of readers, with intervals", [ways_of_reading.shares(list(diagnoses.values()))]),
        Folded("Where: a map of every model", maps),
        *([Folded("Pictures and stories", fronts)] if fronts else []),
    ]


def _board(profile: Profile) -> Scoreboard:
    groups = []
    for each in profile.told:
        first = [finding for finding in each.chapter.findings if finding.first]
        lines = [_line(profile, each.name, what, first) for what in dict.fromkeys(one.what for one in first)]
        if lines:
            groups.append((f"**{each.name}** · {each.asks}", lines))
    note = f"What the best {term('mindless reader')} gets is no evidence of more. {LIMITS}"
    return Scoreboard(profile.models, groups, _TEXTS["scores"], note)


def _line(profile: Profile, study: str, what: str, findings: Sequence[Finding]) -> ScoreLine:
    some = {finding.model: finding for finding in findings if finding.what == what}
    one = next(iter(some.values()))
    signed = isinstance(one.estimate, Difference)
    return ScoreLine(
        what,
        [some[name].estimate if name in some else None for name in profile.models],
        0.0 if signed else one.chance,
        one.beside,
        [_to(study, some[name].leads_to) if name in some else "" for name in profile.models],
        signed,
        one.digits,
        one.mindless,
    )


def _differences(profile: Profile) -> list[Block]:
    found = profile.differences
    if not found:
        return []
    who = f"{profile.models[0]} less {'each other' if profile.many else listing(profile.models[1:])}"
    note = _TEXTS["differences"].format(fewest=FEWEST)
    whole = _contrasts([each for each in found if not each.tags], f"Right answers: {who}", note)
    kinds = _contrasts(found, f"Right answers by kind of item: {who}", note)
    first: Block = Folded(f"All items, against {profile.models[0]}", [whole]) if profile.many else whole
    return [first, Folded("The same by task, class and kind", [kinds])]


def _contrasts(found: Sequence[Contrast], caption: str, note: str) -> Table:
    by_kind, several = any(each.tags for each in found), len({each.second for each in found}) > 1
    rows: list[list[Cell]] = [
        [
            *(each.study, f"{each.score},\N{NO-BREAK SPACE}{each.prompt}"),
            *([f"{each.first} − {each.second}"] if several else []),
            *([each.row.items] if by_kind else []),
            _linked(each.row.difference, each.study, each.leads_to),
            _holm(each),
            f"{len(each.gained)} / {len(each.lost)}" if not each.tags else None,
        ]
        for each in found
    ]
    pair, kind = ["models"] * several, ["items"] * by_kind
    return Table(
        ["study", "asked by", *pair, *kind, "difference", "p (Holm)", "changed sides"],
        rows,
        caption,
        note,
        sortable=several,
    )


def _holm(contrast: Contrast) -> str:
    if contrast.row.too_few:
        return "too few"
    return f"{contrast.row.holm:.3f}" if contrast.row.holm >= 0.001 else "< 0.001"


def _to(study: str, to: Mapping[str, str]) -> str:
    return link(study, to) if to else ""


def _linked(cell: str | int | Number, study: str, to: Mapping[str, str]) -> Cell:
    return Linked(cell, _to(study, to)) if to else cell


def _asking(profile: Profile) -> list[Block]:
    rows: list[list[Cell]] = []
    for told in profile.told:
        for run, answers in told.answers.by_run():
            lean, steady, unclear = leaning(answers), answers.numbers("consistent"), answers.where(verdict=UNCLEAR)
            every, unread = (leads_to(some, told.answers) for some in (answers, unclear))
            rows.append(
                [
                    *(run.model, told.name, run.suite, _way(run)),
                    _linked(len(run), told.name, every),
                    f"{fmean(steady):.0%} of {len(steady)}" if steady else None,
                    None if lean is None or lean.bias is None else f"{lean.bias:+.2f}",
                    None if lean is None else f"{lean.mass:.2g}",
                    _linked(f"{len(unclear) / len(run):.0%}", told.name, unread if every else {}),
                ]
            )
    columns = ["model", "study", "suite", "asked by", "answers", "same in all orders", "bias to A", "mass", "unclear"]
    note = _TEXTS["asking"].format(bias=term("Bias to A", "bias to A"), mass=term("Mass", "mass"))
    table = Table(columns, rows, "What the answers hang on besides the question", note, sortable=profile.many)
    return [
        _TEXTS["letters"],
        Folded("By model, study and way of asking", [table]) if profile.many else table,
    ]


def _way(run: Run) -> str:
    """The form of asking, marked where scores are not exact: these and others do not go into one mean."""
    mark = {"within bounds": ", within bounds", "drawn": ", drawn"}.get(run.measured, "")
    return f"{run.score}, {run.prompt}{mark}"


def _all_findings(profile: Profile) -> list[Block]:
    """A table a study, so that no column says the same in every row."""
    caption = "Every number to take away, with the items behind it"
    made: list[Block] = []
    for each in profile.told:
        if found := each.chapter.findings:
            table = _findings(each.name, found, f"{caption}: {each.name}", several=len(profile.models) > 1)
            made.append(Folded(f"{each.name}, {len(found)} numbers", [table]) if profile.many else table)
    return made


def _findings(study: str, found: Sequence[Finding], caption: str, *, several: bool) -> Table:
    rows: list[list[Cell]] = [
        [one.what, *([one.model] * several), _linked(_value(one), study, one.leads_to), one.chance, _beside(one)]
        for one in found
    ]
    columns = ["what", *(["model"] * several), "value, with 95 % interval", "chance", "beside"]
    return Table(columns, rows, caption, sortable=True)


def _value(one: Finding) -> leaderboard.Printed:
    """A finding as a cell, with the digits that it is worth."""
    how = signed if isinstance(one.estimate, Difference) else span
    return leaderboard.Printed.of(one.estimate, f"{how(one.estimate, one.digits)}, {one.estimate.rests_on}")


def _beside(finding: Finding) -> str:
    """All that stands beside it, first the p of a difference, which would make the column of numbers too wide."""
    p = [p_text(finding.estimate.p)] if isinstance(finding.estimate, Difference) else []
    return "; ".join(filter(None, [*p, finding.aside]))


def _what(profile: Profile) -> list[Block]:
    manifest = profile.runs[0][1].manifest
    rows: list[list[Cell]] = []
    for name in profile.models:
        runs = [run for _, run in profile.runs if run.model == name]
        marks = dict.fromkeys(run.fingerprint for run in runs)
        calls, seconds = profile.spent.get(name, (0, 0.0))
        mark = next(iter(marks), "–") if len(marks) < 2 else "a baseline, made for every suite"
        rows.append([name, mark, len(runs), sum(map(len, runs)), calls, f"{seconds / 60:.1f} min"])
    columns = ["model", "fingerprint", "runs", "answers", "calls in the store", "time in calls"]
    told = (
        f"Size {profile.size}, seed {profile.seed}; otherminds {manifest['otherminds']}, Python {manifest['python']},"
        f" {manifest['platform']}. Each study says under “What was run” what exactly it asked."
    )
    notes = [*profile.left_out, *(said for each in profile.told for said in each.chapter.left_out)]
    return [
        told,
        Table(columns, rows, "Who was asked, and how much"),
        *([f"**Left out**: {'; '.join(dict.fromkeys(notes))}."] if notes else []),
    ]
