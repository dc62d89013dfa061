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
from otherminds.models import Finish, Prompt, Response, Usage, Weighing, adapters
from otherminds.models.hf.checkpoint import Checkpoint, first_line, libraries
from otherminds.models.hf.prefixes import Path, look_up, plan
from otherminds.models.hf.sampling import cut, draws, stops
from otherminds.models.hf.tokenizer import Tokens
from otherminds.models.settings import settings, whole

DTYPES = ("float32", "bfloat16", "float16")

_Parts = Mapping[str, Sequence[tuple[Path, int]]]
"""For every choice, the steps (a path and the token after it) whose log-probabilities make up its own."""


class HuggingFace:
    """A model of the Hugging Face hub, a folder, or a GGUF file.

    float32 is the default because in 16 bits a number depends a little on what is computed beside it. `top_p` draws
    from the likeliest tokens that together have this chance; `max_tokens` lets texts be longer than a prompt asks for.
    """

    parallel = 1

    def __init__(
        self,
        name_or_path: str,
        *,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float | None = None,
        max_tokens: int | None = None,
        device: str | None = None,
        dtype: str = "float32",
        revision: str | None = None,
        gguf_file: str | None = None,
        batch: int = 16,
        adapter: str | None = None,
    ) -> None:
        if dtype not in DTYPES:
            raise UsageError(f"there is no dtype {dtype!r}; choose one of {', '.join(DTYPES)}")
        self._checkpoint = Checkpoint.of(name_or_path, revision=revision, gguf_file=gguf_file)
        self.name = f"hf:{self._checkpoint.name}"
        self._adapter_file = adapters.find(adapter) if adapter else None
        if self._adapter_file:
            self.name += f"+{self._adapter_file.name.removesuffix(adapters.SUFFIX)}"
        self.batch = self.ask_batch = whole("batch", batch, least=1)
        self._settings = settings(temperature=temperature, seed=seed, top_p=top_p, max_tokens=max_tokens)
        self._dtype, self._wish = dtype, device

    def __repr__(self) -> str:
        return f"HuggingFace({self._checkpoint.source!r})"

    # ── what it is ──

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """All that can change an answer: weights, config, tokenizer and template by digest, libraries, settings."""
        torch, transformers = libraries()
        return {
            "backend": "hf",
            # Not by name: a folder that is called otherwise is the same model.
            "weights": [*self._checkpoint.digests().values()],
            "config": hashlib.sha256(json.dumps(_told(self._config.to_dict()), sort_keys=True).encode()).hexdigest(),
            "ends": self._ends,
            "tokenizer": self._tokens.digest,
            "template": hashlib.sha256(self._tokens.template.encode()).hexdigest(),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "device": self._device.partition(":")[0],
            **({"adapter": self._adapter.sha256} if self._adapter else {}),
            **self.settings,
        }

    @property
    def settings(self) -> Mapping[str, Any]:
        """Of the identity, what is known before anything is loaded."""
        return {"dtype": self._dtype, **self._settings}

    @cached_property
    def cannot(self) -> frozenset[str]:
        """Schemas, and chat where the tokenizer has no template."""
        return frozenset({"schema"} if self._tokens.template else {"schema", "chat", "prefill"})

    @cached_property
    def _adapter(self) -> adapters.Adapter | None:
        return adapters.read(self._adapter_file) if self._adapter_file else None

    @cached_property
    def _device(self) -> str:
        torch, _ = libraries()
        return self._wish or ("cuda" if torch.cuda.is_available() else "cpu")

    @cached_property
    def _tokens(self) -> Tokens:
        _, transformers = libraries()
        return Tokens(self._checkpoint.open(transformers.AutoTokenizer), name=self.name)

    @cached_property
    def _config(self) -> Any:
        _, transformers = libraries()
        return self._checkpoint.open(transformers.AutoConfig)

    @cached_property
    def _ends(self) -> list[int]:
        """The tokens that end a text."""
        _, transformers = libraries()
        if (self._checkpoint.folder / "generation_config.json").is_file():
            ends = self._checkpoint.open(transformers.GenerationConfig).eos_token_id
        else:
            ends = transformers.GenerationConfig.from_model_config(self._config).eos_token_id
        ends = self._tokens.tokenizer.eos_token_id if ends is None else ends
        return ends if isinstance(ends, list) else [0 if ends is None else ends]

    @cached_property
    def _model(self) -> Any:
        torch, transformers = libraries()
        model = self._checkpoint.load(transformers.AutoModelForCausalLM, dtype=getattr(torch, self._dtype))
        if self._adapter:
            self._merge(self._adapter, model)
        # What its maker likes to sample with (top-p, a penalty on repetition) is not what we were asked for.
        model.generation_config = transformers.GenerationConfig(
            eos_token_id=self._ends, pad_token_id=self._ends[0], max_length=None
        )
        try:
            return model.to(self._device).eval()
        except (AssertionError, RuntimeError) as error:  # the first where torch was built without this device
            raise ModelError(f"{self.name} cannot be put on {self._device!r}: {first_line(error)}") from None

    def _merge(self, adapter: adapters.Adapter, model: Any) -> None:
        torch, _ = libraries()
        weights = {name.removesuffix(".weight"): weight for name, weight in model.named_parameters()}
        shapes = {name: tuple(weight.shape) for name, weight in weights.items()}
        adapter.check(self._checkpoint.digests(), shapes, self.name)
        with torch.no_grad():
            for name in adapter.parts:
                weights[name] += torch.from_numpy(adapter.addition(name)).to(weights[name].dtype)

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
        self._checkpoint.unchanged()

    # ── ask ──

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        answers: dict[int, Response] = {}
        waiting: dict[tuple[int, tuple[str, ...], int], list[tuple[Path, int]]] = {}
        for number, prompt in enumerate(prompts):
            if prompt.schema:
                raise ModelError(f"{self.name} cannot keep to a JSON schema; ask a GGUF model or a server that can")
            ids = self._tokens.encode(prompt)
            if fault := self._fault(ids):
                answers[number] = Response(finish="error", error=fault)
            else:
                wanted = max(prompt.max_tokens, int(self._settings.get("max_tokens", 0)))
                limit = min(wanted, self._context - len(ids))
                # Padding cannot be hidden from a state.
                length = len(ids) if self._model._is_stateful else 0
                waiting.setdefault((limit, prompt.stop, length), []).append((ids, number))
        for (limit, _, _), rows in waiting.items():
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
        if temperature := 1.0 if prompts[0].draw else self._settings["temperature"]:
            seeds = [_seed(self._settings["seed"], prompt) for prompt in prompts]
            top_p = self._settings.get("top_p", 1.0)
            options["logits_processor"] = [draws(seeds, temperature=temperature, top_p=top_p, device=self._device)]
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


def _told(config: Any) -> Any:
    """A config without where it was read, and by whom."""
    if not isinstance(config, dict):
        return config
    return {key: _told(value) for key, value in config.items() if key not in ("_name_or_path", "transformers_version")}


def _seed(seed: float, prompt: Prompt) -> int:
    text = json.dumps([seed, prompt.to_dict()], sort_keys=True, ensure_ascii=False)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7])
