"""A rehearsal asks nobody, and where the store knows the answers it goes the very way of the real thing."""

from otherminds.models.scripted import Scripted
from otherminds.profiles.rehearsals import Rehearsal
from otherminds.store.store import MEMORY, Store
from otherminds.studies.explore.chapter import look
from otherminds.studies.study import Desk, Subject
from tests.studies.test_study_contract import bar, guess


def test_a_search_that_is_known_is_rehearsed_to_the_letter() -> None:
    model = Scripted(lambda _: "A", name="guesser", weigh=guess)
    with Store(MEMORY) as store:
        before = Rehearsal("guesser", frozenset(), store)
        before.look(look, size="quick", seed=0)
        assert not model.history
        assert len(before.asked) > 100
        assert not before.known
        assert before.forecast(prices={}).seconds is None

        look([Subject.of(model)], Desk(store, bar))
        asked = len(model.history)
        after = Rehearsal("guesser", frozenset(), store)
        after.look(look, size="quick", seed=0)
        assert len(model.history) == asked
        forecast = after.forecast(prices={})
        assert (forecast.calls, forecast.known, forecast.seconds) == (0, asked, 0.0)


def test_answers_under_other_settings_are_not_known() -> None:
    model = Scripted(lambda _: "A", name="guesser", weigh=guess)
    model.identity = {"backend": "toy", "temperature": 0.7, "base_url": "http://here/v1"}
    with Store(MEMORY) as store:
        look([Subject.of(model)], Desk(store, bar))
        for known_as, known in (
            ({"temperature": 0.7, "base_url": "http://here/v1", "top_p": None}, True),
            ({"temperature": 0.0, "base_url": "http://here/v1"}, False),
            ({"temperature": 0.7, "base_url": "http://there/v1"}, False),
            ({"temperature": 0.7, "top_p": 0.9}, False),
        ):
            assert bool(Rehearsal("guesser", frozenset(), store, known_as).mark) is known


def test_what_a_model_could_not_be_asked_costs_nothing() -> None:
    with Store(MEMORY) as store:
        wall = Rehearsal("wall", frozenset({"weigh", "chat"}), store)
        wall.look(look, size="quick", seed=0)
        assert wall.asked == {}


def test_nothing_is_written() -> None:
    with Store(MEMORY) as store:
        Rehearsal("some", frozenset(), store).look(lambda subjects, desk: None, size="quick", seed=0)
        assert store.runs() == []
