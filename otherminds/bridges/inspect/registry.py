"""What Inspect finds by its entry point: a task for every suite, and the provider `otherminds`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any

import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from otherminds.bridges.inspect.model import OURS, as_output
from otherminds.bridges.inspect.tasks import (
    high,
    in_order,
    low,
    orders_together,
    response_score,
    right,
    task_of,
    verdict,
)
from otherminds.errors import OthermindsError, UsageError
from otherminds.models import Message, Model, Prompt, Response, Weighing, get_model
from otherminds.models.gate import fault
from otherminds.plugins import added
from otherminds.store.packing import Result, unpack_prompt
from otherminds.studies import STUDIES
from otherminds.studies.suites import get_suite

__all__ = ["high", "in_order", "low", "orders_together", "otherminds", "response_score", "right", "suite", "verdict"]


@modelapi(name="otherminds")
def otherminds() -> type[ModelAPI]:
    """Our models."""
    from otherminds.bridges.inspect.registry import OthermindsAPI

    return OthermindsAPI


def _asked(name: str, prompt: str | None, score: str | None, seed: int) -> Task:
    return task_of(get_suite(name).using(prompt=prompt, score=score), seed=seed)


@task
def suite(file: str, prompt: str | None = None, score: str | None = None, seed: int = 0) -> Task:
    """A suite of your own, in a .jsonl file."""
    return _asked(file, prompt, score, seed)


def _task(name: str) -> Callable[..., Any]:
    def of_suite(prompt: str | None = None, score: str | None = None, seed: int = 0) -> Task:
        return _asked(name, prompt, score, seed)

    of_suite.__doc__ = f"The suite {name}."
    return task(of_suite, name=name)


TASKS = {name: _task(name) for name, make in STUDIES.items() if make().suite} | {
    name: _task(name) for name in added("suites")
}


LENGTH = 256
"""Tokens that a task of others may have written, unless it says how many."""


class OthermindsAPI(ModelAPI):
    """One of our models, by the name that `otherminds run -m` knows it by."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 as Inspect declares it
        render: str = "chat",
        **settings: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        if render not in ("chat", "raw"):
            raise UsageError(f"render should be chat or raw, not {render!r}")
        if base_url is not None:
            settings["base_url"] = base_url
        self.render = render
        self.model: Model = get_model(model_name, **settings)
        self._lock = Lock()
        self._queue = Lock()
        self._waiting: list[tuple[Prompt, Future[Result]]] = []

    def max_connections(self) -> int:
        """How many prompts may wait for each other."""
        return max(1, self.model.batch, self.model.parallel)

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """A text, or the log-probabilities of the labels that a task of ours asks for."""
        prompt = self._prompt(input, config)
        result = await anyio.to_thread.run_sync(partial(self._answer, prompt))
        return as_output(self.model_name, result)

    def _prompt(self, input: list[ChatMessage], config: GenerateConfig) -> Prompt:
        whole = (input[-1].metadata or {}).get(OURS) if input else None
        if whole:
            prompt = unpack_prompt(whole)
            return replace(prompt, schema="") if "schema" in self.model.cannot else prompt
        length, stop = config.max_tokens or LENGTH, tuple(config.stop_seqs or ())
        if self.render == "raw":
            return Prompt(text="\n".join(turn.text for turn in input), max_tokens=length, stop=stop)
        turns = tuple(Message(_role(turn.role), turn.text) for turn in input)
        return Prompt(messages=turns, max_tokens=length, stop=stop)

    def _answer(self, prompt: Prompt) -> Result:
        """The result of one prompt; whoever comes first answers all that have come by then."""
        own: Future[Result] = Future()
        with self._queue:
            self._waiting.append((prompt, own))
        with self._lock:
            if not own.done():
                with self._queue:
                    batch, self._waiting = self._waiting, []
                for some in ([pair for pair in batch if bool(pair[0].choices) is weighed] for weighed in (True, False)):
                    self._answer_all(some)
        return own.result()

    def _answer_all(self, batch: list[tuple[Prompt, Future[Result]]]) -> None:
        prompts = [prompt for prompt, _ in batch]
        if not prompts:
            return
        kind = Weighing if prompts[0].choices else Response
        results: Sequence[Result]
        try:
            results = self.model.weigh(prompts) if prompts[0].choices else self.model.ask(prompts)
        except OthermindsError as error:
            results = [kind(error=str(error)) for _ in prompts]
        for (prompt, own), result in zip(batch, results, strict=True):
            wrong = fault(prompt, result)
            own.set_result(kind(error=f"the reply {wrong}") if wrong else result)


def _role(role: str) -> Any:
    return role if role in ("system", "user", "assistant") else "user"
