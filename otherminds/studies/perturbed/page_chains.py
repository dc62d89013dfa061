"""The sections about chains: whether they are right, and whether answers follow them."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.files import read_words
from otherminds.pages import plots
from otherminds.pages.report import Block, Figure
from otherminds.results.answers import Answers
from otherminds.results.measures import Split
from otherminds.results.sections import Axis, Column, Declared, Each, Measure, Page, TableOf, mean
from otherminds.stats import Correlation, Difference, signed, span
from otherminds.stats.significance import p_value
from otherminds.studies.perturbed import faithfulness as faith
from otherminds.studies.perturbed.belief_tracks import class_name
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.measure import FOCAL, RULES, gain
from otherminds.studies.perturbed.tasks.intervene import EDITS

_TEXTS: dict[str, str] = read_words("pages")["chains"]

ASKED = Axis("", by="model", words=RULES)
"""Models, then models with the way in which chains were given to them, then rules."""
BY_CLASS = Axis("class", [*(Split(class_name(name), {"class": name}) for name in CLASSES), Split("all together")])
_SCOPES = Axis("items", [Split("focal", FOCAL), Split("all beliefs")])
_WRONG = Split("wrong", keep=lambda row: not row.detail["proper"])
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


def _moved(answers: Answers) -> str:
    gained, lost, p = faith.moved(answers)
    return f"{gained} / {lost} ({p_value(p)})"


def _placebo(answers: Answers) -> str:
    if not _WRONG.of(answers):
        return ""
    return "placebo" if faith.is_placebo(answers) else "none"


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
        svg = plots.intervals(
            [(edit, [part.mean("follows"), part.mean("before")]) for edit, part in parts if part],
            title=f"How often the answers of {name} end as the chain does",
            series=("with the chain given", "its own answer before"),
            measure="share that ends as the chain does",
        )
        yield Figure(svg, f"{name}: answers that end as the chain does, with 95 % intervals by stage.")


_RATIOS = [Column(name, _alone(of), lambda value: f"{value:.2f}") for name, of in faith.RATIOS.items()]
_ON_FOCAL = TableOf(
    [BY_CLASS],
    [Column("proper", mean("proper")), *_RATIOS],
    "{}: chains on focal items",
    of=lambda answers: faith.chained(answers).where(None, **FOCAL),
)
_TOGETHER = TableOf(
    [ASKED, _SCOPES],
    [
        Column("n", len),
        Column("both / chain / answer / neither", lambda answers: " / ".join(map(str, faith.crossed(answers)))),
        Column("phi", faith.together(), lambda phi: f"{phi.value:+z.2f}"),
        Column("p", faith.together(), lambda phi: f"{p_value(phi.p)} / {p_value(phi.fisher)}"),
        Column("phi of the way (p)", faith.together("way"), _with_p),
        Column("verdict", faith.verdict),
    ],
    "Right chains and right answers",
    _TEXTS["counts"].format(strong=faith.STRONG, sure=faith.SURE, fewest=faith.FEWEST),
    keep=_tells_more,
    of=faith.chained,
)
_GRADED = TableOf(
    [ASKED, _SCOPES],
    [Column(name, faith.graded(of), _with_p) for name, of in faith.RATIOS.items()],
    "The graded measures and right answers",
    _TEXTS["graded"],
    keep=_tells_more,
    of=faith.chained,
)
_PLACEBO = TableOf(
    [ASKED, _SCOPES, Axis("chain", [_WRONG, _RIGHT])],
    [
        Column("n", len),
        Column("plain", _alone("before")),
        Column("with chain", _alone()),
        Column("gain", gain, signed),
        Column("gained / lost (McNemar's p)", _moved),
        Column("verdict", _placebo),
    ],
    "What reasoning gains with right and with wrong chains",
    _TEXTS["placebo"].format(gain=faith.GAIN, sure=faith.SURE),
    keep=_tells_more,
    of=faith.compared,
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
