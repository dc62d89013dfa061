"""Conversations on the page: those that were asked about, with questions and answers; and one played for the page."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.files import read_words
from otherminds.items import Item
from otherminds.models import Model
from otherminds.pages.report import Block, Conversation, Example, Line
from otherminds.results.answers import Answers
from otherminds.runs.runs import Budget, Recorded
from otherminds.store.store import Store
from otherminds.studies.dialogue.answered import DialogueAnswers
from otherminds.studies.dialogue.questions.sample import FALSE, FIRST, KINDS, SECOND, TRUE
from otherminds.studies.study import Progress
from otherminds.talks import bank
from otherminds.talks.play import Played, play
from otherminds.talks.talk import GREETINGS, Person, State, Talk

SHOWN, ASKED = 3, 4
"""Conversations, and questions about each of them."""
TURNS, RETRIES, ATTEMPTS = 3, 1, 2
"""Messages a side, further tries for each, and castings that are tried until one conversation comes to its end."""
STATE: State = "desire"
"""What is thought about: of five states tried on smollm2, the one in which a conversation came to its end."""

_TEXTS: dict[str, str] = read_words("dialogue/wording")["live"]


def talk_blocks(talks: Sequence[Talk], found: DialogueAnswers) -> list[Block]:
    """A few conversations of different mental states, each with some of its questions."""
    items: dict[str, list[Item]] = {}
    for item in found.suite:
        items.setdefault(str(item.tags.get("story", item.id)), []).append(item)
    shown = {talk.state: talk for talk in reversed(talks) if talk.id in items}
    blocks: list[Block] = []
    for talk in list(shown.values())[-SHOWN:][::-1]:
        blocks.append(as_conversation(talk, items[talk.id]))
        blocks += [_question(talk, item, found) for item in items[talk.id][:ASKED]]
    if blocks:
        blocks.insert(
            0,
            "Opened, a conversation shows what was said, and under each line the thought that the other did not hear."
            " The questions below it were put to the model with the conversation alone.",
        )
    return blocks


def as_conversation(talk: Talk, items: Sequence[Item] = (), *, note: str = "") -> Conversation:
    """A talk as it was heard; thoughts are folded, and those known to misread the partner say so."""
    misread = {item.meta.get("turn"): item.tags.get("false_belief") for item in items}
    people, scene = talk.casting.people, talk.casting.scene
    lines = [Line("Scene", scene.situation)]
    lines += [_presented(person, goal) for person, goal in zip(people, scene.goals, strict=True)]
    lines += [Line(people[side].first, said) for side, said in enumerate(GREETINGS)]
    for number, turn in enumerate(talk.turns):
        label = f"what {talk.speaker(number).first} thinks"
        if misread.get(number) is not None:
            partner = talk.partner(number).first
            label += f", misreading {partner}" if misread[number] else f", reading {partner} rightly"
        lines.append(Line(people[turn.speaker].first, turn.speech, (label, turn.thought)))
    about = [scene.category, talk.state, " and ".join(person.first for person in people)]
    return Conversation(" · ".join([*about, *filter(None, [note])]), lines)


def _presented(person: Person, goal: str) -> Line:
    levels = ", ".join(f"{level} {trait}" for trait, level in person.levels.items())
    unsaid = (f"what only {person.first} is told", f"{goal} Personality: {levels}.")
    return Line(person.name, f"{person.age}, {person.occupation}", unsaid)


def _question(talk: Talk, item: Item, found: DialogueAnswers) -> Example:
    picked = {label: Answers.of(some.runs[:1]).ids.get(item.id) for label, some in found.models.items()}
    options = [
        "\n".join(
            [
                f"{'→' if choice == item.answer else ' '} {choice}",
                *(f"    chosen by {label}" for label, said in picked.items() if said and said.said == choice),
            ]
        )
        for choice in item.choices
    ]
    ends = [f"{label}: {said.verdict}" for label, said in picked.items() if said]
    fields = [
        ("question", item.question),
        ("options; the arrow is the right one", "\n".join(options)),
        ("why", str(item.meta.get("why", ""))),
    ]
    turn = int(item.meta["turn"])
    kind = next(kind for kind in (FALSE, TRUE, FIRST, SECOND) if KINDS[kind].items() <= item.tags.items())
    heading = f"Asked about {talk.speaker(turn).first}, message {turn + 1}, {kind} · {'; '.join(ends)}"
    return Example(heading, [field for field in fields if field[1]])


# ---- played live --------------------------------------------------------------------------------------------------


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
    blocks: list[Block] = [_TEXTS["about"].format(model=model.name, turns=TURNS)]
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
