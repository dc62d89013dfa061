"""An outage of minutes ends no run."""

import pytest

from otherminds.models import Prompt
from otherminds.models.api.endpoint import Endpoint
from tests.models.scripted_server import Reply, completion, first_then, serving

RAW = Prompt(text="The marble is in the", max_tokens=5)


@pytest.mark.parametrize(
    ("status", "often"), [(500, 25), (429, 12), (503, 12), (502, 25)], ids=["500", "429", "503", "502"]
)
def test_a_run_outlasts_minutes_of_errors(status: int, often: int, waits: list[float]) -> None:
    well, away = completion(" box"), Reply({}, status=status)
    with serving(first_then(well, *[away] * often, well)) as server:
        model = Endpoint("m", base_url=server.url, lacks="")
        assert [model.ask([RAW])[0].text for _ in range(2)] == [" box"] * 2
    assert sum(waits) > 90
    assert (model.retried, model.waited) == (len(waits), pytest.approx(sum(waits)))


def test_a_clock_that_is_two_minutes_ahead_ends_no_run(waits: list[float]) -> None:
    dates = {"Date": "Mon, 01 Jan 2035 10:02:00 GMT", "Retry-After": "Mon, 01 Jan 2035 10:02:03 GMT"}
    with serving(first_then(Reply({}, status=429, headers=dates), completion(" box"))) as server:
        assert Endpoint("m", base_url=server.url, lacks="").ask([RAW])[0].text == " box"
    assert waits == [3.0]
