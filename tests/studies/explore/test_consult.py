"""Consultations share batches, and whatever a model writes is read as far as it is clear."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from otherminds.models import Prompt, Response
from otherminds.models.scripted import Scripted
from otherminds.prose.consult import (
    Claim,
    Consultation,
    Request,
    consult,
    judged,
    read_json,
    read_texts,
    silence,
    verdict,
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("yes", True),
        ("Yes.", True),
        ("**No**, she does not.", False),
        ("Answer: yes", True),
        ("The answer is no.", False),
        ('{"answer": "yes"}', True),
        ("<think>No? Wait, yes.</think>No", False),
        ("Yes, there is no doubt.", True),
        ("yes or no", None),
        ("Yes/no", None),
        ("Yesterday", None),
        ("Nobody", None),
        ("It depends.", None),
        ("<think>Yes, but", None),
        ("", None),
    ],
)
def test_a_verdict_is_the_first_word(text: str, said: bool | None) -> None:
    assert verdict(Response(text)) is said


def test_no_verdict_from_a_refusal_or_an_error() -> None:
    assert verdict(Response("yes", finish="refused")) is None
    assert verdict(Response("yes", error="the server is down")) is None


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ('{"continuations": ["One.", "Two."]}', ["One.", "Two."]),
        ('["One.", "Two."]', ["One.", "Two."]),
        ('```json\n["One."]\n```', ["One."]),
        ('[{"text": "One."}, {"text": "Two."}]', ["One.", "Two."]),
        ('{"a": "One.", "b": "Two."}', ["One.", "Two."]),
        ('{"continuations": ["One.", "Two \\"and\\" more.", "Thr', ["One.", 'Two "and" more.']),
        ('{"continuations": ["One.', []),
        ('["One\nmore."]', ["One\nmore."]),
        ('Here are two: ["One.", "Two."]', ["One.", "Two."]),
        ('{"continuations": [{"text": "One."}, {"text": "Tw', ["One."]),
        ("1. One.\n2. Two.", ["One.", "Two."]),
        ("- One.\n- Two.", ["One.", "Two."]),
        ("Just a passage.", ["Just a passage."]),
        ("[3, null, []]", []),
        ('["", "  ", "One."]', ["One."]),
        ("", []),
    ],
)
def test_texts_are_read_however_they_are_written(text: str, texts: list[str]) -> None:
    assert read_texts(Response(text)) == texts


@given(st.text(alphabet='{}[]":,\\\n ab1.`<>/think-', max_size=60) | st.text(max_size=40))
@example("[" * 5000)
@example('["\\ud800"]')
@example("1" * 5000)
@example('["\\x"], "')
def test_reading_never_raises(text: str) -> None:
    response = Response(text)
    read_json(response)
    verdict(response)
    silence(response)
    for each in read_texts(response):
        each.encode()


def test_json_is_found_among_words() -> None:
    assert read_json(Response('Here you are (as {asked}): {"a": 1} Enjoy!')) == {"a": 1}
    assert read_json(Response("nothing of the kind")) is None


def chain(name: str, length: int) -> Consultation[str]:
    said = ""
    for number in range(length):
        (response,) = yield [Request("writer" if number % 2 == 0 else "judge", f"{name}{number}")]
        said += response.text
    return said


def echo(prompt: Prompt) -> str:
    return f"<{prompt.messages[0].content}>"


def test_results_come_in_order_and_rounds_are_shared() -> None:
    rounds: list[int] = []
    model = Scripted(echo, name="echo")
    ask = model.ask
    model.ask = lambda prompts: (rounds.append(len(prompts)), ask(prompts))[1]  # type: ignore[method-assign]
    works = [chain("a", 3), chain("b", 0), chain("c", 1), chain("d", 2)]
    assert list(consult(works, model)) == ["<a0><a1><a2>", "", "<c0>", "<d0><d1>"]
    assert rounds == [3, 2, 1]


def test_no_more_than_the_width_go_on_at_once() -> None:
    started: list[int] = []

    def work(number: int) -> Consultation[int]:
        started.append(number)
        yield [Request("writer", str(number))]
        return number

    results = consult((work(number) for number in range(9)), Scripted(echo, name="echo"), width=2)
    assert next(results) == 0
    assert len(started) <= 4
    assert list(results) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_writer_and_judge_each_get_their_own() -> None:
    writer, judge = Scripted(echo, name="writer"), Scripted(echo, name="judge")
    list(consult([chain("a", 3), chain("b", 2)], writer, [judge]))
    assert [prompt.messages[0].content for prompt in writer.history] == ["a0", "b0", "a2"]
    assert [prompt.messages[0].content for prompt in judge.history] == ["a1", "b1"]


def shaped() -> Consultation[Response]:
    (response,) = yield [Request("writer", "Give JSON.", json.dumps({"type": "object"}))]
    return response


def test_a_model_without_schema_or_chat_gets_the_text_alone() -> None:
    model = Scripted(lambda prompt: "{}", name="plain")
    model.cannot = frozenset({"schema", "chat"})
    list(consult([shaped()], model))
    assert model.history == [Prompt(text="Give JSON.\nAnswer:", max_tokens=64)]


def test_a_refused_schema_is_tried_again_without() -> None:
    def fussy(prompt: Prompt) -> Response:
        return Response(error="no schemas here", finish="error") if prompt.schema else Response("{}")

    model = Scripted(fussy, name="fussy")
    (response,) = consult([shaped()], model)
    assert (response.text, response.error) == ("{}", "")
    assert [bool(prompt.schema) for prompt in model.history] == [True, False]


CLAIMS = [Claim("light", "Is it day?"), Claim("dark", "Is it night?", False)]


@pytest.mark.parametrize(
    ("words", "rule"),
    [("yes yes", "dark"), ("no no", "light"), ("yes no", ""), ("no yes", "light"), ("hm no", "light")],
)
def test_a_judge_who_always_says_the_same_passes_nothing(words: str, rule: str) -> None:
    day, night = words.split()
    judge = Scripted(lambda prompt: day if "day" in prompt.messages[0].content else night, name="judge")
    ((broken, detail),) = consult([judged("Noon.", CLAIMS)], judge)
    assert broken == rule
    assert ("no clear verdict" in detail) is (day == "hm")


def test_a_judge_that_cannot_be_reached_is_no_verdict() -> None:
    judge = Scripted(lambda prompt: Response(error="the budget is spent", finish="error"), name="judge")
    (found,) = consult([judged("Noon.", CLAIMS)], judge)
    assert found == ("no answer", "the judge: the budget is spent")
