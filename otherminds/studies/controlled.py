"""A study behind its control questions: the form that lets a model answer is found first, and used, and told.

Whatever a study measures by itself stands beside the same questions about minds in the form that the controls chose:
all of them, and those about stories whose controls were answered rightly. A model that cannot answer the controls in
any form keeps its numbers, but nothing is read into them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from otherminds.diagnosis.cells import happened
from otherminds.errors import Unable, UsageError
from otherminds.files import read_words
from otherminds.formats.question_formats import CLOZE, QuestionFormat
from otherminds.items import Item, Suite
from otherminds.items.controls import as_suite
from otherminds.items.tags import CONTROL, FALSE_BELIEF, ORDER, SCORED, STORY
from otherminds.pages.report import Block, Report, Section, Table
from otherminds.results.measures import chance
from otherminds.runs.calibration import CONFIRMED, ENOUGH, Calibration, accuracy, calibrate, least_first
from otherminds.runs.runs import Run
from otherminds.stats import Estimate
from otherminds.studies import STUDIES
from otherminds.studies.study import Chapter, Desk, Finding, Study, Subject

_TEXTS = read_words("pages")["controls"]
UNREAD: str = _TEXTS["unread"]
QUICK = 96
"""Questions about minds that a quick look puts in the chosen form, at most; half of them where the controls failed."""
CONTROLS, MINDS, UNDERSTOOD = _TEXTS["findings"]


@dataclass(frozen=True, slots=True)
class CheckedModel:
    """One model: what the controls showed, and the questions about minds in the form that they chose."""

    calibration: Calibration
    asked: Run | None = None
    """None where the budget came to its end before."""
    left_out: int = 0
    """Questions that do not fit the form."""

    @property
    def minds(self) -> Estimate | None:
        """How many questions about minds were answered rightly; what cannot be read is not right."""
        return accuracy(self.asked.records) if self.asked else None

    @property
    def understood(self) -> Estimate | None:
        """The same among stories whose controls were all answered rightly."""
        known = self.calibration.understood()
        return accuracy(r for r in self.asked.records if r.item.context in known) if self.asked else None


def look(study: Study, subjects: Sequence[Subject], desk: Desk) -> Chapter | None:
    """The study's own chapter, with its controls in front; where it has nothing to say, the controls alone."""
    if study.controls is None or study.questions is None or all(subject.rule for subject in subjects):
        return study.look(subjects, desk)
    questions = study.questions(desk)
    controls = as_suite(questions.name, study.controls(questions))
    if controls is None:
        return study.look(subjects, desk)
    checked: dict[str, CheckedModel] = {}
    failed: list[str] = []
    for subject in subjects:
        if not subject.rule:
            try:
                checked[subject.name] = check(subject, study.name, controls, about_minds(questions), desk)
            except Unable as error:
                failed.append(f"{subject.name}, control questions: {error}")
    spared = _spared(checked) if desk.size == "quick" else []
    asked = [_in_form(subject, checked) for subject in subjects if subject.name not in spared]
    chapter, refused = _own(study, asked, desk, alone=not checked)
    if chapter is None and not checked:
        return None
    plain = chapter or Chapter(Report(study.asks, "", []), (), ())
    more = [f"{name} in {study.name}, {_TEXTS['spared']}" for name in spared]
    return _with_controls(plain, checked, controls, questions, [*failed, *more, *refused])


def _spared(checked: Mapping[str, CheckedModel]) -> list[str]:
    """Who is asked no more than that: models whose controls failed, where those of others did not."""
    failed = [name for name, each in checked.items() if not each.calibration.able]
    return failed if len(failed) < len(checked) else []


def check(subject: Subject, title: str, controls: Suite, questions: Suite, desk: Desk) -> CheckedModel:
    """The controls in every form, then the questions in the best."""
    kinds = Counter(str(item.tags.get(CONTROL)) for item in controls)
    (most, _), *_ = kinds.most_common(1)
    # Chosen before the form is, so that models in different forms answer the same questions.
    few, more = (_some(questions, limit, desk) for limit in (QUICK // 2, QUICK))

    def ahead(form: QuestionFormat, told: Suite) -> None:
        if sure := form.part(few):
            desk.fetch([told, sure], subject, f"{title} · controls, and about minds, {form}")

    found = calibrate(
        controls,
        questions,
        lambda suites: desk.put_all(suites, subject, f"{title} · controls"),
        cannot=subject.cannot,
        seed=desk.seed,
        before=desk.calibrated.get((subject.name, most), ()),
        confirmed=CONFIRMED.get(desk.size),
        brief=desk.size == "quick",
        ahead=ahead,
    )
    for kind in kinds:
        desk.calibrated.setdefault((subject.name, kind), []).append(found)
    part = found.form.part(more if found.able else few)
    asked = desk.put(part, subject, f"{title} · about minds, {found.form}") if part else None
    return CheckedModel(found, asked, len(questions) - found.form.fitting(questions))


def _some(questions: Suite, limit: int, desk: Desk) -> Suite:
    """What is asked in the chosen form: of a quick look about so many, and the first of them are the same for any."""
    items = balanced(questions, limit, seed=desk.seed) if desk.size == "quick" else questions.items
    return replace(questions, name=f"{questions.name}-in-form", study="", items=items)


def controls_of(suite: Suite) -> Suite:
    """The control questions of a suite: those that it brings, else those that its study makes of its stories."""
    own = [item for item in suite if CONTROL in item.tags]
    study = STUDIES[suite.study]() if suite.study in STUDIES else None
    made = own or (study.controls(suite) if study and study.controls else [])
    found = as_suite(suite.name, made)
    if found is None:
        raise UsageError(
            f"the suite {suite.name} has no control questions, so that none can choose a form; give some of its items"
            " the tag control, or leave out --controls"
        )
    return found


def about_minds(questions: Suite) -> Suite:
    """The questions that are not about what is so."""

    def wanted(item: Item) -> bool:
        return item.tags.get(ORDER) != 0 and CONTROL not in item.tags and item.tags.get(SCORED) is not False

    return questions.where(wanted)


def _in_form(subject: Subject, checked: Mapping[str, CheckedModel]) -> Subject:
    found = checked.get(subject.name)
    return replace(subject, form=found.calibration.form) if found else subject


def _own(
    study: Study, subjects: Sequence[Subject], desk: Desk, *, alone: bool
) -> tuple[Chapter | None, tuple[str, ...]]:
    """What the study has to say by itself, and why it has nothing, if there are controls to tell of."""
    try:
        return study.look(subjects, desk), ()
    except Unable as error:
        if alone:
            raise
        return None, (str(error),)


# ---- a few of many questions ----------------------------------------------------------------------------------------


Kind = tuple[str, bool | None, object]


def balanced(questions: Suite, limit: int, *, seed: int) -> Sequence[Item]:
    """About so many questions, in their own order; twins stay together; of the same kind, what is from a story not yet
    asked about goes first, then few twins, then what fits every form.

    A kind is what happens, whether minds about minds are asked about, and whether the belief is true or false.
    """
    if len(questions) <= limit:
        return questions.items
    fitting = {item.id for item in CLOZE.part(questions) or ()}
    kinds: Counter[Kind] = Counter()
    stories: Counter[object] = Counter()
    chosen: set[str] = set()
    kind_of = {item.id: _kind(item) for item in questions}
    known = set(kind_of.values())

    def least(some: Sequence[Item]) -> tuple[int, ...]:
        first = some[0]
        rarest = min(kinds[kind_of[item.id]] for item in some)
        return rarest, stories[_story(first)], len(some), first.id not in fitting

    for some in least_first(questions, f"balanced:{seed}", least):
        if len(chosen) >= limit:
            break
        stories[_story(some[0])] += 1
        for kind in (kind_of[item.id] for item in some):
            # Half where no question about a false belief stands beside those about true ones, or the reverse.
            kinds[kind] += 1 if {(*kind[:2], True), (*kind[:2], False)} <= known else 2
        chosen |= {item.id for item in some}
    return tuple(item for item in questions if item.id in chosen)


def _kind(item: Item) -> Kind:
    order = item.tags.get(ORDER)
    return happened(item), order > 1 if isinstance(order, int) else None, item.tags.get(FALSE_BELIEF)


def _story(item: Item) -> object:
    return item.tags.get(STORY, item.context)


# ---- what is told -------------------------------------------------------------------------------------------------


def _with_controls(
    chapter: Chapter, checked: Mapping[str, CheckedModel], controls: Suite, questions: Suite, left_out: Sequence[str]
) -> Chapter:
    stopped = {name: each.calibration.sentence for name, each in checked.items() if not each.calibration.able}
    section = Section(CONTROLS, list(_blocks(checked)))
    said = " ".join(f"**{name}** {sentence}." for name, sentence in stopped.items())
    report = chapter.report
    lead = " ".join(filter(None, [said, report.lead or _lead(checked)]))
    first = [each for each in report.sections if not each.title]
    rest = [each for each in report.sections if each.title]
    read = [_beside_controls(finding, checked.get(finding.model)) for finding in chapter.findings]
    guess = chance(list(about_minds(questions)))
    more = [finding for name, each in checked.items() for finding in _findings(name, each, guess)]
    return replace(
        chapter,
        report=replace(report, lead=lead, sections=[*first, section, *rest]),
        findings=[*more, *read],
        left_out=[*left_out, *chapter.left_out],
        in_form={name: _told_by(chapter.runs, each.asked) for name, each in checked.items() if each.asked},
        unable=list(stopped),
    )


def _told_by(runs: Sequence[Run], asked: Run) -> Run:
    """The study's own run of the same questions in the same form, where there is one: no answer counts twice."""
    wanted = {record.item.id for record in asked.records}
    own = (run for run in runs if (run.model, run.score, run.prompt) == (asked.model, asked.score, asked.prompt))
    return next((run for run in own if wanted <= {record.item.id for record in run.records}), asked)


def _beside_controls(finding: Finding, each: CheckedModel | None) -> Finding:
    """A number with what the controls of its model showed; nothing is read into it where they failed."""
    if each is None:
        return finding
    found = each.calibration
    said = f"controls {found.right.value:.2f} {found.form}" if found.able else UNREAD
    beside = "; ".join(filter(None, [finding.beside, said]))
    return replace(finding, beside=beside) if found.able else replace(finding, first=False, sentence="", beside=beside)


def _findings(name: str, each: CheckedModel, guess: float | None) -> Iterator[Finding]:
    found = each.calibration
    said = found.sentence[0].upper() + found.sentence[1:]
    told = "" if found.able else f"{said}."
    yield Finding(CONTROLS, name, found.right, None, str(found.form), first=True, sentence=told)
    beside = f"{found.form}; controls {found.right.value:.2f}" if found.able else UNREAD
    if right := each.minds:
        yield Finding(MINDS, name, right, guess, beside, first=found.able)
    if right := each.understood:
        yield Finding(UNDERSTOOD, name, right, guess, beside)


def _lead(checked: Mapping[str, CheckedModel]) -> str:
    return " ".join(f"{name}: {each.calibration.sentence}." for name, each in checked.items())


def _blocks(checked: Mapping[str, CheckedModel]) -> Iterator[Block]:
    yield _TEXTS["about"].format(enough=ENOUGH)
    found = {name: each.calibration for name, each in checked.items()}
    rows = {
        "chosen": [_line(name, each) for name, each in checked.items()],
        "kinds": [[name, *_told(*kind)] for name, each in found.items() for kind in each.by_kind().items()],
        "tried": [[name, *_told(one.form, one.right)] for name, each in found.items() for one in each.tried],
    }
    for table, lines in rows.items():
        yield Table(_TEXTS[table]["columns"], lines, _TEXTS[table]["caption"])
    for name, each in checked.items():
        if each.left_out:
            form = each.calibration.form
            yield f"{name}: {each.left_out} questions about minds cannot be put {form}, and are left out."
        for failed in each.calibration.failed:
            yield f"{name}, not tried: {failed}."


def _line(name: str, each: CheckedModel) -> list[str]:
    found = each.calibration
    numbers = [_shown(found.right), _shown(each.minds), _shown(each.understood)]
    return [name, str(found.form), *numbers, "yes" if found.able else "no: the controls failed"]


def _told(what: object, right: Estimate) -> list[str]:
    return [str(what), _shown(right)]


def _shown(one: Estimate | None) -> str:
    return str(one) if one else "–"
