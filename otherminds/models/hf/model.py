"""Hugging Face weights on this machine, through transformers: GPU or CPU, exact log-probabilities.

torch and transformers are imported when a model is first used, not before.
"""

from __future__ import annotations

import gc
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from otherminds.errors import ModelError, UsageError
from otherminds.models import Finish, ModelDefaults, Prompt, Response, Usage, Weighing, adapters
from otherminds.models.forks import Loaded
from otherminds.models.hf.checkpoint import SPREAD, Checkpoint, first_line, is_out_of_memory, libraries, place, size
from otherminds.models.hf.scorer import Scorer
from otherminds.models.hf.tokenizer import Tokens
from otherminds.models.hf.writing import Ids, Manner, cut, draws, enough, write, write_with_a_state
from otherminds.models.specs import settings, whole
from otherminds.models.weighing import WeighingPlan, begin, plan_for

DTYPES = ("float32", "bfloat16", "float16")
BATCH = {"cpu": 16, "cuda": 2048}
ASK_BATCH = {"cpu": 16, "cuda": 64}
"""Prompts in one call, by device; how many of them go through the model together is found out there."""

PART = 512
"""Prompts of a call that are planned together."""


class HuggingFace(Loaded, ModelDefaults):
    """A model of the Hugging Face hub, a folder, or a GGUF file.

    float32 is the default because in 16 bits a number depends a little on what is computed beside it. `top_p` draws
    from the likeliest tokens that together have this chance; `max_tokens` lets texts be longer than a prompt asks for.
    Without `device` it is put on a GPU where there is one, and over all of them (`auto`) where one is too small.
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
        batch: int | None = None,
        adapter: str | None = None,
    ) -> None:
        if dtype not in DTYPES:
            raise UsageError(f"there is no dtype {dtype!r}; choose one of {', '.join(DTYPES)}")
        self._checkpoint = Checkpoint.of(name_or_path, revision=revision, gguf_file=gguf_file)
        self.name = f"hf:{self._checkpoint.name}"
        self._adapter_file = adapters.find(adapter) if adapter else None
        if self._adapter_file:
            self.name += f"+{self._adapter_file.name.removesuffix(adapters.SUFFIX)}"
        self._batch = None if batch is None else whole("batch", batch, least=1)
        self._settings = settings(temperature=temperature, seed=seed, top_p=top_p, max_tokens=max_tokens)
        self._dtype, self._wish = dtype, device
        self._most_texts = 2**31
        """That memory has held at once."""

    def __repr__(self) -> str:
        return f"HuggingFace({self._checkpoint.source!r})"

    @property
    def batch(self) -> int:
        """How many prompts it likes to weigh in one call; many on a GPU, which wants much to choose from."""
        return self._batch or BATCH.get(self._kind, BATCH["cuda"])

    @property
    def ask_batch(self) -> int:
        """How many texts it writes at once."""
        return self._batch or ASK_BATCH.get(self._kind, ASK_BATCH["cuda"])

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
            "device": self._kind,
            **({"adapter": self._adapter.sha256} if self._adapter else {}),
            **self.settings,
        }

    @property
    def settings(self) -> Mapping[str, Any]:
        """Dtype, temperature and so on."""
        return {"dtype": self._dtype, **self._settings}

    @cached_property
    def cannot(self) -> frozenset[str]:
        """Schemas, and chat where the tokenizer has no template."""
        return frozenset({"schema"} if self._tokens.template else {"schema", "chat", "prefill"})

    @cached_property
    def _adapter(self) -> adapters.Adapter | None:
        return adapters.read(self._adapter_file) if self._adapter_file else None

    @cached_property
    def _kind(self) -> str:
        """What sort of device it is computed on."""
        torch, _ = libraries()
        if self._wish and self._wish != SPREAD:
            return self._wish.partition(":")[0]
        return "cuda" if torch.cuda.is_available() else "cpu"

    @cached_property
    def _device(self) -> str:
        libraries()
        return place(self.name, self._wish, size(self._config, self._dtype), self._dtype)

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
        spread = {"device_map": "auto"} if self._device == SPREAD else {}
        model = self._checkpoint.load(transformers.AutoModelForCausalLM, dtype=getattr(torch, self._dtype), **spread)
        if self._adapter:
            self._merge(self._adapter, model)
        # What its maker likes to sample with (top-p, a penalty on repetition) is not what we were asked for.
        model.generation_config = transformers.GenerationConfig(
            eos_token_id=self._ends, pad_token_id=self._ends[0], max_length=None
        )
        if spread:
            return model.eval()
        try:
            return model.to(self._device).eval()
        except (AssertionError, RuntimeError) as error:  # the first where torch was built without this device
            raise ModelError(f"{self.name} cannot be put on {self._device!r}: {first_line(error)}") from None

    @cached_property
    def _scorer(self) -> Scorer:
        return Scorer(self._model)

    def _merge(self, adapter: adapters.Adapter, model: Any) -> None:
        torch, _ = libraries()
        weights = {name.removesuffix(".weight"): weight for name, weight in model.named_parameters()}
        shapes = {name: tuple(weight.shape) for name, weight in weights.items()}
        adapter.check(self._checkpoint.digests(), shapes, self.name)
        with torch.no_grad():
            for name in adapter.parts:
                weights[name] += torch.from_numpy(adapter.addition(name)).to(weights[name])

    @cached_property
    def _context(self) -> int:
        """The most tokens the model can hold."""
        config = self._model.config.get_text_config()
        return int(getattr(config, "max_position_embeddings", 0) or 1_000_000)

    def _misfit(self, length: int, longest: int) -> str:
        """Why a prompt of so many tokens, and so many with its answer, cannot be put to the model."""
        if longest > self._context:
            return (
                f"the prompt has {length} tokens and {self.name} holds {self._context}, the answer included; "
                "shorten it or take a model with a longer context"
            )
        return "" if length else f"the prompt is empty, and {self.name} needs something to go on"

    @contextmanager
    def _computing(self) -> Iterator[None]:
        torch, _ = libraries()
        try:
            with torch.inference_mode():
                yield
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            raise ModelError(
                f"{self._device} has no memory left for {self.name}, not even for one prompt at a time; use "
                "dtype='bfloat16', shorter prompts or more memory"
            ) from None
        self._checkpoint.unchanged()

    # ── ask ──

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        if any(prompt.schema for prompt in prompts):
            raise ModelError(f"{self.name} cannot keep to a JSON schema; ask a GGUF model or a server that can")
        answers: dict[int, Response] = {}
        waiting: dict[tuple[bool, int], list[tuple[Ids, int]]] = {}
        for number, ids in enumerate(self._tokens.encode_all([(prompt, "") for prompt in prompts])):
            if fault := self._misfit(len(ids), len(ids) + 1):
                answers[number] = Response(finish="error", error=fault)
            else:
                # Padding cannot be hidden from a state.
                length = len(ids) if self._model._is_stateful else 0
                waiting.setdefault((prompts[number].draw > 0, length), []).append((ids, number))
        for rows in waiting.values():
            rows.sort(key=lambda row: len(row[0]))
            while rows:
                most = min(self.ask_batch, self._most_texts)
                chunk, rows = rows[:most], rows[most:]
                asked = [prompts[number] for _, number in chunk]
                written = self._write([ids for ids, _ in chunk], asked)
                for (ids, number), prompt, new in zip(chunk, asked, written, strict=True):
                    answers[number] = self._response(prompt, ids, new)
        return [answers[number] for number in range(len(prompts))]

    def _write(self, rows: Sequence[Ids], prompts: Sequence[Prompt]) -> list[list[int]]:
        """The ids that the model writes after every row."""
        with self._computing():
            return self._held(rows, prompts)

    def _held(self, rows: Sequence[Ids], prompts: Sequence[Prompt]) -> list[list[int]]:
        """The same; rows that memory does not hold together are parted, and so are those after them."""
        try:
            return self._written(rows, prompts)
        except (RuntimeError, MemoryError) as error:
            if len(rows) == 1 or not is_out_of_memory(error):
                raise
        self._scorer.free()
        half = self._most_texts = (len(rows) + 1) // 2
        return [*self._held(rows[:half], prompts[:half]), *self._held(rows[half:], prompts[half:])]

    def _written(self, rows: Sequence[Ids], prompts: Sequence[Prompt]) -> list[list[int]]:
        wanted = int(self._settings.get("max_tokens", 0))
        limits = [
            min(max(prompt.max_tokens, wanted), self._context - len(row))
            for row, prompt in zip(rows, prompts, strict=True)
        ]

        def said_all(row: int, ids: Sequence[int]) -> bool:
            return enough(ids, prompts[row].stop, self._tokens.tokenizer.decode) <= len(ids)

        writer = write_with_a_state if self._model._is_stateful else write
        return writer(self._scorer, rows, limits, Manner(self._drawn(prompts), self._ends, said_all))

    def _drawn(self, prompts: Sequence[Prompt]) -> Callable[[Any, Sequence[int]], Any]:
        """What picks the next ids: the likeliest, or a draw."""
        temperature = 1.0 if prompts[0].draw else self._settings["temperature"]
        if not temperature:
            return lambda logits, _: logits.argmax(dim=-1)
        seeds = [_seed(self._settings["seed"], prompt) for prompt in prompts]
        top_p = self._settings.get("top_p", 1.0)
        noisy = draws(seeds, temperature=temperature, top_p=top_p, device=self._scorer.device)
        return lambda logits, rows: noisy(rows, logits).argmax(dim=-1)

    def _response(self, prompt: Prompt, ids: Ids, new: list[int]) -> Response:
        # What was written on after a stop string, until somebody looked, was not asked for.
        new = new[: enough(new, prompt.stop, self._tokens.tokenizer.decode)]
        end = next((place for place, token in enumerate(new) if token in self._ends), None)
        text, stopped = cut(self._tokens.decode(ids, new[:end]), prompt.stop)
        finish: Finish = "length" if end is None and not stopped else "stop"
        usage = Usage(prompt=len(ids), written=len(new) if end is None else end + 1)
        return Response(text, finish, usage, self._tokens.render(prompt))

    # ── weigh ──

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order; a shared beginning is computed once."""
        # All that was planned is gone again before lost cycles are looked for, so that there is little to look through.
        with _no_collecting():
            return self._weigh(prompts)

    def _weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        # In this order prompts on one story are next to each other, so that parts of a call share nearly as much.
        order = sorted(range(len(prompts)), key=lambda number: str(prompts[number]))
        parts = [[prompts[number] for number in order[first : first + PART]] for first in range(0, len(order), PART)]
        # Tokenizers do without Python's lock: while one part is planned and a GPU is told of it, the next ones are cut.
        with self._computing(), ThreadPoolExecutor(1) as aside:
            encoded = aside.map(self._tokens.encode_all, map(_texts, parts))
            ends = [self._begin(part, ids) for part, ids in zip(parts, encoded, strict=True)]
            weighed = [one for end in ends for one in end()]
        found = dict(zip(order, weighed, strict=True))
        return [found[number] for number in range(len(prompts))]

    def _begin(self, prompts: Sequence[Prompt], encoded: Sequence[Ids]) -> Callable[[], list[Weighing]]:
        """Put prompts to the model; their numbers are waited for when all of a call are on their way."""
        return begin(self._plans(prompts, encoded), self._scorer, self._tokens.pieces)

    def _plans(self, prompts: Sequence[Prompt], encoded: Sequence[Ids]) -> list[WeighingPlan]:
        ids = iter(encoded)
        plans = []
        for prompt in prompts:
            alone = next(ids)
            joint = {} if prompt.labels else {choice: next(ids) for choice in prompt.choices}
            said = self._tokens.render(prompt)
            plans.append(plan_for(prompt, alone, joint, self._tokens.labels, self._misfit, said, self.name))
        return plans


def _texts(prompts: Sequence[Prompt]) -> list[tuple[Prompt, str]]:
    """What has to be cut into tokens to weigh prompts: each alone, and with every continuation."""
    return [(prompt, more) for prompt in prompts for more in ("", *(() if prompt.labels else prompt.choices))]


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Without looks for lost cycles, of which there are none here; beside torch each takes as long as many prompts."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _told(config: Any) -> Any:
    """A config without where it was read, and by whom."""
    if not isinstance(config, dict):
        return config
    return {key: _told(value) for key, value in config.items() if key not in ("_name_or_path", "transformers_version")}


def _seed(seed: float, prompt: Prompt) -> int:
    text = json.dumps([seed, prompt.to_dict()], sort_keys=True, ensure_ascii=False)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7])
