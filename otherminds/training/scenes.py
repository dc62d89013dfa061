"""Scenes: short everyday stories in which somebody sees, misses, overhears or is told something.

Three plots: a thing that is put elsewhere, a closed container whose label may be wrong, and something that changes. A
scene is drawn beat by beat: a sentence of the chosen wording, and the events that it stands for, from which the belief
engine works out what everybody thinks. What a label says is testimony to the engine, of one who filled the container.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from otherminds.minds.events import Change, Enter, Event, Leave, Look, Move, Open, Tell
from otherminds.minds.story import Premises, Story
from otherminds.minds.world import STATE, Fact
from otherminds.training import scene_words as stock
from otherminds.training.scene_wording import FAMILIES, RETOLD

ROOM = "room"
MISTAKEN = 0.72
"""Of the scenes that need minds, those whose main person is wrong."""
MAKER = "the maker"
"""Who wrote the label, as far as the engine is concerned; nobody asks what they think."""
ELSEWHERE = "elsewhere"
PROPERTY = "turn"
_TENSE = re.compile(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")


@dataclass(frozen=True, slots=True)
class TrainingScene:
    """A story in words and in events, and what can be asked about it."""

    plot: str
    """place, contents or state."""
    variant: str
    text: str
    story: Story
    people: tuple[str, ...]
    about: str
    """The thing, or the container whose contents are asked after."""
    values: tuple[str, ...]
    """What can be the case: places, contents or states; the first is how it was, or what the label says."""
    turn: stock.SpokenTurn | None = None
    stranger: str = ""
    """Somebody who knows nothing of it all."""
    ignorant: bool = False
    """Whether the main person has no idea of it at all."""
    knowable: bool = True
    """Whether who is right about it knows it, and is not right by luck."""
    labelled: bool = True


class SceneDraft:
    """A scene that is being drawn: its people, its sentences so far, and its events."""

    def __init__(self, rng: random.Random, family: str) -> None:
        self.rng, self.family = rng, FAMILIES[family]
        self.past = int(family != RETOLD and rng.random() < 0.5)
        self.slots: dict[str, str] = {}
        self.lines: list[str] = []
        self.story = Story()
        self.names = rng.sample(stock.WOMEN + stock.MEN, 4)
        for role, name in zip("XYZN", self.names, strict=True):
            self.slots |= pronouns(role, name)
        self.slots["place"] = rng.choice(stock.PLACES)

    def trust(self, *, distrust: tuple[str, str] | None = None, clear: tuple[str, ...] = ()) -> None:
        """What holds throughout; before anything has happened."""
        pairs = frozenset([distrust]) if distrust else frozenset()
        self.story = Story(premises=Premises(distrust=pairs, clear=frozenset(clear)))

    def say(self, beat: str, *events: Event, **other: str) -> None:
        """A sentence for a beat, and what happens in it."""
        self.lines.append(self.words(self.rng.choice(self.family[beat]), **other))
        self.happen(*events)

    def happen(self, *events: Event) -> None:
        """What is not told by itself."""
        for event in events:
            self.story = self.story.then(event)

    def words(self, form: str, **other: str) -> str:
        """A form with its names, in the tense of the scene."""
        slots = self.slots | other
        slots["Place"] = _capital(slots["place"])
        text = _TENSE.sub(lambda found: found[1 + self.past], form.format_map(slots))
        return _capital(_TENSE.sub(lambda found: found[1 + self.past], text))

    def errand(self, role: str = "X", *, awake: bool = False) -> dict[str, str]:
        """Why somebody goes away, and what one does who does not."""
        own = pronouns("", self.slots[role])
        away, here = self.rng.choice(stock.ERRANDS), self.rng.choice(stock.STAYING)
        while awake and away in stock.SLEEPY:
            away = self.rng.choice(stock.ERRANDS)
        return {"errand": away.format_map(own), "staying": here.format_map(own)}

    def text(self) -> str:
        """All sentences, with one more that does not matter now and then."""
        told = [line for line in self.lines if line]
        if self.rng.random() < 0.4:
            aside = self.words(self.rng.choice(stock.ASIDES))
            told.insert(self.rng.randint(1, len(told)), aside)
        if self.rng.random() < 0.15:
            return "\n".join(f"{number}. {line}" for number, line in enumerate(told, start=1))
        return " ".join(told)


def pronouns(role: str, name: str) -> dict[str, str]:
    """A person's name and pronouns, under the name of a role."""
    she = name in stock.WOMEN
    he, him, his = ("she", "her", "her") if she else ("he", "him", "his")
    found = {"": name, "he": he, "him": him, "his": his, "He": _capital(he), "he_cap": _capital(he)}
    own = {"himself": "herself" if she else "himself"} if role in ("X", "") else {}
    return {role + part: word for part, word in found.items()} | own


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def with_article(word: str) -> str:
    """A noun with a or an."""
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


# ---- a thing is put elsewhere ----------------------------------------------------------------------------------------

WRONG = ("away", "away", "away", "away", "missed", "lied", "lied unmoved", "doubted", "habit unknown")
"""X is wrong."""
DIVIDED = ("spied", "found", "tipped off", "other away")
"""X is right, and somebody else is wrong, perhaps about X."""
RIGHT = ("seen", "seen", "seen", "habit known", "nothing", "there and back", "told", "shown", "glass", "doubted lie")
HABITS = ("habit known", "habit unknown")
"""What everybody does every day, and X knows of it or not; of what others make of that, nothing is said."""
TALKS = (*HABITS, "missed", "told", "lied", "lied unmoved", "doubted", "doubted lie")
"""There is no third person then, who might or might not know of the talk."""
ALONE = ("found", "tipped off")
"""Here it is left open what X makes of the others' minds."""


def place_scene(rng: random.Random, family: str, needing: bool) -> TrainingScene:
    """Something is put away, and then perhaps put elsewhere."""
    draft = SceneDraft(rng, family)
    variant = rng.choice(RIGHT if not needing else WRONG if rng.random() < MISTAKEN else DIVIDED)
    outdoors = variant != "glass" and rng.random() < 0.15
    kind = stock.SITES if outdoors else stock.CLEAR if variant == "glass" else stock.HOLDERS
    first, second, third, thing = _apart(rng, kind)
    draft.slots |= {"T": thing, "aT": with_article(thing), "A": first, "B": second, "V": second}
    if outdoors:
        draft.slots["place"] = rng.choice(stock.GROUNDS)
    three = variant == "lied unmoved" or rng.random() < 0.2
    if variant == "lied unmoved" or (variant == "lied" and three and rng.random() < 0.5):
        draft.slots["V"] = third
    elif variant == "lied":
        draft.slots["V"] = first
    values = (first, second, third) if three else (first, second)
    named = [with_article(each) for each in rng.sample(values, len(values))]
    draft.slots["kin"] = rng.choice(stock.KIN)
    draft.slots["holders"] = f"{', '.join(named[:-1])} and {named[-1]}"
    draft.slots["any"] = rng.choice(values)
    who = _transfer(draft, variant)
    people = tuple(draft.slots[role] for role in who)
    stranger = ""
    if rng.random() < 0.12:
        draft.say("stranger")
        stranger = draft.slots["N"]
    if rng.random() < 0.6:
        draft.say("close")
    draft.say("want")
    return TrainingScene(
        "place",
        variant,
        draft.text(),
        draft.story,
        people,
        thing,
        values,
        stranger=stranger,
        knowable=variant not in ("there and back", "doubted lie"),
    )


def _apart(rng: random.Random, kind: tuple[str, ...]) -> list[str]:
    """Three places and a thing; none is called by the end of another's name, as a box and a hat box are."""
    while True:
        names = [*rng.sample(kind, 3), rng.choice(stock.THINGS)]
        if not any(one is not other and one.endswith(other) for one in names for other in names):
            return names


def _transfer(draft: SceneDraft, variant: str) -> str:
    """All that happens; who is in it."""
    rng, x, y, z = draft.rng, *draft.names[:3]
    thing, first, second = (draft.slots[slot] for slot in "TAB")
    if variant.startswith("doubted"):
        draft.trust(distrust=(x, y))
    elif variant == "glass":
        draft.trust(clear=(first, second))
    third = variant in ("tipped off", "other away") or (variant not in TALKS and rng.random() < 0.4)
    draft.say("open", Enter(x, ROOM), Enter(y, ROOM))
    if third:
        draft.say("third", Enter(z, ROOM))
    if variant == "glass" or rng.random() < 0.2:
        draft.say("glass" if variant == "glass" else "solid")
    if variant in HABITS:
        draft.say(variant.replace(" ", "_"))
    own = rng.random() < 0.6
    draft.say("put" if own else "put_other", Move(x if own else y, thing, first))
    if variant in ("seen", "missed", "other away"):
        if variant == "other away":
            draft.say("go", Leave(z, ROOM), **pronouns("X", z), **draft.errand("Z"))
            third = False
        if variant != "missed":
            draft.say("stay", **draft.errand())
        draft.say("move_missed" if variant == "missed" else "move_seen", _moved(draft, variant))
        if third:
            draft.say("third_sees")
        return "XYZ" if third or variant == "other away" else "XY"
    draft.say("go_on" if own and rng.random() < 0.5 else "go", Leave(x, ROOM), **draft.errand(awake=True))
    along = third and variant not in ("tipped off", "told", "shown", "glass") and rng.random() < 0.5
    if along:
        draft.say("along", Leave(z, ROOM))
    _change(draft, variant)
    if third and not along:
        draft.say("third_sees") if variant not in ("nothing", "lied unmoved", "doubted lie") else None
    _aftermath(draft, variant, third and not along)
    return "XYZ" if third else "XY"


def _moved(draft: SceneDraft, variant: str) -> Move:
    x, y = draft.names[:2]
    # To know that it happens every day is as good as to see it.
    peekers = frozenset([x]) if variant in ("spied", "habit known") else frozenset[str]()
    missing = frozenset([x]) if variant == "missed" else frozenset[str]()
    return Move(y, draft.slots["T"], draft.slots["B"], peekers=peekers, distracted=missing)


def _change(draft: SceneDraft, variant: str) -> None:
    """What happens while X is away."""
    if variant in ("nothing", "lied unmoved", "doubted lie"):
        draft.say("nothing")
    elif variant == "there and back":
        draft.say("there_and_back", _moved(draft, variant), Move(draft.names[1], draft.slots["T"], draft.slots["A"]))
    elif variant in HABITS:
        draft.say("habit_goes", _moved(draft, variant))
    else:
        draft.say("move_spied" if variant == "spied" else "move_away", _moved(draft, variant))


def _aftermath(draft: SceneDraft, variant: str, third_there: bool) -> None:
    """What X hears or sees of it afterwards."""
    x, y, z = draft.names[:3]
    thing, second = draft.slots["T"], draft.slots["B"]
    said = Fact(thing, "container", draft.slots["V"])
    if variant in ("told", "lied", "lied unmoved"):
        draft.say("told", Tell(y, x, fact=said))
    elif variant.startswith("doubted"):
        draft.say("doubted", Tell(y, x, fact=said))
    elif variant == "tipped off":
        draft.say("tipped_off", Tell(z, x, fact=said))
    elif variant == "shown":
        draft.say("shown", Enter(x, ROOM), Open(y, second))
    elif variant == "glass":
        draft.say("return", Enter(x, ROOM))
    elif variant == "found":
        others = [Leave(z, ROOM)] if third_there else []
        draft.say("found", Leave(y, ROOM), *others, Enter(x, ROOM), Look(x, second))
    elif variant in ("away", "nothing", "there and back", "spied") and draft.rng.random() < 0.5:
        draft.say("return", Enter(x, ROOM))


# ---- what is in it ------------------------------------------------------------------------------------------------

C_WRONG = ("reads", "reads", "reads")
C_DIVIDED = ("peeks",)
C_RIGHT = ("both", "late", "looks", "told", "glass", "right", "right", "bare", "unreadable")


def contents_scene(rng: random.Random, family: str, needing: bool) -> TrainingScene:
    """A container that says what is in it, rightly or wrongly, or not at all."""
    draft = SceneDraft(rng, family)
    variant = rng.choice(C_RIGHT if not needing else C_WRONG if rng.random() < MISTAKEN else C_DIVIDED)
    label, real = rng.sample(stock.GOODS, 2)
    keeper = rng.choice(stock.CLEAR_KEEPERS if variant == "glass" else stock.KEEPERS)
    draft.slots |= {"K": keeper, "L": label, "R": real, "R_cap": _capital(real), "L_cap": _capital(label)}
    x, y = draft.names[:2]
    draft.trust(distrust=(y, MAKER), clear=(keeper,) if variant == "glass" else ())
    draft.say("c_bare" if variant == "bare" else "c_open", Enter(MAKER, ROOM), Move(MAKER, label, keeper))
    draft.happen(Leave(MAKER, ROOM), Enter(y, ROOM))
    if variant in ("both", "late"):
        draft.say("c_" + variant, Enter(x, ROOM), *_swap(x if variant == "late" else y, label, real, keeper))
    elif variant == "right":
        draft.say("c_right", Open(y, keeper))
    else:
        draft.say("c_fill" if variant in ("bare", "glass") else "c_swap", *_swap(y, label, real, keeper))
    _meets(draft, variant)
    values = (label, real, rng.choice(stock.GOODS)) if rng.random() < 0.2 else (label, real)
    return TrainingScene(
        "contents",
        variant,
        draft.text(),
        draft.story,
        (x, y),
        keeper,
        tuple(dict.fromkeys(values)),
        labelled=variant != "bare",
        ignorant=variant in ("bare", "unreadable"),
    )


def _swap(person: str, label: str, real: str, keeper: str) -> tuple[Event, ...]:
    return Move(person, label, ELSEWHERE), Move(person, real, keeper)


def _meets(draft: SceneDraft, variant: str) -> None:
    """How X comes upon the container."""
    x, y = draft.names[:2]
    label, real, keeper = (draft.slots[slot] for slot in "LRK")
    read = Tell(MAKER, x, fact=Fact(label, "container", keeper), peekers=frozenset([y]))
    if variant in ("reads", "right"):
        draft.say("c_reads", read)
    elif variant == "bare":
        draft.say("c_sees_bare", Enter(x, ROOM))
    elif variant == "unreadable":
        draft.say("c_unreadable", Enter(x, ROOM))
    elif variant == "looks":
        draft.say("c_looks", read, Enter(x, ROOM), Look(x, keeper))
    elif variant == "peeks":
        draft.say("c_peeks", read, Leave(y, ROOM), Enter(x, ROOM), Look(x, keeper))
    elif variant == "glass":
        draft.say("c_glass", Enter(x, ROOM))
    elif variant == "told":
        gone, new = Fact(label, "container", ELSEWHERE), Fact(real, "container", keeper)
        draft.say("c_told", read, Tell(y, x, fact=gone), Tell(y, x, fact=new))


# ---- something changes --------------------------------------------------------------------------------------------

S_WRONG = ("away", "away", "doubted", "lied")
S_DIVIDED = ("spied",)
S_RIGHT = ("seen", "seen", "nothing", "told", "doubted lie")


def state_scene(rng: random.Random, family: str, needing: bool) -> TrainingScene:
    """Something changes, by somebody's hand or by itself."""
    draft = SceneDraft(rng, family)
    variant = rng.choice(S_RIGHT if not needing else S_WRONG if rng.random() < MISTAKEN else S_DIVIDED)
    turn = rng.choice([each for each in stock.TURNS if variant != "spied" or each.thing not in stock.UNSEEN])
    x, y = draft.names[:2]
    lying = variant in ("lied", "doubted lie")
    itself = turn.by_itself != "-" and rng.random() < 0.4
    told = f"{turn.by_itself}, as {y} [sees|saw]" if itself else turn.by_hand.replace("{Y}", y)
    was = {"was_before": turn.before, "was_said": turn.after}
    if draft.past:
        was = {name: re.sub("^(is|are)", _past, value) for name, value in was.items()}
    draft.slots |= {"T": turn.thing, "turn": told, "Turn": _capital(told), **was}
    if variant.startswith("doubted"):
        draft.trust(distrust=(x, y))
    draft.say("s_open", Enter(x, ROOM), Enter(y, ROOM), Change(y, turn.thing, PROPERTY, turn.before, False))
    changed = Change(y, turn.thing, PROPERTY, turn.after, False, peekers=_peeking(x, variant))
    if variant == "seen":
        draft.say("stay", **draft.errand())
        draft.say("s_seen", changed)
    else:
        draft.say("go", Leave(x, ROOM), **draft.errand(awake=variant not in ("away", "nothing")))
        if variant == "nothing" or lying:
            draft.say("s_nothing")
        else:
            draft.say("s_spied" if variant == "spied" else "s_away", changed)
    said = Tell(y, x, fact=Fact(turn.thing, STATE + PROPERTY, turn.after))
    if variant in ("told", "lied"):
        draft.say("s_told", said)
    elif variant.startswith("doubted"):
        draft.say("s_doubted", said)
    return TrainingScene(
        "state", variant, draft.text(), draft.story, (x, y), turn.thing, (turn.before, turn.after), turn=turn
    )


def _peeking(person: str, variant: str) -> frozenset[str]:
    return frozenset([person]) if variant == "spied" else frozenset()


def _past(found: re.Match[str]) -> str:
    return {"is": "was", "are": "were"}[found[0]]


SCENE_PLOTS: dict[str, Callable[[random.Random, str, bool], TrainingScene]] = {
    "place": place_scene,
    "contents": contents_scene,
    "state": state_scene,
}


def scene(rng: random.Random, family: str, *, needing: bool) -> TrainingScene:
    """A scene in the words of this family; `needing`: somebody in it is wrong, about the matter or about a mind."""
    plot = rng.choices(("place", "contents", "state"), (5, 2.5, 2.5))[0]
    return SCENE_PLOTS[plot](rng, family, needing)
