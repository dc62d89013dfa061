"""Judging talks and questions: the same four things put to a judge model and to people.

    misreads    does the one who reads the other read rightly? Compares two thoughts of the same turn
    coherence   does the conversation hang together?
    safety      is it free of what should not be shown to people?
    validity    is the right option of a question really right, and are the others really wrong?

Each is a suite of items with two choices, the first of which means that nothing is wrong. A model answers it through
`runs.run`, people through `otherminds annotate`. No item has a true answer of its own: as its answer stands the choice
that means that nothing is wrong, so the mean of such a run is the share that the judge found sound.

    opinion = {"misreads": verdicts(run(misreads(talks), model)), …}
    people = {"misreads": votes(misreads(talks), batch.answers()), …}
    sifted = sift(talks, suite, judge=opinion, people=people)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from otherminds.errors import ModelError, UsageError
from otherminds.files import read_words
from otherminds.items import Item, Suite
from otherminds.models import Model
from otherminds.results.annotations import AnnotationBatch, Votes, majorities
from otherminds.runs.runs import Run, run
from otherminds.stats import Estimate
from otherminds.stats.raters import cohen, shared
from otherminds.store.store import Store
from otherminds.talks.ablation import Misread, Reading, ablate, cell_of
from otherminds.talks.talk import Talk

Opinion = Mapping[str, bool | None]
"""By item id: True if nothing is wrong, False if something is, None if there is no verdict."""
Opinions = Mapping[str, Opinion]
"""By question: misreads, coherence, safety, validity."""

Bars = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Makes a bar with a title."""

RIGHTLY, MISREADS = "rightly", "wrongly, at least in part"
COHERENT = ("coherent", "incoherent")
SAFE = ("safe", "unsafe")
VALID = ("valid", "invalid")
BAD_TALK = {"coherence": "incoherent", "safety": "unsafe"}
"""By question, why a talk is removed."""
_ASKS: dict[str, str] = read_words("dialogue/wording")["judge"]

# ---- what is asked ------------------------------------------------------------------------------------------------


def misreads(talks: Iterable[Talk]) -> Suite:
    """For every thought about the partner: is that what the partner thought just before? Ids as those of questions."""
    return _suite("misreads", [item for talk in talks for item in _misreads(talk)])


def coherence(talks: Iterable[Talk]) -> Suite:
    """Whether each conversation hangs together."""
    return _suite("coherence", [_about(talk, _ASKS["coherence"], COHERENT) for talk in talks])


def safety(talks: Iterable[Talk]) -> Suite:
    """Whether each conversation can be shown to anybody."""
    return _suite("safety", [_about(talk, _ASKS["safety"], SAFE) for talk in talks])


def validity(suite: Suite) -> Suite:
    """Whether each question of a suite has one right option, and the one that is marked so."""
    return _suite("validity", [_valid(item) for item in suite if item.choices])


FORMS: dict[str, Callable[..., Suite]] = {
    "misreads": misreads,
    "coherence": coherence,
    "safety": safety,
    "validity": validity,
}
"""What a judge and people are asked; validity is asked about a suite, the others about talks."""


def forms_of(talks: Sequence[Talk], suite: Suite, only: str | None = None) -> dict[str, Suite]:
    """By name, what is asked about talks and the questions about them; `only` names some, parted by commas."""
    wanted = [word.strip() for word in only.split(",")] if only else list(FORMS)
    if unknown := [word for word in wanted if word not in FORMS]:
        raise UsageError(f"--only: nobody is asked about {unknown[0]!r}; there are {', '.join(FORMS)}")
    return {name: FORMS[name](suite if name == "validity" else talks) for name in wanted}


def _misreads(talk: Talk) -> list[Item]:
    items = []
    for turn in range(1, len(talk.turns)):
        if talk.order(turn) != 2:
            continue
        # The partner's own thought that the reader could last have read: the message just before.
        before, now = talk.turns[turn - 1], talk.turns[turn]
        reader, read = talk.speaker(turn).first, talk.partner(turn).first
        context = [
            f'{read} says: "{before.speech}"',
            f"What {read} thinks and does not say: {before.thought}",
            f'{reader} answers: "{now.speech}"',
            f"What {reader} thinks about {read} and does not say: {now.thought}",
        ]
        question = _ASKS["misreads"].format(reader=reader, read=read)
        tags: dict[str, str | int] = {"story": talk.id, "state": talk.state, "turn": turn}
        items.append(_item(f"{talk.id}/{turn:02}", "\n".join(context), question, (RIGHTLY, MISREADS), tags))
    return items


def _about(talk: Talk, question: str, choices: tuple[str, str]) -> Item:
    situation = f"The situation: {talk.casting.scene.situation}"
    return _item(talk.id, f"{situation}\n\n{talk.transcript}", question, choices, {"story": talk.id})


def _valid(item: Item) -> Item:
    options = [f"[{'right' if choice == item.answer else 'wrong'}] {choice}" for choice in item.choices]
    question = "\n".join([item.question, *options, "", _ASKS["validity"]])
    tags = {name: item.tags[name] for name in ("story", "state", "order") if name in item.tags}
    return _item(item.id, item.context, question, VALID, tags)


def _item(
    id: str, context: str, question: str, choices: tuple[str, str], tags: Mapping[str, str | int | float | bool]
) -> Item:
    return Item(id=id, context=context, question=question, answer=choices[0], choices=choices, tags=tags)


def _suite(name: str, items: Sequence[Item]) -> Suite:
    return Suite(f"dialogue-{name}", tuple(items), prompt="direct", score="letters")


def suited(suite: Suite, model: Model) -> Suite:
    """The suite asked in a way that this model can answer: letters in both orders, or else a text."""
    prompt = "raw" if "chat" in model.cannot else suite.prompt
    return suite.using(prompt=prompt, score="text" if "weigh" in model.cannot else suite.score)


# ---- what comes of it ---------------------------------------------------------------------------------------------


def verdicts(run: Run) -> dict[str, bool | None]:
    """What a judge model found: no verdict where its answer was a tie or could not be read."""
    return {record.item.id: _sound(record.item, record.score.answer) for record in run.records}


def votes(suite: Suite, answers: Votes) -> dict[str, bool | None]:
    """What most people found, for the items that anybody answered: no verdict where there is no majority."""
    items = {item.id: item for item in suite}
    return {id: _sound(items[id], top or "") for id, top in majorities(suite, answers).items()}


def _sound(item: Item, answer: str) -> bool | None:
    return answer == item.answer if answer else None


def false_beliefs(judge: Opinion, people: Opinion | None = None) -> dict[str, bool]:
    """The AND rule: a false belief is what the judge finds misread, and most people too where any were asked.

    Where one of them finds it rightly read, it is none, whatever the other says. Where that is open, it is left out.
    """
    people = people or {}
    found = {}
    for id, sound in judge.items():
        said = [sound, people[id]] if id in people else [sound]
        if True in said:
            found[id] = False
        elif None not in said:
            found[id] = True
    return found


def readings(talks: Iterable[Talk], judge: Opinion, people: Opinion | None = None) -> list[Reading]:
    """The same by talk, for a comparison of what was hidden: which messages misread the partner.

    If people were asked, only what they were asked about: two who must agree find less than one, so talks of which
    they saw more would seem to be misread less.
    """
    asked = {id: sound for id, sound in judge.items() if id in people} if people else judge
    found: dict[str, dict[int, bool | None]] = {}
    for (id, turn), wrong in labels(false_beliefs(asked, people)).items():
        found.setdefault(id, {})[turn] = wrong
    return [(talk, found.get(talk.id, {})) for talk in talks]


def labels(found: Mapping[str, bool]) -> dict[tuple[str, int], bool]:
    """The same by talk and turn."""
    parts = {id: id.rpartition("/") for id in found}
    return {(talk, int(turn)): found[id] for id, (talk, _, turn) in parts.items()}


@dataclass(frozen=True, slots=True)
class Sifted:
    """What is left after judging, and why the rest is not."""

    talks: tuple[Talk, ...]
    items: tuple[Item, ...]
    """The questions that are left, with `false_belief` in their tags where that was judged."""
    removed_talks: Mapping[str, str]
    """The reason by talk id."""
    removed_items: Mapping[str, str]
    """The reason by question id."""
    by: Mapping[str, str]
    """By what was asked, who decided."""

    @property
    def counts(self) -> dict[str, int]:
        """How many were removed for each reason: talks first, then questions."""
        talks, items = (Counter(removed.values()) for removed in (self.removed_talks, self.removed_items))
        return {
            **{f"talk: {reason}": times for reason, times in sorted(talks.items())},
            **{f"question: {reason}": times for reason, times in sorted(items.items())},
        }


def sift(talks: Sequence[Talk], suite: Suite, *, judge: Opinions, people: Opinions | None = None) -> Sifted:
    """Leave out talks that are found incoherent or unsafe, and questions that not everybody finds valid.

    Where people answered, most of them decide about a talk, and they and the judge must agree about a question and a
    false belief. About whatever nobody answered, form by form and item by item, the judge decides alone.
    """
    people = people or {}
    above = {name: {**judge.get(name, {}), **people.get(name, {})} for name in BAD_TALK}
    removed_talks = {talk.id: why for talk in talks if (why := _bad_talk(talk.id, above))}
    removed_items = {}
    for item in suite:
        if item.tags.get("story") in removed_talks:
            removed_items[item.id] = "its conversation was removed"
        elif why := _bad_question(item.id, judge.get("validity"), people.get("validity", {})):
            removed_items[item.id] = why
    false = false_beliefs(judge.get("misreads", {}), people.get("misreads"))
    return Sifted(
        tuple(talk for talk in talks if talk.id not in removed_talks),
        tuple(_labelled(item, false) for item in suite if item.id not in removed_items),
        removed_talks,
        removed_items,
        {
            name: _deciders(name, judge.get(name, {}), people.get(name, {}))
            for name in FORMS
            if name in (*judge, *people)
        },
    )


def _deciders(name: str, judge: Opinion, people: Opinion) -> str:
    if not people:
        return "the judge alone"
    together = "most people" if name in BAD_TALK or not judge else "most people and the judge"
    asked = {*judge, *people}
    rest = f" on {len(people)} of {len(asked)}, the judge alone on the others" if len(people) < len(asked) else ""
    return together + rest


def _bad_talk(id: str, opinions: Opinions) -> str:
    return " and ".join(word for name, word in BAD_TALK.items() if opinions[name].get(id) is False)


def _bad_question(id: str, judge: Opinion | None, people: Opinion) -> str:
    """Why a question is not kept, or nothing; nothing also if nobody was asked."""
    said = {"most people": people[id]} if id in people else {}
    if judge is not None:
        said["the judge"] = judge.get(id)
    against = [name for name, sound in said.items() if sound is False]
    if against:
        return f"not valid for {' and '.join(against)}"
    silent = [name for name, sound in said.items() if sound is None]
    return f"no verdict of {' and '.join(silent)}" if silent else ""


def _labelled(item: Item, false: Mapping[str, bool]) -> Item:
    return replace(item, tags={**item.tags, "false_belief": false[item.id]}) if item.id in false else item


# ---- the judge against people -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Accord:
    """How far the judge says what most people say, over the items on which both have a verdict."""

    n: int
    shared: Estimate | None
    """The share of the same verdicts."""
    kappa: Estimate | None
    """Cohen's; none if there was only ever one verdict, so that agreement says nothing."""


def accord(suite: Suite, judge: Opinion, people: Opinion, *, seed: int = 0) -> Accord:
    """The judge against people on one question, with intervals drawn by conversation."""
    ids = [item.id for item in suite if judge.get(item.id) is not None and people.get(item.id) is not None]
    if not ids and not set(judge) & set(people):
        raise UsageError(f"judge and people have no item of {suite.name!r} in common; ask both the same suite")
    groups = {item.id: item.tags.get("story", item.id) for item in suite}
    ours, theirs, by = ([table[id] for id in ids] for table in (judge, people, groups))
    return Accord(
        len(ids),
        shared(ours, theirs, groups=by, seed=seed),
        cohen(ours, theirs, groups=by, seed=seed),
    )


# ---- all of it ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge, and people beside it, made of talks and questions."""

    sifted: Sifted
    accords: Mapping[str, Accord]
    cells: Sequence[Misread]
    """By what was hidden, how often thoughts were misread."""
    failed: Sequence[str]
    """Which calls got no answer, in sentences."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        false = [item.tags["false_belief"] for item in self.sifted.items if "false_belief" in item.tags]
        return {
            "talks": len(self.sifted.talks),
            "questions": len(self.sifted.items),
            "false_beliefs": sum(map(bool, false)),
            "beliefs_judged": len(false),
            "by": dict(self.sifted.by),
            "removed": self.sifted.counts,
            "accord": {
                name: {"n": one.n, "shared": _numbers(one.shared), "kappa": _numbers(one.kappa)}
                for name, one in self.accords.items()
            },
            "misread": {
                cell.label: {
                    "n": cell.share.n,
                    "talks": cell.talks,
                    "unjudged": cell.unjudged,
                    "share": _numbers(cell.share),
                    "less_hidden": _numbers(cell.less_hidden),
                }
                for cell in self.cells
            },
        }


def judge(
    talks: Sequence[Talk],
    suite: Suite,
    forms: Mapping[str, Suite],
    model: Model,
    store: Store,
    *,
    bars: Bars,
    score: str | None = None,
) -> Judged:
    """Sift talks and their questions by what a judge model finds, and people who answered the same forms."""
    votes_of = {name: votes(form, AnnotationBatch(form, store).answers()) for name, form in forms.items()}
    people = {name: said for name, said in votes_of.items() if said}
    found: dict[str, Opinion] = {}
    failed = []
    for name, form in forms.items():
        with bars(f"{model.name} · {form.name}") as bar:
            done = run(suited(form, model).using(score=score), model, store=store, progress=bar)
        if not done.values():
            why = next((record.score.why for record in done.records), "nothing was answered")
            advice = "" if done.score == "text" else "; if it cannot weigh letters, say --score text"
            raise ModelError(f"{model.name} gave no verdict on any item of {form.name}: {why}{advice}")
        if errors := done.verdicts()["error"]:
            calls = f"{errors} of {len(done)} calls on {form.name} failed"
            failed.append(f"{calls}; give the same command again to make these")
        found[name] = verdicts(done)
    several = len(set(map(cell_of, talks))) > 1
    return Judged(
        sift(talks, suite, judge=found, people=people),
        {name: accord(forms[name], found[name], said) for name, said in people.items()},
        ablate(readings(talks, found.get("misreads", {}), people.get("misreads"))) if several else [],
        failed,
    )


def _numbers(one: Estimate | None) -> list[float] | None:
    return [one.value, one.low, one.high] if one else None
