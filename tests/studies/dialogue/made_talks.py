"""Talks and questions made up for tests, whose numbers can be counted by hand."""

from collections.abc import Callable

from otherminds.items import Item, Suite
from otherminds.models.scripted import Scripted
from otherminds.runs.runs import Run, run
from otherminds.talks.talk import STATES, Casting, Person, Scene, Talk, Turn

SCENE = Scene("norms-01", "norms", "Two neighbours meet at the bins.", ("You want quiet.", "You want to sing."))
NORA = Person("nora", "Nora", "Blum", 40, "baker", "she", "HHLLH")
OMAR = Person("omar", "Omar", "Aziz", 31, "pilot", "he", "LHLHL")


def talk(id: str, *, state=STATES[0], people=(NORA, OMAR), turns=4, scene=SCENE, **made) -> Talk:
    """A talk in which every thought and every speech has a number of its own."""
    said = tuple(Turn(n % 2, f"I think thought {n} of {id}.", f"Speech {n} of {id}.") for n in range(turns))
    return Talk(id, Casting(scene, people), state, said, made=made)


def questions(*talks: Talk, misread: tuple[int, ...] = (1,), name: str = "made up") -> Suite:
    """One question a message; the messages of the second speaker in `misread` are false beliefs."""
    return Suite(name, tuple(_item(each, turn, misread) for each in talks for turn in range(len(each.turns))))


def _item(talk: Talk, turn: int, misread: tuple[int, ...]) -> Item:
    order, speaker = talk.order(turn), talk.speaker(turn)
    choices = tuple(f"{speaker.first} thinks thought {n} of {talk.id}." for n in range(4))
    tags = {"story": talk.id, "state": talk.state, "order": order, **speaker.levels}
    if order == 2:
        tags["false_belief"] = turn in misread
    return Item(
        id=f"{talk.id}/{turn:02}",
        question=f'What does {speaker.first} think when saying "{talk.turns[turn].speech}"?',
        answer=choices[turn % 4],
        context=talk.transcript,
        choices=choices,
        tags=tags,
        meta={"turn": turn, "why": "the thought at that moment", "speaker": speaker.id},
    )


def answering(suite: Suite, right: Callable[[Item], bool], *, name: str = "somebody", seed: int = 0) -> Run:
    """A run of a model that is right where it is told to be, and elsewhere chooses some wrong option."""
    items = {(item.context, item.question): item for item in suite}

    def weigh(prompt):
        item = next(item for (text, asked), item in items.items() if text in prompt.text and asked in prompt.text)
        wrong = next(choice for choice in item.choices if choice != item.answer)
        wanted = item.answer if right(item) else wrong
        letter = next(letter for letter in prompt.choices if f"{letter}. {wanted}" in prompt.text.split("\n"))
        return {each: 0.9 if each == letter else 0.02 for each in prompt.choices}

    model = Scripted(lambda _: "A", name=name, weigh=weigh)
    model.identity = {**model.identity, "seed": seed}
    return run(suite, model, seed=seed)
