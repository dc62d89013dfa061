"""Whatever a model makes of "reply with JSON": what is read, what is mended, what is a fault."""

import json
import random

import pytest

from otherminds.formats.json_answers import JsonAnswer, read_answer
from otherminds.formats.written_answers import read_state

CHOICES = ("maps", "letters", "unknown")
ALIASES = {"maps": ["map"], "letters": ["letter", "written notes"]}
NO_OBJECT = "there is no JSON object"
NO_CHOICE = "answer names no choice"
NO_TEXT = "answer is no text"
NO_ANSWER = "answer is missing"
TWO = "there are two answers"

# The text, the answer or the fault, the repairs.
ANSWERS: list[tuple[str, str, str, tuple[str, ...]]] = [
    # as it should be
    ('{"answer": "maps"}', "maps", "", ()),
    ('{"answer":"letters"}', "letters", "", ()),
    ('{ "answer" : "unknown" }\n', "unknown", "", ()),
    ('{"answer": "maps", "why": "she saw them"}', "maps", "", ()),
    ('{"reason": "a } in a text", "answer": "maps"}', "maps", "", ()),
    # around it
    ('```json\n{"answer": "maps"}\n```', "maps", "", ("fence",)),
    ('```\n{"answer": "maps"}', "maps", "", ("fence",)),
    ('Sure! Here it is:\n{"answer": "maps"}', "maps", "", ("prose",)),
    ('{"answer": "maps"}\nBecause he saw the {maps}.', "maps", "", ("prose",)),
    ('He fills in {word}. So: {"answer": "maps"}', "maps", "", ("prose",)),
    ('{"answer": "maps"}{"answer": "letters"}', "", TWO, ("prose",)),
    ('{"answer": "maps"}\nWait, that is wrong. {"answer": "letters"}', "", TWO, ("prose",)),
    ('{"answer": "maps"} So again: {"answer": "the map"}', "maps", "", ("prose",)),
    ('The form is {"answer": "<option>"}. So {"answer": "maps"}', "maps", "", ("prose",)),
    ('{"answer": "maps", "answer": "letters"}', "", TWO, ()),
    ('{"answer": "maps", "answer": "maps"}', "maps", "", ()),
    ('{"Answer": "maps", "answer": "letters"}', "", TWO, ()),
    ('[{"answer": "maps"}]', "maps", "", ("prose",)),
    ('<think>{"answer": "letters"}? No.</think>{"answer": "maps"}', "maps", "", ()),
    ('<think>{"answer": "letters"} is what', "", NO_OBJECT, ()),
    ("{'answer': 'letters'} or rather {\"answer\": \"maps\"}", "", TWO, ("prose", "single quotes")),
    ('<thinking>{"answer": "letters"}</thinking>{"answer": "maps"}', "maps", "", ()),
    ('<REASONING>{"answer": "letters"}', "", NO_OBJECT, ()),
    # mended
    ("{'answer': 'maps'}", "maps", "", ("single quotes",)),
    ("{'answer': 'Tomasz's maps'}", "maps", "", ("single quotes",)),
    ("{“answer”: “maps”}", "maps", "", ("curly quotes",)),
    ('{"answer": "maps",}', "maps", "", ("comma",)),
    ('{"answer": "maps",,}', "maps", "", ("comma",)),
    ('{"why": "seen" "answer": "maps"}', "maps", "", ("comma",)),
    ("{answer: maps}", "maps", "", ("bare word",)),
    ('{answer: "maps"}', "maps", "", ("bare word",)),
    ('{"answer": maps}', "maps", "", ("bare word",)),
    ('{"answer": "the "maps""}', "maps", "", ("inner quotes",)),
    ('{"answer": "maps" // as he saw\n}', "maps", "", ("comment",)),
    ('{/* final */ "answer": "maps"}', "maps", "", ("comment",)),
    ("{'answer': 'maps', 'sure': True}", "maps", "", ("single quotes", "literal")),
    ('{"answer": "maps", "why": "two\nlines"}', "maps", "", ()),
    ('{"Answer": "maps"}', "maps", "", ("key",)),
    ('{" ANSWER ": "maps"}', "maps", "", ("key",)),
    # one choice in more words
    ('{"answer": "Maps."}', "maps", "", ()),
    ('{"answer": "the map"}', "maps", "", ()),
    ('{"answer": "**maps**"}', "maps", "", ()),
    ('{"answer": "There are maps in the carton"}', "maps", "", ()),
    ('{"answer": "written  notes"}', "letters", "", ()),
    ('{"answer": "maps (he did not open it)"}', "maps", "", ()),
    ('{"answer": "He does not look, so maps"}', "maps", "", ()),
    ('{"answer": "Unknown"}', "unknown", "", ()),
    ('{"answer": "unsure"}', "unknown", "", ()),
    ('{"answer": "He does not know"}', "unknown", "", ()),
    ('{"answer": "He doesn’t know whether maps"}', "unknown", "", ()),
    ('{"answer": "no idea"}', "unknown", "", ()),
    ('{"answer": "N/A"}', "unknown", "", ()),
    ('{"answer": "None"}', "unknown", "", ()),
    ('{"answer": "nothing"}', "unknown", "", ()),
    ('{"answer": "cannot be determined"}', "unknown", "", ()),
    ('{"answer": "I cannot determine that"}', "unknown", "", ()),
    ('{"answer": "ｍａｐｓ\u200b"}', "maps", "", ()),
    # no choice
    ('{"answer": "maps or letters"}', "", NO_CHOICE, ()),
    ('{"answer": "maps, not letters"}', "", NO_CHOICE, ()),
    ('{"answer": "not maps"}', "", NO_CHOICE, ()),
    ('{"answer": "there are no maps"}', "", NO_CHOICE, ()),
    ('{"answer": "maps is wrong"}', "", NO_CHOICE, ()),
    ('{"answer": "incorrect: maps"}', "", NO_CHOICE, ()),
    ('{"answer": "anything but maps"}', "", NO_CHOICE, ()),
    ('{"answer": "she doesnt see maps"}', "", NO_CHOICE, ()),
    ('{"answer": "not unknown"}', "", NO_CHOICE, ()),
    ('{"answer": "no longer unknown"}', "", NO_CHOICE, ()),
    ('{"answer": "I cannot determine, possibly maps"}', "", NO_CHOICE, ()),
    ('{"answer": "these aren\'t maps"}', "", NO_CHOICE, ()),
    ('{"answer": "unknown whether maps"}', "", NO_CHOICE, ()),
    ('{"answer": "unknown: maps or letters"}', "", NO_CHOICE, ()),
    ('{"answer": "mapsletters"}', "", NO_CHOICE, ()),
    ('{"answer": "a bitmap"}', "", NO_CHOICE, ()),
    ('{"answer": "books"}', "", NO_CHOICE, ()),
    ('{"answer": "<option>"}', "", NO_CHOICE, ()),
    ('{"answer": "same"}', "", NO_CHOICE, ()),
    ('{"answer": ""}', "", NO_CHOICE, ()),
    ('{"answer": "\\ud800"}', "", NO_CHOICE, ()),
    # no text, no answer, no object
    ('{"answer": null}', "", NO_TEXT, ()),
    ('{"answer": 1}', "", NO_TEXT, ()),
    ('{"answer": ["maps"]}', "", NO_TEXT, ()),
    ('{"answer": {"value": "maps"}}', "", NO_TEXT, ()),
    ('{"result": {"answer": "maps"}}', "", NO_ANSWER, ()),
    ('{"type": "object"} {"answer": "maps"}', "maps", "", ("prose",)),
    ('{"type": "object"} {"result": "maps"}', "", NO_ANSWER, ("prose",)),
    ("{}", "", NO_ANSWER, ()),
    ("maps", "", NO_OBJECT, ()),
    ("", "", NO_OBJECT, ()),
    ('{"answer": "maps"', "", NO_OBJECT, ()),
    ('{"answer": "ma', "", NO_OBJECT, ()),
    ('"answer": "maps"', "", NO_OBJECT, ()),
    ('["maps"]', "", NO_OBJECT, ()),
    ("```json\n```", "", NO_OBJECT, ("fence",)),
    ("{" * 5000, "", NO_OBJECT, ()),
    ('{"a":' * 2000, "", NO_OBJECT, ()),
    ("}" * 50 + "{]", "", NO_OBJECT, ()),
]


@pytest.mark.parametrize(("text", "answer", "fault", "repairs"), ANSWERS)
def test_answers(text: str, answer: str, fault: str, repairs: tuple[str, ...]) -> None:
    read = read_answer(text, CHOICES, aliases=ALIASES)
    assert (read.answer, read.faulty, read.repairs) == (answer, fault, repairs)


@pytest.mark.parametrize(
    ("text", "answer"),
    [("no", "no"), ("No, she does not", "no"), ("yes", "yes"), ("I have no idea", ""), ("not yes", "")],
)
def test_yes_and_no_are_choices_too(text: str, answer: str) -> None:
    assert read_answer(f'{{"answer": "{text}"}}', ("yes", "no")).answer == answer


STATES: list[tuple[str, tuple[str, ...], str]] = [
    ('[{"sentence": 1, "belief": "unknown"}, {"sentence": 2, "belief": "maps"}]', ("unknown", "maps"), ""),
    ('["unknown", "maps"]', ("unknown", "maps"), ""),
    ('["Sentence 1: unknown", "2. maps"]', ("unknown", "maps"), ""),
    ('[{"state": "maps"}]', ("maps",), ""),
    ('[{"sentence": 1, "Belief": "maps"}]', ("maps",), ""),
    ('[{"sentence": "maps are here", "value": "letters"}]', ("letters",), ""),
    ('["maps", "same", "unchanged", null, "no change", "same as before"]', ("maps",) * 6, ""),
    ('["same", null]', ("unknown", "unknown"), ""),
    ('["still maps"]', ("maps",), ""),
    ('["maps or letters", "maps"]', ("other:maps or letters", "maps"), ""),
    ('[7, true, ["maps"]]', ("other:7", "other:True", "other:['maps']"), ""),
    ('["not maps"]', ("other:not maps",), ""),
    ('[{"sentence": 2, "belief": "same"}, {"sentence": 1, "belief": "maps"}]', ("maps", "maps"), ""),
    ('[{"Sentence": "10.", "belief": "maps"}, {"sentence": 9, "belief": "letters"}]', ("letters", "maps"), ""),
    ('[{"sentence": 2, "belief": "maps"}, {"belief": "letters"}]', ("maps", "letters"), ""),
    ('[{"belief": "maps", "Belief": "letters"}]', ("other:(two values)",), ""),
    ("[]", (), ""),
    ("null", (), "states are missing or no list"),
    ('{"1": "maps"}', (), "states are missing or no list"),
    ('"maps, maps"', (), "states are missing or no list"),
]


@pytest.mark.parametrize(("states", "read", "fault"), STATES)
def test_states(states: str, read: tuple[str, ...], fault: str) -> None:
    found = read_answer(f'{{"states": {states}, "answer": "maps"}}', CHOICES, wants=("states", "answer"))
    assert (found.states, found.faulty, found.answer) == (read, fault, "" if fault else "maps")


def test_an_odd_chain_is_no_fault_but_a_missing_one_is() -> None:
    wants = ("states", "answer")
    assert read_answer('{"states": [], "answer": "maps"}', CHOICES, wants=wants).faulty == ""
    assert read_answer('{"answer": "maps"}', CHOICES, wants=wants).faulty == "states are missing or no list"
    kept = read_answer('{"states": ["maps"], "answer": "books"}', CHOICES, wants=wants)
    assert kept == JsonAnswer(states=("maps",), faulty=NO_CHOICE)


def test_a_trailing_comma_does_not_let_an_inner_object_through() -> None:
    text = '{"states": [{"sentence": 1, "belief": "maps"},], "answer": "letters"}'
    read = read_answer(text, CHOICES, wants=("states", "answer"))
    assert (read.answer, read.states, read.repairs) == ("letters", ("maps",), ("comma",))


def test_a_second_chain_that_differs_is_a_second_answer_however_long_the_first() -> None:
    states = ", ".join(f'{{"sentence": {number}, "belief": "maps"}}' for number in range(1, 31))
    chain = f'{{"states": [{states}], "answer": "maps"}}'
    read = read_answer(chain + chain.replace("maps", "letters"), CHOICES, wants=("states", "answer"))
    assert (read.answer, read.faulty) == ("", TWO)
    assert read_answer(chain + chain, CHOICES, wants=("states", "answer")).answer == "maps"


def test_without_an_answer_the_last_state_is_it() -> None:
    assert read_answer('{"states": ["unknown", "maps"]}', CHOICES, wants=("states",)).answer == "maps"
    assert read_answer('{"states": ["maps", "books"]}', CHOICES, wants=("states",)).faulty
    assert read_answer('{"states": []}', CHOICES, wants=("states",)).faulty


@pytest.mark.parametrize(
    ("listed", "numbers"),
    [
        ("[1, 3, 5]", (1, 3, 5)),
        ('["1", "Sentence 3", "5."]', (1, 3, 5)),
        ('[{"sentence": 2}, 2, null, true, 3.5, "all"]', (2,)),
        ('[4.0, -5, "-6", "7-8", 1e300, NaN, {"Sentence": 3}]', (4, 3)),
        ("[]", ()),
    ],
)
def test_perceived(listed: str, numbers: tuple[int, ...]) -> None:
    read = read_answer(f'{{"perceived": {listed}, "answer": "maps"}}', CHOICES, wants=("perceived", "answer"))
    assert (read.perceived, read.answer) == (numbers, "maps")


def test_a_longer_name_hides_a_shorter_one() -> None:
    names = {"box": ("box",), "strongbox": ("strongbox", "strong box")}
    assert read_state("in the strong box", names) == "strongbox"
    assert read_state("in the box", names) == "box"


def test_nothing_raises() -> None:
    dice = random.Random(3)
    pieces = [*"{}[]\",:'\\“”\n`", "states", "answer", "maps", "letters", "unknown", "not", "null", "```json", "1e999"]
    pieces += [
        '{"answer": "',
        '"states": [',
        '{"sentence": 1, "belief": "',
        "<think>",
        "</think>",
        "//",
        "/*",
        "\\u",
        "\ud800",
    ]
    whole = '{"states": [{"sentence": 1, "belief": "maps"}, "letters"], "answer": "maps"}'
    readable = 0
    for number in range(10_000):
        if number % 2:
            text = "".join(dice.choice(pieces) for _ in range(dice.randint(0, 25)))
        else:
            cut = [dice.randrange(len(whole)) for _ in range(dice.randint(1, 3))]
            text = "".join("" if place in cut else letter for place, letter in enumerate(whole))
        read = read_answer(text, CHOICES, wants=("states", "answer"), aliases=ALIASES)
        readable += not read.faulty
        assert bool(read.answer) != bool(read.faulty)
        assert read.answer in ("", *CHOICES)
        json.dumps([read.states, read.repairs]).encode("utf-8")
        "".join(read.states).encode("utf-8")
    assert 1000 < readable < 5000
