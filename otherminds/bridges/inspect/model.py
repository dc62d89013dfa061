"""What Inspect's models give back, as results of ours, and the reverse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from otherminds.errors import ModelError, UsageError
from otherminds.models import Finish, ModelDefaults, Prompt, Response, Usage, Weighing
from otherminds.models.api.background import in_order, wait_for
from otherminds.models.api.replies import counted
from otherminds.models.gate import is_logprob
from otherminds.results.exports import STOPS
from otherminds.store.packing import Result, pack, unpack
from otherminds.store.store import Call

OURS = "otherminds"
"""The key of metadata under which prompts and results of ours travel whole."""
TOP = 20
"""Next tokens to ask a provider for: what the most generous of them gives."""
FINISHES: dict[str, Finish] = {
    **{theirs: ours for ours, theirs in STOPS.items() if ours != "error"},  # type: ignore[misc]
    "model_length": "length",
    "tool_calls": "stop",
    "unknown": "stop",
}
NO_LOGPROBS = "the provider reports no log-probabilities, so nothing can be weighed; score by text"


def read_output(output: Any, prompt: Prompt, *, weighed: bool) -> Result:
    """A model's output as a response, or as a weighing of the prompt's labels."""
    told = (output.metadata or {}).get(OURS)
    if told:
        return unpack(Call("", "", "weigh" if weighed else "ask", {}, told.get("rendered", ""), told["result"], 0.0))
    if output.error:
        return Weighing(error=output.error) if weighed else Response(error=output.error)
    if weighed:
        return _weighing(output, prompt)
    stop = FINISHES.get(str(output.stop_reason), "stop")
    return Response(output.completion, stop, usage_of(output))


def _weighing(output: Any, prompt: Prompt) -> Weighing:
    steps = output.choices[0].logprobs.content if output.choices and output.choices[0].logprobs else []
    if not steps:
        return Weighing(error=NO_LOGPROBS)
    # The first token alone: a label is one, and what comes after it was not asked for.
    listed = [steps[0], *(steps[0].top_logprobs or [])]
    found = {each.token: float(each.logprob) for each in listed if is_logprob(each.logprob)}
    return counted(prompt, found, usage_of(output)) if found else Weighing(error=NO_LOGPROBS)


def usage_of(output: Any) -> Usage:
    """The tokens that an output cost."""
    used = output.usage
    if used is None:
        return Usage()
    cached = used.input_tokens_cache_read or 0
    return Usage(used.input_tokens + cached, cached, used.output_tokens)


def as_output(name: str, result: Result) -> Any:
    """A result of ours as a model's output: the text, or the likeliest label with the log-probabilities of all."""
    from inspect_ai.model import (
        ChatCompletionChoice,
        ChatMessageAssistant,
        Logprob,
        Logprobs,
        ModelOutput,
        ModelUsage,
        TopLogprob,
    )

    logprobs = None
    if isinstance(result, Weighing):
        listed = sorted(result.logprobs.items(), key=lambda pair: -pair[1])
        text, stop = (listed[0][0].strip() if listed else ""), "stop"
        tops = [TopLogprob(token=token, logprob=value) for token, value in listed]
        logprobs = Logprobs(content=[Logprob(token=t.token, logprob=t.logprob, top_logprobs=tops) for t in tops[:1]])
    else:
        text, stop = result.text, STOPS[result.finish]
    used = result.usage
    return ModelOutput(
        model=name,
        choices=[
            ChatCompletionChoice(
                message=ChatMessageAssistant(content=text, model=name, source="generate"),
                stop_reason=stop,
                logprobs=logprobs,
            )
        ],
        usage=ModelUsage(
            input_tokens=used.prompt - used.cached,
            input_tokens_cache_read=used.cached,
            output_tokens=used.written,
            total_tokens=used.prompt + used.written,
        ),
        metadata={OURS: {"result": pack(result), "rendered": result.rendered}},
        error=result.error or None,
    )


RAW = ("openai-api-completions/", "vllm-completions/")
"""Providers that send a single message to the letter, without a chat template."""
BOTH = "otherminds/"
"""Our own, which gets a prompt whole."""


class InspectModel(ModelDefaults):
    """A model by the name that Inspect knows it by, with its settings."""

    def __init__(
        self,
        name: str,
        *,
        temperature: float | None = None,
        seed: int | None = None,
        top_p: float | None = None,
        max_tokens: int | None = None,
        base_url: str | None = None,
        parallel: int = 8,
        max_retries: int = 5,
        model_args: Mapping[str, Any] | None = None,
    ) -> None:
        if not name:
            raise UsageError("inspect: wants a provider and a model behind it, such as inspect:openai/gpt-4o-mini")
        config = {"temperature": temperature, "seed": seed, "top_p": top_p}
        self._room = max_tokens or 0
        self.name = f"inspect:{name}"
        self.batch = self.ask_batch = max(1, parallel)
        self.parallel = 1
        lacking = () if name.startswith(BOTH) else ("chat",) if name.startswith(RAW) else ("raw",)
        self.cannot = frozenset({"prefill", "schema", "continuations", *lacking})
        self.identity: Mapping[str, Any] = {
            "backend": "inspect",
            "model": name,
            "base_url": base_url,
            "model_args": {key: str(value) for key, value in (model_args or {}).items()},
            "max_tokens": max_tokens,
            **config,
        }
        self._model = _open(name, base_url, {**config, "max_retries": max_retries}, dict(model_args or {}))

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        self._refuse(prompts)
        return wait_for(in_order(partial(self._answer, weighed=False), prompts))

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's labels, in order."""
        self._refuse(prompts)
        if not all(prompt.labels for prompt in prompts):
            raise ModelError(f"{self.name} weighs labels alone; use score 'letters' or 'text'")
        found = wait_for(in_order(partial(self._answer, weighed=True), prompts))
        if any(each.error == NO_LOGPROBS for each in found):
            raise ModelError(f"{self.name}: {NO_LOGPROBS}")
        return found

    def _refuse(self, prompts: Sequence[Prompt]) -> None:
        """Say what it cannot do before anything is sent."""
        for prompt in prompts:
            needs = {prompt.render.removeprefix("chat+"), *(["schema"] if prompt.schema else [])}
            if lacking := needs & self.cannot:
                raise ModelError(f"{self.name} cannot do {min(lacking)} prompts; use another --prompt or --score")

    async def _answer(self, prompt: Prompt, *, weighed: bool) -> Any:
        stops = {"stop_seqs": list(prompt.stop)} if prompt.stop else {}
        asked: dict[str, Any] = {"max_tokens": max(prompt.max_tokens, self._room), **stops}
        if weighed:
            asked = {"max_tokens": 1, "logprobs": True, "top_logprobs": TOP}
        try:
            return read_output(await self._generate(prompt, **asked), prompt, weighed=weighed)
        except Exception as error:  # whatever one of many providers raises
            return (Weighing if weighed else Response)(error=f"{self.name}: {_words(error)}")

    async def _generate(self, prompt: Prompt, **config: Any) -> Any:
        from inspect_ai.model import GenerateConfig

        from otherminds.bridges.inspect.tasks import messages

        return await self._model.generate(messages(prompt), config=GenerateConfig(**config))


def _open(name: str, base_url: str | None, config: Mapping[str, Any], args: dict[str, Any]) -> Any:
    try:
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError:
        raise UsageError("Inspect's providers need inspect-ai: pip install 'otherminds[inspect]'") from None
    try:
        return get_model(name, config=GenerateConfig(**config), base_url=base_url, **args)
    except Exception as error:  # an unknown provider, a missing package, no key: each raises something else
        raise UsageError(f"Inspect cannot open {name!r}: {_words(error)}") from None


def _words(error: Exception) -> str:
    return " ".join(str(getattr(error, "message", error)).split())[:300] or type(error).__name__
