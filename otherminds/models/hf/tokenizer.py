"""Prompts as token ids, by a Hugging Face tokenizer and its chat template.

What a prompt's author wrote is plain text, whatever it looks like: a story that holds "<|im_end|>" does not end a
turn. Only the template's own text may become special tokens.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from otherminds.errors import ModelError
from otherminds.models import Message, Prompt
from otherminds.models.chat_template import DAY, MARKER, marked, rendering

_NO_DATE = "{% set strftime_now = nothing_of_this_name +%}"
"""What hides today's date, which transformers would tell, from a template."""
_CODES = ("-d", "-m", *"aAbBdHIjmMpSyY")
_ONE_DATE = (
    "{% macro strftime_now(format) %}{{ format"
    + "".join(f" | replace('%{code}', '{DAY.strftime(f'%{code}')}')" for code in _CODES)
    + " }}{% endmacro +%}"
)
"""What tells a template that cannot do without always the same date; transformers takes no function for it."""


class Tokens:
    """A tokenizer that keeps template and content apart."""

    def __init__(self, tokenizer: Any, *, name: str) -> None:
        self.tokenizer = tokenizer
        self.name = name
        # A prompt is rendered for its ids, for each of its choices and to be shown.
        self._chat = lru_cache(maxsize=1024)(self._templated)
        self._piece = lru_cache(maxsize=None)(lambda token: self._read([token])[0])

    @property
    def template(self) -> str:
        """The chat template; empty where the model has none."""
        template = self.tokenizer.chat_template or ""
        return template if isinstance(template, str) else str(template.get("default", ""))

    @property
    def digest(self) -> str:
        """Changes when any text would be cut into other tokens, or a template would write another one."""
        fast = getattr(self.tokenizer, "backend_tokenizer", None)
        text = fast.to_str() if fast else json.dumps(self.tokenizer.get_vocab(), sort_keys=True)
        marks = json.dumps(self.tokenizer.special_tokens_map, sort_keys=True, default=str)
        return hashlib.sha256(f"{text}{marks}".encode()).hexdigest()

    def render(self, prompt: Prompt) -> str:
        """The text the model reads, special tokens spelt out."""
        if not prompt.messages:
            return prompt.text
        return self._chat(prompt.messages)[1] + prompt.prefill

    def encode(self, prompt: Prompt, more: str = "") -> tuple[int, ...]:
        """The ids of a prompt, continued by `more`."""
        return self.encode_all([(prompt, more)])[0]

    def encode_all(self, continued: Sequence[tuple[Prompt, str]]) -> list[tuple[int, ...]]:
        """The ids of prompts, each with its continuation; many at once take a fraction of the time."""
        found: dict[int, tuple[int, ...]] = {}
        raw: dict[int, str] = {}
        chat: dict[int, str] = {}
        for number, (prompt, more) in enumerate(continued):
            if not prompt.messages:
                raw[number] = prompt.text + more
                continue
            turns, text = self._chat(prompt.messages)
            begun = prompt.prefill + more
            if any(map(self._may_be_special, [*(turn.content for turn in turns), begun])):
                found[number] = self._guarded(turns, begun)
            else:
                chat[number] = text + begun
        for texts, options in ((raw, {"special": False, "start": True}), (chat, {})):
            found |= dict(zip(texts, self._all_ids([*texts.values()], **options), strict=True))
        return [found[number] for number in range(len(continued))]

    def _may_be_special(self, text: str) -> bool:
        """Whether a text may hold a special token, by how it is spelt; letters may be larger or smaller."""
        small = text.lower()
        # Some models have hundreds of them, which begin with the same character or two.
        return any(first in small for first in self._firsts) and any(mark in small for mark in self._marks)

    @cached_property
    def _marks(self) -> tuple[str, ...]:
        names = self.tokenizer.convert_ids_to_tokens(sorted(self._special))
        return tuple({name.strip().lower() for name in names if name and name.strip()})

    @cached_property
    def _firsts(self) -> frozenset[str]:
        return frozenset(mark[0] for mark in self._marks)

    def _guarded(self, turns: Sequence[Message], begun: str) -> tuple[int, ...]:
        """The ids of a chat in which what was said may look like the template's own."""
        ids = [
            self._ids(turns[int(piece)].content, special=False) if number % 2 else self._ids(piece)
            for number, piece in enumerate(MARKER.split(self._templated(marked(turns))[1]))
        ]
        return tuple(token for part in [*ids, self._ids(begun, special=False)] for token in part)

    def _templated(self, messages: Sequence[Message]) -> tuple[Sequence[Message], str]:
        """The turns as the template takes them, and the text that it makes of them."""
        if not self.template:
            raise ModelError(f"{self.name} has no chat template, so it takes raw prompts only; use prompt='raw'")
        try:
            return rendering(messages, self._rendered)
        except Exception as error:  # a template is a program of the model's maker, and may raise anything
            raise ModelError(f"the chat template of {self.name} refuses this prompt: {error}") from None

    def _rendered(self, messages: Sequence[Message], dated: bool) -> str:
        turns = [{"role": turn.role, "content": turn.content} for turn in messages]
        template = (_ONE_DATE if dated else _NO_DATE) + self.template
        return str(
            self.tokenizer.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=True, chat_template=template
            )
        )

    def decode(self, prompt: Sequence[int], written: Sequence[int]) -> str:
        """The text of what was written after a prompt, its first space included."""
        # Alone, a sentencepiece tokenizer would drop the leading space of the first word.
        before, after = (
            str(self.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False))
            for ids in ([*prompt], [*prompt, *written])
        )
        return after[len(before) :]

    def labels(self, label: str) -> Mapping[int, str]:
        """Every single token that reads as this label once leading white space is gone."""
        return self._readings.get(label, {})

    def pieces(self, ids: Sequence[int]) -> tuple[str, ...]:
        """How each token reads."""
        return tuple(map(self._piece, ids))

    @cached_property
    def _readings(self) -> Mapping[str, Mapping[int, str]]:
        readings: dict[str, dict[int, str]] = {}
        for number, text in enumerate(self._read(range(len(self.tokenizer)))):
            if number not in self._special:
                readings.setdefault(text.lstrip(), {})[number] = text
        return readings

    def _read(self, ids: Sequence[int]) -> list[str]:
        names = self.tokenizer.convert_ids_to_tokens(list(ids))
        texts = self.tokenizer.batch_decode([[token] for token in ids], clean_up_tokenization_spaces=False)
        return [
            f" {text}" if (name or "").startswith("▁") and not text.startswith(" ") else text
            for name, text in zip(names, texts, strict=True)
        ]

    @cached_property
    def _special(self) -> frozenset[int]:
        added = {number for number, token in self.tokenizer.added_tokens_decoder.items() if token.special}
        return frozenset(added | set(self.tokenizer.all_special_ids))

    def _ids(self, text: str, *, special: bool = True, start: bool = False) -> tuple[int, ...]:
        return self._all_ids([text], special=special, start=start)[0]

    def _all_ids(self, texts: Sequence[str], *, special: bool = True, start: bool = False) -> list[tuple[int, ...]]:
        if not texts:
            return []
        if self._fast is None:
            found = self.tokenizer([*texts], add_special_tokens=start, split_special_tokens=not special)
            return list(map(tuple, found["input_ids"]))
        self._fast.no_truncation()
        self._fast.no_padding()
        self._fast.encode_special_tokens = not special
        return [tuple(one.ids) for one in self._fast.encode_batch_fast([*texts], add_special_tokens=start)]

    @cached_property
    def _fast(self) -> Any:
        """The inside of a fast tokenizer, which can leave out where tokens stand; None where it has ways of its own."""
        from transformers import PreTrainedTokenizerFast

        plain = PreTrainedTokenizerFast._encode_plus
        own = getattr(type(self.tokenizer), "_encode_plus", None)
        return self.tokenizer.backend_tokenizer if own is plain else None
