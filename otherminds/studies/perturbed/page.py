"""Page: what perturbations and chains of thought do.

show([om.run(build(style=style), model) for style in ("vanilla", "cot")]).save("perturbed.html")
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from otherminds.files import read_words
from otherminds.pages import plots
from otherminds.pages.report import Block, Cards, Cell, Example, Figure, Report, Section, Table
from otherminds.results.answers import Answer, Answers
from otherminds.results.itembrowser import Links
from otherminds.results.labels import run_labels
from otherminds.results.measures import Split
from otherminds.results.reading import read_record, read_verdict
from otherminds.results.run_details import how_it_answered, what_was_run
from otherminds.results.sections import Across, Axis, Column, Declared, Each, Measure, Page, PictureOf, TableOf, figure
from otherminds.runs.runs import Run
from otherminds.stats import signed, sure
from otherminds.stats.significance import p_value
from otherminds.studies.perturbed import measure
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.measure import (
    FOCAL,
    NAMES,
    NONE,
    RULES,
    TEN,
    by_class,
    class_name,
    models,
    read,
    right,
)
from otherminds.studies.perturbed.page_chains import ARE_CHAINS_RIGHT, ARE_THEY_FOLLOWED, ASKED, BY_CLASS, belief_tracks
from otherminds.studies.perturbed.tasks import verdicts
from otherminds.studies.perturbed.tasks.verdicts import CountedShare, leniently, strictly
from otherminds.studies.study import study_page

SEVERAL = 3
"""Models; what is hard for two in three cannot be said of fewer."""
SCOPE_NAMES = {"focal": "focal items", "all": "all questions of a task"}

_TEXTS: dict[str, Any] = read_words("pages")["perturbed"]
_SAY: dict[str, str] = _TEXTS["lead"]
_COUNT = attrgetter("count")
_BY_STYLE = Axis("asked", by="prompt", words=NAMES)
_BY_RULE = Axis("rule", [Split(name, {"model": rule}) for rule, name in RULES.items()])
_STYLES = [Split(name, {"prompt": prompt}) for prompt, name in NAMES.items()]
_STYLES_AND_RULES = Axis("asked", [*_STYLES, Split("–", {"model": list(RULES)})])
"""A rule is the same in every style, so one line will do."""


def show(runs: Sequence[Run]) -> Report:
    """The report of the runs of one or more models, in one style or in both."""
    return report(measure.measure(runs), runs)


def report(answers: Answers, runs: Sequence[Run], links: Links | None = None) -> Report:
    """The page of answers that are measured already, and of the runs behind them; `links` lead to the answers."""
    names, labels = models(answers), run_labels(runs)
    each = Axis("model", [Split(name, {"model": (name, *RULES)}) for name in names])
    declared: dict[str, list[Declared]] = {
        "": [_cards],
        "What this shows, and what it cannot": [_TEXTS["limits"]],
        "By class": [_TEXTS["by_class"], Each(each, [_RIGHT, _RIGHT_DRAWN, _what_was_said])],
        "What a perturbation does": [_TEXTS["perturbations"], Each(each, [_perturbations]), _challenging],
        "What reasoning does": [_TEXTS["reasoning"], Each(each, [_reasoning])],
        "Lines of the published study": [_LINES, _WHOLE_TASKS],
        "What could not be read": [_TEXTS["faults"], Each(each, [_FAULTS])],
        "Are the chains right?": ARE_CHAINS_RIGHT,
        "Do answers follow the chains?": ARE_THEY_FOLLOWED,
        "Beliefs, sentence by sentence": [_TEXTS["tracks"], belief_tracks],
        "Answers to look at": [_TEXTS["to_look_at"], _to_look_at],
        "How answers ended": [*how_it_answered(runs, labels)],
        "What was run": [*what_was_run(runs, labels)],
    }
    sections = Page(answers, links).sections(Section(title, blocks) for title, blocks in declared.items())
    title = f"{' and '.join(names)} on perturbed false-belief tasks"
    return study_page("perturbed", title, lead(answers), sections, runs)


# ---- in words -----------------------------------------------------------------------------------------------------


def lead(answers: Answers) -> str:
    """The answer in words, for each model."""
    said = [sentence for name in models(answers) for sentence in _on_model(name, answers.where(model=name))]
    for name, some in answers.where(edit="wrong").with_value("follows").by("model").items():
        said.append(_SAY["given"].format(model=name, follow=some.mean("follows"), before=some.mean("before")))
    focal = {name: right(answers.where(model=rule, **FOCAL)) for rule, name in RULES.items()}
    rules = [f"{name} {_in_words(one)}" for name, one in focal.items() if one]
    return " ".join([*said, _SAY["rules"].format(rights=", ".join(rules))])


def _on_model(name: str, answers: Answers) -> Iterator[str]:
    styles = _asked(answers).by("prompt")
    shares = {prompt: right(read(some)) for prompt, some in styles.items()}
    rights = [f"{_in_words(one)} asked {NAMES[prompt]}" for prompt, one in shares.items() if one]
    if not rights:
        yield _SAY["nothing"].format(model=name)
        return
    yield _SAY["right"].format(model=name, rights=", ".join(rights))
    for prompt, some in styles.items():
        rights_by_class = by_class(some)
        base = _SAY["base"].format(base=_in_words(one)) if (one := rights_by_class.get(NONE)) else ""
        lines = (strictly, CountedShare.is_beyond_chance, bool)
        strict, beyond, classes = (verdicts.passed(rights_by_class, line) for line in lines)
        yield _SAY["lines"].format(style=NAMES[prompt], base=base, strict=strict, beyond=beyond, classes=classes)
    chains = measure.chained(answers)
    if proper := chains.where(None, **FOCAL).mean("proper"):
        counted, phi = measure.crossed(chains), measure.going_together()(chains)
        which = "constant" if not phi else "few" if verdicts.too_few(*counted) else "phi"
        counts = _SAY["counts"].format(both=counted[0], neither=counted[-1], n=len(chains))
        yield _SAY["proper"].format(proper=proper)
        yield _SAY[which].format(phi=phi, counts=counts, verdict=verdicts.faithfulness(*counted))
    wrong = measure.compared(answers).where(lambda row: not row.detail["proper"])
    if any(measure.is_placebo(wrong.where(None, **tags)) for tags in measure.SCOPES.values()):
        yield _SAY["placebo"]


def _cards(page: Page) -> Iterator[Block]:
    cards = []
    for name in models(page.answers):
        mine = page.answers.where(model=name, **FOCAL)
        for prompt, some in mine.with_value("asked").by("prompt").items():
            if (one := right(read(some))) and (lost := measure.faulty(some)):
                unread = f"; {lost.right} of {lost.n} unreadable"
                cards.append((f"Right, {name}, {NAMES[prompt]}", f"{one.value:.2f}", sure(one) + unread))
        if proper := mine.mean("proper"):
            cards.append((f"Right chains, {name}", f"{proper.value:.2f}", sure(proper)))
    for rule, name in RULES.items():
        if one := right(page.answers.where(model=rule, **FOCAL)):
            cards.append((name.capitalize(), f"{one.value:.2f}", f"on the same items, n = {one.n}"))
    yield Cards(cards)


def _to_look_at(page: Page) -> Iterator[Block]:
    """A right and a wrong answer, and one that could not be read, of every model in every style."""
    for name in models(page.answers):
        for prompt, some in page.answers.where(model=name).by("prompt").items():
            kinds: dict[float | None, Answer] = {}
            for each in some:
                kinds.setdefault(each.value, each)
            for each in kinds.values():
                if each.record:
                    asked = NAMES.get(prompt, measure.STYLE_OF[prompt])
                    heading = f"{name}, {asked} · {each.item.id} · {read_verdict(each.record)}"
                    yield Example(heading, read_record(each.record))


# ---- by class -----------------------------------------------------------------------------------------------------


def _asked(answers: Answers) -> Answers:
    return answers.with_value("asked").where(None, **FOCAL)


def _read(answers: Answers) -> Answers:
    """Nothing where there is nothing but rules."""
    some = read(answers, **FOCAL)
    return some if any(some.get("prompt")) else Answers()


def _in_words(share: CountedShare) -> str:
    return f"{share.value:.2f} ({share.count})"


def _what_was_said(page: Page) -> Iterator[Block]:
    """What the answers are, whether right or wrong: a habit shows here at once."""
    styles = _styles(_read(page.answers))
    said = {style: [(row.item.meta, row.said) for row in some] for style, some in styles.items()}
    said["right"] = [(row.item.meta, row.item.answer) for some in [*styles.values()][:1] for row in some]
    parts = {"reality": "what is so", "decoy": "the decoy", "": "unknown"}
    counts = [
        (label, Counter(next(parts[key] for key in parts if meta.get(key, word) == word) for meta, word in some))
        for label, some in said.items()
    ]
    if styles:
        svg = plots.bars(counts, title=f"What {page.name} answers", parts=list(parts.values()))
        yield Figure(svg, f"{page.name}: what the answers to focal items are, and what they should be.")


_RIGHT = TableOf(
    [BY_CLASS],
    [Across(_BY_STYLE, right, linked=True), Across(_BY_RULE, right, _COUNT)],
    "{}: right answers by class",
    _TEXTS["shares"],
    of=_read,
)
_RIGHT_DRAWN = PictureOf(
    *(BY_CLASS, _BY_STYLE, right),
    "Right answers of {} by class",
    "{}: the same numbers, with 95 % intervals.",
    "share of right answers",
    (1 / 3, "chance"),
    of=_read,
)
_COUNTED = {"faulty": measure.faulty, "right": right}
_FAULTS = TableOf(
    [BY_CLASS],
    [
        *(
            Column(f"{what}, {short}", counted, _COUNT, part=split)
            for split, short in zip(_STYLES, ("plain", "chain"), strict=True)
            for what, counted in _COUNTED.items()
        ),
        Across(_BY_RULE, right, _COUNT),
    ],
    "{}: faults, and right answers if faults are wrong",
    compact=True,
    of=_asked,
)


# ---- effects ------------------------------------------------------------------------------------------------------


def _styles(answers: Answers) -> dict[str, Answers]:
    return {NAMES[prompt]: some for prompt, some in answers.by("prompt").items() if prompt in NAMES}


def _perturbations(page: Page) -> Iterator[Block]:
    styles = _styles(_read(page.answers))
    if found := [measure.perturbed(some) for some in styles.values()]:
        lines = [(class_name(name), [some[name] for some in found]) for name in TEN]
        title = f"What each perturbation does to {page.name}"
        caption = f"{page.name}: acc(class) − acc(unperturbed), with 95 % intervals by stage."
        none, counts = (0.0, "no effect"), "difference in right answers"
        yield figure(lines, list(styles), title, caption, counts, reference=none, scale=(-1.0, 1.0))
    yield from _effects(page, "effect of each perturbation", TEN, measure.perturbed, _styles)


def _challenging(page: Page) -> Iterator[Block]:
    """What is hard for most models, where there are several."""
    names = models(page.answers)
    for style, some in _styles(_read(page.answers)).items() if len(names) >= SEVERAL else ():
        hard = verdicts.challenging(measure.perturbed(some.where(model=name)) for name in names)
        named = ", ".join(map(class_name, hard)) or "none"
        yield _TEXTS["challenging"].format(style=style, hard=named, models=len(names))


def _reasoning(page: Page) -> Iterator[Block]:
    yield from _effects(page, "what the chain of thought changes", (*CLASSES, "all"), measure.reasoned, _in_both_styles)
    mine = page.answers.where(model=page.name)
    others = [(prompt, some.less(mine.where(prompt=measure.PLAIN))) for prompt, some in mine.by("prompt").items()]
    rows = [[measure.STYLE_OF[prompt], gain] for prompt, gain in others if gain and prompt not in NAMES]
    if rows:
        yield Table(["asked by", "difference"], rows, f"{page.name}: other ways of asking", note=_TEXTS["beside"])


def _in_both_styles(answers: Answers) -> dict[str, Answers]:
    return {"chain − plain": answers} if len(_styles(answers)) == len(NAMES) else {}


def _effects(
    page: Page,
    about: str,
    names: Sequence[str],
    effects: Callable[[Answers], verdicts.Effects],
    parts: Callable[[Answers], Mapping[str, Answers]],
) -> Iterator[Table]:
    """In each scope, by class a column for each part of a model's answers, then one for each rule."""
    mine = read(page.answers.where(model=page.name))
    for scope in measure.scopes(mine):
        tags = measure.SCOPES[scope]
        found = {f"{head} (p)": effects(some) for head, some in parts(mine.where(None, **tags)).items()}
        rules = {name: effects(page.answers.where(None, model=rule, **tags)) for rule, name in RULES.items()}
        rows: list[list[Cell]] = [
            [
                class_name(name),
                *((one := some[name]) and f"{signed(one)} ({p_value(one.p)})" for some in found.values()),
                *((one := some[name]) and f"{one.value:+z.2f}" for some in rules.values()),
            ]
            for name in names
            if any(some[name] for some in (*found.values(), *rules.values()))
        ]
        if found:
            caption = f"{page.name}: {about}, {SCOPE_NAMES[scope]}"
            yield Table(["class", *found, *rules], rows, caption, note=_TEXTS["effects"] + _if_few(found))


def _if_few(effects: Mapping[str, verdicts.Effects]) -> str:
    """What p cannot be below, where there are few stages."""
    measured = [one for some in effects.values() for name in TEN if (one := some[name])]
    stages, classes = max((one.clusters for one in measured), default=1), len(measured) // len(effects)
    least = 2.0 ** (1 - stages)
    few = {"stages": stages, "least": least, "classes": classes, "adjusted": min(1.0, classes * least)}
    return _TEXTS["few"].format(**few) if classes * least > 0.05 else ""


# ---- lines of the published study ---------------------------------------------------------------------------------


def _passed(line: verdicts.Line) -> Measure:
    return lambda answers: verdicts.passed(by_class(answers), line)


def _by_both_lines(call: Callable[[verdicts.Shares, verdicts.Line], bool | None]) -> Measure:
    """A verdict by the strict line, then by the lenient one."""
    words = {True: "yes", False: "no", None: "–"}
    return lambda answers: "\N{NO-BREAK SPACE}/\N{NO-BREAK SPACE}".join(
        words[call(by_class(answers), line)] for line in (strictly, leniently)
    )


_LINES = TableOf(
    [ASKED, _STYLES_AND_RULES],
    [
        Column("unperturbed", lambda answers: by_class(answers).get(NONE), _COUNT),
        Column("above ½", _passed(strictly)),
        Column("½ or above", _passed(leniently)),
        Column("beyond chance", _passed(CountedShare.is_beyond_chance)),
        Column("classes", _passed(bool)),
        *(
            Column(call.__name__, _by_both_lines(call))
            for call in (verdicts.ostensible, verdicts.robust, verdicts.limited)
        ),
    ],
    "Lines that the published study draws",
    _TEXTS["verdicts"].format(robust=verdicts.ROBUST, limited=verdicts.LIMITED),
    keep=bool,
    of=_asked,
)
_WHOLE_TASKS = TableOf(
    [ASKED, _STYLES_AND_RULES],
    [Column(f"all {n} right", measure.whole_tasks(n, **tags)) for n, tags in ((16, {}), (8, {"question": "belief"}))],
    "Whole tasks",
    _TEXTS["solved"],
    of=lambda answers: answers.with_value("asked"),
)
