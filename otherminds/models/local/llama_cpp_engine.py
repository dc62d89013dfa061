"""llama.cpp through llama-cpp-python: compiled on the user's machine, so slow to install and quick to run."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np

from otherminds.errors import ModelError
from otherminds.models.local.engine import CHUNK, SEQUENCES, members, threads
from otherminds.models.local.forward import pick
from otherminds.models.local.prefix_tree import Tree


class LlamaCppPython:
    """A GGUF file loaded by llama-cpp-python."""

    def __init__(self, path: Path, *, context: int) -> None:
        llama_cpp.llama_log_set(_silence, ctypes.c_void_p())
        llama_cpp.llama_backend_init()
        options = llama_cpp.llama_model_default_params()
        options.n_gpu_layers = 0
        self._weights = llama_cpp.llama_model_load_from_file(str(path).encode(), options)
        self._context = self._weights and llama_cpp.llama_init_from_model(self._weights, _context_options(context))
        if not self._context:
            raise ModelError(f"llama.cpp cannot load {path}; is it a whole GGUF file of a kind that it knows?")
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._weights)
        self._size = llama_cpp.llama_vocab_n_tokens(self._vocabulary)
        self._batch = llama_cpp.llama_batch_init(CHUNK, 0, SEQUENCES)
        self.most_tokens = context
        self.most_sequences = SEQUENCES

    def __del__(self) -> None:
        if getattr(self, "_batch", None):
            llama_cpp.llama_batch_free(self._batch)
            llama_cpp.llama_free(self._context)
            llama_cpp.llama_model_free(self._weights)

    def tokenize(self, text: str) -> list[int]:
        """The tokens of a plain text."""
        data = text.encode()
        room = len(data) + 8
        tokens = (llama_cpp.llama_token * room)()
        count = llama_cpp.llama_tokenize(self._vocabulary, data, len(data), tokens, room, False, False)
        return list(tokens[:count])

    def score(self, tree: Tree, wants: Mapping[int, Sequence[int]]) -> dict[int, list[float]]:
        """The log-probabilities of the wanted tokens after each of the given places of the tree."""
        sequences = members(tree)
        found: dict[int, list[float]] = {}
        llama_cpp.llama_memory_clear(self._memory, True)
        for start in range(0, len(tree), CHUNK):
            places = range(start, min(start + CHUNK, len(tree)))
            self._decode((tree.tokens[p], tree.depths[p], sequences[p], p in wants) for p in places)
            for place in places:
                if place in wants:
                    row = llama_cpp.llama_get_logits_ith(self._context, place - start)
                    found[place] = pick(np.ctypeslib.as_array(row, shape=(self._size,)), wants[place])
        return found

    def write(
        self, tokens: Sequence[int], *, limit: int, temperature: float, top_p: float, seed: int, grammar: str
    ) -> Iterator[int]:
        """At most `limit` tokens that follow, one by one, up to the end of the turn."""
        sampler = self._sampler(temperature, top_p, seed, grammar)
        try:
            llama_cpp.llama_memory_clear(self._memory, True)
            last = len(tokens) - 1
            for start in range(0, len(tokens), CHUNK):
                places = range(start, min(start + CHUNK, len(tokens)))
                self._decode((tokens[p], p, [0], p == last) for p in places)
            for count in range(limit):
                token = llama_cpp.llama_sampler_sample(sampler, self._context, -1)
                if llama_cpp.llama_vocab_is_eog(self._vocabulary, token):
                    return
                yield token
                self._decode([(token, len(tokens) + count, [0], True)])
        finally:
            llama_cpp.llama_sampler_free(sampler)

    def _decode(self, entries: Any) -> None:
        batch = self._batch
        batch.n_tokens = 0
        for row, (token, place, sequences, wanted) in enumerate(entries):
            batch.token[row] = token
            batch.pos[row] = place
            batch.n_seq_id[row] = len(sequences)
            for column, sequence in enumerate(sequences):
                batch.seq_id[row][column] = sequence
            batch.logits[row] = wanted
            batch.n_tokens = row + 1
        code = llama_cpp.llama_decode(self._context, batch)
        if code:
            raise ModelError(f"llama.cpp could not read a batch of {batch.n_tokens} tokens (code {code})")

    def _sampler(self, temperature: float, top_p: float, seed: int, grammar: str) -> Any:
        sampler = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        links = []
        if grammar:
            links.append(llama_cpp.llama_sampler_init_grammar(self._vocabulary, grammar.encode(), b"root"))
        if temperature > 0:
            links.append(llama_cpp.llama_sampler_init_temp(temperature))
            if top_p < 1:
                links.append(llama_cpp.llama_sampler_init_top_p(top_p, 1))
            links.append(llama_cpp.llama_sampler_init_dist(seed))
        else:
            links.append(llama_cpp.llama_sampler_init_greedy())
        for link in links:
            llama_cpp.llama_sampler_chain_add(sampler, link)
        return sampler


@llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]
def _silence(level: int, text: bytes, data: Any) -> None:
    """llama.cpp tells stderr about every tensor."""


def _context_options(context: int) -> Any:
    options = llama_cpp.llama_context_default_params()
    options.n_ctx = context
    options.n_batch = options.n_ubatch = CHUNK
    options.n_seq_max = SEQUENCES
    options.n_threads = options.n_threads_batch = threads()
    # As in cyllama's engine: shared beginnings need one memory for all sequences, and all of it kept.
    options.kv_unified = True
    options.swa_full = True
    options.flash_attn_type = 0
    return options
