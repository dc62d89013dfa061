"""Numbers on another scale than natural log-probabilities, or that stand for nothing measured, are no answers."""

import re
from itertools import cycle
from math import exp, log
from typing import Any

import pytest

from otherminds.models import Prompt, Usage, Weighing
from otherminds.models.api.endpoint import Endpoint
from otherminds.models.api.replies import counted, echoed, reported
from otherminds.models.api.wire import Unsound
from otherminds.models.gate import fault
from tests.models.scripted_server import Call, Reply, completion, serving
from tests.scale_servers import FORMS, SOUND, WRONG, WRONG_ECHO, Speaker, put

LABELS = Prompt(text="A or B:", choices=("A", "B"), labels=True)


@pytest.mark.parametrize(
    ("name", "form"), [*zip(WRONG, cycle(FORMS), strict=False), *((name, "cloze") for name in WRONG_ECHO)]
)
def test_a_wrong_scale_is_named_before_the_first_item(name: str, form: str) -> None:
    settings, word = (WRONG | WRONG_ECHO)[name]
    found = put(Speaker(**settings), form)
    assert re.search(word, found.said), found
    assert "score 'text'" in found.said
    assert found.items == 0
    assert found.probes < 30


@pytest.mark.parametrize(("name", "form"), [*zip(SOUND, cycle(FORMS), strict=False)])
def test_a_sound_server_is_let_alone(name: str, form: str) -> None:
    found = put(Speaker(**SOUND[name]), form)
    assert not found.said
    assert found.items
    assert found.probes < 30
    assert all(note.startswith("scale ") for note in found.notes.values())


def test_what_could_not_be_checked_is_said() -> None:
    assert put(Speaker(top=1), "letters, raw").notes == {"raw": "scale not checked: lists one token only"}
    assert "temperature not checked" in put(Speaker(most=1), "letters, raw").notes["raw"]


def test_nothing_is_probed_for_a_run_in_words() -> None:
    import otherminds as om
    from tests.faults.bench import suite

    speaker = Speaker()
    with serving(speaker) as server:
        model = Endpoint("m", base_url=server.url)
        assert model.identity
        before = len(speaker.probes)
        done = om.run(suite(2).using(prompt="direct", score="text"), model)
        assert (len(speaker.probes), model.scales, done.manifest["scales"]) == (before, {}, {})
        done = om.run(suite(1).using(prompt="direct", score="letters"), model)
        assert done.manifest["scales"] == model.scales
        asked = len(speaker.probes)
        om.run(suite(3).using(prompt="direct", score="letters"), model)
        assert len(speaker.probes) == asked


def chat(*entries: tuple[str, float], **more: Any) -> dict[str, Any]:
    listed = [{"token": token, "logprob": value} | more for token, value in entries]
    return {"choices": [{"logprobs": {"content": [listed[0] | {"top_logprobs": listed}]}}]}


def raw(entries: dict[str, float]) -> dict[str, Any]:
    return {"choices": [{"logprobs": {"top_logprobs": [entries]}}]}


@pytest.mark.parametrize("value", [-9999.0, -9999, -100.0, -1e4, -3.4028234663852886e38])
def test_a_token_that_was_not_measured_is_bounded(value: float) -> None:
    found = reported(raw({" A": -0.5, "\n": -2.0, " B": value}), asked=20)
    assert " B" not in found
    weighed = counted(LABELS, found, Usage())
    assert "B" not in weighed.logprobs
    assert weighed.bounds["B"][1] <= -1.0


@pytest.mark.parametrize("reply", [raw({" A": 0.0, " B": -9999.0}), chat((" A", 0.0), (" B", -9999.0), ("C", -9999.0))])
def test_a_certain_token_among_placeholders_is_no_measurement(reply: dict[str, Any]) -> None:
    with pytest.raises(Unsound, match="temperature of 0"):
        reported(reply, asked=20)


def test_a_token_listed_twice_lies_between_what_is_said_of_it() -> None:
    found = counted(LABELS, reported(chat((" A", -1.0), (" A", -3.0), (" B", -2.0), ("B", -6.0)), asked=20), Usage())
    low, high = found.bounds["A"]
    assert low <= -3.0
    assert high >= log(exp(-1) + exp(-3))


def test_the_same_letters_from_other_bytes_are_another_token() -> None:
    listed = [{"token": "�", "logprob": -1.0, "bytes": [240]}, {"token": "�", "logprob": -2.0, "bytes": [241]}]
    found = reported({"choices": [{"logprobs": {"content": [listed[0] | {"top_logprobs": listed}]}}]}, asked=20)
    assert found["�"] == pytest.approx(log(exp(-1) + exp(-2)))


def test_a_token_of_great_chance_listed_twice_is_more_than_certain() -> None:
    with pytest.raises(Unsound, match="more than 1"):
        reported(chat((" A", -0.1), (" A", -0.2)), asked=20)


def echo(values: list[Any], tokens: tuple[str, ...] = ("in", " the", " box", ".")) -> dict[str, Any]:
    return {"choices": [{"text": "in the box.", "logprobs": {"tokens": [*tokens], "token_logprobs": values}}]}


def test_an_echo_has_no_number_at_its_first_token_alone() -> None:
    assert echoed(echo([None, -1.0, -2.0, -3.0]), "in the", " box") == [(" box", -2.0)]
    # Some servers begin with a token that they do not show.
    assert echoed(echo([-5.0, -1.0, -2.0, -3.0]), "in the", " box") == [(" box", -2.0)]
    for shifted in ([-1.0, -2.0, -3.0, None], [None, None, -1.0, -2.0]):
        with pytest.raises(Unsound, match="another place"):
            echoed(echo(shifted), "in the", " box")


@pytest.mark.parametrize("value", [-9999.0, -100, -1e4])
def test_an_echoed_token_that_was_not_measured_is_no_number(value: float) -> None:
    with pytest.raises(Unsound, match="log-probability of"):
        echoed(echo([None, -1.0, value, -3.0]), "in the", " box")


def test_the_gate_lets_long_continuations_pass_and_placeholders_not() -> None:
    long = Prompt(text="x", choices=(" a" * 40, " b"))
    pieces = {long.choices[0]: (" a",) * 40, " b": (" b",)}
    assert not fault(long, Weighing({long.choices[0]: -2500.0, " b": -30.0}, pieces))
    assert "no log-probability" in fault(long, Weighing({long.choices[0]: -80.0, " b": -9999.0}, pieces))
    assert "no log-probability" in fault(LABELS, Weighing({"A": -0.1, "B": -9999.0}, {"A": ("A",), "B": ("B",)}))
    assert not fault(LABELS, Weighing({"A": -0.1, "B": -61.5}, {"A": ("A",), "B": ("B",)}))


def test_a_wrong_scale_does_not_keep_a_server_from_being_known() -> None:
    def says(_: Call) -> Reply:
        return completion(" A", logprobs={"top_logprobs": [{" A": 3.5, " B": 2.0}]})

    with serving(says) as server:
        model = Endpoint("m", base_url=server.url, retries=0)
        assert model.identity["form"]["raw"][1] == 20
        assert "log-probability of '3.5'" in model.weigh([LABELS])[0].error
