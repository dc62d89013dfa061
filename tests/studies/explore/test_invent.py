"""New contexts: what fits is taken, what does not is kept apart with the reason, and nothing raises."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.calling.recorded import Recorded
from otherminds.errors import UsageError
from otherminds.models import Prompt, Response
from otherminds.models.scripted import Scripted
from otherminds.prose.invent import invent, write_context
from otherminds.store.store import Store
from otherminds.stories.contexts import bank, read_context


def written(prompt: Prompt, **other: Any) -> str:
    """A good context for the names that the prompt asks for, in which some parts may be other ones."""
    asked = prompt.messages[0].content
    names = re.search(r"The people are (.*)\.\n", asked)[1].split(", ")  # type: ignore[index]
    change = {"value": "is {word}", "sentence": "{{person}} made the {{thing}} {word}."}
    seen, unseen = ("red", "torn", "wet", "bent"), ("insured", "sold", "praised", "listed")
    lists = [
        [{"property": word, **{part: text.format(word=word) for part, text in change.items()}} for word in words]
        for words in (seen, unseen)
    ]
    good = {
        "scene": "It is warm here. A clock ticks.",
        "people": [{"name": name, "who": "a regular"} for name in names],
        "rooms": ["hall", "The Office"],
        "things": ["an album"],
        "containers": ["trunk", "box", "bag", "drawer", "chest", "crate"],
        "topics": ["the fair", "the roof", "the bus", "the cat", "the price", "the storm"],
        "visible_changes": lists[0],
        "invisible_changes": lists[1],
    }
    return json.dumps(good | other)


def fair(prompt: Prompt) -> str:
    """A judge to whom nothing is see-through and red, torn, wet and bent can be seen."""
    asked = prompt.messages[0].content
    if "from outside" in asked:
        return "no"
    if "first glance" in asked:
        return "yes" if any(f"is {word}." in asked for word in ("red", "torn", "wet", "bent")) else "no"
    return "yes"


def model(answer: Callable[[Prompt], str | Response], name: str = "model") -> Scripted:
    return Scripted(answer, name=name)


def both(prompt: Prompt) -> str:
    return written(prompt) if prompt.schema else fair(prompt)


def test_good_contexts_are_taken() -> None:
    found = invent(model(both), number=3)
    assert [context.id for context in found.contexts] == ["invented-0-0", "invented-0-1", "invented-0-2"]
    assert not found.apart
    assert not found.rejected
    first = found.contexts[0]
    assert (first.rooms, first.things) == (("hall", "office"), ("album",))
    assert sum(change.visible for change in first.changes) == 4


def test_contexts_differ_and_a_seed_repeats_them() -> None:
    found = invent(model(both), number=12, seed=3)
    assert len({context.place for context in found.contexts}) == 12
    assert len({context.people for context in found.contexts}) == 12
    assert invent(model(both), number=12, seed=3) == found
    assert invent(model(both), number=4, seed=3).contexts == found.contexts[:4]
    assert invent(model(both), number=4, seed=4).contexts[0].place != found.contexts[0].place


def test_contexts_survive_the_way_to_json() -> None:
    (context,) = invent(model(both), number=1).contexts
    for each in (context, bank()[0]):
        assert read_context(json.loads(json.dumps(write_context(each))), "here") == each


@pytest.mark.parametrize(
    ("says", "rule"),
    [
        (("wholly inside", "no"), "a thing does not fit into a container"),
        (("from outside", "yes"), "a container can be seen into"),
        (("Might one well find", "no"), "a thing is out of place"),
        (("talk with one another", "No."), "a topic is out of place"),
        (("is bent. When", "no"), "a visible change can be overlooked"),
        (("is sold. When", "yes"), "an invisible change can be seen"),
        (("from beginning to end", "no"), "a change is lost on those who see it done"),
        (("talk with one another", "perhaps"), "a topic is out of place"),
    ],
)
def test_every_rule_can_reject(says: tuple[str, str], rule: str) -> None:
    def judge(prompt: Prompt) -> str:
        return says[1] if says[0] in prompt.messages[0].content else fair(prompt)

    found = invent(model(written, "writer"), judge=model(judge, "judge"), number=2)
    assert found.contexts == ()
    assert found.rejected == {rule: 2}
    assert found.apart[0].detail
    assert found.apart[0].reply.startswith("{")


@pytest.mark.parametrize("word", ["yes", "no", "", "maybe"])
def test_a_judge_who_always_says_the_same_passes_nothing(word: str) -> None:
    found = invent(model(written, "writer"), judge=model(lambda prompt: word, "judge"), number=2)
    assert found.contexts == ()
    assert found.rejected.total() == 2


CHANGE = {"property": "red", "value": "is odd", "sentence": "{person} bent the {thing}."}


@pytest.mark.parametrize(
    "other",
    [
        {"rooms": ["hall"]},
        {"rooms": "hall"},
        {"things": []},
        {"things": ["box"]},
        {"things": [7]},
        {"containers": ["trunk", "box (open)", "bag", "drawer", "chest", "crate"]},
        {"topics": ["the fair"] * 6},
        {"topics": ["the\nfair", "the roof", "the bus", "the cat", "the price", "the storm"]},
        {"people": [{"name": "Somebody Else", "who": "a guest"}] * 6},
        {"people": ["Ann"] * 6},
        {"people": None},
        {"scene": ""},
        {"visible_changes": [CHANGE] * 3},
        {"visible_changes": "none"},
        {"invisible_changes": [CHANGE] * 4},
        {"visible_changes": [{**CHANGE, "sentence": "{person} bent the thing."}] * 4},
        {"visible_changes": [{**CHANGE, "sentence": "{person} bent the {thing}}."}] * 4},
        {"visible_changes": [{**CHANGE, "value": "is {odd}"}] * 4},
        {"visible_changes": ["red"] * 4},
    ],
)
def test_a_wrong_form_is_rejected(other: dict[str, Any]) -> None:
    found = invent(model(lambda prompt: written(prompt, **other)), judge=model(fair, "judge"), number=1)
    assert found.rejected == {"form": 1}
    assert found.apart[0].detail.startswith("invented-0-0: ")


def test_half_a_character_is_mended() -> None:
    found = invent(model(lambda prompt: written(prompt, scene="\ud800 Warm. Late.")), judge=model(fair, "j"), number=1)
    assert found.contexts[0].scene == "? Warm. Late."


def test_a_scene_that_names_somebody_is_rejected() -> None:
    def telltale(prompt: Prompt) -> str:
        name = re.search(r"The people are (\w+),", prompt.messages[0].content)[1]  # type: ignore[index]
        return written(prompt, scene=f"It is warm. {name} is late.")

    assert invent(model(telltale), number=1).apart[0].detail == "invented-0-0: the scene names somebody"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "no answer"),
        (Response(error="the server is down", finish="error"), "no answer"),
        (Response("I would rather not.", finish="refused"), "no answer"),
        ("I cannot think of anything.", "form"),
        ('{"scene": "It is warm', "form"),
        ("[1, 2, 3]", "form"),
        ("{}", "form"),
        ("null", "form"),
    ],
)
def test_junk_is_counted(reply: str | Response, reason: str) -> None:
    assert invent(model(lambda prompt: reply), number=2).rejected == {reason: 2}


@given(
    st.dictionaries(
        st.sampled_from(["scene", "people", "rooms", "things", "containers", "topics", "visible_changes"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5),
            lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
            max_leaves=12,
        ),
    )
)
def test_nothing_that_is_written_raises(other: dict[str, Any]) -> None:
    found = invent(model(lambda prompt: written(prompt, **other)), judge=model(fair, "judge"), number=1)
    assert len(found.contexts) + found.rejected.total() == 1


def test_taken_up_again_nothing_is_asked_twice(tmp_path: Path) -> None:
    plain = model(both)
    with Store(tmp_path / "calls.db") as store:
        first = invent(Recorded(plain, store), number=2)
        asked = len(plain.history)
        assert invent(Recorded(plain, store), number=2) == first
        assert len(plain.history) == asked
        invent(Recorded(plain, store), number=3)
        assert len(plain.history) == asked * 3 / 2


def test_none_is_not_a_number_of_contexts() -> None:
    with pytest.raises(UsageError, match="0 contexts are wanted"):
        invent(model(both), number=0)
