"""Data cards: what is in a suite, counted."""

from otherminds.heuristics.cards import card
from otherminds.items import Item, Suite


def suite() -> Suite:
    items = [
        Item(
            id=f"item-{number}",
            question=f"Where is key {number}?",
            answer="box",
            choices=("box", "a|b"),
            tags={
                "story": f"story-{number // 2}",
                "kind": "container",
                "order": number % 2,
                "false_belief": number < 3,
            },
        )
        for number in range(6)
    ]
    return Suite("mine", tuple(items))


def test_a_card_counts_what_is_asked() -> None:
    text = card(suite(), made="made by hand")
    assert text.startswith("# mine\n")
    assert f"6 questions about 3 stories; made by hand. Digest `{suite().digest}`." in text
    for row in ("| kind | container | 6 |", "| order | 0 | 3 |", "| false_belief | True | 3 |"):
        assert row in text
    assert "| first option | 1.000 | 0.500 | 6 |" in text
    assert "None found." in text
    assert "no evidence that a model has beliefs" in text


def test_faults_are_on_the_card_and_bars_do_not_break_its_tables() -> None:
    one = suite().items[0]
    double = Item(
        id="again", question=one.question, answer="a|b", choices=one.choices, tags={"kind": "a|b", "order": 1}
    )
    text = card(Suite("mine", (one, double)), made="made by hand")
    assert "- the same question about the same text twice: 1 items" in text
    assert "- the same question with different answers: 2 items" in text
    assert "| kind | a\\|b | 1 |" in text
