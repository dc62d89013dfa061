"""Events: what can happen in a story, when it can, what it changes, who sees it, and how it is told and written.

A kind of event is one class, which is whole or refused: see `event.py`. The others are here by what they are about:
coming and going, handling things, looking into containers, and speech.
"""

# Files are read in this order, and so are kinds of event wherever they are listed.
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
