"""The engine: llama.cpp through cyllama, a small wheel without dependencies, and no compiler needed.

It tokenises, weighs and writes; what a prompt is, and what a choice is, it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from otherminds.errors import ModelError
from otherminds.models.local import threads
from otherminds.models.local.forward import pick
from otherminds.models.weighing import OneByOne, Tree

threads.sleep_soon()

from cyllama.llama import llama_cpp  # noqa: E402

CHUNK = 512
"""Tokens that llama.cpp reads at once."""
SEQUENCES = 64
"""Sequences that one tree may hold; llama.cpp keeps a list of them for every token."""


class _Weights(llama_cpp.LlamaModel):  # type: ignore[misc]
    # cyllama 0.2.18 asks the model for this when it reads logits, and its model lacks it.
    n_vocab = property(lambda self: self.get_vocab().n_vocab)


class Engine(OneByOne):
    """One file of weights, loaded."""

    def __init__(self, path: Path, *, context: int) -> None:
        llama_cpp.disable_logging()
        llama_cpp.ggml_backend_load_all()
        options = llama_cpp.LlamaModelParams()
        options.n_gpu_layers = 0
        self._path = path
        with self._sentence():
            self._weights = _Weights(str(path), options)
        self._vocabulary = self._weights.get_vocab()
        self.most_tokens = context
        self.most_sequences = SEQUENCES

    @contextmanager
    def _sentence(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, RuntimeError) as error:
            raise ModelError(f"llama.cpp cannot load {self._path} ({error})") from None

    @cached_property
    def _context(self) -> Any:
        """What a text is read into; whoever only wants tokens needs none, and it takes a while."""
        with self._sentence():
            return llama_cpp.LlamaContext(self._weights, _context_options(self.most_tokens))

    @cached_property
    def _batch(self) -> Any:
        return llama_cpp.LlamaBatch(n_tokens=CHUNK, embd=0, n_seq_max=SEQUENCES)

    def tokenize(self, text: str) -> list[int]:
        """The tokens of a plain text; the names of control tokens in it are text like any other."""
        return list(self._vocabulary.tokenize(text, False, False)) if text else []

    def score(self, tree: Tree, wants: Mapping[int, Sequence[int]]) -> dict[int, list[float]]:
        """The log-probabilities of the wanted tokens after each of the given places of the tree."""
        sequences = members(tree)
        found: dict[int, list[float]] = {}
        self._begin()
        for start in range(0, len(tree), CHUNK):
            places = range(start, min(start + CHUNK, len(tree)))
            self._decode((tree.tokens[p], tree.depths[p], sequences[p], p in wants) for p in places)
            for place in places:
                if place in wants:
                    logits = np.array(self._context.get_logits_ith(place - start), np.float32)
                    found[place] = pick(logits, wants[place])
        return found

    def write(
        self, tokens: Sequence[int], *, limit: int, temperature: float, top_p: float, seed: int, grammar: str
    ) -> Iterator[int]:
        """At most `limit` tokens that follow, one by one, up to the end of the turn."""
        sampler = self._sampler(temperature, top_p, seed, grammar)
        self._begin()
        last = len(tokens) - 1
        for start in range(0, len(tokens), CHUNK):
            places = range(start, min(start + CHUNK, len(tokens)))
            self._decode((tokens[p], p, [0], p == last) for p in places)
        for count in range(limit):
            token = sampler.sample(self._context, -1)
            if self._vocabulary.is_eog(token):
                return
            yield token
            self._decode([(token, len(tokens) + count, [0], True)])

    def _begin(self) -> None:
        """Forget what was read, and see how many cores are free."""
        self._context.kv_cache_clear()
        now = threads.free()
        self._context.set_n_threads(now, now)

    def _decode(self, entries: Any) -> None:
        self._batch.clear()
        for token, place, sequences, wanted in entries:
            self._batch.add(token, place, sequences, wanted)
        self._context.decode(self._batch)

    def _sampler(self, temperature: float, top_p: float, seed: int, grammar: str) -> Any:
        sampler = llama_cpp.LlamaSampler(llama_cpp.LlamaSamplerChainParams())
        if grammar:
            sampler.add_grammar(self._vocabulary, grammar, "root")
        if temperature > 0:
            sampler.add_temp(temperature)
            # After the temperature, as transformers and servers do it; llama.cpp's own programs do it before.
            if top_p < 1:
                sampler.add_top_p(top_p, 1)
            sampler.add_dist(seed)
        else:
            sampler.add_greedy()
        return sampler


def _context_options(context: int) -> Any:
    options = llama_cpp.LlamaContextParams()
    options.n_ctx = context
    options.n_batch = options.n_ubatch = CHUNK
    options.n_seq_max = SEQUENCES
    options.n_threads = options.n_threads_batch = threads.free()
    # One memory for all sequences, or a token could not belong to several; and all of it kept, or models whose layers
    # look only so far back would forget a beginning that another sequence still needs.
    options.kv_unified = True
    options.swa_full = True
    options.flash_attn_type = 0
    return options


def members(tree: Tree) -> list[list[int]]:
    """For every token of the tree, the sequences it belongs to; llama.cpp lets a token be in several at once."""
    parents = set(tree.parents)
    found: list[list[int]] = [[] for _ in range(len(tree))]
    leaves = (place for place in range(len(tree)) if place not in parents)
    for sequence, leaf in enumerate(leaves):
        for place in tree.path(leaf):
            found[place].append(sequence)
    return found
