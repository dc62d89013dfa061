"""Scores "json" and "json-free": an answer that was asked for as JSON, whatever a model made of it.

A schema enforces the form of "json" where the model can be held to one; "json-free" does without, so that models of
both sorts can be compared. Nothing here raises on any text.

    {"answer": "box"}
    {"states": [{"sentence": 1, "belief": "unknown"}, {"sentence": 2, "belief": "box"}], "answer": "box"}
    {"perceived": [1, 2, 4], "answer": "box"}

1. What a model thought before it spoke is left out. An object that is not JSON is mended where that takes no guess:
   single or curly quotes, quotes inside quotes, commas too many or too few, comments, words without quotes. Every mend
   is counted as a repair.
2. Of several objects, those count that can be used; if they differ, or if a key stands twice with two values, there are
   two answers and so none.
3. The answer must be a text that names one choice. States are a list of texts or of objects with a text each; where all
   have the number of their sentence, it gives their order.
4. A text names a choice when that choice (or another name of it) is the only one in it and is not negated. Words for
   not knowing mean "unknown"; in states, "same", "unchanged" and null mean the state before; anything else is kept as
   "other:…", which matches nothing. Two choices in one text are no choice.

No object, no usable answer, or no list where one was asked for is a *fault*. A chain that is too long, too short or
odd is no fault: it is only not right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.formats.json_prompts import WANTS
from otherminds.formats.prompts import Posed, posed_as, without_schema, wording
from otherminds.formats.verdicts import Score, Scoring, unanswered
from otherminds.formats.written_answers import UNKNOWN, other, read_state, refuses, spoken
from otherminds.items import Item
from otherminds.models import Response

_STARTS = 20
"""Places at which an object is looked for; a text with more braces is not an answer but noise."""
_TWO = "(two values)"
"""What stands for a key that has two."""
_TWO_ANSWERS = "there are two answers"


def pose_json(item: Item, *, prompt: str, seed: int) -> tuple[Posed, ...]:
    """One prompt that shows the choices in the item's own order and asks for JSON, which a schema enforces."""
    asked = wording(prompt, json=True)(item, item.choices)
    return (posed_as(item, asked, item.choices, WANTS[prompt]),)


def pose_json_free(item: Item, *, prompt: str, seed: int) -> tuple[Posed, ...]:
    """The same prompt without a schema: the model may write what it likes."""
    return tuple(without_schema(asked) for asked in pose_json(item, prompt=prompt, seed=seed))


def score_json(item: Item, posed: Sequence[Posed], results: Sequence[Response]) -> Score:
    """The verdict on JSON; states, what was perceived, repairs and the fault, if there is one, beside it."""
    (response,), (asked,) = results, posed
    if failed := unanswered(response):
        return failed
    read = read_answer(response.text, item.choices, wants=asked.wants, aliases=item.meta.get("aliases"))
    detail = {
        "states": list(read.states),
        "perceived": list(read.perceived),
        "repairs": list(read.repairs),
        "faulty": read.faulty,
    }
    if read.faulty:
        cut, declined = response.finish == "length", refuses(response.text)
        return Score("truncated" if cut else "refused" if declined else "unparsed", why=read.faulty, detail=detail)
    return Score.of_answer(item, read.answer, f"says {read.answer!r}", detail)


SCORES = {
    "json": Scoring("ask", pose_json, score_json, prompts=("json",), tried=False, examples=False),
    "json-free": Scoring("ask", pose_json_free, score_json, prompts=("json",), tried=False, examples=False),
}


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """What was read from one text."""

    answer: str = ""
    """One of the choices; empty if there is a fault."""
    states: tuple[str, ...] = ()
    """In the order of their sentences: choices, "unknown", or "other:…" for what names no choice."""
    perceived: tuple[int, ...] = ()
    """The numbers of the sentences that were listed as perceived."""
    faulty: str = ""
    """Why there is nothing to score; empty if there is."""
    repairs: tuple[str, ...] = ()
    """What had to be mended or passed over, such as "fence", "prose", "single quotes"."""


def read_answer(
    text: str,
    choices: Sequence[str],
    *,
    wants: Sequence[str] = ("answer",),
    aliases: Mapping[str, Sequence[str]] | None = None,
) -> JsonAnswer:
    """Read a text that should hold the wanted parts: some of "states", "perceived", "answer".

    Where states are wanted and no answer, the last state is the answer.
    """
    names = {choice: (choice, *(aliases or {}).get(choice, ())) for choice in choices}
    objects, fences = _find_objects(text)
    if not objects:
        return JsonAnswer(faulty="there is no JSON object", repairs=fences)
    answers = [_read_object(found, names, wants, (*fences, *repairs)) for found, repairs in objects]
    usable = [answer for answer in answers if not answer.faulty]
    if len({(answer.answer, answer.states, answer.perceived) for answer in usable}) > 1:
        return JsonAnswer(faulty=_TWO_ANSWERS, repairs=usable[0].repairs)
    return (usable or answers)[0]


def _read_object(
    found: Mapping[str, Any], names: Mapping[str, Sequence[str]], wants: Sequence[str], repairs: tuple[str, ...]
) -> JsonAnswer:
    parts = _parts(found)
    if any(part in parts and part not in found for part in wants):
        repairs = (*repairs, "key")
    states: tuple[str, ...] = ()
    if "states" in wants:
        if not isinstance(parts.get("states"), list):
            return JsonAnswer(faulty="states are missing or no list", repairs=repairs)
        states = _states(parts["states"], names)
    perceived: tuple[int, ...] = ()
    if "perceived" in wants:
        if not isinstance(parts.get("perceived"), list):
            return JsonAnswer(faulty="perceived is missing or no list", repairs=repairs)
        perceived = _numbers(parts["perceived"])
    if "answer" in wants:
        answer, faulty = _answer(parts, names)
    else:
        answer = states[-1] if states and states[-1] in names else ""
        faulty = "" if answer else "the last state names no choice"
    return JsonAnswer(answer, states, perceived, faulty, repairs)


def _parts(found: Mapping[str, Any]) -> dict[str, Any]:
    """An object by its keys, whatever their case."""
    return _merged((key.strip().casefold(), value) for key, value in found.items())


def _merged(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """An object from its pairs; a key that stands there twice must say the same."""
    parts: dict[str, Any] = {}
    for key, value in pairs:
        parts[key] = value if parts.get(key, value) == value else _TWO
    return parts


def _answer(parts: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """The choice that is answered, or what is wrong."""
    if "answer" not in parts:
        return "", "answer is missing"
    if parts["answer"] == _TWO:
        return "", _TWO_ANSWERS
    if not isinstance(parts["answer"], str):
        return "", "answer is no text"
    read = read_state(parts["answer"], names)
    return (read, "") if read in names else ("", "answer names no choice")


def _states(entries: Sequence[Any], names: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    numbers = [number for entry in entries if (number := _number(entry)) is not None and isinstance(entry, dict)]
    if len(numbers) == len(entries):
        entries = [entry for _, entry in sorted(zip(numbers, entries, strict=True), key=lambda pair: pair[0])]
    states: list[str] = []
    for entry in entries:
        said = _said(entry) if isinstance(entry, dict) else entry
        before = states[-1] if states else UNKNOWN
        if said is None:
            states.append(before)
        elif isinstance(said, str):
            states.append(read_state(said, names, before=before))
        else:
            states.append(other(repr(said)))
    return tuple(states)


def _said(entry: Mapping[str, Any]) -> Any:
    """The state in an object: under its own name, or the only text there is."""
    parts = _parts(entry)
    for name in ("belief", "state"):
        if name in parts:
            return parts[name]
    texts = [value for key, value in parts.items() if isinstance(value, str) and key not in ("sentence", "text")]
    return texts[0] if len(texts) == 1 else entry


def _numbers(entries: Sequence[Any]) -> tuple[int, ...]:
    """The sentence numbers among the entries, each once; anything else is passed over."""
    return tuple(dict.fromkeys(number for entry in entries if (number := _number(entry)) is not None))


def _number(entry: Any) -> int | None:
    """The number of a sentence: 3, 3.0, "3." or "Sentence 3", or an object that has it under "sentence"."""
    if isinstance(entry, dict):
        entry = _parts(entry).get("sentence")
    if isinstance(entry, bool) or not isinstance(entry, int | float | str):
        return None
    text = str(int(entry)) if isinstance(entry, float) and entry.is_integer() else str(entry)
    found = re.fullmatch(r"[^\d-]{0,12}([0-9]{1,4})\D{0,2}", text)
    return int(found[1]) if found else None


# ---- the object ---------------------------------------------------------------------------------------------------

_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_merged)


def _find_objects(text: str) -> tuple[list[tuple[dict[str, Any], tuple[str, ...]]], tuple[str, ...]]:
    """The objects of a text, each with what was repaired to get it; and whether there were fences."""
    said = spoken(text)
    body = re.sub(r"```\w*", " ", said)
    objects, start, end = [], body.find("{"), 0
    for _ in range(_STARTS):
        if start < 0:
            break
        found, end, mends = _strict(body, start)
        if found is None:
            found, last, mends = _mended(body, start)
            end = max(end, last) if found is None else last
        if found is not None:
            outside = body[:start] + body[end:]
            objects.append((found, (*(["prose"] if outside.strip() else []), *mends)))
        start = body.find("{", end)
    return objects, () if body == said else ("fence",)


def _strict(text: str, start: int) -> tuple[dict[str, Any] | None, int, list[str]]:
    """The object that begins here, if it is JSON; and where it ends, so that its inner objects are not tried."""
    try:
        found, end = _DECODER.raw_decode(text, start)
        return found, end, []
    except (ValueError, RecursionError):
        return None, _balanced(text, start), []


def _balanced(text: str, start: int) -> int:
    """Where the braces that open here are closed; right behind the first one if they never are."""
    depth = 0
    for token in re.finditer(r'"(?:\\.|[^"\\])*"|[{}]', text[start:]):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0:
            return start + token.end()
    return start + 1


_CLOSES = r"""(?=\s*(?:[,:\]}]|//|/\*|$)|\s+["'“])"""
_TOKEN = re.compile(
    rf"""
    (?P<space>\s+)
    | (?P<comment>//[^\n]*|/\*.*?\*/|\.\.\.|…)
    | (?P<mark>[{{}}\[\]:,])
    | (?P<text>"(?:\\.|[^"\\\n])*"){_CLOSES}
    | (?P<inner>"(?:[^\n]*?)"){_CLOSES}
    | (?P<single>'(?:[^\n]*?)'){_CLOSES}
    | (?P<curly>[“”‘’](?:[^\n]*?)[“”‘’]){_CLOSES}
    | (?P<number>-?\d+(?:\.\d+)?)(?=\s*[,\]}}])
    | (?P<bare>[^\s{{}}\[\]:,"'“”][^{{}}\[\]:,"“”\n]*)
    """,
    re.VERBOSE | re.DOTALL,
)
_LITERALS = {"null": "null", "none": "null", "true": "true", "false": "false"}
_REPAIRS = {"comment": "comment", "inner": "inner quotes", "single": "single quotes", "curly": "curly quotes"}


def _mended(text: str, start: int) -> tuple[dict[str, Any] | None, int, list[str]]:
    """The object that begins here, written anew token by token as JSON."""
    pieces: list[str] = []
    repairs: dict[str, None] = {}
    depth, place = 0, start
    while token := _TOKEN.match(text, place):
        kind, place = str(token.lastgroup), token.end()
        if kind in _REPAIRS:
            repairs[_REPAIRS[kind]] = None
        if kind not in ("space", "comment"):
            _add(pieces, _as_json(kind, token[0], repairs), repairs)
        depth += {"{": 1, "}": -1}.get(token[0], 0) if kind == "mark" else 0
        if depth == 0:
            try:
                found = _DECODER.decode("".join(pieces))
            except (ValueError, RecursionError):
                return None, place, []
            return found, place, list(repairs)
    return None, start + 1, []


def _as_json(kind: str, token: str, repairs: dict[str, None]) -> str:
    if kind in ("mark", "text", "number"):
        return token
    if kind == "bare":
        word = token.strip()
        if word.casefold() in _LITERALS:
            repairs.update({} if word in _LITERALS else {"literal": None})
            return _LITERALS[word.casefold()]
        repairs["bare word"] = None
        return json.dumps(word)
    return json.dumps(token[1:-1].replace("\\", ""))


def _add(pieces: list[str], piece: str, repairs: dict[str, None]) -> None:
    """Append a piece, with a comma where one is missing and without one that is too many."""
    before = pieces[-1] if pieces else ""
    if before == "," and piece in ("]", "}", ","):
        pieces.pop()
        repairs["comma"] = None
    elif before and before not in ("{", "[", ":", ",") and piece not in ("]", "}", ":", ","):
        pieces.append(",")
        repairs["comma"] = None
    pieces.append(piece)
