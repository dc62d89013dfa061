"""One gate for all results: what passes can be scored and kept, and whatever else there is does not pass."""

import json
from dataclasses import replace
from math import exp, inf, isfinite, log, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.calling.recorded import Recorded
from otherminds.errors import ModelError
from otherminds.formats.continuations import pose_cloze, score_cloze
from otherminds.formats.letters import pose_letters, score_letters
from otherminds.items import Item
from otherminds.models import Prompt, Response, Usage, Weighing, gate
from otherminds.models.gate import LONGEST_TEXT, ROUNDING, fault, is_logprob
from otherminds.models.scripted import Scripted
from otherminds.store.packing import call_key, pack, recall
from otherminds.store.store import MEMORY, Call, Store

LABELS = Prompt(text="Which?", choices=("A", "B"), labels=True)
ENDS = Prompt(text="It is in the", choices=(" box", " box lid"))
ITEM = Item(id="x", question="Where?", answer="box", choices=("box", "bag", "bin"), cloze="It is in the")
USAGE = st.builds(Usage, st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)


@st.composite
def weighings(draw: st.DrawFn, choices: tuple[str, ...]) -> Weighing:
    """All that a sound model can say: some choices measured, others between bounds, all together no more than 1."""
    shares = draw(st.lists(st.floats(1e-300, 1), min_size=len(choices) + 1, max_size=len(choices) + 1))
    logs = dict(zip(choices, (log(share / sum(shares)) for share in shares), strict=False))
    open_ = draw(st.sets(st.sampled_from(choices), max_size=len(choices) - 1))
    lows = {choice: draw(st.sampled_from([-inf, value - 1, value])) for choice, value in logs.items()}
    token = st.text("ab ", min_size=1, max_size=3)
    return Weighing(
        {choice: value for choice, value in logs.items() if choice not in open_},
        {choice: tuple(draw(st.lists(token, min_size=1, max_size=3))) for choice in choices if choice not in open_},
        {choice: (lows[choice], logs[choice]) for choice in open_},
        draw(USAGE),
        draw(TEXT),
    )


def kept(prompt: Prompt, result: Response | Weighing) -> Response | Weighing:
    """The result, from a store into which it was put as a call."""
    verb = "ask" if isinstance(result, Response) else "weigh"
    key = call_key("f", verb, prompt)
    with Store(MEMORY) as store:
        store.keep_calls([Call(key, "f", verb, prompt.to_dict(), result.rendered, pack(result), 0.1)])
        found, damaged = recall(store, {key: prompt})
    assert not damaged
    return found[key]


def numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [one for part in value.values() for one in numbers(part)]
    if isinstance(value, list | tuple):
        return [one for part in value for one in numbers(part)]
    return [float(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []


ODD = st.sampled_from([nan, inf, -inf, 0.5, 1e-9, -1, True, None, "0", -0.2, 0.0, -800.0])


@given(st.data(), st.dictionaries(st.sampled_from(["A", "B", "C"]), ODD, max_size=3))
def test_what_is_clearly_sound_has_nothing_wrong(data: st.DataObject, odd: dict[str, Any]) -> None:
    prompt = Prompt(text="?", choices=("A", "B"), labels=data.draw(st.booleans()))
    sound = data.draw(weighings(prompt.choices))
    tokens = data.draw(st.dictionaries(st.sampled_from(["A", "C"]), st.sampled_from([(), ("a",), ["a"], ("\0",)])))
    for one in (sound, replace(sound, logprobs={**sound.logprobs, **odd}), replace(sound, tokens=tokens)):
        if gate._clearly_sound(prompt, one):
            assert gate._wrong_weights(prompt, one) == ""
    exact = Weighing({"A": -0.5, "B": -1.5}, {"A": ("A",), "B": ("B", " B")})
    assert gate._clearly_sound(prompt, exact)


@given(st.data())
def test_what_passes_is_scored_between_0_and_1_and_survives_the_store(data: st.DataObject) -> None:
    for pose, judge in ((pose_letters, score_letters), (pose_cloze, score_cloze)):
        posed = pose(ITEM, prompt="raw", seed=0)
        results = [data.draw(weighings(asked.prompt.choices)) for asked in posed]
        for asked, result in zip(posed, results, strict=True):
            assert fault(asked.prompt, result) == ""
            assert kept(asked.prompt, result) == result
            assert 0 < result.mass <= 1
        score = judge(ITEM, posed, results)
        assert score.verdict != "error"
        b = score.detail.get("b")
        assert b is None or isfinite(b)
        rest = {name: part for name, part in score.detail.items() if name != "b"}
        assert all(0 <= one <= 1 for one in numbers([score.value, rest]))
        json.dumps(score.to_dict(), allow_nan=False)


@given(TEXT, st.sampled_from(["stop", "length", "refused"]), USAGE, TEXT)
def test_a_text_that_passes_survives_the_store(text: str, finish: Any, usage: Usage, rendered: str) -> None:
    said = Response(text, finish, usage, rendered)
    assert fault(LABELS, said) == ""
    assert kept(LABELS, said) == said


NO_NUMBER = (nan, inf, -inf, 0.5, 7, 10**400, -(10**400), -1e300, "−1", "-1", None, True, [-1.0], {}, 1j)
NO_COUNT = (-1, 1.0, True, "7", None, 2**40, 10**400, nan)
SOUND = Weighing({"A": -1.0, "B": -2.0}, {"A": ("A",), "B": (" B",)})


@pytest.mark.parametrize("value", NO_NUMBER, ids=lambda value: str(type(value)))
def test_a_number_that_is_none(value: Any) -> None:
    assert not is_logprob(value)
    assert "for 'B', which is no log-probability" in fault(LABELS, replace(SOUND, logprobs={"A": -1.0, "B": value}))
    for pair in ((value, value), (-3.0, value), (value,), value):
        assert "has bounds of" in fault(LABELS, Weighing({"A": -1.0}, bounds={"B": pair}))


WRONG: dict[str, Response | Weighing | Any] = {
    "nothing": None,
    "words": "A",
    "a dict": {"A": -1.0, "B": -2.0},
    "a missing choice": Weighing({"A": -1.0}),
    "no choice at all": Weighing(),
    "another choice": Weighing({"A": -1.0, "B": -2.0, "C": -3.0}),
    "a choice that is no text": Weighing({"A": -1.0, "B": -2.0, 3: -3.0}),  # type: ignore[dict-item]
    "a list of numbers": Weighing([-1.0, -2.0]),  # type: ignore[arg-type]
    "too much together": Weighing({"A": -0.1, "B": -0.2}),
    "too much with bounds": Weighing({"A": -0.1}, bounds={"B": (-0.2, -0.1)}),
    "bounds the wrong way round": Weighing({"A": -1.0}, bounds={"B": (-2.0, -3.0)}),
    "bounds that are a number": Weighing({"A": -1.0}, bounds={"B": -2.0}),  # type: ignore[dict-item]
    "three bounds": Weighing({"A": -1.0}, bounds={"B": (-3.0, -2.0, -1.0)}),  # type: ignore[dict-item]
    "no tokens": replace(SOUND, tokens={"A": (), "B": ("B",)}),
    "tokens of another": replace(SOUND, tokens={"C": ("C",)}),
    "tokens that are none": replace(SOUND, tokens={"A": (1,), "B": ("B",)}),  # type: ignore[dict-item]
    "tokens that are one text": replace(SOUND, tokens={"A": "A", "B": "B"}),  # type: ignore[dict-item]
    "half a letter among tokens": replace(SOUND, tokens={"A": ("\ud800",), "B": ("B",)}),
    "half a letter in what was sent": replace(SOUND, rendered="\ud800"),
    "half a letter": Response("\ud800"),
    "an end of text": Response("a\0b"),
    "an endless text": Response("x" * (LONGEST_TEXT + 1)),
    "no text": Response(None),  # type: ignore[arg-type]
    "no end": Response("A", ""),  # type: ignore[arg-type]
    "an unknown end": Response("A", ["stop"]),  # type: ignore[arg-type]
    "an error without a word": Response("A", "error"),
    "an error of half a letter": Response(error="\ud800"),
    "an error that is no text": Weighing(error=ValueError("x")),  # type: ignore[arg-type]
    "no usage": Response("A", usage=None),  # type: ignore[arg-type]
    **{f"usage {number}": replace(SOUND, usage=Usage(written=each)) for number, each in enumerate(NO_COUNT)},  # type: ignore[arg-type]
}


@pytest.mark.parametrize("result", WRONG.values(), ids=WRONG)
def test_whatever_else_is_refused_in_words(result: Any) -> None:
    said = fault(LABELS, result)
    assert said
    assert len(said) < 300
    said.encode()


def test_a_choice_that_goes_on_from_another_is_part_of_it() -> None:
    nested = Weighing({" box": -0.1, " box lid": -0.2})
    assert fault(ENDS, nested) == ""
    assert nested.mass == 1.0
    assert "1.724" in fault(replace(ENDS, choices=(" box", " bag")), Weighing({" box": -0.1, " bag": -0.2}))


def test_servers_may_round() -> None:
    assert fault(LABELS, Weighing({"A": ROUNDING / 2, "B": -20.0})) == ""
    assert exp(ROUNDING) < 1.01


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), st.lists, max_leaves=4))
def test_it_never_raises(junk: Any) -> None:
    for result in (
        junk,
        Response(junk),
        Response("A", junk),
        Response("A", usage=junk),
        Response("A", usage=Usage(junk, junk, junk)),
        Response("A", rendered=junk),
        Response(error=junk),
        Weighing(junk),
        Weighing({"A": junk, "B": -1.0}),
        Weighing({"A": -1.0}, bounds={"B": junk}),
        Weighing({"A": -1.0}, bounds={"B": (junk, junk)}),
        Weighing({"A": -1.0, "B": -1.0}, tokens=junk),
        Weighing({"A": -1.0, "B": -1.0}, tokens={"A": junk}),
        Weighing({"A": -1.0, "B": -1.0}, tokens={"A": (junk,)}),
    ):
        assert isinstance(fault(LABELS, result), str)


@pytest.mark.parametrize("result", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("verb", ["ask", "weigh"])
def test_a_memory_keeps_nothing_that_is_refused(verb: str, result: Any) -> None:
    model = Scripted(lambda _: "A", name="wrong")
    asked: list[Prompt] = []

    def answer(prompts: list[Prompt]) -> list[Any]:
        asked.extend(prompts)
        return [result for _ in prompts]

    model.ask = model.weigh = answer  # type: ignore[assignment, method-assign]
    with Store(MEMORY) as store:
        recorded = Recorded(model, store, work="w")
        (got,) = getattr(recorded, verb)([LABELS])
        assert isinstance(got, Response if verb == "ask" else Weighing)
        assert got.error.startswith("the reply ")
        assert asked == [LABELS, LABELS], "once more, and then no more"
        assert store.calls([recorded.key(verb, LABELS)]) == {}  # type: ignore[arg-type]
        spent = recorded.spent
        assert (spent.made, spent.errors, spent.retried) == (1, 1, 1)
        assert store.sittings("w") == (1, spent)


def test_a_model_that_fails_when_asked_again_loses_nothing_of_the_batch() -> None:
    def answer(prompt: Prompt) -> Response:
        if len(model.history) > 3:
            raise ModelError("gone")
        return Response("A" if "1" not in prompt.text else None, usage=Usage(5, 0, 1))  # type: ignore[arg-type]

    model = Scripted(answer, name="fades")
    with Store(MEMORY) as store:
        recorded = Recorded(model, store)
        got = recorded.ask([Prompt(text=f"prompt {number}") for number in range(3)])
        assert [bool(each.error) for each in got] == [False, True, False]
        assert (recorded.made, recorded.spent.errors, recorded.usage) == (3, 1, Usage(15, 0, 3))


def test_an_error_may_cost_what_cannot_be() -> None:
    model = Scripted(lambda _: Response(error="too long", usage=None), name="odd")  # type: ignore[arg-type]
    with Store(MEMORY) as store:
        recorded = Recorded(model, store)
        assert recorded.ask([LABELS])[0].error == "too long"
    assert recorded.usage == Usage()


def test_what_is_sound_the_second_time_is_taken_and_both_are_paid() -> None:
    replies = iter([Response("A\0", usage=Usage(10, 0, 2)), Response("A", usage=Usage(10, 0, 1))])
    model = Scripted(lambda _: next(replies), name="stutters")
    with Store(MEMORY) as store:
        recorded = Recorded(model, store)
        (got,) = recorded.ask([LABELS])
        assert (got.text, got.error) == ("A", "")
        assert recorded.ask([LABELS]) == [got]
    assert (recorded.made, recorded.reused, recorded.spent.retried, recorded.usage) == (1, 1, 1, Usage(20, 0, 3))
