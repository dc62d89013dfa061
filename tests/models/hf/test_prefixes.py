from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.models.hf.model import HuggingFace
from otherminds.models.hf.prefixes import Group, Row, look_up, plan

paths = st.sets(st.lists(st.integers(0, 2), min_size=1, max_size=8).map(tuple), min_size=1, max_size=12)


@given(paths)
def test_every_path_is_read_once_and_after_what_is_shared(wanted: set[tuple[int, ...]]) -> None:
    read = []
    for group in plan(wanted):
        assert len({row.ids[: group.shared] for row in group.rows}) == 1
        for row in group.rows:
            assert all(place >= group.shared for place in row.places)
            read += [row.ids[: place + 1] for place in row.places]
    assert sorted(read) == sorted(wanted)


@given(paths)
def test_sharing_never_computes_more(wanted: set[tuple[int, ...]]) -> None:
    def cost(groups: list[Group]) -> int:
        return sum(group.cost for group in groups)

    assert cost(plan(wanted)) <= cost(plan(wanted, share=False)) <= sum(map(len, wanted))


def test_two_stories_are_two_groups_even_with_a_common_first_word() -> None:
    one = [(1, *range(10, 60), end) for end in (2, 3)]
    two = [(1, *range(70, 99), end) for end in (4, 5)]
    groups = plan([*one, *two])
    assert [group.shared for group in groups] == [51, 30]
    assert sum(group.cost for group in groups) == 51 + 2 + 30 + 2


def test_a_path_that_another_continues_needs_no_row() -> None:
    (group,) = plan([(1, 2), (1, 2, 3), (1,)])
    assert group == Group(0, (Row((1, 2, 3), (0, 1, 2)),))


def test_a_shared_past_changes_nothing(hf_tiny: HuggingFace) -> None:
    story = tuple(range(5, 105))
    wanted = {(*story, *range(110, 110 + length)): {7, 200} for length in (1, 4, 9, 30)}
    wanted |= {(9, *story[:40], end): {3} for end in (1, 2)}
    model = hf_tiny._model
    plain = look_up(model, plan(wanted, share=False), wanted, batch=2)
    groups = plan(wanted)
    assert [group.shared for group in groups if len(group.rows) > 1], "something is shared"
    shared = look_up(model, groups, wanted, batch=2)
    assert shared.keys() == plain.keys()
    assert shared == pytest.approx(plain, abs=1e-4)
    values = sorted(plain.values())
    assert max(after - before for before, after in pairwise(values)) > 1e-2, "else agreement would show little"


def test_a_model_that_keeps_a_state_and_no_past() -> None:
    import torch
    from transformers import MambaConfig, MambaForCausalLM

    torch.manual_seed(0)
    config = MambaConfig(vocab_size=50, hidden_size=16, state_size=4, num_hidden_layers=2, initializer_range=0.5)
    model = MambaForCausalLM(config).eval()
    wanted = {(*range(5, 25), *range(30, 30 + length)): {7, 40} for length in (1, 3, 6)}
    alone = {}
    for path, tokens in wanted.items():
        alone |= look_up(model, plan([path], share=False), {path: tokens}, batch=1)
    for share in (False, True):
        assert look_up(model, plan(wanted, share=share), wanted, batch=2) == pytest.approx(alone, abs=1e-4)
