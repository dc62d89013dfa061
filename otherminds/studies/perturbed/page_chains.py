"""The sections about chains: whether they are right, whether answers follow them, and beliefs drawn by sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from otherminds.files import read_words
from otherminds.pages.report import Block, Figure, Folded
from otherminds.pages.timeline import timeline
from otherminds.results.answers import Answer, Answers
from otherminds.results.measures import Split
from otherminds.results.sections import Axis, Column, Declared, Each, Measure, Page, TableOf, figure, mean
from otherminds.stats import Correlation, Difference, signed, span
from otherminds.stats.significance import p_value
from otherminds.studies.perturbed import measure
from otherminds.studies.perturbed.calculus import CLASSES, UNKNOWN
from otherminds.studies.perturbed.measure import FOCAL, RULES, chained, class_name, gain, going_together, models
from otherminds.studies.perturbed.tasks import verdicts
from otherminds.studies.perturbed.tasks.chains import RATIOS
from otherminds.studies.perturbed.tasks.intervene import EDITS

_TEXTS: dict[str, str] = read_words("pages")["chains"]

ASKED = Axis("", by="model", words=RULES)
"""Models, then models with the way in which chains were given to them, then rules."""
BY_CLASS = Axis("class", [*(Split(class_name(name), {"class": name}) for name in CLASSES), Split("all together")])
_SCOPES = Axis("items", [Split("focal", FOCAL), Split("all beliefs")])
_WRONG = Split("wrong", keep=lambda row: not row.detail["proper"])
_VERDICT = {True: "placebo", False: "none"}
_RIGHT = Split("right", keep=lambda row: bool(row.detail["proper"]))


def _tells_more(answers: Answers) -> bool:
    """Whether there is anything; and where all beliefs are meant, more than the focal ones."""
    return bool(answers) and ("focal" in answers.wanted or not all(answers.get("focal")))


def _given(answers: Answers) -> Answers:
    return answers.with_value("follows")


def _alone(of: str = "value") -> Measure:
    """A mean without its interval."""
    return lambda answers: (found := answers.mean(of)) and found.value


def _with_p(found: Correlation | Difference) -> str:
    return f"{found.value:+z.2f} ({p_value(found.p)})"


def _added(answers: Answers) -> str | None:
    """What the chain adds; nothing can be added to answers that were all the same already."""
    if led := gain(answers, "follows"):
        return "cannot be told" if all(answers.numbers("before")) else _with_p(led)
    return None


def _where_chains_stand(page: Page) -> Iterator[Block]:
    ways = dict.fromkeys(name.rpartition(", ")[2] for name in _given(page.answers).get("model"))
    if ways:
        yield _TEXTS["given"].format(given=" ".join(_TEXTS[way] for way in ways))


def _ends(page: Page) -> Iterator[Block]:
    """How often answers end as a given chain does, for each model."""
    for name, some in _given(page.answers).by("model").items():
        parts = [(edit, some.where(edit=edit)) for edit in EDITS]
        lines = [(edit, [part.mean("follows"), part.mean("before")]) for edit, part in parts if part]
        title = f"How often the answers of {name} end as the chain does"
        caption = f"{name}: answers that end as the chain does, with 95 % intervals by stage."
        marks = ("with the chain given", "its own answer before")
        yield figure(lines, marks, title, caption, "share that ends as the chain does")


_RATIOS = [Column(name, _alone(of), lambda value: f"{value:.2f}") for name, of in RATIOS.items()]
_ON_FOCAL = TableOf(
    [BY_CLASS],
    [Column("proper", mean("proper")), *_RATIOS],
    "{}: chains on focal items",
    of=lambda answers: chained(answers).where(None, **FOCAL),
)
_TOGETHER = TableOf(
    [ASKED, _SCOPES],
    [
        Column("n", len),
        Column("both / chain / answer / neither", lambda answers: " / ".join(map(str, measure.crossed(answers)))),
        Column("phi", going_together(), lambda phi: f"{phi.value:+z.2f}"),
        Column("p", going_together(), lambda phi: f"{p_value(phi.p)} / {p_value(phi.fisher)}"),
        Column("phi of the way (p)", going_together("way"), _with_p),
        Column("verdict", lambda answers: verdicts.faithfulness(*measure.crossed(answers))),
    ],
    "Right chains and right answers",
    _TEXTS["counts"].format(strong=verdicts.STRONG, sure=verdicts.SURE, fewest=verdicts.FEWEST),
    keep=_tells_more,
    of=chained,
)
_GRADED = TableOf(
    [ASKED, _SCOPES],
    [Column(name, measure.graded(of), _with_p) for name, of in RATIOS.items()],
    "The graded measures and right answers",
    _TEXTS["graded"],
    keep=_tells_more,
    of=chained,
)
_PLACEBO = TableOf(
    [ASKED, _SCOPES, Axis("chain", [_WRONG, _RIGHT])],
    [
        Column("n", len),
        Column("plain", _alone("before")),
        Column("with chain", _alone()),
        Column("gain", gain, signed),
        Column(
            "gained / lost (McNemar's p)", measure.moved, lambda found: f"{found[0]} / {found[1]} ({p_value(found[2])})"
        ),
        Column("verdict", lambda answers: "" if _RIGHT.of(answers) else _VERDICT[measure.is_placebo(answers)]),
    ],
    "What reasoning gains with right and with wrong chains",
    _TEXTS["placebo"].format(gain=measure.GAIN, sure=verdicts.SURE),
    keep=_tells_more,
    of=measure.compared,
)
_INTERVENTION = TableOf(
    [ASKED, Axis("chain", [Split(edit, {"edit": edit}) for edit in EDITS])],
    [
        Column("n", len),
        Column("follows it", mean("follows"), span),
        Column("said so before", mean("before"), span),
        Column("what the chain adds (p)", _added),
        Column("right", _alone("matches")),
        Column("as before", _alone("stays")),
    ],
    "Do answers follow a chain that is given?",
    _TEXTS["edits"],
    keep=bool,
    of=_given,
)
ARE_CHAINS_RIGHT: list[Declared] = [_TEXTS["proper"], Each(ASKED, [_ON_FOCAL])]
"""By class, how right the chains are; the rules hold one belief from beginning to end."""
ARE_THEY_FOLLOWED: list[Declared] = [
    [_TEXTS["together"], _TOGETHER, _GRADED],
    [_TEXTS["where_wrong"], _PLACEBO],
    [_where_chains_stand, _INTERVENTION, _ends],
]
"""Going together, the placebo, and what answers do when other chains are given."""


# ---- beliefs, sentence by sentence --------------------------------------------------------------------------------

KINDS = (
    (True, True, "chain right, answer right"),
    (False, True, "chain wrong, answer right"),
    (True, False, "chain right, answer wrong"),
    (False, False, "chain wrong, answer wrong"),
)
EACH = 2
"""Items shown of every kind."""


def belief_tracks(page: Page) -> Iterator[Block]:
    """A few focal items of every model, of each kind that there is."""
    for name in models(page.answers):
        focal = chained(page.answers).where(model=name, **FOCAL)
        for proper, right, words in KINDS:
            of_kind = [each for each in focal if (each.detail["proper"], each.right) == (proper, right)]
            of_classes = {each.tag("class"): each for each in reversed(of_kind)}
            # The first items of this kind, of different classes.
            for each in [each for each in of_kind if each in of_classes.values()][:EACH]:
                heading = f"{name} · {class_name(each.tag('class'))}, {each.item.id} · {words}"
                yield Folded(heading, _track(name, each))


def _track(label: str, answer: Answer) -> list[Block]:
    item = answer.item
    sentences, sets = item.meta["sentences"], item.meta["gold"]
    said = [*answer.states, *[""] * len(sentences)][: len(sentences)]
    # Where careful readers may differ, the model is measured by the reading that it shares.
    gold = [state if state in states else states[0] for state, states in zip(said, sets, strict=True)]
    lanes = [
        ("gold", _lane(gold)),
        (label, _lane(said)),
        ("what is so", _lane([item.meta["reality"]] * len(sentences))),
    ]
    svg = timeline(
        lanes,
        sentences,
        title=f"{item.id}: what {item.meta['target']} believes",
        values=[choice for choice in item.choices if choice != UNKNOWN],
        unknown=UNKNOWN,
    )
    notes = [f"{item.question} The model answers {answer.said!r}; right is {item.answer!r}."]
    if len(answer.states) != len(sentences):
        notes.append(f"It wrote {len(answer.states)} states for {len(sentences)} sentences.")
    open_to = [str(number) for number, states in enumerate(sets, start=1) if len(states) > 1]
    if open_to:
        notes.append(f"At sentence {', '.join(open_to)} careful readers may differ.")
    return [Figure(svg, " ".join(notes))]


def _lane(states: Sequence[str]) -> list[str | None]:
    return [None if state == UNKNOWN else state for state in states]
