"""Beliefs over time: traces hold what the views hold, and only chains that say something new are told."""

import pytest

from otherminds.errors import UsageError
from otherminds.minds.beliefs import WORLD, agreement, beliefs, chain_name, chains, outcomes, summary, traces
from otherminds.minds.events import Change, Enter, Leave, Move, Place, Tell
from otherminds.minds.stories import STORIES, load_story
from otherminds.minds.story import Story
from otherminds.minds.world import Fact


def test_a_trace_follows_the_views() -> None:
    (trace,) = traces(load_story("sally-anne"), order=2)
    assert trace.heading == "Where is the marble?"
    assert trace.values[WORLD] == (None, None, "basket", "basket", "box")
    assert trace.values[("Sally",)] == (None, None, "basket", "basket", "basket")
    assert trace.telling(2) == [("Sally", "Anne")]
    assert agreement(trace) == "Left out, being the same without the first mind: 1 of 2 chains of order 2."


@pytest.mark.parametrize("name", STORIES)
def test_a_chain_that_is_left_out_can_be_read_off_a_shorter_one(name: str) -> None:
    for trace in traces(load_story(name), order=3):
        told = {WORLD, *trace.of_order(1), *trace.telling(2), *trace.telling(3)}
        for minds, values in trace.values.items():
            shorter = minds
            while shorter not in told:
                shorter = shorter[1:]
            assert values == trace.values[shorter]


def test_outcomes_name_wrong_beliefs_of_every_order() -> None:
    found = traces(load_story("sally-anne"), order=2)
    assert outcomes(found) == [
        "Sally wrongly thinks that the marble is in the basket.",
        "Sally wrongly thinks that Anne thinks that the marble is in the basket.",
    ]
    assert summary(found, order=2, limit=1) == [outcomes(found)[0], "And 1 more such beliefs are wrong."]


def test_nobody_is_wrong_where_all_saw_all() -> None:
    story = Story.of(Enter("Ruth", "shed"), Move("Ruth", "seed", "pot"))
    assert summary(traces(story, order=2), order=2, limit=3) == [
        "Nobody is wrong up to order 2, neither about what is so nor about what anybody thinks."
    ]


def test_states_topics_and_lies_about_people_are_matters_too() -> None:
    story = Story.of(
        Enter("Ruth", "shed"),
        Enter("Saul", "barn"),
        Change("Ruth", "seed", "wet", "is wet", visible=False),
        Tell("Ruth", "Saul", topic="rain"),
        Tell("Saul", "Ruth", topic="hail", peekers={"Orla"}),
        Tell("Ruth", "Saul", fact=Fact("Orla", "room", "barn")),
    )
    found = {trace.heading: trace for trace in traces(story, order=2)}
    wet = found["What is the seed like? (wet)"]
    assert (wet.values[("Ruth",)][-1], wet.values[("Saul",)][-1]) == ("is wet", None)
    rain = found["Who has heard about rain?"]
    assert (rain.values[("Saul",)][-1], rain.values[("Orla",)][-1], rain.unknown) == ("heard", None, "no")
    assert "In which room is Orla?" in found


def test_a_wrong_belief_about_what_somebody_heard_is_told_as_hearing() -> None:
    story = Story.of(
        *(Enter(name, "shed") for name in ("Ruth", "Saul", "Orla")), Tell("Ruth", topic="rain", distracted={"Orla"})
    )
    assert "Ruth wrongly thinks that Orla has heard about rain." in outcomes(traces(story, order=2))
    assert "Saul wrongly thinks that Ruth thinks that Orla has heard about rain." not in outcomes(
        traces(story, order=3)
    )


def test_rooms_are_shown_only_where_containers_do_not_tell() -> None:
    one = Story.of(Enter("Ruth", "shed"), Move("Ruth", "seed", "pot"))
    assert [trace.heading for trace in traces(one, order=1)] == ["Where is the seed?"]
    loose = Story.of(Enter("Ruth", "shed"), Place("seed", "shed"))
    assert [trace.heading for trace in traces(loose, order=1)] == ["In which room is the seed?"]
    both = one.then(Enter("Saul", "barn")).then(Tell("Ruth", "Saul", fact=Fact("seed", "room", "shed")))
    assert [trace.heading for trace in traces(both, order=1)] == ["Where is the seed?"]
    apart = both.then(Enter("Saul", "shed")).then(Leave("Ruth", "shed")).then(Enter("Ruth", "barn"))
    apart = apart.then(Move("Ruth", "bulb", "box"))
    told = apart.then(Tell("Ruth", "Saul", fact=Fact("seed", "room", "barn")))
    assert "In which room is the seed?" in [trace.heading for trace in traces(told, order=1)]


def test_beliefs_say_what_is_so() -> None:
    story = load_story("sally-anne")
    assert (Fact("marble", "container", "basket"), False) in beliefs(story, ("Sally",))
    assert (Fact("marble", "container", "box"), True) in beliefs(story, ("Anne",))
    loose = Story.of(Enter("Ruth", "shed"), Place("seed", "shed"), Leave("Ruth", "shed"))
    assert (Fact("seed", "container", "in the open"), True) in beliefs(loose, ("Ruth",))


def test_chains_never_repeat_a_mind_at_once() -> None:
    found = chains(("Ruth", "Saul"), order=3)
    assert found == [(), ("Ruth",), ("Saul",), ("Ruth", "Saul"), ("Saul", "Ruth"), *found[5:]]
    assert [chain_name(minds) for minds in found[5:]] == ["Ruth › Saul › Ruth", "Saul › Ruth › Saul"]


@pytest.mark.parametrize("order", [0, 50])
def test_orders_out_of_reach_are_refused(order: int) -> None:
    with pytest.raises(UsageError, match=f"from order 1 to order 6, so there is no order {order}"):
        traces(load_story("sally-anne"), order=order)


def test_too_many_people_are_refused_before_the_work() -> None:
    crowd = tuple(f"P{number}" for number in range(200))
    with pytest.raises(UsageError, match=r"200 people make 40,000 chains of minds up to order 2"):
        chains(crowd, order=2)
