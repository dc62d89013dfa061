"""What every picture is made of: colours, lines, words, a legend, and the frame around them.

Colours are CSS variables, so that the page decides between light and dark, with a fallback for a picture that stands
alone. The same calls give the same characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape

_CONTROLS = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
# Of these, what is seen by its effect: joiners between letters of scripts that need them or between emoji, and three
# flags that are written as letters which do not show.
_JOINED, _EMOJI = "\u0600-\u08ff\u0900-\u0dff\u1780-\u17ff", "\u2190-\u2bff\U0001f000-\U0001faff"
_FLAGS = ("gbeng", "gbsct", "gbwls")
_SEEN = (
    f"(?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}])",
    f"(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])",
    *("\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in f"{flag}\x7f") for flag in _FLAGS),
)
_HIDDEN = re.compile(f"({'|'.join(_SEEN)})|{_CONTROLS}")

INK = "var(--ink, #1c2024)"
QUIET = "var(--quiet, #5d666f)"
RULE = "var(--rule, #dde1e5)"
PAPER = "var(--paper, #ffffff)"
COLOURS = tuple(
    f"var(--series-{number}, {colour})"
    for number, colour in enumerate(("#0b62a8", "#c2510c", "#0a7d5c", "#8a4a9e", "#806000", "#5d666f"), start=1)
)
"""After Okabe and Ito, darkened for white paper: told apart with any kind of colour vision."""

WIDTH, LINE, SIZE = 800, 24, 13
EM = 0.6 * SIZE  # the mean width of a character of a broad font, since none is at hand to measure with


def numbered(text: str, form: str) -> str:
    """The text with every character that would steer or hide text, or that no file may hold, written as its number.

    `form` says how, such as "⟨U+{:04X}⟩".
    """
    return replaced(text, lambda hidden: form.format(ord(hidden)))


def replaced(text: str, shown: Callable[[str], str]) -> str:
    """The text with every such character as `shown` writes it."""
    return _HIDDEN.sub(lambda found: found[1] or shown(found[0]), text)


def visible(text: str) -> str:
    """The same, as it is written in pictures and in files."""
    return numbered(text, "⟨U+{:04X}⟩")


def svg(title: str, said: Iterable[str], height: float, inside: str) -> str:
    """The whole picture; its title and numbers are there in words for those who do not see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'style="font-family:var(--sans, system-ui, sans-serif);font-variant-numeric:tabular-nums">'
        f"<title>{safe(title)}</title><desc>{safe('; '.join(said))}</desc>{inside}</svg>"
    )


def line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" style="{style}"/>'


def polygon(corners: Iterable[tuple[float, float]], style: str) -> str:
    return f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in corners)}" style="{style}"/>'


def text(
    x: float, y: float, words: str, *, colour: str = INK, anchor: str = "start", size: int = SIZE, style: str = ""
) -> str:
    look = f"fill:{colour};font-size:{size}px;{style}"
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" style="{look}">{safe(words)}</text>'


def safe(words: str) -> str:
    return escape(visible(words))


def fit(label: str, width: float) -> str:
    """The label, or as much of its two ends as there is room for: names often differ in their last letters."""
    room = int((width - 12) / EM)
    if len(label) <= room:
        return label
    end = max(0, room - 1) // 2
    return f"{label[: max(1, room - 1 - end)].rstrip()}…{label[len(label) - end :].lstrip()}"


def label_width(labels: Iterable[str]) -> float:
    return min(248.0, max((len(label) * EM for label in labels), default=0) + 24)


def legend(names: Sequence[str], key: Callable[[int, float, float], str]) -> tuple[str, float]:
    """What each mark or colour stands for, and the height that saying so takes."""
    marks, x, y = "", 8.0, 10.0
    for index, name in enumerate(fit(name, WIDTH - 30) for name in names):
        width = 16 + len(name) * EM + 22
        if x > 8 and x + width > WIDTH:
            x, y = 8.0, y + LINE
        marks += key(index, x, y) + text(x + 14, y + 4.5, name)
        x += width
    return marks, y + LINE
