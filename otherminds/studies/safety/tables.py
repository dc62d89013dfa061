"""What is told of a model on some items: measures of its answers, and the exploratory tables that are made of these.

S is the share of the right option in the probability of both, evened out over the two orders in which they can stand;
0.5 is indifference. What is compared between models is in `lineups`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce
from math import log
from operator import or_
from statistics import fmean, median, stdev
from typing import Any

from otherminds import stats
from otherminds.files import read_words
from otherminds.items import Suite
from otherminds.items.tags import EVENTS, FALSE_BELIEF, TASK, TWIN
from otherminds.pages.report import Block, Section
from otherminds.results.answers import LIKING, Answer, Answers
from otherminds.results.measures import FEWEST, Split, twins_right
from otherminds.results.sections import MODELS, Axis, Column, Each, Measure, Page, PictureOf, TableOf, mean, share
from otherminds.results.trends import ALPHA
from otherminds.stats import Difference, Estimate, proportion, signed, span, with_p
from otherminds.stats.trends import ladder
from otherminds.studies.safety.lineups import CLOZE, CONTROLS, MAIN, NINE, SHORT, SINGLE, WORDED, WORDINGS, WRITTEN
from otherminds.studies.safety.plots.build import NEUTRAL
from otherminds.studies.safety.plots.oracles import RULES

BINS = 10
WORDS: dict[str, dict[str, str]] = read_words("pages")["exploratory"]
"""Of every table its caption, perhaps a note, and what is said above it."""
FAINT, HEAVY = 0.1, 0.5
"""Below the first, S is a ratio of two tiny numbers; from the second on, the letters have most of the probability."""
ABOVE, BELOW = "above", "systematically below"
OUTCOMES = (ABOVE, BELOW, "not told from 0.5", "too few groups to tell")
BOTH = "both"
"""In place of a way of asking: in any."""


def with_S(answers: Answers) -> Answers:
    """Those that have a response score."""
    return answers.with_value("S")


def scored(answers: Answers) -> Answers:
    """Those of the nine tasks among them."""
    return with_S(answers.where(task=NINE))


def by_task(answers: Answers) -> dict[str, Answers]:
    """The same by task, as far as there are any."""
    return {task: some for task in NINE if (some := with_S(answers.where(task=task)))}


# ---- one task -----------------------------------------------------------------------------------------------------


def against_half(answers: Answers) -> Difference | None:
    """S less 0.5; p is of this test alone, since nothing was predicted."""
    some = with_S(answers)
    return stats.difference(some.numbers("S"), [0.5] * len(some), groups=some.groups) if some else None


def outcome(answers: Answers) -> str | None:
    """In words; to be wrong beyond chance says more than not to be right beyond it."""
    found = against_half(answers)
    if found is None:
        return None
    if found.clusters < FEWEST:
        return OUTCOMES[3]
    return OUTCOMES[2] if found.p > ALPHA else ABOVE if found.value > 0 else BELOW


def summary(of: str, tell: Callable[[list[float]], float]) -> Callable[[Answers], float | None]:
    """Another measure of a number than its mean, such as the median."""
    return lambda answers: tell(found) if (found := answers.numbers(of)) else None


def mean_of_S(tell: Callable[[float], float]) -> Callable[[Answers], Estimate | None]:
    """The mean of what is told of each S, such as its loss."""
    return lambda some: stats.mean(list(map(tell, some.numbers("S"))), groups=some.groups) if some else None


def of_first_option(row: Answer) -> float:
    """The probability of the option named first: a sure mistake is then at the other end from a sure success."""
    share = row.number("S") or 0.0
    return share if row.item.answer == row.item.choices[0] else 1 - share


# ---- several items ------------------------------------------------------------------------------------------------


def true_beliefs(answers: Answers) -> Estimate | None:
    """S where beliefs are true, if any are false."""
    false, true = (answers.where(None, **{FALSE_BELIEF: kind}) for kind in (True, False))
    return true.mean("S") if with_S(false) else None


def flip_sensitivity(answers: Answers) -> Estimate | None:
    """The mean of S(item) + S(twin) - 1 over groups whose right answer flips: 0 for always the same answer, 1 at best.

    A group of more than two counts with the mean S of its twins for each of its two answers.
    """
    flips, by = [], []
    for twin, some in with_S(answers).by(TWIN).items():
        shares: dict[str, list[float]] = defaultdict(list)
        for row in some:
            shares[row.item.answer].append(row.number("S") or 0.0)
        if twin is not None and len(shares) == 2:
            flips.append(sum(map(fmean, shares.values())) - 1)
            by.append(some[0].group)
    return stats.mean(flips, groups=by, bounds=(-1.0, 1.0)) if flips else None


def given_reading(answers: Answers, *, read: bool = True) -> Estimate | None:
    """How often FB/SA is right on scripts of which all of TB was answered right; or on those of which it was not."""
    facts: dict[str, list[float | None]] = defaultdict(list)
    for row in answers.where(task="TB"):
        facts[row.item.context].append(row.value)
    # A call that failed says neither that the script was understood nor that it was not.
    known = {context: all(value == 1 for value in values) for context, values in facts.items() if None not in values}
    return answers.where(lambda row: known.get(row.item.context) is read, task="FB/SA").mean()


def slope(answers: Answers, names: Sequence[str]) -> Difference | None:
    """How S goes from step to step of a ladder, such as from TB over MA to FB; none where one of them was not asked."""
    some = scored(answers)
    some = some.where(task=[task for task in NINE if task.partition("/")[0] in names])
    steps = [float(names.index(task.partition("/")[0])) for task in some.get(TASK)]
    if len(set(steps)) < len(names) or len(set(some.groups)) < 2:
        return None
    return ladder(some.numbers("S"), steps, groups=some.groups)


def on_same_scripts(answers: Answers) -> Difference | None:
    """FB/SA less TB on the very same scripts."""
    facts, beliefs = (answers.where(task=task) for task in ("TB", "FB/SA"))
    both = {row.item.context for row in with_S(facts)} & {row.item.context for row in with_S(beliefs)}
    return beliefs.where(lambda row: row.item.context in both).against(
        facts.where(lambda row: row.item.context in both), "S"
    )


# ---- how they are told ---------------------------------------------------------------------------------------------


def three(value: Estimate | float) -> str:
    """To three decimals, with what is known of how sure it is."""
    if isinstance(value, Difference):
        return with_p(value, 3)
    return span(value, 3) if isinstance(value, Estimate) else f"{value:.3f}"


three_signed = partial(signed, digits=3)


def asked(way: str, **properties: str) -> Split:
    """The answers that were given in one way."""
    return Split(properties.get("prompt", way), {"suite": way, **properties})


def told(*blocks: Any, way: str = MAIN) -> Any:
    """Blocks of answers that were given in one way."""
    return Each(Axis("", [Split("", {"suite": way} if way != BOTH else {})]), blocks)


def table(
    name: str,
    lines: Sequence[Axis],
    columns: Sequence[Column],
    *,
    way: str = MAIN,
    most: int | None = None,
    **more: Any,
) -> Any:
    """A table with the words of that name, and what is said above it."""
    words = WORDS[name]
    made = TableOf(lines, columns, words["caption"], **{"note": words.get("note", ""), **more})
    # Of what has a table for each model, the caption names it.
    blocks = [Each(NAMED, [made], most=most)] if "{}" in words["caption"] else [made]
    return told(*([words["text"]] if "text" in words else []), *blocks, way=way)


# ---- parts and columns --------------------------------------------------------------------------------------------


def _number_of(answers: Answers) -> int | None:
    return len(answers) or None


def _also(*ways: Split) -> Measure:
    """Whether a task has a response score, and answers in one of these ways too."""
    return lambda answers: _MAIN.of(answers).mean("S") and any(way.of(answers) for way in ways)


def _range(answers: Answers) -> str | None:
    """From the least mean to the greatest; nothing where there are no two."""
    means = [found.value for split in (_MAIN, *_WORDINGS) if (found := split.of(answers).mean("S"))]
    return f"{min(means):.3f} to {max(means):.3f}" if len(means) > 1 else None


def _about_letters(answers: Answers) -> str:
    masses = [_mass(task.of(some)) for some in answers.by("model").values() for task in TASKS.splits]
    faint = any(one is not None and one < FAINT for one in masses)
    return WORDS["letters"]["note"] + (WORDS["letters"]["faint"].format(faint=FAINT) if faint else "")


def _bin(low: float) -> Split:
    name = f"{low:.1f} to {low + 0.1:.1f}"
    return Split(name, keep=lambda row: min(int(of_first_option(row) * BINS), BINS - 1) == round(low * BINS))


def _first_is_right(answers: Answers) -> Estimate | None:
    right = [row.item.answer == row.item.choices[0] for row in answers]
    return proportion(sum(right), len(right)) if right else None


NAMED = Axis("model", by="model")
TASKS = Axis("task", [Split(SHORT[task], {"task": task}) for task in NINE])
PARTS = Axis(
    "part",
    [
        Split("SA, a thing is moved", {"task": "FB/SA"}, lambda row: EVENTS in row.item.meta),
        Split("SA, everyday", {"task": "FB/SA"}, lambda row: EVENTS not in row.item.meta),
        Split("D/V, told or labelled", {"task": "FB/D/V"}, lambda row: EVENTS in row.item.meta),
        Split("D/V, everyday", {"task": "FB/D/V"}, lambda row: EVENTS not in row.item.meta),
        *(Split(f"HO, order {order}", {"task": "FB/HO", "order": order}) for order in (2, 3, 4)),
        Split("FP, is the listener hurt", {"task": "MA/FP-hurt"}),
    ],
)
"""What is reported apart from the nine."""
FIRST = Axis("probability of the first option", [_bin(number / BINS) for number in range(BINS)])
EACH = [MODELS, TASKS]
S = Column("S", mean("S"), three)
OUTCOME = Column("against 0.5", outcome)
ITEMS = Column("items", lambda some: _number_of(with_S(some)))
_MAIN, _CLOZE = asked(MAIN), asked(CLOZE)
_WORDINGS = [asked(WORDED, prompt=prompt) for prompt in WORDINGS]
_CONTROLS = [asked(way) for way in CONTROLS.values()]
_mass = summary("mass", median)
share_heavy = summary("mass", lambda found: fmean(one >= HEAVY for one in found))

TWINS = [
    Column("flip sensitivity", flip_sensitivity, three_signed),
    Column("all twins right", twins_right, three),
    Column("S, false belief", mean("S", **{FALSE_BELIEF: True}), three),
    Column("S, true belief", true_beliefs, three),
]
LADDER = [
    Column("a step", lambda some: slope(some, ("TB", "MA", "FB")), three),
    Column("MA less TB", lambda some: slope(some, ("TB", "MA")), three),
    Column("FB less TB", lambda some: slope(some, ("TB", "FB")), three),
    Column("SA less TB, same scripts", on_same_scripts, three),
]
GIVEN = [
    Column("right on SA, facts read", given_reading),
    Column("right on SA, facts misread", partial(given_reading, read=False)),
]
LETTERS_AND_CLOZE = [
    Column("letters", mean("S"), three, part=_MAIN),
    Column("cloze, whole ending", mean("S"), three, part=_CLOZE),
    Column("cloze, mean of tokens", mean("S_token"), three, part=_CLOZE),
]
LETTERS = [
    S,
    Column("S, one order", mean(SINGLE), three),
    Column("label bias", mean(LIKING), three_signed),
    Column("its sd", summary(LIKING, lambda found: stdev(found) if len(found) > 1 else 0.0), "{:.2f}".format),
    Column("consistent", mean("consistent"), three),
    Column("mass", _mass, lambda one: f"{one:.3f}{' ⚠' * (one < FAINT)}"),
    Column("mass ≥ 0.5", share_heavy, "{:.2f}".format),
    Column("S there", lambda some: some.where(lambda row: (row.number("mass") or 0.0) >= HEAVY).mean("S"), three),
]
CALIBRATION = [
    Column("Brier score", mean_of_S(lambda share: (1 - share) ** 2), three),
    Column("log loss", mean_of_S(lambda share: -log(max(share, 1e-12))), three),
]
RELIABILITY = [
    Column("items", _number_of),
    Column("mean", lambda some: fmean(map(of_first_option, some)) if some else None, three),
    Column("share where it is right", _first_is_right, three),
]
REWORDED = [
    Column("raw", mean("S"), lambda one: three(one.value), part=_MAIN),
    *(Column(way.label, mean("S"), lambda one: three(one.value), part=way) for way in _WORDINGS),
    Column("range", _range),
]
CONTROLLED = [
    Column("S", mean("S"), three, part=_MAIN),
    *(Column(way.label, mean("S"), three, part=way) for way in _CONTROLS),
]
REFUSALS = [
    Column("refused", share("refused"), three),
    Column("no clear answer", share("tied", "unparsed", "truncated", "error"), three),
    Column("right", mean(), three),
    Column("items", _number_of),
]


# ---- beside rules -------------------------------------------------------------------------------------------------


def _beside_rules(page: Page) -> Iterable[Block]:
    """Right answers of models, where they have a response score, and of rules on all the items."""
    items = page.answers.where(task=NINE).items
    suite = Suite("safety", tuple(items))
    by_rule = (Answers.by_rule(name, items, make(suite).values(items)) for name, make in RULES.items())
    models, rules = with_S(page.answers), reduce(or_, by_rule)
    # A model may be called like a rule.
    lines = [Split(name, {"model": name}, lambda row: row.run is not None) for name in models.by("model")]
    lines += [Split(name, {"model": name}, lambda row: row.run is None) for name in rules.by("model")]

    def whole(answers: Answers) -> int:
        return max((len(line.of(answers).with_value()) for line in lines), default=0)

    columns = []
    for task in TASKS.splits:
        most = whole(task.of(models | rules))
        columns.append(Column(task.label, mean(), partial(_short, most), part=task))
    title, caption = WORDS["rules"]["title"], WORDS["rules"]["figure"]
    picture = PictureOf(TASKS, NAMED, mean(), title, caption, "share of right answers", reference=(0.5, "chance"))
    beside = TableOf(
        *([Axis("", lines)], columns, WORDS["rules"]["caption"], WORDS["rules"]["note"]),
        keep=lambda line: True,
        foot={"items": whole},
        compact=True,
    )
    return [WORDS["rules"]["text"], *Page(models).blocks([picture]), *Page(models | rules).blocks([beside])]


def _short(whole: int, one: Estimate) -> str:
    return span(one) + (f", n = {one.n}" if one.n < whole else "")


_SECTIONS = {
    "twins": [table("twins", EACH, TWINS, keep=mean("S"))],
    "the ladder": [table("ladder", [NAMED], LADDER), table("given", [NAMED], GIVEN)],
    "letters and cloze": [table("cloze", EACH, LETTERS_AND_CLOZE, way=BOTH, keep=_also(_CLOZE))],
    "parts of tasks": [
        table("parts", [MODELS, PARTS], [S, OUTCOME, ITEMS]),
        table("neutral", [NAMED], [Column("share of “did not know”", mean("S", task=NEUTRAL), three)]),
    ],
    "what the letters are worth": [table("letters", EACH, LETTERS, note=_about_letters, of=with_S)],
    "calibration": [
        table("calibration", [NAMED], CALIBRATION, of=scored),
        table("reliability", [FIRST], RELIABILITY, of=scored, most=4),
    ],
    "other ways to ask": [table("wordings", [TASKS], REWORDED, way=BOTH, keep=_also(*_WORDINGS), compact=True)],
    "controls": [table("controls", EACH, CONTROLLED, way=BOTH, keep=_also(*_CONTROLS), compact=True)],
    "refusals": [table("refusals", [NAMED, Axis("wording", by="prompt"), TASKS], REFUSALS, way=WRITTEN)],
    "mindless baselines": [told(_beside_rules)],
}
SECTIONS = [Section(f"Exploratory: {title}", blocks) for title, blocks in _SECTIONS.items()]
