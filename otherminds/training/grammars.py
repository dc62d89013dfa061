"""Grammars: many ways to put the same beats into words, from terse lists to narrative.

A story keeps to one grammar, and draws its own voice from it: which words for coming and going, whether lines are
numbered, whether "green_box" is written with a space. A grammar can be left out of training, to see what is learned
without it; the words of the terse one, in which several benchmarks are written, stand in no other.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from otherminds.minds.telling import listing
from otherminds.training.story_plots import Beat, Plot

Templates = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grammar:
    """For every kind of beat, ways to tell it; `many`: where several people come in."""

    lines: Mapping[str, Templates]
    links: Templates = ("",)
    """What may stand before a sentence."""
    layouts: tuple[str, ...] = ("run on",)
    """run on (one paragraph), lines, numbered, bullets."""
    mixed: bool = True
    """Whether one story may tell the same kind of beat in several ways."""


GRAMMARS: dict[str, Grammar] = {
    "terse": Grammar(
        {
            "enter": ("{who} entered the {where}.",),
            "leave": ("{who} exited the {where}.",),
            "lie": ("The {what} is in the {where}.",),
            "move": ("{who} moved the {what} to the {where}.",),
            "idle": (
                "{who} made no move and stayed in the {where} for a minute.",
                "{who} did nothing in the {where} for a minute.",
            ),
            "noise": (
                "{who} likes the {what}.",
                "{who} dislikes the {what}.",
                "{who} hates the {what}.",
                "{who} loves the {what}.",
            ),
            "tell": ("{who} privately told {hearer} that the {what} is in the {where}.",),
            "claim": ("{who} publicly claimed that the {what} is in the {where}.",),
        },
        layouts=("numbered", "numbered", "lines", "run on"),
    ),
    "plain": Grammar(
        {
            "enter": ("{who} came into the {where}.", "{who} walked into the {where}.", "{who} went into the {where}."),
            "leave": ("{who} left the {where}.", "{who} walked out of the {where}.", "{who} went out of the {where}."),
            "lie": (
                "The {what} was in the {where}.",
                "Here was the {what}: in the {where}.",
                "In the {where} was the {what}.",
            ),
            "move": (
                "{who} put the {what} into the {where}.",
                "{who} took the {what} and put it in the {where}.",
                "{who} placed the {what} in the {where}.",
            ),
            "idle": (
                "{who} did nothing.",
                "{who} just stood in the {where}.",
                "{who} waited in the {where} for a while.",
            ),
            "noise": (
                "{who} is fond of the {what}.",
                "{who} does not care for the {what}.",
                "{who} once lost the {what}.",
            ),
            "tell": (
                "{who} told {hearer}, and nobody else, that the {what} was in the {where}.",
                "{who} whispered to {hearer} that the {what} was in the {where}.",
            ),
            "claim": (
                "{who} told everyone there that the {what} was in the {where}.",
                "{who} said out loud that the {what} was in the {where}.",
            ),
        },
        links=("", "", "", "Then ", "After that, "),
        layouts=("run on", "lines"),
    ),
    "narrative": Grammar(
        {
            "enter": (
                "{who} opened the door and stepped into the {where}.",
                "the door of the {where} creaked, and in came {who}.",
                "{who} wandered into the {where}, humming.",
                "{who} arrived in the {where}.",
            ),
            "leave": (
                "{who} slipped out of the {where}.",
                "{who} had things to do elsewhere and left the {where}.",
                "{who} said goodbye and walked out of the {where}.",
                "with a yawn, {who} went away from the {where}.",
            ),
            "lie": (
                "somebody had left the {what} in the {where}, and those in the room could see it.",
                "the {what} lay in the {where}.",
                "the {what} had its place in the {where}.",
            ),
            "move": (
                "{who} picked up the {what} and carried it over to the {where}.",
                "{who} thought for a moment and shifted the {what} to the {where}.",
                "the {what} ended up in the {where}, where {who} had tucked it away.",
                "{who} decided that the {what} belonged in the {where} and put it there.",
            ),
            "idle": (
                "{who} looked out of the window for a while.",
                "{who} sat down in the {where} and did nothing at all.",
                "{who} kept quiet and touched nothing.",
            ),
            "noise": (
                "{who} had never liked the {what} much.",
                "it was well known that {who} adored the {what}.",
                "{who} remembered the {what} from long ago.",
            ),
            "tell": (
                "{who} drew {hearer} aside and murmured that the {what} was in the {where}.",
                "in private, {who} let {hearer} know that the {what} was in the {where}.",
            ),
            "claim": (
                "{who} announced for all to hear that the {what} was in the {where}.",
                '"The {what} is in the {where}," {who} told the whole room.',
            ),
        },
        links=("", "", "A little later, ", "Before long, ", "Soon, ", "By and by, ", "Then ", "Next, "),
    ),
    "present": Grammar(
        {
            "enter": (
                "{who} walks into the {where}.",
                "{who} comes into the {where}.",
                "{who} steps into the {where}.",
            ),
            "many": ("{who} walk into the {where}.", "{who} come into the {where} together."),
            "leave": ("{who} leaves the {where}.", "{who} walks out of the {where}.", "{who} goes out of the {where}."),
            "lie": (
                "The {what} sits in the {where}.",
                "Right there is the {what}, in the {where}.",
                "In the {where} is the {what}.",
            ),
            "move": (
                "{who} puts the {what} into the {where}.",
                "{who} takes the {what} to the {where}.",
                "{who} hides the {what} in the {where}.",
            ),
            "idle": (
                "{who} does nothing.",
                "{who} waits a moment.",
                "{who} looks around the {where} and does nothing.",
            ),
            "noise": (
                "{who} thinks the {what} is nice.",
                "{who} finds the {what} boring.",
                "{who} often talks about the {what}.",
            ),
            "tell": (
                "{who} tells {hearer} in secret that the {what} is in the {where}.",
                "{who} says to {hearer} alone that the {what} is in the {where}.",
            ),
            "claim": ("{who} tells everyone there that the {what} is in the {where}.",),
        },
        links=("", "", "Then ", "Now ", "Next, "),
        layouts=("run on", "lines", "bullets"),
    ),
    "log": Grammar(
        {
            "enter": ("{who}: into the {where}", "{who} -> {where}", "{where}: {who} in"),
            "leave": ("{who}: out of the {where}", "{who} <- {where}", "{where}: {who} out"),
            "lie": ("{what}: in the {where}", "{what} found in {where}", "{what} = {where}"),
            "move": ("{who}: {what} to the {where}", "{who} puts {what} => {where}", "{what} = {where} (by {who})"),
            "idle": ("{who}: nothing", "{who} idle", "{who}: no action"),
            "noise": ("{who}: likes the {what}", "{who} mentions no {what}", "{who}: no use for the {what}"),
            "tell": (
                "{who} to {hearer} only: {what} is in the {where}",
                "{who}, private, to {hearer}: {what} in {where}",
                "{who} >> {hearer}: {what} = {where}",
            ),
            "claim": (
                "{who} to all present: {what} is in the {where}",
                "{who}, aloud: {what} in {where}",
                "{who} >> all here: {what} = {where}",
            ),
        },
        layouts=("lines", "bullets", "timed"),
        mixed=False,
    ),
    "report": Grammar(
        {
            "enter": (
                "the {where} was entered by {who}.",
                "{who} made an entrance into the {where}.",
                "{who} was seen going into the {where}.",
            ),
            "many": ("the {where} was entered by {who}.", "{who} were seen going into the {where}."),
            "leave": (
                "the {where} was left by {who}.",
                "{who} was seen leaving the {where}.",
                "{who} withdrew from the {where}.",
            ),
            "lie": (
                "The location of the {what} was the {where}.",
                "The {what} was kept in the {where}.",
                "Inside the {where} there was the {what}.",
            ),
            "move": (
                "the {what} was moved to the {where} by {who}.",
                "{who} transferred the {what} into the {where}.",
                "the {what} was relocated by {who}; it was now in the {where}.",
            ),
            "idle": (
                "no action was taken by {who}.",
                "{who} remained in the {where} without doing anything.",
            ),
            "noise": ("{who} expressed no opinion on the {what}.", "a liking of {who} for the {what} was noted."),
            "tell": ("in confidence, {hearer} was informed by {who} that the {what} was in the {where}.",),
            "claim": ("everyone in the room was informed by {who} that the {what} was in the {where}.",),
        },
        links=("", "", "Subsequently, ", "Thereafter, "),
        layouts=("run on", "numbered", "lines"),
    ),
    "stage": Grammar(
        {
            "enter": ("Enter {who}; we are in the {where}.", "{who} on, {where}."),
            "leave": ("{who} departs from the {where}.", "{who} off, {where}."),
            "lie": ("On the set, the {what} rests in the {where}.", "A prop, the {what}, is lodged in the {where}."),
            "move": (
                "{who} lifts the {what} out and lodges it in the {where}.",
                "{who} stows the {what} away; it rests in the {where} from here on.",
            ),
            "idle": ("{who} lingers without touching a thing.", "A pause. {who} stares at the wall."),
            "noise": ("{who} sings a line about the {what}.", "{who} has a soft spot for the {what}."),
            "tell": ("Aside to {hearer} alone, {who}: the {what} rests in the {where}.",),
            "claim": ("{who}, to the whole company: the {what} rests in the {where}.",),
        },
        layouts=("run on", "lines"),
    ),
    "chat": Grammar(
        {
            "enter": (
                "so {who} pops into the {where}.",
                "{who} shows up in the {where}.",
                "in comes {who}, straight to the {where}.",
            ),
            "many": (
                "so {who} pop into the {where}.",
                "{who} show up in the {where}.",
                "in come {who}, straight to the {where}.",
            ),
            "leave": (
                "{who} is off, out of the {where}.",
                "{who} heads out of the {where}.",
                "bye, {who}: gone from the {where}.",
            ),
            "lie": (
                "ok, the {what}'s in the {where}.",
                "there's the {what}, in the {where}.",
                "they've got the {what} in the {where}.",
            ),
            "move": (
                "{who} sticks the {what} in the {where}.",
                "{who} grabs the {what} and drops it in the {where}.",
                "{who} swaps the {what} over to the {where}.",
            ),
            "idle": ("{who} just hangs around.", "{who}? does nothing.", "{who} checks a phone for a bit."),
            "noise": ("{who} really loves the {what}, by the way.", "{who} can't stand the {what}, by the way."),
            "tell": ("{who} texts {hearer}, and only {hearer}, that the {what}'s in the {where}.",),
            "claim": ("{who} shouts to everybody around that the {what}'s in the {where}.",),
        },
        links=("", "", "anyway, ", "next thing, ", "and then "),
        layouts=("run on", "lines"),
    ),
}

KEPT_BACK = ("stage",)
"""Grammars that are never trained on unless asked for: they show what carries over to other words."""
OPEN_EYES = (
    "Nothing here has a lid: whoever is in a room sees where everything in it is.",
    "Everyone who comes into a room sees at once where the things in it are.",
    "All containers are open, so people in the room can see what is in them.",
    "Whoever enters a room notices what is in which container.",
)
CLOSED_EYES = (
    "All containers are closed: nobody sees what is in one just by coming in.",
    "One cannot see into the containers; only those who watch a thing being put away know where it is.",
    "Coming into a room does not show anybody what is inside the containers.",
    "The containers have lids, so people know only what they saw being put in.",
)
FRESHER = (
    "People believe what they are told only by someone who left the room after they did.",
    "Nobody believes a person about the room who left it earlier than they did themselves.",
    "Whoever stayed longer in the room is believed; whoever left it earlier is not.",
    "Anyone may be lying. One trusts those who left later than oneself, and not those who left earlier.",
)


class Voice:
    """One story's way of speaking: a grammar, with all that is left open in it drawn once."""

    def __init__(self, name: str, rng: random.Random) -> None:
        self.name = name
        self._rng = rng
        self._grammar = grammar = GRAMMARS[name]
        self.layout = rng.choice(grammar.layouts)
        self.spaced = rng.random() < (0.35 if name in ("terse", "log") else 0.9)
        mixed = grammar.mixed and rng.random() < 0.6
        keep = {"idle": 0, "noise": 0}  # these vary in any case, or noise would be known by its words
        self._forms = {
            kind: forms if mixed or kind in keep else (rng.choice(forms),) for kind, forms in grammar.lines.items()
        }
        self._linked = rng.random() < 0.5
        self._bare_noise = name == "terse" and rng.random() < 0.5

    def show(self, word: str) -> str:
        """A name as this voice writes it."""
        return word.replace("_", " ") if self.spaced else word

    def tell(self, plot: Plot, premises: Sequence[str]) -> str:
        """The whole story."""
        lines = [self._line(beat) for beat in plot.beats]
        if self.layout == "numbered":
            lines = [f"{number} {line}" for number, line in enumerate(lines, start=1)]
        elif self.layout == "bullets":
            lines = [f"- {line}" for line in lines]
        elif self.layout == "timed":
            start = self._rng.randint(420, 900)
            lines = [f"{(start + n) // 60:02d}:{(start + n) % 60:02d} {line}" for n, line in enumerate(lines)]
        # What holds throughout is said before or after.
        last = self._rng.random() < 0.3
        told = [*lines, *(f"Note: {premise}" for premise in premises)] if last else [*premises, *lines]
        return (" " if self.layout == "run on" else "\n").join(told)

    def _line(self, beat: Beat) -> str:
        kind = "many" if len(beat.who) > 1 and beat.kind == "enter" and "many" in self._forms else beat.kind
        form = self._rng.choice(self._forms[kind])
        slots = {"what": self.show(beat.what), "where": self.show(beat.where), "who": "", "hearer": ""}
        if beat.kind == "tell":
            slots["who"], slots["hearer"] = beat.who
        elif beat.who:
            slots["who"] = listing(beat.who)
        line = form.format_map(slots)
        link = self._rng.choice(self._grammar.links) if self._linked else ""
        if self.name == "terse" and beat.kind == "noise" and self._bare_noise:
            line = line.rstrip(".")
        if self.name in ("log", "chat"):
            return link + line
        line = link + (
            line[0].lower() + line[1:]
            if link and line.startswith(("The ", "Here ", "In ", "Inside ", "Right "))
            else line
        )
        return line[0].upper() + line[1:]
