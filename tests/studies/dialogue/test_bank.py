"""The bank is as large and as even as it says, and castings are drawn fairly."""

import re
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from otherminds.errors import BadFile, UsageError
from otherminds.talks import bank
from otherminds.talks.talk import STATES, TRAITS

CATEGORIES = ["asking", "bargaining", "conflict", "coordination", "norms", "persuasion", "sharing", "support"]


def test_forty_people_have_every_pattern_of_traits_and_even_levels() -> None:
    people = bank.people()
    assert len(people) == 40
    assert all(id == person.id for id, person in people.items())
    patterns = Counter(person.traits for person in people.values())
    assert len(patterns) == 32
    assert max(patterns.values()) == 2
    for trait in TRAITS:
        assert Counter(person.levels[trait] for person in people.values()) == {"high": 20, "low": 20}


def test_people_are_of_all_pronouns_and_nobody_shares_a_first_name() -> None:
    people = bank.people().values()
    pronouns = Counter(person.pronoun for person in people)
    assert set(pronouns) == {"he", "she", "they"}
    assert min(pronouns.values()) >= 5
    assert len({person.first for person in people}) == 40
    assert all(person.age >= 18 for person in people)


def test_eight_categories_have_twenty_scenes_each() -> None:
    scenes = bank.scenes()
    assert Counter(scene.category for scene in scenes.values()) == dict.fromkeys(CATEGORIES, 20)
    assert len(bank.scenes("norms")) == 20
    assert all(scene.id == id and id.startswith(scene.category) for id, scene in scenes.items())
    with pytest.raises(UsageError, match="no category 'war'; there are asking, bargaining"):
        bank.scenes("war")


def test_scenes_name_nobody_and_goals_are_told_to_their_owner() -> None:
    names = {name for person in bank.people().values() for name in (person.first, person.last)}
    for scene in bank.scenes().values():
        words = set(re.findall(r"[^\W\d_]+", " ".join((scene.situation, *scene.goals))))
        assert not words & names, scene.id
        if not words & {"grandmother", "grandfather"}:
            assert not words & {"he", "she", "him", "her", "his", "hers"}, scene.id
        assert scene.goals[0] != scene.goals[1], scene.id
        assert all(re.search(r"\b[Yy]ou\b", goal) for goal in scene.goals), scene.id


def test_no_two_scenes_have_the_same_words() -> None:
    words = {scene.id: frozenset(re.findall(r"\w+", scene.situation.casefold())) for scene in bank.scenes().values()}
    for one, other in combinations(words, 2):
        shared = len(words[one] & words[other]) / len(words[one] | words[other])
        assert shared < 0.6, (one, other)


def test_castings_are_even_over_categories_and_people() -> None:
    castings = bank.castings()
    assert len(castings) == 160
    assert len({casting.scene.id for casting in castings}) == 160
    for side in (0, 1):
        assert Counter(casting.people[side].id for casting in castings) == dict.fromkeys(bank.people(), 4)
    assert all(casting.people[0] != casting.people[1] for casting in castings)
    assert Counter(casting.scene.category for casting in castings[:24]) == dict.fromkeys(CATEGORIES, 3)
    assert len({person.id for casting in castings[:20] for person in casting.people}) == 40
    assert all(one.scene.category != other.scene.category for one, other in pairwise(castings))


def test_castings_repeat_with_the_seed_and_a_short_list_begins_a_long_one() -> None:
    assert bank.castings(limit=11) == bank.castings(pairs=2)[:11]
    assert bank.castings(seed=1) != bank.castings()
    assert bank.castings(seed=1) == bank.castings(seed=1)


def test_no_pair_meets_twice_in_a_scene() -> None:
    castings = bank.castings(pairs=5, seed=3)
    assert len(castings) == 800
    meetings = {(one.scene.id, frozenset(person.id for person in one.people)) for one in castings}
    assert len(meetings) == 800
    few = list(bank.people().values())[:4]
    tight = bank.cast(list(bank.scenes("norms").values()), few, pairs=2)
    assert len({(one.scene.id, frozenset(person.id for person in one.people)) for one in tight}) == 40


def test_castings_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="1 to 20 pairs, not 21"):
        bank.castings(pairs=21)
    with pytest.raises(UsageError, match="at least 1"):
        bank.castings(limit=0)
    with pytest.raises(UsageError, match="1 to 0 pairs"):
        bank.cast(list(bank.scenes().values()), [])


def test_written_talks_have_every_state_in_every_category() -> None:
    talks = bank.authored()
    assert len(talks) == len({talk.id for talk in talks})
    assert {talk.made["how"] for talk in talks} == {"written"}
    cells = Counter((talk.casting.scene.category, talk.state) for talk in talks)
    assert cells == {(category, state): 1 for category in CATEGORIES for state in STATES}
    assert {len(talk.turns) for talk in talks} == {14}


def test_labels_name_second_order_turns_of_written_talks() -> None:
    talks = {talk.id: talk for talk in bank.authored()}
    for talk, turn in bank.labels():
        assert talks[talk].order(turn) == 2


def test_a_label_counts_where_both_readers_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bank, "files", lambda _: tmp_path.parent)
    monkeypatch.setattr(bank, "as_file", lambda _: Opened(tmp_path))
    assert bank.labels() == {}
    lines = [
        '{"talk": "a", "turn": 1, "first": true, "second": true, "meant": true}',
        '{"talk": "a", "turn": 3, "first": true, "second": false, "meant": true}',
    ]
    (tmp_path / "labels.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert bank.labels() == {("a", 1): True, ("a", 3): False}
    (tmp_path / "labels.jsonl").write_text('{"talk": "a", "turn": 1, "first": true}', encoding="utf-8")
    with pytest.raises(BadFile, match="line 1: a label needs talk, turn"):
        bank.labels()


class Opened:
    """A folder as `as_file` hands it out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> Path:
        return self.folder

    def __exit__(self, *_: object) -> None:
        pass
