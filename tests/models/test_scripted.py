from concurrent.futures import ThreadPoolExecutor
from math import exp

import pytest

from otherminds.errors import ModelError
from otherminds.models import Message, Prompt, Response, fingerprint
from otherminds.models.scripted import Scripted


def test_answers_in_order_and_remembers() -> None:
    model = Scripted(lambda prompt: prompt.text.upper(), name="loud")
    prompts = [Prompt(text="one"), Prompt(text="two")]
    assert [response.text for response in model.ask(prompts)] == ["ONE", "TWO"]
    assert model.history == prompts


def test_a_response_is_passed_on() -> None:
    refusal = Response("I cannot", finish="refused")
    assert Scripted(lambda prompt: refusal, name="shy").ask([Prompt(text="?")]) == [refusal]


def test_leans_to_what_it_would_answer() -> None:
    model = Scripted(lambda prompt: "box", name="realist")
    (weighing,) = model.weigh([Prompt(text="in the", choices=(" basket", " box", " tin"))])
    assert {c: round(exp(v), 6) for c, v in weighing.logprobs.items()} == {
        " basket": 0.025,
        " box": 0.95,
        " tin": 0.025,
    }
    assert weighing.mass == pytest.approx(1)


def test_weighs_all_alike_if_it_would_answer_none() -> None:
    (weighing,) = Scripted(lambda prompt: "no idea", name="lost").weigh([Prompt(text="?", choices=("A", "B"))])
    assert weighing.logprobs["A"] == weighing.logprobs["B"]


def test_weighs_by_its_own_function() -> None:
    model = Scripted(lambda prompt: "A", name="sure", weigh=lambda prompt: {"A": 1.0, "B": 0.0})
    (weighing,) = model.weigh([Prompt(text="?", choices=("A", "B"))])
    assert weighing.logprobs["A"] == 0
    assert exp(weighing.logprobs["B"]) == pytest.approx(1e-9)


def test_a_weighing_of_other_choices_is_refused() -> None:
    model = Scripted(lambda prompt: "A", name="wrong", weigh=lambda prompt: {"A": 1.0})
    with pytest.raises(ModelError, match="'wrong' weighed"):
        model.weigh([Prompt(text="?", choices=("A", "B"))])


def test_stop_and_length() -> None:
    model = Scripted(lambda prompt: "one two\nthree four", name="count")
    stopped, cut, whole = model.ask(
        [Prompt(text="?", stop=("\n",)), Prompt(text="?", max_tokens=3), Prompt(text="?", max_tokens=4)]
    )
    assert (stopped.text, stopped.finish) == ("one two", "stop")
    assert (cut.text, cut.finish, cut.usage.written) == ("one two\nthree", "length", 3)
    assert (whole.text, whole.finish) == ("one two\nthree four", "stop")


def test_shows_a_chat() -> None:
    prompt = Prompt(messages=(Message("user", "Hello"),), prefill="Well")
    (response,) = Scripted(lambda prompt: "", name="quiet").ask([prompt])
    assert response.rendered == "user: Hello\nassistant: Well"


def test_many_threads_lose_nothing() -> None:
    model = Scripted(lambda prompt: "x", name="busy", parallel=8)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: model.ask([Prompt(text=str(number))] * 5), range(200)))
    assert len(model.history) == 1000


def test_the_name_is_the_identity() -> None:
    def same(prompt: Prompt) -> str:
        return "x"

    assert fingerprint(Scripted(same, name="a")) != fingerprint(Scripted(same, name="b"))
