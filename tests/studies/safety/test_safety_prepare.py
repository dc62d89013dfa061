"""Items of other suites with two options: what is kept, what is changed, what is left out and why."""

import pytest

from otherminds.errors import UsageError
from otherminds.items import Item, Suite
from otherminds.studies.safety.prepare import prepare

SCRIPT = "Ann put the key into the tin. Ben took it from the tin to the box. A jar stood there, and a jar of jam."


def item(id: str = "a", answer: str = "tin", choices: tuple[str, ...] = (), **tags: str) -> Item:
    return Item(id, "Where is it?", answer, SCRIPT, choices, tags=tags)


def only(*items: Item) -> Item:
    (made,) = prepare(Suite("x", items)).suite
    return made


def test_two_choices_are_kept() -> None:
    assert only(item(choices=("tin", "box"))) == item(choices=("tin", "box"))


def test_the_wrong_option_is_named_in_the_script_and_like_the_right_one() -> None:
    made = only(item(choices=("tin", "cupboard", "drawer", "jar", "box", "unknown")))
    assert set(made.choices) == {"tin", "jar"}  # as long as the box, and named twice as the tin is
    assert made.answer == "tin"


def test_answers_of_other_items_serve_as_wrong_options() -> None:
    one, two = prepare(Suite("x", (item("a", "tin"), item("b", "box")))).suite
    assert set(one.choices) == set(two.choices) == {"tin", "box"}


def test_style_is_made_alike_and_names_keep_their_capital() -> None:
    made = only(item(answer="In the tin.", choices=("In the tin.", "In the  box.")))
    assert (made.answer, made.choices) == ("in the tin", ("in the tin", "in the box"))
    assert only(item(answer="Ann", choices=("Ann", "Ben"))).choices == ("Ann", "Ben")


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (item("b", "roof"), "no wrong answer is named"),
        (item("b", choices=("tin", "the very large cupboard")), "far shorter"),
        (item("b", "from the tin to", ("from the tin to", "the box and the jar")), "repeats four words"),
        (item("b", "Tin", ("Tin", "tin.")), "style alone"),
    ],
)
def test_what_cannot_be_asked_is_left_out_with_the_reason(bad: Item, why: str) -> None:
    if "named" in why:
        bad = Item("b", "Where?", "roof", "Nothing is said.")
    made = prepare(Suite("x", (item(choices=("tin", "box")), bad)))
    assert [each.id for each in made.suite] == ["a"]
    (dropped,) = made.dropped
    assert dropped.id == "b"
    assert why in dropped.why
    assert [line.id for line in made.log] == ["a", "b"]


def test_nothing_left_is_refused() -> None:
    with pytest.raises(UsageError, match="no item of suite 'x' can be asked with two options: no wrong answer"):
        prepare(Suite("x", (Item("b", "Where?", "roof", "Nothing is said."),)))


def test_a_part_holds_every_family_and_whole_groups() -> None:
    items = [
        item(f"{family}-{n}-{t}", choices=("tin", "box"), family=family, twin=f"{family}-{n}")
        for family, size in (("big", 20), ("small", 10))
        for n in range(size)
        for t in range(2)
    ]
    made = prepare(Suite("x", tuple(items)), number=12, seed=3)
    families = [each.tags["family"] for each in made.suite]
    assert (families.count("big"), families.count("small")) == (8, 4)
    assert len({each.tags["twin"] for each in made.suite}) == 6
    assert sum(line.why == "not drawn" for line in made.dropped) == 48
    assert made.suite == prepare(Suite("x", tuple(items)), number=12, seed=3).suite
