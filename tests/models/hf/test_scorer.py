"""Many trees at once give what a plain loop gives, whatever their form, and whatever the memory holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.errors import ModelError
from otherminds.models import Prompt
from otherminds.models.hf import checkpoint as memory
from otherminds.models.hf.model import HuggingFace
from otherminds.models.hf.scorer import Scorer, _ends
from otherminds.models.weighing import ScoredTree, Tree

VOCABULARY = 60
Sequences = list[list[int]]
SEQUENCES = st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=9), min_size=1, max_size=6)


def llama(**more: Any) -> Any:
    """A Llama of random weights whose numbers differ by more than any error."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    torch.set_num_threads(1)
    shape = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = LlamaConfig(vocab_size=VOCABULARY, num_key_value_heads=2, initializer_range=0.5, **shape, **more)
    return LlamaForCausalLM(config).eval()


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return Scorer(llama())


def tree_of(sequences: Sequences) -> ScoredTree:
    """All of their ends are asked about."""
    tree = Tree()
    return ScoredTree(tree, {tree.add(sequence)[-1]: (5, 7, 11) for sequence in sequences})


def plainly(model: Any, sequence: Sequence[int]) -> list[float]:
    """The plain loop: one sequence, all logits, no tricks."""
    import torch

    with torch.inference_mode():
        chances = model(torch.tensor([[*sequence]])).logits[0, -1].float().log_softmax(-1)
    return [float(chances[token]) for token in (5, 7, 11)]


def compare(scorer: Scorer, trees: list[Sequences], *, within: float) -> None:
    import torch

    asked = [tree_of(sequences) for sequences in trees]
    with torch.inference_mode():
        found = scorer.score_all(asked)
    for one, values in zip(asked, found, strict=True):
        assert values.keys() == one.wants.keys()
        for place, got in values.items():
            path = [one.tree.tokens[step] for step in one.tree.path(place)]
            expected = torch.tensor(plainly(scorer.model, path)).exp()
            assert torch.tensor(got).exp().tolist() == pytest.approx(expected.tolist(), abs=within)


@settings(max_examples=25, deadline=None)
@given(st.lists(SEQUENCES, min_size=1, max_size=4))
def test_trees_of_any_form_are_weighed_as_by_a_plain_loop(scorer: Scorer, trees: list[Sequences]) -> None:
    compare(scorer, trees, within=1e-5)


STORY = [int(3 + number * 7 % 50) for number in range(120)]
ON_ONE_STORY = [[*STORY, 9 + question, *range(20, 24 + question)] for question in range(6)]
APART = [[[start, *STORY[start : start + 40]]] for start in (4, 8, 15, 23)]


@pytest.mark.parametrize(("dtype", "within"), [("float32", 1e-3), ("bfloat16", 5e-3)])
@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_stories_with_questions_and_prompts_apart(dtype: str, within: float, attention: str) -> None:
    import torch

    model = llama(attn_implementation=attention, dtype=dtype)
    # In 16 bits the numbers of wild weights depend on the order of any sum; these are as tame as a trained model's.
    with torch.no_grad():
        for weight in model.parameters():
            weight *= 0.2 if weight.dim() > 1 else 1.0
    scorer = Scorer(model.to(getattr(torch, dtype)))
    assert scorer.takes_masks
    assert scorer.shares(tree_of(ON_ONE_STORY).tree)
    compare(scorer, [ON_ONE_STORY, *APART], within=within)


def test_a_model_that_is_off_by_rounding_takes_masks_and_one_that_ignores_them_does_not(scorer: Scorer) -> None:
    read = scorer._read
    rough, deaf = Scorer(scorer.model), Scorer(scorer.model)
    rough._read = lambda batch, masked: [values + 0.08 * masked for values in read(batch, masked)]  # type: ignore[method-assign]
    deaf._read = lambda batch, masked: read(batch, False)  # type: ignore[method-assign]
    assert rough.takes_masks
    assert not deaf.takes_masks


def test_a_story_goes_through_the_model_once(scorer: Scorer) -> None:
    sizes: list[tuple[int, ...]] = []
    heads: list[int] = []
    model = scorer.model
    hooks = [
        model.model.embed_tokens.register_forward_hook(lambda _, inputs, __: sizes.append(tuple(inputs[0].shape))),
        model.lm_head.register_forward_hook(lambda _, inputs, __: heads.append(inputs[0].shape[1])),
    ]
    assert scorer.takes_masks
    sizes.clear()
    heads.clear()
    scorer.score_all([tree_of(ON_ONE_STORY), *map(tree_of, APART)])
    for hook in hooks:
        hook.remove()
    assert len(sizes) == 2, "the prompts apart are one batch, the story with its questions another"
    assert sizes[0] == (4, 41)
    assert sizes[1][0] == 1
    assert sizes[1][1] < 2 * len(STORY)
    assert sorted(heads) == [4, 6], "the head is computed where something is wanted"


def test_passes_follow_one_another_without_a_look_at_what_the_device_computes(
    scorer: Scorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import masking_utils

    looks: list[Any] = []
    look = masking_utils.find_packed_sequence_indices
    compare(scorer, [ON_ONE_STORY, *APART], within=1e-5)
    monkeypatch.setattr(masking_utils, "find_packed_sequence_indices", lambda ids: (looks.append(ids), look(ids))[1])
    scorer.score_all([tree_of(ON_ONE_STORY), *map(tree_of, APART)])
    assert not looks


class Full:
    """A model whose memory holds so many tokens at once."""

    def __init__(self, model: Any, most: int) -> None:
        self._model, self._most = model, most

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def __call__(self, input_ids: Any, **inputs: Any) -> Any:
        import torch

        if input_ids.numel() > self._most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return self._model(input_ids=input_ids, **inputs)


def test_what_memory_does_not_hold_is_halved_and_stays_so(scorer: Scorer) -> None:
    small = Scorer(Full(scorer.model, 100))
    assert small.tokens > 100
    compare(small, [*APART, *APART], within=1e-5)
    assert small.tokens <= 4_096 // 2
    one_too_long = [[*STORY]]
    with pytest.raises(RuntimeError, match="out of memory"):
        small.score_all([tree_of(one_too_long)])


def test_branches_that_are_not_in_one_piece_are_read_apart(scorer: Scorer) -> None:
    torn = [[3, 4, 5, 6], [3, 9, 9], [3, 4, 7, 7]]
    assert _ends(tree_of(torn).tree) is None
    assert _ends(tree_of(sorted(torn)).tree) == [8, 6, 4, 4, 6, 6, 8, 8]
    assert not scorer.shares(tree_of(torn).tree)
    compare(scorer, [torn], within=1e-5)


@given(SEQUENCES)
def test_a_branch_ends_after_the_last_token_below_it(sequences: Sequences) -> None:
    tree = tree_of(sorted(sequences)).tree
    below = [[other for other in range(len(tree)) if place in tree.path(other)] for place in range(len(tree))]
    assert _ends(tree) == [places[-1] + 1 for places in below]
    assert tree.is_line == all(parent == place - 1 for place, parent in enumerate(tree.parents))


def test_a_call_in_parts_gives_the_same_numbers_in_order(hf_tiny: HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    prompts = [Prompt(text=f"{number % 3} is {number}", choices=(" a", " box")) for number in range(7)]
    whole = hf_tiny.weigh(prompts)
    monkeypatch.setattr("otherminds.models.hf.model.PART", 3)
    for one, other in zip(whole, hf_tiny.weigh(prompts), strict=True):
        assert one.rendered == other.rendered
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-5)


@pytest.fixture
def others() -> Iterator[tuple[str, Any]]:
    """Models to whom a tree is not what it is to a Llama."""
    import torch
    from transformers import (
        BloomConfig,
        BloomForCausalLM,
        GPT2Config,
        GPT2LMHeadModel,
        MambaConfig,
        MambaForCausalLM,
        MistralConfig,
        MistralForCausalLM,
    )

    torch.manual_seed(0)
    size = {"vocab_size": VOCABULARY, "initializer_range": 0.5}
    layers = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    state = MambaConfig(hidden_size=16, state_size=4, num_hidden_layers=2, **size)
    narrow = MistralConfig(num_key_value_heads=2, sliding_window=16, **size, **layers)
    learnt = GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=200, **size)
    sloped = BloomConfig(hidden_size=32, n_layer=2, n_head=4, **size)
    return iter(
        [
            ("a state", MambaForCausalLM(state).eval()),
            ("a window", MistralForCausalLM(narrow).eval()),
            ("learnt places", GPT2LMHeadModel(learnt).eval()),
            ("slopes", BloomForCausalLM(sloped).eval()),
        ]
    )


def test_models_of_other_kinds_give_the_same_numbers_too(others: Iterator[tuple[str, Any]]) -> None:
    sharing = {}
    for name, model in others:
        scorer = Scorer(model)
        sharing[name] = scorer.shares(tree_of(ON_ONE_STORY).tree)
        compare(scorer, [ON_ONE_STORY, *APART, [[1, 2, 3], [1, 2, 4, 5]]], within=1e-4)
    assert sharing == {"a state": False, "a window": False, "learnt places": True, "slopes": False}


# ── text ──


def test_texts_do_not_depend_on_who_else_is_written(hf_tiny: HuggingFace) -> None:
    prompts = [
        Prompt(text="x" * length, max_tokens=limit, stop=stop)
        for length, limit, stop in ((3, 40, ()), (30, 5, ()), (9, 17, ("e", "q")), (60, 33, (" ",)), (1, 1, ()))
    ]
    assert hf_tiny.ask(prompts) == [hf_tiny.ask([prompt])[0] for prompt in prompts]


def test_texts_are_those_of_generate(hf_tiny: HuggingFace) -> None:
    import torch

    prompts = [Prompt(text=text, max_tokens=24) for text in ("Answer:", "The box is", "Nora")]
    for prompt, response in zip(prompts, hf_tiny.ask(prompts), strict=True):
        ids = hf_tiny._tokens.encode(prompt)
        plain = hf_tiny._model.generate(torch.tensor([[*ids]]), max_new_tokens=24, do_sample=False)[0, len(ids) :]
        new = plain.tolist()
        new = new[: new.index(2)] if 2 in new else new
        assert response.text == hf_tiny._tokens.decode(ids, new)


def test_texts_that_memory_does_not_hold_are_parted(hf_tiny: HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    prompts = [Prompt(text=f"{number} is", max_tokens=6) for number in range(5)]
    before = hf_tiny.ask(prompts)
    monkeypatch.setattr(hf_tiny, "_scorer", Scorer(Full(hf_tiny._model, 16)))
    monkeypatch.setattr(hf_tiny, "_most_texts", 2**31)
    assert hf_tiny.ask(prompts) == before
    assert hf_tiny._most_texts == 3
    with pytest.raises(ModelError, match="not even for one prompt at a time"):
        hf_tiny.ask([Prompt(text="x" * 40)])


# ── where the weights go ──


def test_too_little_memory_is_told_before_anything_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda device: [8_000_000_000])
    assert memory.place("hf:m", None, 7_000_000_000, "float32") == "cpu"
    with pytest.raises(
        ModelError, match=r"hf:m needs 32\.1 GB for its weights in float32, and this machine has 8\.0 GB free; take dt"
    ):
        memory.place("hf:m", None, 32_100_000_000, "float32")


def test_no_gpu_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for wish in ("cuda", "cuda:1", "auto"):
        with pytest.raises(ModelError, match=f"cannot be put on '{wish}': torch finds no GPU here; leave out"):
            memory.place("hf:m", wish, 0, "float32")


def test_a_model_larger_than_one_gpu_is_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(memory, "free_memory", lambda device: [80, 80] if device == "auto" else [80])
    assert memory.place("hf:m", None, 70, "bfloat16") == "cuda"
    assert memory.place("hf:m", None, 140, "bfloat16") == "auto"
    with pytest.raises(ModelError, match="all GPUs together"):
        memory.place("hf:m", None, 170, "bfloat16")


def test_the_size_of_weights_is_known_without_them() -> None:
    model = llama()
    count = sum(part.numel() for part in model.parameters())
    assert memory.size(model.config, "float32") == 4 * count
    assert memory.size(model.config, "bfloat16") == 2 * count
    assert memory.size(None, "float32") == 0
    assert all(free > 0 for free in memory.free_memory("cpu"))
