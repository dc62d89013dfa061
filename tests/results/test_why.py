"""The event by which an answer stands fast is the last one that changes it."""

from otherminds.minds.events import Enter, Move, Tell
from otherminds.minds.questions import quiz
from otherminds.minds.story import Story
from otherminds.results.reading import why


def reasons(story: Story) -> dict[str, str]:
    return {item.question: why(story, item) for item in quiz(story, order=2)}


def test_what_happens_out_of_sight_changes_the_world_alone(sally_anne: Story) -> None:
    found = reasons(sally_anne)
    sally = found["In which container does Sally think the marble is?"]
    assert sally == "Fixed by event 3. Event 5 changes what is so, not this."
    assert found["In which container does Anne think the marble is?"] == "Fixed by event 5."
    nested = found["In which container does Anne think that Sally thinks the marble is?"]
    assert nested == "Fixed by event 3. Event 5 changes what is so, not this."


def test_several_events_out_of_sight(sally_anne: Story) -> None:
    longer = sally_anne.then(Move("Anne", "marble", "drawer"))
    sally = reasons(longer)["In which container does Sally think the marble is?"]
    assert sally == "Fixed by event 3. Events 5 and 6 change what is so, not this."


def test_what_nobody_ever_learns_is_decided_by_no_event() -> None:
    story = Story.of(Enter("Anne", "den"), Move("Anne", "marble", "box"), Enter("Sally", "den"))
    sally = reasons(story)["In which container does Sally think the marble is?"]
    assert sally == "No event decides it: it is “unknown” all along. Event 2 changes what is so, not this."


def test_what_is_so_needs_no_reason(sally_anne: Story) -> None:
    talked = sally_anne.then(Tell("Anne", "Sally", topic="the school play"))
    found = reasons(talked)
    assert found["In which container is the marble really?"] == ""
    assert found["Has Sally heard about the school play?"] == "Fixed by event 6."


def test_the_first_event_can_decide() -> None:
    story = Story.of(Tell("Anne", "Sally", topic="the school play"), Enter("Bob", "den"))
    found = reasons(story)
    assert found["Has Sally heard about the school play?"] == "Fixed by event 1."
    bob = "No event decides it: it is “no” all along. Event 1 changes what is so, not this."
    assert found["Has Bob heard about the school play?"] == bob
