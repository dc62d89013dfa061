"""Reading one message of a model into the thought and the speech. Nothing here raises on any text.

    (I want to be home by six.) "Could we start a little earlier?"
    {"thought": "I want to be home by six.", "speech": "Could we start a little earlier?"}

What was thought must never be heard, so doubt is a fault and not a guess:

1. The thought is what the first bracket holds, brackets inside it included. If that bracket is never closed, or is
   closed only inside a quotation, the thought ends at the first quotation mark; the one quotation after it is the
   speech, and more than one is a fault.
2. The speech is the first quotation after the thought; without quotation marks it is the rest of the line. Where it
   could be more of a thought that was closed too early, it is a fault.
3. What comes after the speech is left out: another bracket, a remark, a dialogue that the model goes on with alone.
   Of a speech that was cut off, its first one or two whole sentences count.

Whatever had to be mended or left out is named as a repair.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from otherminds.errors import ModelError, UsageError
from otherminds.formats import written_answers as answers
from otherminds.models import Model
from otherminds.talks.roles import NUDGES, Form

FORMS: dict[Form, str] = {"prefill": "prefill", "json": "schema", "plain": "chat"}
"""How a model is brought to think: the message is begun for it, it is held to a schema, or it is only told; and what
it must be able to do for that. The surest comes first."""
_ALIKE = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "＂": '"', "（": "(", "）": ")"})
_DECODER = json.JSONDecoder(strict=False)
_UNSURE = "the thought cannot be told from the speech"


@dataclass(frozen=True, slots=True)
class Read:
    """What was read from one message."""

    thought: str = ""
    """Also there if only the speech is missing."""
    speech: str = ""
    repairs: tuple[str, ...] = ()
    """What had to be mended or left out; empty for a message in the shape that was asked for."""
    fault: str = ""
    """Why the message cannot be used; empty if it can."""

    @property
    def clean(self) -> bool:
        """Whether the message has the shape that was asked for."""
        return not self.fault and not self.repairs


def form_for(model: Model, form: str | None = None) -> Form:
    """The form that is asked for, or the surest that the model can keep to."""
    cannot = model.cannot
    if "chat" in cannot:
        raise ModelError(f"{model.name} cannot chat, so it cannot play a part; take a model with a chat template")
    if form is None:
        return next(one for one, need in FORMS.items() if need not in cannot)
    for one, need in FORMS.items():
        if one == form and need in cannot:
            raise UsageError(f"{model.name} cannot keep to the form {form!r}; try another, or leave it out")
        if one == form:
            return one
    raise UsageError(f"there is no form {form!r}; there are {', '.join(FORMS)}")


def read(
    text: str, *, form: Form, beginning: str, names: tuple[str, str] = ("", ""), cut: bool = False, thought: str = ""
) -> Read:
    """Read a whole message; `beginning` is what its thought begins with (empty: there should be none).

    `names` are the first names of the speaker and the other. `cut` says that the model was stopped in the middle. With
    `thought`, that is the thought, and the text is the speech alone.
    """
    spoken = answers.spoken(text)
    repairs: dict[str, None] = {}
    wanted = bool(beginning) and not thought
    if form == "json" and "{" in spoken:
        found, speech, fault = _from_json(spoken, repairs)
    else:
        # A small model that is asked for JSON often writes the message plainly; what it meant can still be read.
        if form == "json":
            repairs["no JSON"] = None
        whole = _alone(_once(spoken.translate(_ALIKE), beginning, repairs), names, repairs)
        found, rest, fault = _part(whole, repairs, cut=cut) if wanted else ("", whole, "")
        speech, fault = ("", fault) if fault else _spoken(rest, repairs, cut=cut, sure=not wanted)
    if wanted:
        thought, wrong = _thought(found, beginning, names[1], repairs) if found else ("", "there is no thought")
        fault = fault or wrong
    if not fault:
        speech, fault = _speech(speech, beginning, repairs)
    return Read(thought, "" if fault else speech, tuple(repairs), fault)


def _once(text: str, beginning: str, repairs: dict[str, None]) -> str:
    """The message without the beginning that we wrote, where the model wrote it again."""
    begun = f"({beginning}" if beginning else '"'
    rest = text.strip().removeprefix(begun).lstrip()
    if not text.strip().startswith(begun) or not rest.startswith(begun):
        return text
    repairs["began anew"] = None
    return rest


def _alone(text: str, names: tuple[str, str], repairs: dict[str, None]) -> str:
    """The message without what the model wrote of the other's part, or of a next message."""
    text = text.strip()
    me, other = (rf"\W{{0,2}}{re.escape(name)}(?: [\w'-]+)?\W{{0,2}}:[\s*]*" if name else r"(?!)" for name in names)
    if label := re.match(me, text):
        repairs["name"] = None
        text = text[label.end() :]
    for end in re.finditer(rf"(?:\A|\n\s*)(?:{me}|{other})|\n\s*\(", text):
        # A bracket on a line of its own is a new message only once this one has said something.
        if not end[0].endswith("(") or re.search(r'[")]', text[: end.start()]):
            repairs["went on"] = None
            return text[: end.start()]
    return text


# ── thought and speech ──


def _part(text: str, repairs: dict[str, None], *, cut: bool) -> tuple[str, str, str]:
    """The thought, what follows it, and what is wrong."""
    start = text.find("(")
    if start < 0:
        return "", "", "there is no thought"
    if '"' in text[:start].strip().removeprefix('"'):
        return "", "", "something is said before the thought"
    if text[:start].strip():
        repairs["prose"] = None
    inside = text[start + 1 :]
    end = _closing(inside)
    if end >= 0 and inside[:end].count('"') % 2 == 0:
        return inside[:end], inside[end + 1 :], ""
    repairs["bracket"] = None
    quote = inside.find('"')
    if quote < 0:
        sentence = re.match(r"[^.!?\n]*[.!?]" if cut else r"[^\n]*", inside)
        return sentence[0] if sentence else "", "", "the thought has no end"
    # A quotation may also belong to the thought: one that is alone, at the end, and begins like a sentence is speech.
    said = re.fullmatch(r'"([^"\n]*)"?[\s).]*', inside[quote:])
    if not said or said[1].strip()[:1].islower():
        return "", "", _UNSURE
    return inside[:quote], inside[quote:].rstrip(" ).\n"), ""


def _closing(text: str) -> int:
    """Where the bracket that was opened before this text is closed; -1 if nowhere."""
    depth = 1
    for mark in re.finditer(r"[()]", text):
        # "1)" and "2)" count reasons, and close nothing that was not opened for them.
        if depth == 1 and re.search(r"(?<!\w)\d\Z", text[: mark.start()]):
            continue
        depth += 1 if mark[0] == "(" else -1
        if depth == 0:
            return mark.start()
    return -1


def _spoken(text: str, repairs: dict[str, None], *, cut: bool, sure: bool) -> tuple[str, str]:
    """What is said, and what is wrong; sure: no part of it can be a thought."""
    text = text.strip()
    start = text.find('"')
    if start < 0:
        return _unquoted(text, repairs, cut, sure)
    before, end = text[:start].strip(" \n:-–—*"), _unquote(text, start)
    if end < 0 and cut:
        repairs["cut off"] = None
        whole = re.match(r'(?:[^.!?\n"]*\w[^.!?\n"]*[.!?]+){1,2}', text[start + 1 :])
        return (whole[0], "") if whole else ("", "the message was cut off in the middle")
    if end < 0:
        # At the end of a message its mark may be missing: some are stopped there, and the mark is taken away.
        end = start + 1 + len(text[start + 1 :].partition("\n")[0])
    after = text[end + 1 :].strip(" \n*")
    if before:
        repairs["prose"] = None
    if not sure and (before[:1].islower() or ")" in before or (before and '"' in after) or _closing(after) >= 0):
        return "", _UNSURE
    if after:
        repairs["chatter"] = None
    return text[start + 1 : end], ""


def _unquoted(text: str, repairs: dict[str, None], cut: bool, sure: bool) -> tuple[str, str]:
    if cut or not text:
        return "", "the message was cut off in the middle" if cut else "nothing is said"
    repairs["quotation mark"] = None
    text = text.strip(" \n*")
    line = re.split(r"[\n(]", text, maxsplit=1)[0]
    if line != text:
        repairs["chatter"] = None
    if not sure and (line[:1].islower() or ")" in line):
        return "", _UNSURE
    return (quoted[1] if (quoted := re.fullmatch(r"\s*['‘](.*)['’]\s*", line)) else line), ""


def _unquote(text: str, start: int) -> int:
    """Where the quotation that begins here ends, others inside it passed over; -1 if nowhere."""
    depth = 1
    for mark in re.compile('"').finditer(text, start + 1):
        place = mark.start()
        before, after = text[place - 1], text[place + 1 : place + 2]
        opens = (before.isspace() or before == "(") and after and not after.isspace()
        depth += 1 if opens else -1
        if depth == 0:
            return place
    return -1


def _from_json(text: str, repairs: dict[str, None]) -> tuple[str, str, str]:
    """Thought, speech, and what is wrong."""
    start = text.index("{")
    try:
        found, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return "", "", "the JSON is broken or cut off"
    parts = [found.get(name, "") for name in ("thought", "speech")]
    if not all(isinstance(part, str) for part in parts):
        return "", "", "thought or speech is no text"
    if (text[:start] + text[end:]).strip(" \n`json"):
        repairs["chatter"] = None
    thought, speech = (part.translate(_ALIKE).strip() for part in parts)
    return thought.removeprefix("(").removesuffix(")"), speech.removeprefix('"').removesuffix('"'), ""


# ── what each should be ──


def _thought(text: str, beginning: str, other: str, repairs: dict[str, None]) -> tuple[str, str]:
    """The thought with its beginning to the letter, and what is wrong."""
    text = _tidy(text)
    start = re.match(rf"{re.escape(beginning)}\b", text)
    if not start:
        repairs["beginning"] = None
        start = re.match(_nearly(beginning, other), text, re.IGNORECASE)
    if not start:
        return "", f"the thought does not begin with {beginning!r}"
    rest = text[start.end() :]
    # What we wrote on with when we asked again is not yet a thought.
    empty = not re.search(r"\w", rest) or rest.strip(" .,…") in NUDGES.values()
    return ("", "the thought is empty") if empty else (beginning + rest, "")


def _nearly(beginning: str, other: str) -> str:
    """Other words for the same beginning: "I think Bjorn wants" for "I think that he wants"."""
    if not beginning.startswith("I think that "):
        return rf"{beginning}\b|I['’]ll\b" if beginning == "I will" else rf"{beginning}\b"
    pronoun, verb = beginning.split()[-2:]
    who = "|".join(re.escape(name) for name in (pronoun, other) if name)
    return rf"I think (?:that )?(?:{who}) {verb.removesuffix('s')}s?\b"


def _speech(text: str, beginning: str, repairs: dict[str, None]) -> tuple[str, str]:
    """The speech, which must be quotable, and what is wrong."""
    text = _tidy(text)
    if '"' in text:
        repairs["quotation inside"] = None
        text = text.replace('"', "'")
    if not re.search(r"\w", text):
        return "", "nothing is said"
    # Whoever thinks in brackets and opens one with "I" thinks on, whatever the words are.
    if beginning and re.search(r"\(\s*I\b", text):
        return "", "there is a thought in the speech"
    return text, ""


def _tidy(text: str) -> str:
    # Half a surrogate pair is legal in JSON, but can be neither stored nor shown.
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
