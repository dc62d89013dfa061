"""A record as a person would read it."""

from dataclasses import replace
from math import log

from otherminds.formats.scores import Score
from otherminds.items import Item
from otherminds.models import Response, Weighing
from otherminds.results.reading import read_record, read_result, read_verdict
from otherminds.runs.runs import Record

ITEM = Item("a", "Where is it?", "tin", context="It is in the tin.", choices=("tin", "jar"))


def test_every_part_is_there() -> None:
    weighed = Weighing({"A": log(0.5), "B": log(0.25)}, {"A": ("A", " A")}, rendered="It is … Answer:")
    record = Record(ITEM, (), (weighed, weighed), (), Score("incorrect", 0.0, "jar", "S = 0.4"))
    parts = dict(read_record(record))
    assert parts["story"] == "It is in the tin."
    assert (parts["choice 1"], parts["choice 2"], parts["right answer"]) == ("tin (right)", "jar (said)", "tin")
    assert parts["prompt 2, exactly as sent"] == "It is … Answer:"
    assert "'A'  p = 0.5000  log p = -0.693  tokens 'A' ' A'" in parts["what came back 1"]
    assert parts["what came back 1"].endswith("together 0.7500")
    assert (parts["the model's answer"], parts["verdict"]) == ("jar", "incorrect: S = 0.4")
    assert read_verdict(record) == "incorrect: 'jar' (S = 0.4); right would be 'tin'"


def test_why_the_answer_is_right_is_said_where_it_is_known() -> None:
    told = replace(ITEM, meta={"why": "she was out when it was moved"})
    score = Score("correct", 1.0, "tin", "")
    assert dict(read_record(Record(told, (), (), (), score)))["why it is right"] == "she was out when it was moved"
    assert "why it is right" not in dict(read_record(Record(ITEM, (), (), (), score)))


def test_words_that_were_cut_off_say_so() -> None:
    assert read_result(Response("It is in the", "length")) == "It is in the\n[ended: length]"
    assert read_result(Response("tin")) == "tin"


def test_a_failed_call_gives_its_reason() -> None:
    assert read_result(Response(error="the prompt is too long")) == "[failed: the prompt is too long]"
    assert read_result(Weighing(error="the prompt is too long")) == "[failed: the prompt is too long]"


def test_bounds_are_shown_as_such() -> None:
    said = read_result(Weighing({"A": -0.1}, bounds={"B": (float("-inf"), -4.5)}))
    assert "'B'  not reported: log p between -inf and -4.500" in said


def test_an_answer_that_nothing_makes_right_is_called_so() -> None:
    open_ended = replace(ITEM, tags={"scored": False})
    record = Record(open_ended, (), (), (), Score("incorrect", 0.0, "jar", "S = 0.4"))
    assert dict(read_record(record))["verdict"] == "unscored: S = 0.4"
    assert read_verdict(record) == "unscored: 'jar' (S = 0.4)"
