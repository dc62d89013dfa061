"""Events: what can happen in a story, when it can, what it changes, who sees it, and how it is told and written.

A kind of event is one class; `event.py` says what it must have. The kinds stand by what they are about: coming and
going, handling things, looking into containers, and speech.
"""

# Wherever kinds of event are listed, they are in the order in which these files are read.
from otherminds.minds.events.event import EVENTS, KINDS, Deed, Event
from otherminds.minds.events.going import Enter, Leave, Place
from otherminds.minds.events.handling import Carry, Change, Move
from otherminds.minds.events.looking import Look, Open
from otherminds.minds.events.speech import Tell

__all__ = [
    "EVENTS",
    "KINDS",
    "Carry",
    "Change",
    "Deed",
    "Enter",
    "Event",
    "Leave",
    "Look",
    "Move",
    "Open",
    "Place",
    "Tell",
]
