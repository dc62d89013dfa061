import pytest

from otherminds.items import Suite
from otherminds.studies.safety.plots.build import build


@pytest.fixture(scope="session")
def suite() -> Suite:
    """The whole suite, in its standard size."""
    return build()
