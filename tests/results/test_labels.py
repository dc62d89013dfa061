"""What runs are called on pages."""

from dataclasses import replace

from otherminds.heuristics.readers import oracle
from otherminds.results.labels import mark, run_labels, tell_apart, together
from otherminds.runs.runs import run
from otherminds.studies.starter.study import starter

SUITE = starter()
RUN = replace(run(SUITE, oracle(SUITE), limit=4), id="a")


def test_a_part_is_said_only_where_it_tells_apart() -> None:
    assert tell_apart([("one", ", x", ", 1"), ("one", ", y", ", 1"), ("two", ", x", ", 1")]) == [
        "one, x",
        "one, y",
        "two",
    ]
    assert tell_apart([("one", ", x", ", 1"), ("one", ", x", ", 2")]) == ["one, 1", "one, 2"]
    assert tell_apart([]) == []


def test_runs_are_called_by_how_they_were_asked_and_by_what_else_differs() -> None:
    assert run_labels([RUN]) == {"a": "letters"}
    assert run_labels([RUN, replace(RUN, id="b", model="two")]) == {"a": "oracle, letters", "b": "two, letters"}
    assert run_labels([RUN, replace(RUN, id="b", prompt="direct")]) == {"a": "letters (raw)", "b": "letters (direct)"}
    other = replace(RUN, id="b", suite="harder", digest="other")
    assert run_labels([RUN, other]) == {"a": "letters on starter", "b": "letters on harder"}
    assert run_labels([RUN, replace(RUN, id="b")]) == {"a": "letters, a", "b": "letters, b"}


def test_runs_of_the_same_stand_together_under_one_name() -> None:
    warm = replace(RUN, id="b", fingerprint="abcdefgh")
    found = together(
        [RUN, warm, replace(warm, id="c")], lambda run: run.fingerprint, lambda run: (run.model, mark(run))
    )
    assert [(label, [each.id for each in some]) for label, some in found] == [
        (f"oracle ({RUN.fingerprint[:6]})", ["a"]),
        ("oracle (abcdef)", ["b", "c"]),
    ]
    assert together([RUN], lambda run: run.id, lambda run: (run.model, mark(run)))[0][0] == "oracle"
