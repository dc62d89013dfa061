"""Sets that are named after a premise: in each of their stories an answer hangs on it."""

import pytest

from otherminds.minds.events import Enter, Leave, Move, Tell
from otherminds.minds.story import Premises, Story
from otherminds.minds.world import Fact
from otherminds.stories.sets import action_sets, premise_matters, premise_twin
from tests import premises

LIE = Tell("Rui", "Nadia", fact=Fact("radio", "container", "locker"))
AWAY = (Enter("Rui", "den"), Enter("Nadia", "den"), Move("Rui", "radio", "drawer"), Leave("Nadia", "den"))


def test_stories_of_all_sets_by_the_second_opinion() -> None:
    found = [(about.name, fault) for about, story in premises.drawn(78) for fault in premises.faults(about, story)]
    assert found == []


def test_a_lie_that_is_believed_matters_and_one_against_the_eyes_does_not() -> None:
    lies = action_sets()["lies"]
    found = premise_twin(Story.of(*AWAY, LIE), lies)
    assert found is not None
    twin, question = found
    assert twin == Story.of(*AWAY)
    assert question == "In which container does Nadia think the radio is?"
    assert not premise_matters(Story.of(*AWAY[:3], LIE), lies)
    assert not premise_matters(Story.of(*AWAY), lies)


def test_distrust_matters_where_the_words_would_have_been_believed() -> None:
    wary = Premises(distrust=frozenset({("Nadia", "Rui")}))
    trust = action_sets()["trust"]
    assert premise_matters(Story.of(*AWAY, LIE, premises=wary), trust)
    assert not premise_matters(Story.of(*AWAY, premises=wary), trust)


def test_glass_matters_where_somebody_comes_to_look() -> None:
    events = (Enter("Rui", "den"), Move("Rui", "radio", "jar"), Enter("Nadia", "den"))
    clear = action_sets()["clear"]
    assert premise_matters(Story.of(*events, premises=Premises(clear=frozenset({"jar"}))), clear)
    assert not premise_matters(Story.of(*events[:2], premises=Premises(clear=frozenset({"jar"}))), clear)


@pytest.mark.parametrize(("name", "premise"), [("lies", "lies"), ("trust+asymmetric", "distrust"), ("clear", "clear")])
def test_what_a_set_is_about(name: str, premise: str) -> None:
    assert action_sets()[name].premise == premise


def test_the_published_sets_have_no_premise() -> None:
    assert [each.name for each in action_sets().values() if each.premise and not each.ours] == []
    assert premise_matters(Story.of(*AWAY), action_sets()["tomi"])


def test_a_fault_is_found() -> None:
    to_and_fro = Story.of(*AWAY, Enter("Nadia", "den"))
    assert list(premises.faults(action_sets()["tomi"], to_and_fro)) == ["to and fro: Nadia"]
    assert "no answer hangs on the premise" in premises.faults(action_sets()["lies"], Story.of(*AWAY[:3], LIE))
