"""Asking about scenes: where, what is in it, how it is; what somebody thinks, says, does and knows, and what surprises.

Every answer is read off a view of the belief engine. What is not told for sure is not asked.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from otherminds.minds.sightings import Minds
from otherminds.minds.world import View
from otherminds.training import asking
from otherminds.training.scene_wording import wording
from otherminds.training.scene_words import GOODS, HOLDERS, SITES
from otherminds.training.scenes import ALONE, HABITS, PROPERTY, TrainingScene

QUESTIONS = wording("questions")
UNKNOWN = "unknown"
FALSE = {1: 0.85, 2: 0.25, 3: 0.25}
"""By order: how often a false belief is asked after where there are true ones too; overall, half of them are false."""


@dataclass(frozen=True, slots=True)
class Posing:
    """A question in words, with what can be answered: in a few words, and perhaps in whole sentences."""

    text: str
    answer: str
    choices: tuple[str, ...]
    kind: str
    stem: str = ""
    sentences: Mapping[str, str] = field(default_factory=dict)
    minds: Minds = ()
    value: str = ""
    """What the answer stands for: a place, contents or a state, yes or no."""


def ask_about(scene: TrainingScene, rng: random.Random, orders: Sequence[int], *, needing: bool) -> list[Posing]:
    """A question for each of these orders, no two in the same words; `needing`: with beliefs that are false."""
    found: dict[str, Posing] = {}
    asker = Asker(scene, rng, needing)
    for order in orders:
        if (posing := asker.ask(order)) is not None:
            found.setdefault(posing.text, posing)
    return list(found.values())


class Asker:
    """One scene, and how its matter is spoken of."""

    def __init__(self, scene: TrainingScene, rng: random.Random, needing: bool) -> None:
        self.scene, self.rng, self.needing = scene, rng, needing
        self.real = value_of(scene, scene.story.world)
        assert self.real is not None
        self.the = scene.plot == "place" and rng.random() < 0.5
        self.many = self._values()

    def ask(self, order: int) -> Posing | None:
        """A question of this order; -1 for how it was at first."""
        if order < 0:
            return self._memory()
        if order == 0:
            return self._matter((), self.real or "", "order 0")
        if self.scene.stranger and order == 1 and self.needing and self.rng.random() < 0.25:
            return self._matter((self.scene.stranger,), UNKNOWN, "order 1 unknown")
        chosen = self._chain(order)
        if chosen is None:
            return None
        minds, value = chosen
        kind = f"order {order} {'unknown' if value == UNKNOWN else 'true' if value == self.real else 'false'}"
        others = (
            [self._knows, self._does, self._surprised, self._names, self._means] if order == 1 else [self._thinks_knows]
        )
        if value != UNKNOWN and self.rng.random() < (0.4 if order == 1 else 0.25):
            posing = self.rng.choice(others)(minds, value, kind)
            if posing is not None:
                return posing
        return self._matter(minds, value, kind)

    def _chain(self, order: int) -> tuple[Minds, str] | None:
        """A chain of minds that surely thinks something, by answer first."""
        people = self.scene.people
        if order > 1 and self.scene.variant in HABITS:
            return None
        chains: list[Minds] = [(each,) for each in people]
        for _ in range(order - 1):
            chains = [(*chain, each) for chain in chains for each in people if each != chain[-1]]
        by_answer: dict[str, list[Minds]] = defaultdict(list)
        for chain in chains:
            if order > 1 and self.scene.variant in ALONE and people[0] in chain[:-1]:
                continue
            if chain[-2:] in self.scene.story.premises.distrust:
                continue  # what liars are taken to think themselves, these words do not say
            value = value_of(self.scene, self.scene.story.seen_by(chain))
            if value is None and self.scene.ignorant and chain == people[:1]:
                value = UNKNOWN
            if value is not None and (self.needing or value in (self.real, UNKNOWN)):
                by_answer[value].append(chain)
        if not by_answer:
            return None
        false = [value for value in by_answer if value != self.real]
        true = self.real in by_answer and (not false or self.rng.random() > FALSE[order])
        value = self.real if true and self.real else self.rng.choice(false)
        # The main person first: what those think who did it themselves is plain.
        main = [chain for chain in by_answer[value] if chain[-1] == people[0]]
        return self.rng.choice(main if main and self.rng.random() < 0.6 else by_answer[value]), value

    def _values(self) -> tuple[str, ...]:
        """What can be chosen from: what the scene names, perhaps with others, or with "unknown"."""
        scene, rng = self.scene, self.rng
        values = list(scene.values)
        if scene.plot != "state" and rng.random() < 0.25:
            stock = GOODS if scene.plot == "contents" else SITES if values[0] in SITES else HOLDERS
            more = [each for each in rng.sample(stock, 5) if each not in values]
            values += more[: max(0, 4 - len(values))]
        if scene.stranger or scene.ignorant or rng.random() < 0.25:
            values.append(UNKNOWN)
        return tuple(rng.sample(values, len(values)))

    def _word(self, value: str) -> str:
        """A value as a short answer."""
        if value == UNKNOWN or self.scene.plot == "contents":
            return value
        if self.scene.plot == "state":
            return f"{'they' if value.startswith('are') else 'it'} {value}"
        return f"the {value}" if self.the else value

    # ---- the matter itself ----------------------------------------------------------------------------------------

    def _matter(self, minds: Minds, value: str, kind: str, *, text: str = "") -> Posing:
        values = self.many if value in self.many else (*self.many, value)
        words = {each: self._word(each) for each in values}
        looks = bool(minds) and scene_looks(self.scene, self.rng)
        said = {words[each]: self._sentence(minds, each, looks) for each in values if each != UNKNOWN}
        if text:
            words, said = {each: self._was(word) for each, word in words.items()}, {}
        if UNKNOWN in values and said:
            said[UNKNOWN] = "That cannot be known."
        stem = "" if text or value == UNKNOWN else self._stem(minds)
        return Posing(
            text or self._question(minds), words[value], tuple(words.values()), kind, stem, said, minds, value
        )

    def _question(self, minds: Minds) -> str:
        scene, rng = self.scene, self.rng
        if scene.plot == "place":
            asked = asking.AskedBelief(minds, scene.about, "", "")
            text = asking.ask(asked, str, rng, leave_out_terse=False, terse=False)
            return text.replace("In which container", "In which place")
        forms = QUESTIONS[f"{'contents' if scene.plot == 'contents' else 'states'}_{min(len(minds), 2)}"]
        one, other = rng.sample(scene.values[:2], 2)
        return rng.choice(forms).format(**_slots(minds), k=scene.about, a=one, b=other)

    def _stem(self, minds: Minds) -> str:
        scene = self.scene
        if scene.plot == "place":
            stem = asking.stem(asking.AskedBelief(minds, scene.about, "", ""), str, self.rng)
            return stem.removesuffix(" the") if self.the else stem
        thinks = "".join(f"{name} thinks that " for name in minds)
        if scene.plot == "contents":
            return _capital(f"{thinks}the {scene.about} is full of")
        return ""

    def _was(self, word: str) -> str:
        """A short answer about how it was."""
        if self.scene.plot != "state":
            return word
        return word.replace("it is", "it was").replace("they are", "they were")

    def _sentence(self, minds: Minds, value: str, looks: bool) -> str:
        scene = self.scene
        thinks = "".join(f"{name} thinks that " for name in minds)
        if scene.plot == "contents":
            return _capital(f"{thinks}there are {value} in the {scene.about}.")
        if scene.plot == "state":
            return _capital(f"{thinks}the {scene.about} {value}.")
        if looks:
            last = "".join(f"{name} thinks that " for name in minds[:-1])
            return f"{last}{minds[-1]} will look in the {value}."
        return _capital(f"{thinks}the {scene.about} is in the {value}.")

    def _memory(self) -> Posing | None:
        scene, rng = self.scene, self.rng
        if scene.plot == "contents":
            if not scene.labelled:
                return None
            text = rng.choice(QUESTIONS["labels"]).format(k=scene.about)
        elif scene.plot == "place":
            text = rng.choice(list(asking.BEGINNING.values())).format(t=scene.about)
            text = text.replace("In which container", "In which place")
        else:
            text = rng.choice(QUESTIONS["before"]).format(k=scene.about)
        return self._matter((), scene.values[0], "memory", text=text)

    # ---- what follows from it -----------------------------------------------------------------------------------

    def _yes_or_no(self, text: str, yes: bool, kind: str, said: Sequence[str], minds: Minds, what: str) -> Posing:
        answer = "yes" if yes else "no"
        sentences = dict(zip(("yes", "no"), said, strict=True))
        return Posing(text, answer, ("yes", "no"), f"{kind} {what}", "", sentences, minds, answer)

    def _knows(self, minds: Minds, value: str, kind: str) -> Posing | None:
        if not self.scene.knowable:
            return None
        fact = self._fact(self.real or "")
        text = self.rng.choice(QUESTIONS["knows"]).format(x=minds[0], fact=fact)
        said = (f"{minds[0]} knows that {fact}.", f"{minds[0]} does not know that {fact}.")
        return self._yes_or_no(text, value == self.real, kind, said, minds, "knows")

    def _thinks_knows(self, minds: Minds, value: str, kind: str) -> Posing | None:
        outer = [value_of(self.scene, self.scene.story.seen_by(minds[:end])) for end in range(1, len(minds))]
        if not self.scene.knowable or any(each != self.real for each in outer):
            return None
        fact, first, last = self._fact(self.real or ""), minds[0], minds[-1]
        middle = "".join(f"{name} thinks that " for name in minds[1:-1])
        text = f"Does {first} think that {middle}{last} knows that {fact}?"
        said = (
            f"{first} thinks that {middle}{last} knows it.",
            f"{first} thinks that {middle}{last} does not know it.",
        )
        return self._yes_or_no(text, value == self.real, kind, said, minds, "knows")

    def _surprised(self, minds: Minds, value: str, kind: str) -> Posing | None:
        name, fact = minds[0], self._fact(self.real or "")
        text = self.rng.choice(QUESTIONS["surprised"]).format(x=name, fact=fact)
        said = (f"{name} will be surprised.", f"{name} will not be surprised.")
        return self._yes_or_no(text, value != self.real, kind, said, minds, "surprise")

    def _does(self, minds: Minds, value: str, kind: str) -> Posing | None:
        scene, rng, name = self.scene, self.rng, minds[0]
        if scene.plot == "contents":
            wish = rng.choice(scene.values[:2])
            text = f"{name} would like to have some {wish} now. Will {name} open the {scene.about} to get them?"
            said = (f"{name} will open the {scene.about}.", f"{name} will leave the {scene.about} shut.")
            return self._yes_or_no(text, value == wish, kind, said, minds, "wants")
        if scene.turn is not None:
            deeds = dict(zip(scene.values, (scene.turn.do_before, scene.turn.do_after), strict=True))
            text = rng.choice(QUESTIONS["deeds"]).format(x=name, k=scene.about)
        else:
            deeds = {each: f"go to the {each}" for each in (*self.many, value) if each != UNKNOWN}
            text = rng.choice(QUESTIONS["getting"]).format(x=name, k=scene.about)
        choices = rng.sample(list(deeds.values()), len(deeds))
        sentences = {deed: f"{name} will {deed}." for deed in deeds.values()}
        stem = (
            f"{name} will most likely" if scene.turn or rng.random() < 0.5 else f"To get the {scene.about}, {name} will"
        )
        return Posing(text, deeds[value], tuple(choices), f"{kind} does", stem, sentences, minds, value)

    def _names(self, minds: Minds, value: str, kind: str) -> Posing | None:
        """Whoever wants to help names the place they think of, and whoever does not, the other of two."""
        scene, rng, name = self.scene, self.rng, minds[0]
        if scene.plot != "place" or len(scene.values) != 2:
            return None
        help_ = not self.needing or rng.random() < 0.5
        asker = rng.choice(("A visitor", "A child", "A neighbour", "The manager"))
        wish = "wants to help" if help_ else "wants to mislead"
        form = "{a} asks {x} where the {k} is, and {x} {w} the one who asks. Which of the two places will {x} name?"
        said = value if help_ else next(each for each in scene.values if each != value)
        words = {each: self._word(each) for each in scene.values}
        text = form.format(a=asker, x=name, k=scene.about, w=wish)
        named = f"{kind} {'tells' if help_ else 'misleads'}"
        sentences = {word: f"{name} will name the {each}." for each, word in words.items()}
        return Posing(text, words[said], tuple(words.values()), named, "", sentences, minds, said)

    def _means(self, minds: Minds, value: str, kind: str) -> Posing | None:
        """Whoever names the place they think of wants to help; whoever names another, does not."""
        scene, rng, name = self.scene, self.rng, minds[0]
        if scene.plot != "place" or not self.needing:
            return None
        said, asker = rng.choice(scene.values[:2]), rng.choice(("a visitor", "a child", "a neighbour", "the manager"))
        form = rng.choice(QUESTIONS["meaning"])
        text = form.format(a=asker, x=name, k=scene.about, v=said)
        helps = "help" if said == value else "mislead"
        sentences = {each: f"{name} was trying to {each} the one who asked." for each in ("help", "mislead")}
        return Posing(
            text, helps, ("help", "mislead"), f"{kind} means", f"{name} was trying to", sentences, minds, helps
        )

    def _fact(self, value: str) -> str:
        scene = self.scene
        if scene.plot == "contents":
            return f"there are {value} in the {scene.about}"
        return f"the {scene.about} {value}" if scene.plot == "state" else f"the {scene.about} is in the {value}"


def scene_looks(scene: TrainingScene, rng: random.Random) -> bool:
    """Whether options say where somebody will look, and not what they think."""
    return scene.plot == "place" and rng.random() < 0.5


def value_of(scene: TrainingScene, view: View) -> str | None:
    """What a view says of the matter of a scene; None if nothing, or more than one thing."""
    if scene.plot == "place":
        return view._held.get(scene.about)
    if scene.plot == "state":
        return view._state.get((scene.about, PROPERTY))
    inside = [thing for thing, place in view._held.items() if place == scene.about]
    return inside[0] if len(inside) == 1 else None


def _slots(minds: Minds) -> dict[str, str]:
    chain = "".join(f"{name} thinks that " for name in minds[1:-1])
    return {"x": minds[-1] if minds else "", "y": minds[0] if minds else "", "chain": chain}


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
