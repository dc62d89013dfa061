"""A GGUF file as a model in this process: text from the weights as they are, probabilities from the same at 16 bits.

Text is written for one prompt at a time and always from the beginning: on quantised weights a number depends a
little on what is computed beside it, and the same prompt must get the same text whoever was asked before. Weighing
does not suffer from that (see `weights.expand`), so there a batch is computed as one tree of tokens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from otherminds.errors import ModelError, Unable
from otherminds.models import Finish, ModelDefaults, Prompt, Response, Usage, Weighing, adapters, seals
from otherminds.models.chat_template import Run, chat_runs, joined, raw_runs, shown
from otherminds.models.forks import Loaded, Lock
from otherminds.models.local import weights
from otherminds.models.local.gguf import Header, read_header
from otherminds.models.specs import settings, whole
from otherminds.models.weighing import TokenScorer, WeighingPlan, plan_for, settle

if TYPE_CHECKING:
    from otherminds.models.local.engine import Engine
    from otherminds.models.local.gguf import BytePairs

CONTEXT = 8192
"""Tokens of context unless asked otherwise; more costs memory that few prompts need."""


class Local(Loaded, ModelDefaults):
    """Weights by name (`smollm2`, `gemma-270m`) or by path, run in this process; nothing is loaded before first use.

    `expand=False` weighs on quantised weights as they are, which saves disk but lets S move by up to about 0.05 with
    the batch. `layers` is for ablations: choices are weighed through the first layers alone, and no text is written.
    `top_p` draws from the likeliest tokens that together have this chance; `max_tokens` lets texts be longer than a
    prompt asks for. `progress` hears of weights being fetched. `adapter` is the name or the file of what these weights
    were taught on top; it is merged into them once, at 16 bits, for text and for weighing alike.
    """

    batch = 32
    ask_batch = 1
    parallel = 1

    def __init__(
        self,
        name: str | Path = "smollm2",
        *,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float | None = None,
        max_tokens: int | None = None,
        context: int = CONTEXT,
        expand: bool = True,
        layers: int = 0,
        accept_licence: bool = False,
        adapter: str | Path | None = None,
        progress: weights.Progress | None = None,
    ) -> None:
        self._settings = settings(temperature=temperature, seed=seed, top_p=top_p, max_tokens=max_tokens)
        self._context_wanted = whole("context", context, least=1)
        self._layers = whole("layers", layers, least=0)
        self.name = name if isinstance(name, str) else f"gguf:{name.name}"
        self._adapter_file = adapters.find(adapter) if adapter else None
        if self._adapter_file:
            self.name += f"+{self._adapter_file.name.removesuffix(adapters.SUFFIX)}"
        if layers:
            self.name += f", ablated to {layers} layers"
        self._given = name
        self._expand = expand
        self._accept_licence = accept_licence
        self._progress = progress
        self._lock = Lock(RLock)
        self._seals: dict[Path, seals.FileSeal] = {}

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """All that can change an answer. The digest stands for the weights, since names can be given twice."""
        with self._lock:
            header = self._header
            return {
                "backend": "gguf",
                "engine": f"cyllama {weights.engine_version()}",
                "flash_attention": False,
                "sha256": self._digest,
                "size": self._path.stat().st_size,
                "architecture": header.architecture,
                "quantisation": header.quantisation,
                "weighed_as": "F16" if self._expands else header.quantisation,
                "weighed_by": "numpy" if self._by_numpy else "engine",
                "template": hashlib.sha256(header.template.encode()).hexdigest()[:16] if header.template else "",
                "context": self._context,
                **({"layers": self._layers} if self._layers else {}),
                **({"adapter": self._adapter.sha256} if self._adapter else {}),
                **self._settings,
            }

    @cached_property
    def cannot(self) -> frozenset[str]:
        """A base model has no template, so it takes raw prompts only."""
        return frozenset() if self._header.template and not self._layers else frozenset({"chat", "prefill"})

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        with self._lock, self._unchanged():
            return [self._respond(prompt) for prompt in prompts]

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order.

        Labels: all single tokens that read as the label, once leading white space is taken off, count together.
        """
        with self._lock, self._unchanged():
            return settle([self._plan(prompt) for prompt in prompts], self._scorer, self._read)

    def shallower(self) -> Local | None:
        """The same model, weighed without the last third of its layers; none where these cannot be left out."""
        kept = 2 * self._depth // 3
        if self._layers or not self._by_numpy or not kept:
            return None
        same: dict[str, Any] = {
            **self._settings,
            "context": self._context_wanted,
            "expand": self._expand,
            "accept_licence": self._accept_licence,
            "adapter": self._adapter_file,
            "progress": self._progress,
        }
        return Local(self._given, layers=kept, **same)

    # Loading, in the order in which one thing needs another.

    @cached_property
    def _base(self) -> Path:
        """The file as it was given; whatever is read from it is read after it is known what it is."""
        if isinstance(self._given, Path):
            self._seals[self._given] = seals.seal_of(self._given)
            return self._given
        path = weights.get(self._given, accept_licence=self._accept_licence, progress=self._progress)
        self._seals[path] = seals.latest(path)
        return path

    @cached_property
    def _adapter(self) -> adapters.Adapter | None:
        return adapters.read(self._adapter_file) if self._adapter_file else None

    @cached_property
    def _path(self) -> Path:
        """The file that is run: the one given, or the same with the adapter in it."""
        if not self._adapter:
            return self._base
        from otherminds.models.local.merging import merge

        path = merge(self._base, self._digest, self._adapter, model=self.name, progress=self._progress)
        self._seals[path] = seals.latest(path)
        return path

    @property
    def _digest(self) -> str:
        return self._seals[self._base].sha256

    @contextmanager
    def _unchanged(self) -> Iterator[None]:
        """Throw away what was computed if a file in use is no longer the one that the identity names.

        llama.cpp does not copy a file, but reads it as it goes along.
        """
        yield
        self._seals = {path: seals.demand(path, seal) for path, seal in self._seals.items()}

    @cached_property
    def _header(self) -> Header:
        return read_header(self._path)

    @property
    def _context(self) -> int:
        return min(self._context_wanted, self._header.context)

    @cached_property
    def _engine(self) -> Engine:
        return self._load(self._path)

    @property
    def _expands(self) -> bool:
        return self._expand and not self._header.plain

    @cached_property
    def _by_numpy(self) -> bool:
        from otherminds.models.local.forward import supports

        return (self._expands or self._header.plain) and supports(self._header)

    @cached_property
    def _scorer(self) -> TokenScorer:
        if self._layers:
            self._check_layers()
        if not self._expands and not self._by_numpy:
            return self._engine
        path = self._path
        if self._expands:
            path = weights.expand(path, sha256=self._digest, progress=self._progress)
            self._seals[path] = seals.latest(path)
        if self._by_numpy:
            from otherminds.models.local.forward import Forward

            return Forward(path, read_header(path), layers=self._layers)
        return self._load(path)

    def _load(self, path: Path) -> Engine:
        try:
            from otherminds.models.local.engine import Engine
        except ImportError as error:
            raise weights.engine_missing(self.name, error) from None
        return Engine(path, context=self._context)

    @cached_property
    def _tokenizer(self) -> Engine | BytePairs:
        try:
            return self._engine
        except Unable:
            if self._digest != weights.WEIGHTS["smollm2"].sha256:
                raise
            from otherminds.models.local.gguf import BytePairs

            return BytePairs(self._header)

    @property
    def _depth(self) -> int:
        return int(self._header.metadata.get(f"{self._header.architecture}.block_count", 0))

    def _check_layers(self) -> None:
        most = self._depth
        if not self._by_numpy or self._layers > most:
            raise ModelError(
                f"{self.name} cannot be weighed: layers can be left out of plain Llamas only, and here are {most}"
            )

    # Prompts and tokens.

    def _runs(self, prompt: Prompt) -> list[Run]:
        if not prompt.messages:
            return raw_runs(prompt.text, self._header)
        if "chat" in self.cannot:
            raise ModelError(f"{self.name} is a base model without a chat template; use a raw prompt")
        return chat_runs(prompt.messages, prompt.prefill, self._header)

    def _encode(self, runs: Sequence[Run]) -> list[int]:
        tokens: list[int] = []
        for run in runs:
            tokens += self._tokenizer.tokenize(run) if isinstance(run, str) else [run]
        return tokens

    def _misfit(self, length: int, longest: int) -> str:
        """Why a prompt of so many tokens, and so many with the first of its answer, cannot be used; empty if it can."""
        if not length:
            return "the prompt is empty, or its first token runs into a choice, so the model has nothing to go on from"
        if longest - 1 > self._context:
            return (
                f"the prompt has {longest - 1} tokens and the context of {self.name} holds {self._context}; shorten it"
            )
        return ""

    def _plan(self, prompt: Prompt) -> WeighingPlan:
        runs = self._runs(prompt)
        tokens = self._encode(runs)
        wholes = {} if prompt.labels else {choice: self._encode(joined([*runs, choice])) for choice in prompt.choices}
        said = shown(runs, self._header)
        return plan_for(prompt, tokens, wholes, self._variants, self._misfit, said, self.name)

    def _read(self, tokens: Sequence[int]) -> tuple[str, ...]:
        return tuple(self._header.pieces[token].decode("utf-8", errors="replace") for token in tokens)

    def _variants(self, label: str) -> tuple[int, ...]:
        return self._labels.get(label.strip(), ())

    @cached_property
    def _labels(self) -> dict[str, tuple[int, ...]]:
        """Every text that a single token can read as, with those tokens."""
        specials = set(self._header.specials.values())
        found: dict[str, list[int]] = {}
        for token, piece in enumerate(self._header.pieces):
            if token not in specials:
                found.setdefault(piece.decode("utf-8", errors="replace").lstrip(), []).append(token)
        return {text: tuple(tokens) for text, tokens in found.items()}

    # Text.

    def _respond(self, prompt: Prompt) -> Response:
        if self._layers:
            raise ModelError(f"{self.name} weighs choices only; leave out `layers` to have it write text")
        runs = self._runs(prompt)
        tokens = self._encode(runs)
        rendered = shown(runs, self._header)
        # One place is kept for the first token of the answer.
        error = self._misfit(len(tokens), len(tokens) + 2)
        grammar = ""
        if prompt.schema and not error:
            grammar, error = _grammar(prompt.schema)
        if error:
            return Response(finish="error", usage=Usage(len(tokens)), rendered=rendered, error=error)
        text, finish, written = self._write(prompt, tokens, grammar, rendered)
        return Response(text, finish, Usage(len(tokens), 0, written), rendered)

    def _write(self, prompt: Prompt, tokens: list[int], grammar: str, rendered: str) -> tuple[str, Finish, int]:
        wanted = max(prompt.max_tokens, int(self._settings.get("max_tokens", 0)))
        limit = min(wanted, self._context - len(tokens))
        # With one seed for all, every prompt would draw the same numbers, and their errors would go together.
        drawn = f":{prompt.draw}" if prompt.draw else f"#{prompt.epoch}" if prompt.epoch else ""
        seed = hashlib.sha256(f"{self._settings['seed']}{drawn}:{rendered}".encode()).digest()[:4]
        following = self._engine.write(
            tokens,
            limit=limit,
            temperature=1.0 if prompt.draw else self._settings["temperature"],
            top_p=self._settings.get("top_p", 1.0),
            seed=int.from_bytes(seed, "little"),
            grammar=grammar,
        )
        stops = [stop.encode() for stop in prompt.stop if stop]
        text, written = b"", 0
        for token in following:
            text += self._header.pieces[token]
            written += 1
            cut = min((place for stop in stops if (place := text.find(stop)) >= 0), default=-1)
            if cut >= 0:
                return text[:cut].decode("utf-8", errors="replace"), "stop", written
        return text.decode("utf-8", errors="replace"), "length" if written >= limit else "stop", written


def _grammar(schema: str) -> tuple[str, str]:
    """The grammar that a JSON schema stands for, or why there is none."""
    from cyllama.llama.llama_cpp import json_schema_to_grammar

    try:
        return json_schema_to_grammar(schema), ""
    except (ValueError, RuntimeError) as error:
        return "", f"the schema of the prompt is not one that llama.cpp can follow ({error})"
