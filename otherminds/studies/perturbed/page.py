"""Page: what perturbations and chains of thought do.

show([om.run(build(style=style), model) for style in ("vanilla", "cot")]).save("perturbed.html")
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from otherminds.files import read_words
from otherminds.items import Item
from otherminds.pages import plots
from otherminds.pages.report import Block, Cards, Cell, Figure, Report, Section, Table
from otherminds.results.grids import Grid
from otherminds.results.itembrowser import Links
from otherminds.results.labels import run_labels
from otherminds.results.run_details import how_it_answered, what_was_run
from otherminds.runs.runs import Run
from otherminds.stats import Difference, signed, sure
from otherminds.stats.significance import p_value
from otherminds.studies.perturbed.belief_tracks import NAMES, answers_to_look_at, belief_tracks, class_name
from otherminds.studies.perturbed.faithfulness import SCOPES
from otherminds.studies.perturbed.measure import (
    LIMITED,
    OF_CLASS,
    ROBUST,
    TEN,
    ClassCell,
    Effects,
    Measures,
    Profile,
    Share,
    Sitting,
    Verdict,
    measure,
)
from otherminds.studies.perturbed.page_chains import are_chains_right, are_they_followed
from otherminds.studies.study import study_page

WHOLE = tuple(OF_CLASS)
SEVERAL = 3
"""Models; what is hard for two in three cannot be said of fewer."""
SHORT = {"vanilla": "plain", "cot": "chain"}
"""How the styles are called over narrow columns."""
SCOPE_NAMES = {"focal": "focal items", "all": "all questions of a task"}

_TEXTS = read_words("pages")["perturbed"]
LIMITS: str = _TEXTS["limits"]

FEW = (
    " With {stages} stages no p by stage can be below {least:.3f}, and adjusted for {classes} classes none below"
    " {adjusted:.2f}: read the intervals, and a class that was named beforehand, rather than the adjusted p."
)


def show(runs: Sequence[Run]) -> Report:
    """The report of the runs of one or more models, in one style or in both."""
    return report(measure(runs), runs)


def report(found: Measures, runs: Sequence[Run], links: Links | None = None) -> Report:
    """The page of numbers that are there already, and of the runs behind them; `links` lead to the answers."""
    sections = [
        Section("", [_cards(found)]),
        Section("What this shows, and what it cannot", [LIMITS]),
        Section("By class", _by_class(found, links)),
        Section("What a perturbation does", _perturbations(found)),
        Section("What reasoning does", _reasoning(found)),
        Section("Lines of the published study", _verdicts(found)),
        Section("What could not be read", _faults(found)),
        Section("Are the chains right?", are_chains_right(found)),
        Section("Do answers follow the chains?", are_they_followed(found)),
        Section("Beliefs, sentence by sentence", belief_tracks(found.sittings)),
        Section("Answers to look at", answers_to_look_at(found.sittings)),
        Section("How answers ended", how_it_answered(runs, run_labels(runs))),
        Section("What was run", what_was_run(runs, run_labels(runs))),
    ]
    who = " and ".join(each.label for each in found.sittings)
    return study_page("perturbed", f"{who} on perturbed false-belief tasks", lead(found), sections, runs)


def lead(found: Measures) -> str:
    """The answer in words, for each model."""
    said = []
    for model in found.models:
        rights = {style: cells["all"].right for style, cells in model.cells.items()}
        parts = [f"{_plain(one)} asked {NAMES[style]}" for style, one in rights.items() if one]
        if not parts:
            said.append(f"{model.label} gave no answer that could be read in every style.")
            continue
        said.append(f"{model.label}, focal false-belief questions right: {', '.join(parts)}.")
        said += [_on_verdict(style, verdict) for style, verdict in model.verdicts.items()]
        said += _on_chains(model)
    said += [
        f"Given a chain that is right but for its end ({each.label}), answers follow it in {each.follow.value:.2f};"
        f" they were the same in {each.before.value:.2f} before."
        for each in found.followed
        if each.edit == "wrong"
    ]
    rules = [f"{rule.label} {_plain(one)}" for rule in found.rules if (one := _any_style(rule)["all"].right)]
    return " ".join([*said, f"Mindless baselines would get: {', '.join(rules)}."])


def _on_verdict(style: str, verdict: Verdict) -> str:
    base = f"{_plain(verdict.base)} of the unperturbed ones right, and " if verdict.base else ""
    return (
        f"Asked {NAMES[style]}: {base}more than half in {verdict.strict} of {verdict.classes} perturbed classes"
        f" ({verdict.beyond} beyond chance)."
    )


def _on_chains(model: Profile) -> list[str]:
    if "all" not in model.chains:
        return []
    said = [f"Its chains are right to the letter in {model.chains['all'].proper.value:.2f}."]
    faith = list(model.faith.values())[-1]
    both, _, _, neither = faith.table
    counts = f"({both} both right, {neither} neither, of {faith.n})"
    if faith.phi and faith.too_few:
        said.append(f"Too few chains or answers are right, or wrong, to tell whether they go together {counts}.")
    elif faith.phi:
        said.append(
            f"Right chains and right answers go together with phi = {faith.phi.value:.2f} {counts}, which by the"
            f" published rule is {faith.verdict}."
        )
    else:
        said.append("Whether right chains and right answers go together cannot be said: one of them never varies.")
    placebos = [part for parts in model.placebo.values() for part in parts if part.is_placebo]
    return [*said, "It gains from reasoning even where the chain is wrong: a placebo."] if placebos else said


def _cards(found: Measures) -> Cards:
    cards = []
    for model in found.models:
        for style, cells in model.cells.items():
            if right := cells["all"].right:
                faults = cells["all"].faults
                lost = f"; {faults.right} of {faults.n} unreadable" if faults else ""
                cards.append((f"Right, {model.label}, {NAMES[style]}", f"{right.value:.2f}", sure(right) + lost))
        if "all" in model.chains:
            proper = model.chains["all"].proper
            cards.append((f"Right chains, {model.label}", f"{proper.value:.2f}", sure(proper)))
    for rule in found.rules:
        if right := _any_style(rule)["all"].right:
            cards.append((rule.label.capitalize(), f"{right.value:.2f}", f"on the same items, n = {right.n}"))
    return Cards(cards)


def _by_class(found: Measures, links: Links | None) -> list[Block]:
    blocks: list[Block] = [
        "Focal items only: the false-belief story, asked about the belief, in both swaps. An item counts only if every"
        " style gave a readable answer to it. **Always reality** answers with what is so, **always decoy** with what"
        " misleads; a model that is like one of them in every class may do just that."
    ]
    note = (
        "With Wilson's 95 % intervals, and by stage for all together. ▲: above one half beyond chance (one-sided"
        " binomial test, p ≤ 0.05; for all together, the whole interval)."
    )
    for model in found.models:
        read = model.sitting.read(**SCOPES["focal"])
        behind = [
            (class_name(name), {NAMES[style]: some.where(None, **tags) for style, some in read.items()})
            for name, tags in OF_CLASS.items()
        ]
        grid = _classes(model, {"": "right"}, NAMES).linked(behind, links)
        caption = f"{model.label}: right answers by class"
        blocks.append(grid.beside(_rules(found)).filled.table("class", caption, note=note))
        blocks.append(
            grid.figure(
                f"Right answers of {model.label} by class",
                f"{model.label}: the same numbers, with 95 % intervals.",
                reference=(1 / 3, "chance"),
                measure="share of right answers",
            )
        )
        blocks += _what_was_said(model.sitting)
    return blocks


def _classes(model: Profile, parts: Mapping[str, str], names: Mapping[str, str]) -> Grid:
    """By class, some parts of the cells of every style."""
    columns = [(f"{what}{names[style]}", part, style) for style in model.cells for what, part in parts.items()]
    lines = [
        (class_name(name), [getattr(model.cells[style][name], part) for _, part, style in columns]) for name in WHOLE
    ]
    return Grid([label for label, *_ in columns], lines)


def _rules(found: Measures) -> Grid:
    """The rules, which are the same in every style."""
    lines = [(class_name(name), [_any_style(rule)[name].right for rule in found.rules]) for name in WHOLE]
    return Grid([rule.label for rule in found.rules], lines).shown(_count)


def _what_was_said(sitting: Sitting) -> list[Block]:
    """What the answers are, whether right or wrong: a habit shows here at once."""
    read = sitting.read(**SCOPES["focal"])
    said = {NAMES[style]: [(each.item, each.said) for each in answers] for style, answers in read.items()}
    said["right"] = [(each.item, each.item.answer) for each in next(iter(read.values()))]
    counts = [(label, Counter(_kind(item, word) for item, word in pairs)) for label, pairs in said.items()]
    if not said["right"]:
        return []
    svg = plots.bars(counts, title=f"What {sitting.label} answers", parts=["what is so", "the decoy", "unknown"])
    return [Figure(svg, f"{sitting.label}: what the answers to focal items are, and what they should be.")]


def _kind(item: Item, word: str) -> str:
    return {item.meta["reality"]: "what is so", item.meta["decoy"]: "the decoy"}.get(word, "unknown")


def _perturbations(found: Measures) -> list[Block]:
    blocks: list[Block] = [
        "What each class changes against the unperturbed tasks: acc(class) − acc(unperturbed). Below 0, the"
        " perturbation makes it worse. The rules show what of this needs no mind at all: whoever always names the decoy"
        " falls from all right to none in most classes."
    ]
    for model in found.models:
        blocks.append(
            _effects({NAMES[style]: model.perturbed["focal"][style] for style in model.cells}, TEN).figure(
                f"What each perturbation does to {model.label}",
                f"{model.label}: acc(class) − acc(unperturbed), with 95 % intervals by stage.",
                reference=(0.0, "no effect"),
                axis=(-1.0, 1.0),
                measure="difference in right answers",
            )
        )
        for scope, by_style in model.perturbed.items():
            grid = _effects({f"{NAMES[style]} (p)": some for style, some in by_style.items()}, TEN)
            rules = {rule.label: next(iter(rule.perturbed.get(scope, {}).values()), {}) for rule in found.rules}
            caption = f"{model.label}: effect of each perturbation, {SCOPE_NAMES[scope]}"
            blocks.append(_effects_table(caption, grid, _effects(rules, TEN)))
    for style, names in found.challenging.items() if len(found.models) >= SEVERAL else ():
        hard = ", ".join(map(class_name, names)) or "none"
        blocks.append(
            f"**Challenging classes, asked {NAMES[style]}**: {hard}. These are among the five most degrading of at"
            f" least two models in three (here: {len(found.models)} models)."
        )
    return blocks


def _reasoning(found: Measures) -> list[Block]:
    blocks: list[Block] = []
    for model in found.models:
        for scope, effects in model.reasoned.items():
            caption = f"{model.label}: what the chain of thought changes, {SCOPE_NAMES[scope]}"
            rules = _effects({rule.label: rule.reasoned.get(scope, {}) for rule in found.rules}, WHOLE)
            blocks.append(_effects_table(caption, _effects({"chain − plain (p)": effects}, WHOLE), rules))
        if model.beside:
            rows: list[list[Cell]] = [[style, gain] for style, gain in model.beside.items()]
            note = "Against asking plainly, on the beliefs that both gave a readable answer to."
            blocks.append(Table(["asked by", "difference"], rows, f"{model.label}: other ways of asking", note=note))
    if blocks:
        text = "acc(chain of thought) − acc(plain) on the same items. Above 0, writing down the beliefs helps."
        return [text, *blocks]
    return []


def _effects(effects: Mapping[str, Effects], names: Sequence[str]) -> Grid:
    """By class, some effects side by side."""
    return Grid(list(effects), [(class_name(name), [some.get(name) for some in effects.values()]) for name in names])


def _effects_table(caption: str, grid: Grid, rules: Grid) -> Table:
    """A column for each way of asking, then one for each rule."""
    note = (
        "95 % intervals by stage; in round brackets p by exchanging whole stages, adjusted (Holm) for the perturbed"
        " classes."
    )
    perturbed = [line for label, line in grid.lines if label in map(class_name, TEN)]
    measured = [one for line in perturbed for one in line if one]
    if measured:
        stages, classes = max(one.clusters for one in measured), len(measured) // len(grid.columns)
        least = 2.0 ** (1 - stages)
        if classes * least > 0.05:
            note += FEW.format(stages=stages, least=least, classes=classes, adjusted=min(1.0, classes * least))
    return grid.shown(_effect).beside(rules.shown(_value)).filled.table("class", caption, note=note)


def _verdicts(found: Measures) -> list[Block]:
    rows: list[list[Cell]] = []
    solved: list[list[Cell]] = []
    # A rule is the same in every style, so one of them will do.
    lines = [(each, style, NAMES[style]) for each in found.models for style in each.verdicts]
    lines += [(rule, next(iter(rule.verdicts)), "–") for rule in found.rules]
    for each, style, asked in lines:
        verdict = each.verdicts[style]
        calls = [_both(call) for call in (verdict.ostensible, verdict.robust, verdict.limited)]
        counts = [verdict.strict, verdict.lenient, verdict.beyond, verdict.classes]
        rows.append([each.label, asked, _count(verdict.base), *counts, *calls])
        solved.append([each.label, asked, *each.solved[style]])
    columns = ["", "asked", "unperturbed", "above ½", "½ or above", "beyond chance", "classes"]
    columns += ["ostensible", "robust", "limited"]
    note = _TEXTS["verdicts"].format(robust=ROBUST, limited=LIMITED)
    blocks: list[Block] = [Table(columns, rows, "Lines that the published study draws", note=note)]
    if any(cell for row in solved for cell in row[2:]):
        note = (
            "The share of tasks with every question right, and with every question about beliefs. Intervals by stage."
        )
        blocks.append(Table(["", "asked", "all 16 right", "all 8 right"], solved, "Whole tasks", note=note))
    return blocks


def _both(call: Callable[..., bool | None]) -> str:
    """A verdict by the strict line, then by the lenient one."""
    words = {True: "yes", False: "no", None: "–"}
    return f"{words[call()]}\N{NO-BREAK SPACE}/\N{NO-BREAK SPACE}{words[call(lenient=True)]}"


def _faults(found: Measures) -> list[Block]:
    blocks: list[Block] = [
        "An answer is faulty if no JSON object, no answer that names one option, or no list of states could be read."
        " What is lost is not lost at random, so here it is by class; and what accuracy would be with every fault taken"
        " for wrong. A chain that is too short or odd is no fault. The rules never are faulty."
    ]
    for model in found.models:
        grid = _classes(model, {"faulty, ": "faults", "right, ": "faults_wrong"}, SHORT).shown(_count)
        caption = f"{model.label}: faults, and right answers if faults are wrong"
        blocks.append(grid.beside(_rules(found)).filled.table("class", caption))
    return blocks


# ---- small things -------------------------------------------------------------------------------------------------


def _any_style(rule: Profile) -> Mapping[str, ClassCell]:
    """A rule is the same in every style."""
    return next(iter(rule.cells.values()))


def _plain(share: Share) -> str:
    return f"{share.value:.2f} ({_count(share)})"


def _count(share: Share | None) -> str | None:
    return f"{share.right}/{share.n}" if share else None


def _effect(difference: Difference) -> str:
    return f"{signed(difference)} ({p_value(difference.p)})"


def _value(difference: Difference) -> str:
    return f"{difference.value:+z.2f}"
