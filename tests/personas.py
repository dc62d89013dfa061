"""Models whose ability is known and shows in one form of asking alone."""

from __future__ import annotations

from collections.abc import Callable

from otherminds.formats.prompts import About
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted

LIKELY, UNLIKELY = 0.9, 0.05


def about(prompt: Prompt) -> About:
    assert isinstance(prompt.about, About)
    return prompt.about


def _even(prompt: Prompt) -> dict[str, float]:
    return dict.fromkeys(prompt.choices, 1 / (2 * len(prompt.choices)))


def _right(prompt: Prompt) -> dict[str, float]:
    """The right one, by its letter or as a continuation."""
    known = about(prompt)
    names = dict(zip(prompt.choices, known.choices, strict=True))
    return {each: LIKELY if names[each] == known.item.answer else UNLIKELY / len(names) for each in prompt.choices}


def frequency(prompt: Prompt) -> dict[str, float]:
    """Whatever word is more frequent, whatever the story: here, the one that comes first in a dictionary."""
    words = about(prompt).choices
    best = min(words, key=str.lower)
    little = UNLIKELY / len(words)
    return {each: LIKELY if word == best else little for each, word in zip(prompt.choices, words, strict=True)}


def _persona(
    name: str,
    answer: Callable[[Prompt], str],
    weigh: Callable[[Prompt], dict[str, float]] = _even,
    cannot: frozenset[str] = frozenset(),
) -> Scripted:
    model = Scripted(answer, name=name, weigh=weigh)
    model.cannot = cannot
    return model


def letters_only() -> Scripted:
    """Knows every answer, and shows it by letters in raw prompts alone."""

    def weigh(prompt: Prompt) -> dict[str, float]:
        return _right(prompt) if prompt.labels and prompt.text else _even(prompt)

    return _persona("letters only", lambda _: "hm", weigh)


def text_only() -> Scripted:
    """Knows every answer, and shows it where it writes words of its own in a chat."""
    return _persona("text only", lambda prompt: about(prompt).item.answer if prompt.messages else "hm")


def by_frequency() -> Scripted:
    """Never reads a story."""

    def answer(prompt: Prompt) -> str:
        return min(about(prompt).choices or about(prompt).item.choices or ("hm",), key=str.lower)

    return _persona("by frequency", answer, frequency)
