from hypothesis import given
from hypothesis import strategies as st

from otherminds.models.local.engine import members
from otherminds.models.weighing import Tree

SEQUENCES = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=8)


@given(SEQUENCES)
def test_every_sequence_is_a_path(sequences: list[list[int]]) -> None:
    tree = Tree()
    for places, sequence in [(tree.add(sequence), sequence) for sequence in sequences]:
        assert tree.path(places[-1]) == places
        assert [tree.tokens[place] for place in places] == sequence
        assert [tree.depths[place] for place in places] == list(range(len(sequence)))


@given(SEQUENCES)
def test_a_shared_beginning_is_there_once(sequences: list[list[int]]) -> None:
    tree = Tree()
    for sequence in sequences:
        tree.add(sequence)
    assert len(tree) == len({tuple(sequence[:end]) for sequence in sequences for end in range(1, len(sequence) + 1)})


@given(SEQUENCES)
def test_runs_cover_the_tree_without_a_break(sequences: list[list[int]]) -> None:
    tree = Tree()
    for sequence in sequences:
        tree.add(sequence)
    runs = list(tree.runs())
    assert [place for first, end in runs for place in range(first, end)] == list(range(len(tree)))
    assert all(tree.parents[place] == place - 1 for first, end in runs for place in range(first + 1, end))


@given(SEQUENCES)
def test_members_are_the_leaves_below(sequences: list[list[int]]) -> None:
    tree = Tree()
    for sequence in sequences:
        tree.add(sequence)
    leaves = [place for place in range(len(tree)) if place not in tree.parents]
    expected = [
        [number for number, leaf in enumerate(leaves) if place in tree.path(leaf)] for place in range(len(tree))
    ]
    assert members(tree) == expected


def test_an_empty_tree() -> None:
    assert list(Tree().runs()) == []
    assert Tree().path(-1) == []
