"""Steps group what is told together, and their claims follow from the events."""

from otherminds.minds.events import Carry, Change, Enter, Event, Leave, Move, Place, Tell
from otherminds.minds.story import Story
from otherminds.minds.world import Fact
from otherminds.prose.claims import claims, known, steps


def groups(*events: Event) -> list[int]:
    return [len(step.moments) for step in steps(Story.of(*events))]


def test_alike_events_form_one_step(sally_anne: Story) -> None:
    assert [step.raw for step in steps(sally_anne)] == [
        "Sally entered the den. Anne entered the den.",
        "Sally put the marble into the basket.",
        "Sally left the den.",
        "Anne moved the marble to the box.",
    ]


def test_at_most_one_field_may_differ_over_a_whole_step() -> None:
    assert groups(Enter("Ann", "den"), Enter("Bob", "den"), Enter("Cem", "den")) == [3]
    assert groups(Enter("Ann", "den"), Enter("Bob", "den"), Enter("Bob", "hall")) == [2, 1]
    assert groups(Enter("Ann", "den"), Move("Ann", "pin", "box"), Move("Ann", "pin", "tin")) == [1, 2]
    assert groups(Enter("Ann", "den"), Enter("Bob", "hall")) == [1, 1]


def test_kinds_of_telling_are_kept_apart() -> None:
    there = (Enter("Ann", "den"), Enter("Bob", "den"), Enter("Cem", "den"))
    private, aloud = Tell("Ann", "Bob", topic="the fair"), Tell("Ann", topic="the fair")
    assert groups(*there, private, aloud) == [3, 1, 1]


def test_a_secret_event_stays_alone() -> None:
    there = (Enter("Ann", "den"), Enter("Bob", "den"))
    secret = Move("Ann", "pin", "tin", distracted=frozenset({"Bob"}))
    assert groups(*there, Move("Ann", "pin", "box"), secret, Move("Ann", "pin", "box")) == [2, 1, 1, 1]


def test_what_a_step_names_and_who_is_there() -> None:
    story = Story.of(
        Enter("Ann", "den"), Enter("Bob", "den"), Leave("Bob", "den"), Enter("Cem", "den"), Move("Ann", "pin", "box")
    )
    last = steps(story)[-1]
    assert last.named == ("Ann", "pin", "box")
    assert last.people == ("Ann", "Cem")
    told = steps(story.then(Tell("Ann", "Bob", fact=Fact("pin", "room", "den"))))[-1]
    assert told.named == ("Ann", "Bob", "pin")


def asked(story: Story) -> dict[str, bool]:
    return {claim.question: claim.hoped for claim in claims(steps(story)[-1])}


def test_sally_is_not_to_learn_where_the_marble_went(sally_anne: Story) -> None:
    found = asked(sally_anne)
    assert found["After the new passage, is it so that the marble is in the box?"]
    assert found["After the new passage, does Anne think that the marble is in the box?"]
    assert not found["After the new passage, does Sally think that the marble is in the box?"]


def test_a_secret_is_kept_and_does_not_last() -> None:
    secret = Move("Ann", "pin", "tin", peekers=frozenset({"Cem"}), distracted=frozenset({"Bob"}))
    found = asked(Story.of(Enter("Ann", "den"), Enter("Bob", "den"), Move("Ann", "pin", "box"), secret))
    about = {
        question.partition('." ')[2]: hoped for question, hoped in found.items() if "This is to happen" in question
    }
    assert about == {
        "Does the passage tell this, in whatever words?": True,
        "Does Cem secretly see it?": True,
        "Does anybody notice that Cem secretly sees it?": False,
        "Does Cem secretly see anything besides it, or go on doing so afterwards?": False,
        "Does Bob miss it, being distracted?": True,
        "Does anybody notice that Bob is distracted?": False,
        "Does Bob stay distracted longer than it takes?": False,
    }
    assert found["After the new passage, does Bob think that the pin is in the box?"]
    assert not found["After the new passage, does Bob think that the pin is in the tin?"]
    assert found["After the new passage, does Cem think that the pin is in the tin?"]


def test_private_words_stay_private_and_topics_are_kept() -> None:
    there = [Enter(name, "den") for name in ("Ann", "Bob", "Cem")]
    found = asked(Story.of(*there, Tell("Ann", "Bob", topic="the fair")))
    told = 'This is to happen in the new passage: "Ann privately told Bob about the fair." '
    assert not found[told + "Does anybody other than Ann and Bob hear it?"]
    assert found[told + "Is it about the fair that Ann speaks?"]
    assert found["After the new passage, has Bob heard about the fair?"]
    assert not found["After the new passage, has Cem heard about the fair?"]


def test_a_lie_reaches_its_hearer_and_not_its_speaker() -> None:
    lie = Tell("Ann", "Bob", fact=Fact("pin", "container", "tin"))
    placed = (Enter("Ann", "den"), Move("Ann", "pin", "tin"), Move("Ann", "pin", "box"))
    found = asked(Story.of(*placed, lie))
    assert found["After the new passage, is it so that the pin is in the box?"]
    assert found["After the new passage, does Bob think that the pin is in the tin?"]
    assert not found["After the new passage, does Ann think that the pin is in the tin?"]


def test_states_and_things_in_the_open_are_claimed() -> None:
    dented = Change("Ann", "pin", "shape", "is bent")
    found = asked(Story.of(Place("pin", "den"), Enter("Ann", "den"), Carry("Ann", "pin", "hall"), dented))
    assert found["After the new passage, is it so that the pin is bent?"]
    assert found["After the new passage, is it so that the pin is in no container?"]


def test_what_held_before_is_told_to_the_judge(sally_anne: Story) -> None:
    first, *_, last = steps(sally_anne)
    assert known(first) == []
    assert "Anne thinks that the marble is in the basket." in known(last)
    assert not any("box" in each for each in known(last))
