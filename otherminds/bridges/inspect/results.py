"""What Inspect's models give back, as results of ours, and the reverse."""

from __future__ import annotations

from typing import Any

from otherminds.models import Finish, Prompt, Response, Usage, Weighing
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
