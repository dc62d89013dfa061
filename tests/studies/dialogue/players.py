"""Models that play their part as a test wants it."""

import json
import re
from collections.abc import Callable
from hashlib import sha256

from otherminds.models import Prompt, Response
from otherminds.models.scripted import Scripted
from otherminds.store.packing import unpack_prompt

WORDS = ("amber", "basil", "cedar", "dill", "elm", "fern", "grass", "heath", "iris", "juniper")


def number(given: Prompt) -> int:
    """Which message of its own the model is asked for, from 0 on."""
    return sum(turn.role == "assistant" for turn in given.messages)


def name(given: Prompt) -> str:
    """Who the model is."""
    found = re.match(r"You are (\w+)", given.messages[0].content)
    assert found
    return found[1]


def again(given: Prompt) -> bool:
    """Whether the model is asked for the same message once more."""
    return "in your own words" in given.messages[-1].content


def thought(given: Prompt) -> str:
    """What is thought after the beginning: nothing that is ever said aloud."""
    word = WORDS[number(given) % len(WORDS)]
    return f"to keep the {word} of {name(given)} a secret from everybody in town"


def speech(given: Prompt) -> str:
    """What is said."""
    return f"Message {number(given)} of {name(given)}, with kind regards."


def well(given: Prompt) -> str:
    """A message in the right shape, whatever the form."""
    begins = re.search(r"begins with the words: (.*)", given.messages[0].content)
    if given.schema:
        return json.dumps({"thought": f"{begins[1]} {thought(given)}" if begins else "", "speech": speech(given)})
    if not begins:
        return speech(given) + '"' if given.prefill else f'"{speech(given)}"'
    if given.prefill.endswith('"'):
        return speech(given) + '"'
    before = "" if given.prefill else f"({begins[1]}"
    return f'{before} {thought(given)}.) "{speech(given)}"'


def plays(body: str) -> str:
    """What a server says to a prompt as JSON: mostly well, and clumsily at first every seventh time."""
    given = unpack_prompt(json.loads(body))
    clumsy = sha256(body.encode()).digest()[0] % 7 == 0 and not again(given)
    return "Hm, hm." if clumsy else well(given)


def player(
    answer: Callable[[Prompt], str | Response] = well, *, name: str = "player", cannot: tuple[str, ...] = ()
) -> Scripted:
    """A model that answers so."""
    model = Scripted(answer, name=name)
    model.cannot = frozenset(cannot)
    return model
