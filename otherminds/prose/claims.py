"""Claims: what one step of a story must convey, as statements that follow from its events.

What can be seen to be wrong with a passage without a judge stands at the end.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

from otherminds.files import read_words
from otherminds.minds.events import Event, Tell
from otherminds.minds.setting import kind_of
from otherminds.minds.story import Story
from otherminds.minds.telling import clause, listing, sentences
from otherminds.minds.world import View
from otherminds.prose.consult import Claim


class Moment(NamedTuple):
    """An event with its kind and the story before it."""

    kind: str
    event: Event
    before: Story


@dataclass(frozen=True, slots=True)
class Step:
    """Events that are told together: all of one kind and alike but for one field, or a single one."""

    moments: tuple[Moment, ...]
    after: Story
    raw: str
    """The events in their canonical words."""
    later: tuple[str, ...] = ()
    """Characters of the story who have not come in yet."""

    @property
    def before(self) -> Story:
        """The story up to this step."""
        return self.moments[0].before

    @property
    def secret(self) -> bool:
        """Whether somebody peeks or is distracted."""
        return self.moments[0].kind.endswith("*")

    @property
    def private(self) -> bool:
        """Whether something is told to one person alone."""
        return any(isinstance(event, Tell) and event.listener is not None for _, event, _ in self.moments)

    @property
    def named(self) -> tuple[str, ...]:
        """Everybody and everything that the events name, rooms left out: these can be understood without a word."""
        names: list[str] = []
        for _, event, _ in self.moments:
            names += [name for name, role in event.names() if role != "room"]
            names += [event.fact.of] if isinstance(event, Tell) and event.fact is not None else []
            names += sorted(event.peekers | event.distracted)
        return tuple(dict.fromkeys(names))

    @property
    def people(self) -> tuple[str, ...]:
        """Those whom the events name, and those who are there."""
        there = frozenset[str]().union(*(event.scene(before) for _, event, before in self.moments))
        return tuple(name for name in self.after.people if name in there or name in self.named)

    @property
    def absent(self) -> tuple[str, ...]:
        """Characters of the story who learn nothing from this step: not there, distracted, or still to come."""
        learn = set(self.people).difference(*(event.distracted for _, event, _ in self.moments))
        if self.private:
            learn &= set(self.named)
        return tuple(name for name in (*self.after.people, *self.later) if name not in learn)


def steps(story: Story) -> list[Step]:
    """The story in steps."""
    groups: list[list[Moment]] = []
    before = Story(premises=story.premises)
    for event, part in zip(story.events, story.prefixes(), strict=True):
        moment = Moment(kind_of(event, before), event, before)
        if groups and _alike([*groups[-1], moment]):
            groups[-1].append(moment)
        else:
            groups.append([moment])
        before = part
    told = iter(sentences(story))
    ends = [*(group[0].before for group in groups), story][1:]
    return [
        Step(
            tuple(group),
            after,
            " ".join(next(told) for _ in group),
            tuple(name for name in story.people if name not in after.people),
        )
        for group, after in zip(groups, ends, strict=True)
    ]


def _alike(moments: list[Moment]) -> bool:
    # A secret event stays alone, so that nobody can take the secrecy to reach further.
    kinds = {moment.kind for moment in moments}
    if len(kinds) > 1 or moments[0].kind.endswith("*"):
        return False
    events = [moment.event for moment in moments]
    return sum(len({getattr(event, part.name) for event in events}) > 1 for part in fields(events[0])) <= 1


def known(step: Step) -> list[str]:
    """What is so before the step, and what its people think, in sentences."""
    story = step.before
    found = _clauses(story.view(), story)
    for name in step.people:
        if name in story.people:
            found += [f"{name} thinks that {each}" for each in _thoughts(name, story)]
            found += [f"{name} has heard about {topic}" for topic in sorted(story.view(name).topics)]
    return [f"{each[0].upper()}{each[1:]}." for each in found]


def claims(step: Step) -> list[Claim]:
    """All that a judge is asked about a passage that tells this step."""
    return [*_surface(step), *_events(step), *_spread(step), *_structure(step)]


def _surface(step: Step) -> Iterator[Claim]:
    yield Claim("surface", "Is the new passage coherent English that goes on from the story so far?")
    yield Claim("surface", "Does the new passage hold notes by its writer, or remarks on the writing?", False)
    cast = listing(step.after.people)
    yield Claim("surface", f"Does anybody other than {cast} take part in the new passage?", False)


def _spread(step: Step) -> Iterator[Claim]:
    """Everybody in the story: nobody learns of more than happens, and nobody who is not there learns of it."""
    others = " or ".join([*step.absent, "anybody else who is not there for it"])
    raw = f'This is all that happens in the new passage: "{step.raw}" Does the passage say or suggest that'
    yield Claim("spread", f"{raw} {others} learns of it, at once or later?", False)
    yield Claim("spread", f"{raw} anybody learns of anything besides, or that word of anything gets about?", False)


def _structure(step: Step) -> Iterator[Claim]:
    after = step.after
    for each in _clauses(after.view(), after):
        yield Claim("structure", f"After the new passage, is it so that {each}?")
    for name in step.people:
        for each in _thoughts(name, after):
            yield Claim("structure", f"After the new passage, does {name} think that {each}?")
        for topic in sorted(after.view(name).topics):
            yield Claim("structure", f"After the new passage, has {name} heard about {topic}?")
    yield from _ignorance(step)


def _ignorance(step: Step) -> Iterator[Claim]:
    """What is new and has not reached everybody: a passage may not give it away."""
    before, after = step.before, step.after
    said = [event for _, event, _ in step.moments if isinstance(event, Tell)]
    done = [fact for fact in after.view().facts() if fact.of in after.things and fact not in before.view().facts()]
    facts = dict.fromkeys([*done, *(event.fact for event in said if event.fact is not None)])
    topics = dict.fromkeys(event.topic for event in said if event.topic)
    for name in after.people:
        view = after.view(name)
        for fact in facts:
            if not view.has(fact):
                question = f"After the new passage, does {name} think that {clause(fact, after.cast.roles)}?"
                yield Claim("structure", question, False)
        for topic in topics:
            if not view.heard(topic):
                yield Claim("structure", f"After the new passage, has {name} heard about {topic}?", False)


def _events(step: Step) -> Iterator[Claim]:
    """What belongs to the events themselves; every question is asked alone, so each says which event it is about."""
    for _, event, before in step.moments:
        plain = sentences(before.after(replace(event, peekers=frozenset(), distracted=frozenset())))[-1]
        for question, hoped in _about(event):
            yield Claim("ad hoc", f'This is to happen in the new passage: "{plain}" {question}', hoped)


def _about(event: Event) -> Iterator[tuple[str, bool]]:
    yield "Does the passage tell this, in whatever words?", True
    sees = "overhear" if isinstance(event, Tell) else "see"
    # Secrets that a writer makes up are the errors that change beliefs most and show least.
    if not event.peekers:
        yield f"Does anybody secretly {sees} it?", False
    if not event.distracted:
        yield "Is anybody there distracted, so that they miss it?", False
    for name in sorted(event.peekers):
        yield f"Does {name} secretly {sees} it?", True
        yield f"Does anybody notice that {name} secretly {sees}s it?", False
        yield f"Does {name} secretly {sees} anything besides it, or go on doing so afterwards?", False
    for name in sorted(event.distracted):
        yield f"Does {name} miss it, being distracted?", True
        yield f"Does anybody notice that {name} is distracted?", False
        yield f"Does {name} stay distracted longer than it takes?", False
    if isinstance(event, Tell) and event.listener is not None:
        hearers = listing([event.speaker, event.listener, *sorted(event.peekers)])
        yield f"Does anybody other than {hearers} hear it?", False
    if isinstance(event, Tell) and event.topic:
        yield f"Is it about {event.topic} that {event.speaker} speaks?", True


def _thoughts(name: str, story: Story) -> list[str]:
    """What somebody thinks of whereabouts and states, but for their own."""
    return _clauses(story.view(name), story, besides=name)


def _clauses(view: View, story: Story, *, besides: str = "") -> list[str]:
    """Everything that a view says of whereabouts and states; where people themselves are, they know anyway."""
    roles = story.cast.roles
    facts = [clause(fact, roles) for fact in view.facts() if fact.of != besides]
    return facts + [f"the {name} is in no container" for name in sorted(story.things) if view.in_the_open(name)]


# ---- what needs no judge --------------------------------------------------------------------------------------------

CAPITALS = frozenset(read_words("explore/wording")["capitals"])
"""Words in capitals that name nobody."""

_NOTES = re.compile(
    r"(?:^|[.!?(]\s*)(?:note|continuation|option|version|candidate|step)\s*\d*\s*:|\[[^\]]*\]"
    r"|^(?:sure|certainly|of course)[,!]|^here (?:is|are)\b[^.]*:|\bas an ai\b|\bstory so far\b",
    re.IGNORECASE | re.MULTILINE,
)
_LAYOUT = re.compile(r"^\s*(?:#|[-*•>]\s|\d+[.)]\s)|\*\*|__|[{}<>|]", re.MULTILINE)
_END = re.compile(r"[.!?…]+[\"'”’)]*(?=\s|$)")
_LEARNS = r"(?:knew|knows?|heard|hears?|learned|learnt|found out|(?:was|were|had been) told)"
_ALL = r"(?:every(?:body|one)|the (?:whole|entire) [a-z]+|all the others)"
_SPREADS = re.compile(
    rf"\b{_ALL}(?: else)?(?: (?:in|at|on) the [a-z]+)?(?: (?:soon|already|later|also))* {_LEARNS}\b"
    r"|\b(?:word|news|rumou?rs?|gossip)(?: of [^.,;!?]*)?"
    r" (?:(?:soon|quickly|had|got|has) )*(?:spread|travell?ed|round|about)\b"
    rf"|\b(?:soon|later|afterwards?|before long|by then)\b[^.!?]* {_LEARNS} (?:all about|of|about) (?:it|this)\b",
    re.IGNORECASE,
)
"""Endings by which those learn of something who were not there."""
_INSIDE = re.compile(r"(?<=[\w,;])\s+([^\W\d_][\w’'-]*)")


def surface_fault(passage: str, step: Step, *, least: int, names: Collection[str]) -> str:
    """What anyone can see to be wrong with a passage of so many sentences; empty if nothing.

    `names` are the words in capitals that may occur in it.
    """
    if found := _NOTES.search(passage):
        return f"a note by the writer ({found[0].strip()!r})"
    if _LAYOUT.search(passage):
        return "headings, points or marks instead of plain text"
    if sentence_count(passage) < least:
        return "not a whole sentence" if least == 1 else f"fewer than {least} sentences"
    for name in step.named:
        if not mentions(passage, name):
            return f"leaves out {step.after.the(name)}"
    for name in step.later:
        if mentions(passage, name):
            return f"brings in {name}, who comes later"
    if found := _SPREADS.search(passage):
        return f"tells those who are not there ({found[0]!r})"
    for word in _capitalised(passage):
        if word not in names and word not in CAPITALS:
            return f"brings in {word}"
    return ""


def sentence_count(text: str) -> int:
    """How many sentences a text has, by their ends."""
    return len(_END.findall(text))


def mentions(text: str, name: str) -> bool:
    """Whether a text has this name as whole words."""
    words = r"\s+".join(re.escape(word) for word in name.split())
    return re.search(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE) is not None


def _capitalised(text: str) -> list[str]:
    """Words in capitals inside a sentence: mostly names. Those at the beginning of one are left to the judge."""
    words = (re.split(r"[’'-]", word)[0] for word in _INSIDE.findall(text))
    return [word for word in words if word[:1].isupper()]
