"""One model, three engines: in this process, in transformers, and on a real llama.cpp server on loopback."""

from itertools import product
from math import exp

import pytest

from otherminds.models import Message, Model, Prompt, Weighing
from otherminds.models.api.endpoint import Endpoint
from otherminds.models.hf.model import HuggingFace
from otherminds.models.local.model import Local

CLOSE = 2e-3
SERVER_CLOZE = 5e-3
"""llama.cpp also rounds what it multiplies the weights with to 16 bits, and that adds up over several tokens."""
PEOPLE = (("Nora", "Felix"), ("Ines", "Otto"), ("Ravi", "Mona"), ("Lena", "Paul"), ("Yusuf", "Clara"))
THINGS = (("key", "drawer", "coat"), ("letter", "desk", "bag"))
QUESTIONS = ("Where is the {thing} now?", "Where will {first} look for the {thing}?")


def story(people: tuple[str, str], things: tuple[str, str, str]) -> str:
    (first, second), (thing, old, new) = people, things
    return (
        f"{first} puts the {thing} in the {old} and goes for a walk. "
        f"Meanwhile {second} takes the {thing} out of the {old} and puts it in the {new}. Then {first} comes home."
    )


def letters() -> list[Prompt]:
    """Twenty questions with two choices, in both orders."""
    prompts = []
    for people, (thing, old, new), question in product(PEOPLE, THINGS, QUESTIONS):
        asked = question.format(first=people[0], thing=thing)
        for a, b in ((old, new), (new, old)):
            text = f"{story(people, (thing, old, new))}\nQuestion: {asked}\nA. {a}\nB. {b}\nAnswer:"
            prompts.append(Prompt(text=text, choices=("A", "B"), labels=True))
    return prompts


def cloze() -> list[Prompt]:
    """The same stories with a sentence to finish, by choices of one token and of several."""
    return [
        Prompt(
            text=f"{story(people, things)} {people[0]} will look for the {things[0]} in the",
            choices=(f" {things[1]}", f" {things[2]}", f" big {things[2]} by the door"),
        )
        for people, things in product(PEOPLE, THINGS)
    ]


def in_chat() -> list[Prompt]:
    return [
        Prompt(
            messages=(Message("system", "Answer with A or B."), Message("user", f"{story(people, THINGS[0])} A or B?")),
            prefill=prefill,
            choices=("A", "B"),
            labels=True,
        )
        for people in PEOPLE[:2]
        for prefill in ("", "The answer is")
    ]


def share(weighing: Weighing, *choices: str) -> float:
    """S of the first choice."""
    parts = [exp(weighing.logprobs[choice]) for choice in choices]
    return parts[0] / sum(parts)


@pytest.fixture(scope="module")
def weighed(
    smollm2: Local, hf_smollm2: HuggingFace, api_smollm2: Endpoint
) -> dict[str, dict[str, list[tuple[Prompt, Weighing]]]]:
    models: dict[str, Model] = {"local": smollm2, "hf": hf_smollm2, "server": api_smollm2}
    kinds = {"letters": letters(), "cloze": cloze(), "chat": in_chat()}
    return {
        name: {kind: list(zip(prompts, model.weigh(prompts), strict=True)) for kind, prompts in kinds.items()}
        for name, model in models.items()
    }


@pytest.mark.parametrize("kind", ["letters", "cloze", "chat"])
@pytest.mark.parametrize("other", ["hf", "server"])
def test_engines_agree(weighed: dict[str, dict[str, list[tuple[Prompt, Weighing]]]], kind: str, other: str) -> None:
    pairs = list(zip(weighed["local"][kind], weighed[other][kind], strict=True))
    assert len(pairs) >= {"letters": 40, "cloze": 10, "chat": 4}[kind]
    close = SERVER_CLOZE if (other, kind) == ("server", "cloze") else CLOSE
    for (prompt, here), (_, there) in pairs:
        assert not here.error + there.error
        assert dict(here.tokens) == dict(there.tokens)
        assert share(here, *prompt.choices) == pytest.approx(share(there, *prompt.choices), abs=close)


def test_the_prompts_are_not_all_alike(weighed: dict[str, dict[str, list[tuple[Prompt, Weighing]]]]) -> None:
    # Else agreement would show little.
    shares = [share(weighing, "A", "B") for _, weighing in weighed["local"]["letters"]]
    assert max(shares) - min(shares) > 50 * CLOSE


def test_continuations_of_several_tokens_agree_token_by_token(
    weighed: dict[str, dict[str, list[tuple[Prompt, Weighing]]]],
) -> None:
    for other in ("hf", "server"):
        for (prompt, here), (_, there) in zip(weighed["local"]["cloze"], weighed[other]["cloze"], strict=True):
            longest = prompt.choices[2]
            assert len(here.tokens[longest]) >= 5
            assert here.logprobs[longest] == pytest.approx(there.logprobs[longest], abs=0.1)
