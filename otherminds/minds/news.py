"""News: whether words would tell anybody anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherminds.minds.sightings import NOBODY
from otherminds.minds.world import Words

if TYPE_CHECKING:
    from otherminds.minds.story import Story


def is_news_to(listener: str, words: Words, speaker: str, story: Story) -> bool:
    """In private: whether the speaker does not think that the listener has it."""
    # Of newcomers, and of what was never talked about, nobody thinks anything yet: no need to look into a mind.
    if listener not in story.cast.roles or (isinstance(words, str) and words not in story.world.topics):
        return True
    return not story.seen_by((speaker, listener)).has(words)


def is_news_among(
    hearers: frozenset[str],
    words: Words,
    story: Story,
    *,
    peekers: frozenset[str] = NOBODY,
    distracted: frozenset[str] = NOBODY,
) -> bool:
    """Out loud: whether somebody who attends lacks it, or thinks that one of the hearers lacks it."""
    attentive = hearers - distracted
    if not isinstance(words, str):
        attentive |= peekers
    view = story.seen_by
    # One mind is looked into sooner than two, so the pairs come last.
    return any(not view((first,)).has(words) for first in attentive) or any(
        not view((first, second)).has(words) for first in attentive for second in hearers if second != first
    )
