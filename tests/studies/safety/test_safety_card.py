"""The data card in the docs is the one that the command writes."""

from pathlib import Path

from otherminds.items import Suite
from otherminds.studies.safety.card import card
from otherminds.studies.safety.plots.build import generate

DOCS = Path(__file__).parents[3] / "docs" / "data" / "safety.md"


def test_the_card_in_the_docs_is_of_these_items(suite: Suite) -> None:
    assert DOCS.read_text(encoding="utf-8") == card(suite), (
        "run otherminds build safety, and keep its card in docs/data"
    )


def test_a_card_names_what_is_broken() -> None:
    items = generate("FB/SA", number=8)
    assert "No item breaks any of these" in card(Suite("safety", tuple(items)))
    broken = card(Suite("safety", tuple(items[1:])))
    assert "FB/SA: reality is not right in half of the twins: fb-sa-0000-back" in broken
