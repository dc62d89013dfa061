"""A model with a memory asks only what is missing, and keeps every answer at once."""

import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.calling.costs import Budget, Price
from otherminds.calling.recorded import Recorded
from otherminds.errors import EndpointError, ModelError, UsageError
from otherminds.models import BROKEN_OFF, Message, Prompt, Response, Usage, Weighing
from otherminds.models.scripted import Scripted
from otherminds.store.packing import call_key, pack, unpack, unpack_prompt
from otherminds.store.store import MEMORY, Call, Store


@pytest.fixture
def store() -> Iterator[Store]:
    with Store(MEMORY) as kept:
        yield kept


def prompts(count: int) -> list[Prompt]:
    return [Prompt(text=f"prompt {number:03}") for number in range(count)]


def echo(prompt: Prompt) -> Response:
    return Response(prompt.text.upper(), usage=Usage(prompt=10, written=2), rendered=prompt.text)


def test_the_same_prompt_is_asked_once(store: Store) -> None:
    model = Scripted(echo, name="echo")
    recorded = Recorded(model, store)
    one, two = prompts(2)
    first = recorded.ask([one, two, one])
    assert [answer.text for answer in first] == ["PROMPT 000", "PROMPT 001", "PROMPT 000"]
    assert recorded.ask([two, one]) == [first[1], first[0]]
    assert len(model.history) == 2
    assert (recorded.made, recorded.reused, recorded.usage) == (2, 2, Usage(prompt=20, written=4))


def test_another_verb_another_prompt_or_another_model_is_another_call(store: Store) -> None:
    model = Scripted(lambda prompt: "A", name="one")
    prompt = Prompt(text="x", choices=("A", "B"))
    Recorded(model, store).ask([prompt])
    Recorded(model, store).weigh([prompt])
    Recorded(model, store).ask([Prompt(text="x", choices=("A", "B"), max_tokens=9)])
    assert len(model.history) == 3
    same_name = Scripted(lambda prompt: "B", name="one")
    same_name.identity = {"weights": "other bytes"}
    assert Recorded(same_name, store).ask([prompt])[0].text == "B"
    assert Recorded(model, store).ask([prompt])[0].text == "A"
    assert len(model.history) == 3


def test_common_beginnings_are_asked_side_by_side_in_batches(store: Store) -> None:
    model = Scripted(echo, name="echo", batch=2)
    sizes: list[int] = []
    ask = model.ask
    model.ask = lambda batch: (sizes.append(len(batch)), ask(batch))[1]  # type: ignore[method-assign]
    mixed = [Prompt(text=text) for text in ("b1", "a1", "b2", "a2", "a3")]
    answers = Recorded(model, store).ask(mixed)
    assert [answer.text for answer in answers] == ["B1", "A1", "B2", "A2", "A3"]
    assert [prompt.text for prompt in model.history] == ["a1", "a2", "a3", "b1", "b2"]
    assert sizes == [2, 2, 1]


def test_up_to_parallel_batches_are_under_way_at_once(store: Store) -> None:
    together = threading.Barrier(3, timeout=10)

    def meet(prompt: Prompt) -> str:
        together.wait()  # Breaks unless three calls are under way at the same time.
        return prompt.text

    model = Scripted(meet, name="meet", batch=1, parallel=3)
    assert len(Recorded(model, store).ask(prompts(6))) == 6


def test_errors_are_handed_on_and_not_kept(store: Store) -> None:
    broken = True

    def sometimes(prompt: Prompt) -> Response:
        return Response(error="too long") if broken and prompt.text.endswith("1") else echo(prompt)

    recorded = Recorded(Scripted(sometimes, name="sometimes"), store)
    assert [answer.error for answer in recorded.ask(prompts(3))] == ["", "too long", ""]
    broken = False
    assert [answer.error for answer in recorded.ask(prompts(3))] == ["", "", ""]
    assert recorded.made == 4


@pytest.mark.parametrize("bad", [nan, inf, 3.0])
def test_numbers_that_are_no_log_probabilities_are_not_kept(bad: float, store: Store) -> None:
    model = Scripted(echo, name="nan")
    model.weigh = lambda batch: [Weighing({"A": bad}) for _ in batch]  # type: ignore[method-assign]
    recorded = Recorded(model, store)
    recorded.weigh(prompts(1))
    recorded.weigh(prompts(1))
    assert (recorded.made, recorded.reused) == (2, 0)


@pytest.mark.parametrize("parallel", [1, 4])
def test_what_was_answered_before_a_failure_is_kept(parallel: int, store: Store) -> None:
    def fails_late(prompt: Prompt) -> Response:
        if prompt.text == "prompt 007":
            raise EndpointError("the server refuses the key")
        return echo(prompt)

    model = Scripted(fails_late, name="late", batch=1, parallel=parallel)
    with pytest.raises(EndpointError, match="refuses the key"):
        Recorded(model, store).ask(prompts(10))
    recorded = Recorded(Scripted(echo, name="late"), store)
    recorded.ask(prompts(10))
    assert recorded.reused >= 7
    assert recorded.made + recorded.reused == 10


def test_what_is_under_way_when_a_call_fails_is_waited_for_and_kept(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("otherminds.calling.flights.LANDING", 0.0)
    together, failed = threading.Barrier(4, timeout=10), threading.Event()

    def ask(prompt: Prompt) -> Response:
        together.wait()
        if prompt.text == "prompt 000":
            failed.set()
            raise EndpointError("the server refuses the key")
        assert failed.wait(10)
        # Nobody tries again by now, but what is being answered comes home.
        assert BROKEN_OFF.get().wait(10)
        return echo(prompt)

    model = Scripted(ask, name="slow", batch=1, parallel=4)
    with pytest.raises(EndpointError, match="refuses the key"):
        Recorded(model, store).ask(prompts(10))
    recorded = Recorded(Scripted(echo, name="slow"), store)
    recorded.ask(prompts(10))
    assert (recorded.made, recorded.reused) == (7, 3)
    assert not BROKEN_OFF.get().is_set()


def test_ctrl_c_waits_for_no_call_that_hangs(tmp_path: Path) -> None:
    program = """
import os, signal, threading
from otherminds.calling import flights
from otherminds.calling import recorded
from otherminds.models.scripted import Scripted
from otherminds.store.store import MEMORY, Store
from tests.calling.test_recorded import prompts

flights.LANDING = 0.1
signal.signal(signal.SIGINT, signal.default_int_handler)

def hang(prompt):
    if prompt.text == "prompt 001":
        os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait()

try:
    recorded.Recorded(Scripted(hang, name="hangs", batch=1, parallel=2), Store(MEMORY)).ask(prompts(4))
except KeyboardInterrupt:
    print("stopped")
"""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.returncode) == ("stopped\n", 0), done.stderr


def test_a_model_that_loses_a_result_is_told(store: Store) -> None:
    class Loses(Scripted):
        def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
            return super().ask(prompts)[1:]

    with pytest.raises(ModelError, match="gave 1 results for 2 prompts"):
        Recorded(Loses(echo, name="loses"), store).ask(prompts(2))


def test_progress_counts_to_the_end(store: Store) -> None:
    seen: list[tuple[int, int]] = []
    recorded = Recorded(Scripted(echo, name="e", batch=2), store, progress=lambda *step: seen.append(step))
    recorded.ask(prompts(5))
    assert seen == [(0, 5), (2, 5), (4, 5), (5, 5)]


@pytest.mark.parametrize("parallel", [1, 3])
def test_a_budget_of_calls_is_never_passed(parallel: int, store: Store) -> None:
    model = Scripted(echo, name="echo", batch=4, parallel=parallel)
    recorded = Recorded(model, store, budget=Budget(calls=6))
    answers = recorded.ask(prompts(10))
    assert len(model.history) == 6
    assert [answer.error for answer in answers].count("the budget of 6 calls is spent") == 4
    more = Recorded(model, store, budget=Budget(calls=4))
    assert all(not answer.error for answer in more.ask(prompts(10)))
    assert more.stopped == ""
    assert len(model.history) == 10


@pytest.mark.parametrize(
    ("budget", "made"),
    [
        (Budget(tokens=25), 3),
        (Budget(seconds=0), 0),
        (Budget(money=0.000_05, prices={"echo": Price(prompt=1, written=5)}), 3),
        (Budget(calls=0), 0),
        (Budget(), 10),
    ],
)
def test_budgets_stop_the_asking(budget: Budget, made: int, store: Store) -> None:
    recorded = Recorded(Scripted(echo, name="echo", batch=1), store, budget=budget)
    answers = recorded.ask(prompts(10))
    assert recorded.made == made
    assert bool(recorded.stopped) == (made < 10)
    assert [bool(answer.error) for answer in answers].count(True) == 10 - made


def test_a_budget_of_money_needs_a_price(store: Store) -> None:
    with pytest.raises(UsageError, match="price for 'echo'"):
        Recorded(Scripted(echo, name="echo"), store, budget=Budget(money=1))


def test_the_store_keeps_what_was_really_sent(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        recorded = Recorded(Scripted(echo, name="echo"), store)
        (prompt,) = prompts(1)
        recorded.ask([prompt])
        (call,) = store.calls([recorded.key("ask", prompt)]).values()
        assert call.rendered == "prompt 000"
        assert call.fingerprint == recorded.fingerprint
        assert unpack_prompt(call.prompt) == prompt
        assert store.identity(recorded.fingerprint) == recorded.identity


numbers = st.one_of(st.just(-inf), st.floats(-1e6, 0))
weighings = st.builds(
    Weighing,
    logprobs=st.dictionaries(st.text(max_size=3), numbers, max_size=3),
    tokens=st.dictionaries(st.text(max_size=3), st.tuples(st.text(max_size=3)), max_size=2),
    bounds=st.dictionaries(st.text(max_size=3), st.tuples(numbers, numbers), max_size=2),
    usage=st.builds(Usage, st.integers(0), st.integers(0), st.integers(0)),
    rendered=st.text(max_size=5),
)


@given(weighings)
def test_a_weighing_survives_the_store(result: Weighing) -> None:
    assert unpack(Call("k", "f", "weigh", {}, result.rendered, pack(result), 0.0)) == result


def test_a_prompt_survives_the_store() -> None:
    full = Prompt(
        messages=(Message("system", "Be brief."), Message("user", "Hi")),
        prefill="I",
        choices=("A", "B"),
        labels=True,
        schema="{}",
        stop=("\n",),
        max_tokens=7,
    )
    for prompt in (full, Prompt(text="raw")):
        assert unpack_prompt(prompt.to_dict()) == prompt
        assert call_key("f", "ask", unpack_prompt(prompt.to_dict())) == call_key("f", "ask", prompt)
