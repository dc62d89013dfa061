"""Live: one short conversation that a model plays with itself, for the page."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from otherminds.files import read_words
from otherminds.models import Model
from otherminds.pages.report import Block
from otherminds.runs.runs import Budget, Recorded
from otherminds.store.store import Store
from otherminds.studies.dialogue.page_talks import as_conversation
from otherminds.talks import bank
from otherminds.talks.play import Played, play
from otherminds.talks.talk import State

Progress = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Makes a bar with a title, to be called with what is done and what is wanted."""

TURNS, RETRIES, ATTEMPTS = 3, 1, 2
"""Messages a side, further tries for each, and castings that are tried until one conversation comes to its end."""
STATE: State = "desire"
"""What is thought about: of five states tried on smollm2, the one in which a conversation came to its end."""

_TEXTS: dict[str, str] = read_words("dialogue/wording")["live"]
ABOUT = _TEXTS["about"]


def live(
    model: Model,
    store: Store,
    progress: Progress,
    *,
    seed: int = 0,
    budget: Budget | None = None,
    cut: list[str] | None = None,
) -> list[Block]:
    """A conversation with thoughts on demand, how many messages were malformed, and the leak check.

    What is missing because a call failed, or because the budget was spent, is added to `cut`.
    """
    if "chat" in model.cannot:
        return [f"{model.name} cannot chat, so that it could not play a conversation."]
    blocks: list[Block] = [ABOUT.format(model=model.name, turns=TURNS)]
    recorded = Recorded(model, store, budget=budget)
    for casting in bank.castings(limit=ATTEMPTS, seed=seed):
        with progress(f"dialogue · a conversation · {model.name}") as bar:
            played = play([casting], recorded, recorded, turns=TURNS, states=[STATE], retries=RETRIES, progress=bar)
        blocks += _told(played)
        missing = [recorded.stopped] if recorded.stopped else [a.reason for a in played.apart if a.unanswered]
        if cut is not None:
            cut += [f"{model.name}, a conversation: {reason}" for reason in missing]
        if played.talks or recorded.stopped:
            break
    return blocks


def _told(played: Played) -> list[Block]:
    counts = played.counts
    leaks = f"{len(played.leaks)} leaks" if played.leaks else "no leak"
    share, prompts = 100 * counts.share, played.prompts
    told = _TEXTS["malformed"].format(counts=counts, share=share, leaks=leaks, prompts=prompts)
    blocks: list[Block] = [told]
    blocks += [as_conversation(talk, note="played live") for talk in played.talks]
    for apart in played.apart:
        blocks.append(f"The conversation was kept apart: {apart.reason}.")
        if apart.talk.turns:
            blocks.append(as_conversation(apart.talk, note="as far as it got"))
    return blocks
