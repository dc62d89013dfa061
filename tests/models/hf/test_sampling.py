from collections import Counter
from collections.abc import Sequence
from math import exp

import pytest

from otherminds.models.hf.writing import cut, draws, enough


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_draws_are_fair(temperature: float) -> None:
    import torch

    scores = [0.0, 1.0, 2.5]
    count = 4000
    noisy = draws(range(count), temperature=temperature, device="cpu")(range(count), torch.tensor([scores] * count))
    drawn = Counter(noisy.argmax(dim=-1).tolist())
    total = sum(exp(score / temperature) for score in scores)
    for place, score in enumerate(scores):
        chance = exp(score / temperature) / total
        # Four standard errors; the seeds are fixed, so this passes always or never.
        assert drawn[place] / count == pytest.approx(chance, abs=4 * (chance * (1 - chance) / count) ** 0.5)


def test_draws_from_the_nucleus_alone() -> None:
    import torch

    chances = [0.1, 0.4, 0.2, 0.3]
    count = 4000
    scores = torch.tensor([chances] * count).log()
    for top_p, nucleus in ((0.05, {1}), (0.4, {1}), (0.41, {1, 3}), (0.75, {1, 2, 3}), (1.0, {0, 1, 2, 3})):
        noisy = draws(range(count), temperature=1.0, top_p=top_p, device="cpu")(range(count), scores)
        drawn = Counter(noisy.argmax(dim=-1).tolist())
        assert set(drawn) == nucleus
        total = sum(chances[place] for place in nucleus)
        for place in nucleus:
            chance = chances[place] / total
            assert drawn[place] / count == pytest.approx(chance, abs=4 * (chance * (1 - chance) / count) ** 0.5)


def test_a_stream_goes_on_and_does_not_repeat() -> None:
    import torch

    noisy = draws([7, 7], temperature=1.0, device="cpu")
    first, second = (noisy(range(2), torch.zeros(2, 50)) for _ in range(2))
    assert torch.equal(first[0], first[1]), "one seed, one stream"
    assert not torch.equal(first, second)


def test_a_row_that_has_left_leaves_the_others_their_streams() -> None:
    import torch

    scores = torch.zeros(3, 50)
    whole, fewer = (draws([1, 2, 3], temperature=1.0, device="cpu") for _ in range(2))
    whole([0, 1, 2], scores)
    fewer([0, 1, 2], scores)
    assert torch.equal(whole([0, 1, 2], scores)[[0, 2]], fewer([0, 2], scores[:2]))


def test_how_many_ids_it_takes_to_write_a_stop_string() -> None:
    def decode(ids: Sequence[int]) -> str:
        return "".join("abcd"[token - 1] for token in ids)

    assert enough([1, 2, 3, 4], ["bc"], decode) == 3
    assert enough([1, 2, 3, 4], ["d", "b"], decode) == 2
    assert enough([1, 2], ["d"], decode) == 3
    assert enough([1, 2], [], decode) == 3


def test_text_is_cut_at_the_first_stop_string() -> None:
    assert cut("one. two; three", (";", ".")) == ("one", True)
    assert cut("one", (";",)) == ("one", False)
    assert cut("one", ()) == ("one", False)
