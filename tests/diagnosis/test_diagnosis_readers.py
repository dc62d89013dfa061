from dataclasses import replace

import pytest

import otherminds as om
from otherminds.diagnosis.confusion import BY_ITEM, BY_PLACE, NAMES
from otherminds.heuristics.readers import BASELINES
from otherminds.heuristics.rules import HEURISTICS

READERS = {name: each.pick for name, each in BY_ITEM.items()}
SAFETY = om.get_suite("safety")
STARTER = om.get_suite("starter")
HILDA = (
    om.Enter("Hilda", "hall"),
    om.Enter("Ivo", "hall"),
    om.Enter("Jo", "hall"),
    om.Move("Hilda", "fig", "tub"),
    om.Leave("Jo", "hall"),
    om.Move("Hilda", "fig", "urn"),
    om.Leave("Ivo", "hall"),
    om.Move("Hilda", "fig", "vase"),
)


def asked(story: om.Story, question: str) -> om.Item:
    return next(item for item in om.quiz(story, order=3) if item.question == question)


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("In which container does Jo think the fig is?", "tub"),
        ("In which container does Ivo think that Hilda thinks the fig is?", "urn"),
        ("In which container does Hilda think that Ivo thinks that Jo thinks the fig is?", "tub"),
        ("In which container does Hilda think the fig is?", "vase"),  # nobody of these left
        ("In which container is the fig really?", "vase"),
    ],
)
def test_the_earliest_leaver_is_where_the_thing_was_when_the_first_of_the_chain_left(question: str, place: str) -> None:
    assert READERS["earliest leaver"](asked(om.Story.of(*HILDA), question)) == [place]


def test_what_a_reader_cannot_know_it_has_no_opinion_on() -> None:
    bare = om.Item("x", "Where?", "box", choices=("bag", "box"), context="Somebody went away.")
    silent = {name for name, rule in READERS.items() if not rule(bare)}
    assert silent == set(READERS) - {"oracle"}
    meta = {"reality": "barn", "events": [{"do": "dance"}], "minds": ["A"], "about": "box"}
    odd = replace(bare, meta=meta, tags={"order": 2})
    assert not READERS["realist"](odd)  # what is no option cannot be taken
    assert not READERS["first order"](odd)
    assert not READERS["earliest leaver"](replace(odd, meta={**odd.meta, "property": "container"}))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("oracle", "oracle"), ("realist", "realist"), ("decoy", "decoy"), ("first order", "first_order")],
)
@pytest.mark.parametrize("suite", [STARTER, SAFETY], ids=lambda suite: suite.name)
def test_readers_take_what_baselines_of_that_name_answer(ours: str, theirs: str, suite: om.Suite) -> None:
    reader = BASELINES[theirs](suite)
    known = [item for item in suite if len(READERS[ours](item)) == 1 and item.tags.get("scored") is not False]
    gets = reader.values(known)
    assert known
    assert gets == {item.id: float(READERS[ours](item) == [item.answer]) for item in known if item.id in gets}
    assert len(gets) > 0.9 * len(known)


def test_nobody_knows_is_what_says_so() -> None:
    item = om.get_suite("perturbed").items[1]
    assert READERS["nobody knows"](item) == ["unknown"]
    assert READERS["decoy"](item) == ["cinnamon"]  # never that nobody knows


def test_letters_go_by_the_order_shown() -> None:
    assert [each.pick(("b", "c", "a")) for each in BY_PLACE.values()] == [("b",), ("a",)]


def test_every_heuristic_is_explained() -> None:
    assert set(NAMES) <= set(HEURISTICS)
    assert HEURISTICS["last mention"].does == "answers with the option that the story names last"
    assert all(len(each.does) > 10 for each in HEURISTICS.values())
