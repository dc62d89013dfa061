"""Hugging Face weights on this machine, through transformers: GPU or CPU, exact log-probabilities.

torch and transformers are imported when a model is first used, not before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from math import exp, log
from typing import Any

from otherminds.errors import ModelError, UsageError
from otherminds.models import Finish, Prompt, Response, Usage, Weighing
from otherminds.models.checkpoint import Checkpoint, first_line, libraries
from otherminds.models.draw import cut, draws, stops
from otherminds.models.shared import Path, look_up, plan
from otherminds.models.tokens import Tokens

DTYPES = ("float32", "bfloat16", "float16")

_Parts = Mapping[str, Sequence[tuple[Path, int]]]
"""For every choice, the steps (a path and the token after it) whose log-probabilities make up its own."""


class HuggingFace:
    """A model of the Hugging Face hub, a folder, or a GGUF file.

    float32 is the default because in 16 bits a number depends a little on what is computed beside it.
    """

    parallel = 1

    def __init__(
        self,
        name_or_path: str,
        *,
        temperature: float = 0.0,
        seed: int = 0,
        device: str | None = None,
        dtype: str = "float32",
        revision: str | None = None,
        gguf_file: str | None = None,
        batch: int = 16,
    ) -> None:
        if dtype not in DTYPES:
            raise UsageError(f"there is no dtype {dtype!r}; choose one of {', '.join(DTYPES)}")
        if batch < 1 or temperature < 0:
            raise UsageError("batch should be at least 1 and temperature at least 0")
        self._checkpoint = Checkpoint.of(name_or_path, revision=revision, gguf_file=gguf_file)
        self.name = f"hf:{self._checkpoint.name}"
        self.batch = self.ask_batch = batch
        self._temperature, self._seed, self._dtype, self._wish = temperature, seed, dtype, device

    def __repr__(self) -> str:
        return f"HuggingFace({self._checkpoint.source!r})"

    # ── what it is ──

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """All that can change an answer: weights, tokenizer and template by digest, libraries, settings."""
        torch, transformers = libraries()
        return {
            "backend": "hf",
            "model": self._checkpoint.name,
            "weights": self._checkpoint.digests(),
            "tokenizer": self._tokens.digest,
            "template": hashlib.sha256(self._tokens.template.encode()).hexdigest(),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "device": self._device.partition(":")[0],
            "dtype": self._dtype,
            "temperature": self._temperature,
            "seed": self._seed,
        }

    @cached_property
    def cannot(self) -> frozenset[str]:
        """Schemas, and chat where the tokenizer has no template."""
        return frozenset({"schema"} if self._tokens.template else {"schema", "chat", "prefill"})

    @cached_property
    def _device(self) -> str:
        torch, _ = libraries()
        return self._wish or ("cuda" if torch.cuda.is_available() else "cpu")

    @cached_property
    def _tokens(self) -> Tokens:
        _, transformers = libraries()
        return Tokens(self._checkpoint.open(transformers.AutoTokenizer), name=self.name)

    @cached_property
    def _model(self) -> Any:
        torch, transformers = libraries()
        model = self._checkpoint.open(transformers.AutoModelForCausalLM, dtype=getattr(torch, self._dtype))
        ends = model.generation_config.eos_token_id
        ends = self._tokens.tokenizer.eos_token_id if ends is None else ends
        self._ends: tuple[int, ...] = tuple(ends) if isinstance(ends, list) else (0 if ends is None else ends,)
        # What its maker likes to sample with (top-p, a penalty on repetition) is not what we were asked for.
        model.generation_config = transformers.GenerationConfig(
            eos_token_id=list(self._ends), pad_token_id=self._ends[0], max_length=None
        )
        try:
            return model.to(self._device).eval()
        except RuntimeError as error:
            raise ModelError(f"{self.name} cannot be put on {self._device!r}: {first_line(error)}") from None

    @cached_property
    def _context(self) -> int:
        """The most tokens the model can hold."""
        config = self._model.config.get_text_config()
        return int(getattr(config, "max_position_embeddings", 0) or 1_000_000)

    def _fault(self, ids: Path, parts: _Parts | None = None) -> str:
        """Why this prompt cannot be put to the model; empty if it can."""
        parts = parts or {}
        length = max([len(ids) + 1, *(len(path) for path, _ in _steps(parts))])
        if length > self._context:
            return (
                f"the prompt has {len(ids)} tokens and {self.name} holds {self._context}, the answer included; "
                "shorten it or take a model with a longer context"
            )
        if not ids or any(not path for path, _ in _steps(parts)):
            return f"the prompt is empty, and {self.name} needs something to go on"
        lost = next((choice for choice, steps in parts.items() if not steps), None)
        return f"no token of {self.name} reads as {lost!r}; weigh it as a continuation" if lost is not None else ""

    @contextmanager
    def _computing(self) -> Iterator[None]:
        torch, _ = libraries()
        try:
            with torch.inference_mode():
                yield
        except torch.OutOfMemoryError:
            raise ModelError(
                f"{self._device} has no memory left for {self.name} in batches of {self.batch}; "
                "use a smaller batch or dtype='bfloat16'"
            ) from None

    # ── ask ──

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        answers: dict[int, Response] = {}
        waiting: dict[tuple[int, tuple[str, ...]], list[tuple[Path, int]]] = {}
        for number, prompt in enumerate(prompts):
            if prompt.schema:
                raise ModelError(f"{self.name} cannot keep to a JSON schema; ask a GGUF model or a server that can")
            ids = self._tokens.encode(prompt)
            if fault := self._fault(ids):
                answers[number] = Response(finish="error", error=fault)
            else:
                limit = min(prompt.max_tokens, self._context - len(ids))
                waiting.setdefault((limit, prompt.stop), []).append((ids, number))
        for (limit, _), rows in waiting.items():
            rows.sort(key=lambda row: len(row[0]))
            for first in range(0, len(rows), self.batch):
                chunk = rows[first : first + self.batch]
                asked = [prompts[number] for _, number in chunk]
                written = self._write([ids for ids, _ in chunk], asked, limit)
                for (ids, number), prompt, new in zip(chunk, asked, written, strict=True):
                    answers[number] = self._response(prompt, ids, new)
        return [answers[number] for number in range(len(prompts))]

    def _write(self, rows: Sequence[Path], prompts: Sequence[Prompt], limit: int) -> list[list[int]]:
        """The ids that the model writes after every row."""
        torch, _ = libraries()
        model, width = self._model, max(map(len, rows))
        padded = [[self._ends[0]] * (width - len(row)) + [*row] for row in rows]
        mask = [[0] * (width - len(row)) + [1] * len(row) for row in rows]
        options: dict[str, Any] = {}
        if self._temperature:
            seeds = [_seed(self._seed, prompt) for prompt in prompts]
            options["logits_processor"] = [draws(seeds, temperature=self._temperature, device=self._device)]
        if prompts[0].stop:
            options["stopping_criteria"] = [stops(prompts[0].stop, self._tokens.tokenizer.decode, width)]
        with self._computing():
            result = model.generate(
                torch.tensor(padded, device=self._device),
                attention_mask=torch.tensor(mask, device=self._device),
                max_new_tokens=limit,
                do_sample=False,
                **options,
            )
        return [row[width:] for row in result.tolist()]

    def _response(self, prompt: Prompt, ids: Path, new: list[int]) -> Response:
        end = next((place for place, token in enumerate(new) if token in self._ends), None)
        text, stopped = cut(self._tokens.decode(ids, new[:end]), prompt.stop)
        finish: Finish = "length" if end is None and not stopped else "stop"
        usage = Usage(prompt=len(ids), written=len(new) if end is None else end + 1)
        return Response(text, finish, usage, self._tokens.render(prompt))

    # ── weigh ──

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order; a shared beginning is computed once."""
        wanted: dict[Path, set[int]] = {}
        asked = [(self._tokens.encode(prompt), self._parts(prompt)) for prompt in prompts]
        faults = [self._fault(ids, parts) for ids, parts in asked]
        for (_, parts), fault in zip(asked, faults, strict=True):
            for path, token in () if fault else _steps(parts):
                wanted.setdefault(path, set()).add(token)
        groups = plan(wanted, share=not self._model._is_stateful)
        with self._computing():
            values = look_up(self._model, groups, wanted, batch=self.batch)
        shared = {row.ids[: place + 1]: group.shared for group in groups for row in group.rows for place in row.places}
        computed: set[Path] = set()
        weighings = []
        for prompt, (ids, parts), fault in zip(prompts, asked, faults, strict=True):
            if fault:
                weighings.append(Weighing(error=fault))
                continue
            begin = ids[: shared.get(ids, 0)]
            cached = len(ids) if ids in computed else len(begin) if begin in computed else 0
            computed |= {ids, begin}
            weighings.append(self._weighing(prompt, Usage(prompt=len(ids), cached=cached), parts, values))
        return weighings

    def _parts(self, prompt: Prompt) -> _Parts:
        if prompt.labels:
            ids = self._tokens.encode(prompt)
            return {choice: [(ids, token) for token in self._tokens.labels(choice)] for choice in prompt.choices}
        ids, tails = self._tokens.tails(prompt)
        return {
            choice: [((*ids, *tail[:place]), token) for place, token in enumerate(tail)]
            for choice, tail in tails.items()
        }

    def _weighing(
        self, prompt: Prompt, usage: Usage, parts: _Parts, values: Mapping[tuple[Path, int], float]
    ) -> Weighing:
        total = _log_sum if prompt.labels else sum
        return Weighing(
            logprobs={choice: float(total([values[step] for step in steps])) for choice, steps in parts.items()},
            tokens={choice: self._tokens.pieces([token for _, token in steps]) for choice, steps in parts.items()},
            usage=usage,
            rendered=self._tokens.render(prompt),
        )


def _steps(parts: _Parts) -> Iterator[tuple[Path, int]]:
    return (step for steps in parts.values() for step in steps)


def _log_sum(values: Sequence[float]) -> float:
    top = max(values)
    return top + log(sum(exp(value - top) for value in values))


def _seed(seed: int, prompt: Prompt) -> int:
    text = json.dumps([seed, prompt.to_dict()], sort_keys=True, ensure_ascii=False)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7])
