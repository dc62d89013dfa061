"""What a model is: something that answers prompts (`ask`) and weighs given choices (`weigh`).

A backend is any class with the attributes and the two verbs of `Model`; it knows nothing of items, stories or
runs. Settings such as temperature and seed belong to the constructor, because they are part of what a model is:
two models with different settings have different fingerprints and never share a stored answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import partial
from inspect import signature
from math import exp
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, runtime_checkable

from otherminds.errors import UsageError
from otherminds.models import adapters
from otherminds.models.specs import PROVIDERS, read_spec
from otherminds.plugins import added, load
from otherminds.showing.brief import Brief, cut

if TYPE_CHECKING:
    from otherminds.models.api.endpoint import Endpoint

Role = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length", "refused", "error"]
Verb = Literal["ask", "weigh"]
ABILITIES = ("raw", "chat", "prefill", "schema", "weigh", "continuations")
"""What a model may lack."""

MESSAGE = 1_900
"""Characters of a message that are printed; whoever scripts a model looks for words there."""
BROKEN_OFF: ContextVar[Event] = ContextVar("BROKEN_OFF", default=Event())  # noqa: B039 that one is never set
"""Set where the work is broken off, so that what fails now is not tried again."""


@dataclass(frozen=True, slots=True, repr=False)
class Message:
    """One turn of a chat."""

    role: Role
    content: str

    def __repr__(self) -> str:
        return cut(f"Message({self.role!r}, {self.content!r})", MESSAGE)


@dataclass(frozen=True, slots=True, repr=False)
class Prompt(Brief):
    """The text one model gets for one item, and what may come back.

    Either `text` (raw: these characters and no others) or `messages` (chat: put into the model's own template).
    """

    text: str = ""
    messages: tuple[Message, ...] = ()
    prefill: str = ""
    """The beginning of the model's own turn, which it continues; chat only."""
    choices: tuple[str, ...] = ()
    """What `weigh` weighs. Continuations are taken to the letter, so most begin with a space."""
    labels: bool = False
    """The choices are labels such as "A": any single token that reads so, with or without a space, counts."""
    schema: str = ""
    """A JSON schema, as JSON text, that the answer must follow."""
    stop: tuple[str, ...] = ()
    max_tokens: int = 256
    draw: int = 0
    """Which of several draws this is, from 1 on: each is made apart, at a temperature of 1; 0: as the model is set."""
    epoch: int = 0
    """Which repetition this is, from 0 on, at the model's own settings."""
    about: object = field(default=None, compare=False, repr=False)
    """What whoever asks knows of it, for baselines alone: not sent, not stored, and two prompts are equal without."""

    def __str__(self) -> str:
        return self.text or "\n".join([*(turn.content for turn in self.messages), self.prefill])

    @property
    def render(self) -> Literal["raw", "chat", "chat+prefill"]:
        """How the prompt reaches the model."""
        if not self.messages:
            return "raw"
        return "chat+prefill" if self.prefill else "chat"

    def to_dict(self) -> dict[str, Any]:
        """As JSON, defaults left out, so that a new field does not change the key of an old call."""
        full = {name: value for name, default in _PARTS if (value := getattr(self, name)) != default}
        if self.messages:
            full["messages"] = [[turn.role, turn.content] for turn in self.messages]
        return full


_PARTS = [(part.name, part.default) for part in fields(Prompt) if part.compare]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens: sent, of these taken from a shared past instead of computed, and written."""

    prompt: int = 0
    cached: int = 0
    written: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.prompt + other.prompt, self.cached + other.cached, self.written + other.written)


@dataclass(frozen=True, slots=True)
class Origin:
    """Which version of a model answered, as its server says; empty where it says nothing."""

    model: str = ""
    system_fingerprint: str = ""
    version: str = field(default="", compare=False)
    """Of the server's program, which is asked for it apart."""
    created: float = field(default=0, compare=False)
    """When, by the server's clock; kept for the record, and never compared."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON, without what the server does not say."""
        return {part.name: value for part in fields(self) if (value := getattr(self, part.name))}


@dataclass(frozen=True, slots=True, repr=False)
class Response(Brief):
    """All that came back for one prompt."""

    text: str = ""
    finish: Finish = "stop"
    usage: Usage = Usage()
    rendered: str = ""
    """What was really sent: the text after the template."""
    error: str = ""
    """Why there is no answer, as a sentence. Such a call is not kept, so that it is asked again."""
    thought: int = 0
    """Tokens of `usage` that were thought before the text began, as far as a server tells."""
    origin: Origin | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, repr=False)
class Weighing(Brief):
    """The log-probability of every choice of one prompt."""

    logprobs: Mapping[str, float] = field(default_factory=dict)
    """By choice. Labels: all variants together. Continuations: all tokens together."""
    tokens: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By choice. Labels: the variants that were counted. Continuations: the tokens, one after another."""
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """For choices that a server did not report, or not in every spelling: least and greatest log-probability."""
    usage: Usage = Usage()
    rendered: str = ""
    error: str = ""
    origin: Origin | None = field(default=None, compare=False, repr=False)

    @property
    def mass(self) -> float:
        """The probability of all choices together; far below 1, a ratio of two of them says little."""
        # Servers round a hair above 1, and of two choices where one goes on from the other, it is a part of it.
        return min(1.0, sum(exp(min(value, 0.0)) for value in self.logprobs.values()))


class ModelDefaults(Protocol):
    """What only some models have, with what holds of all others; a class inherits what it does not say itself."""

    is_served: bool = False
    """Whether it is asked over the network, so that what its server can do has to be found out."""
    found_lacking: frozenset[str] = frozenset()
    """What whoever tried it out found missing besides."""

    @property
    def servers(self) -> Sequence[Endpoint]:
        """All servers that answer for it."""
        return ()

    @property
    def settings(self) -> Mapping[str, Any]:
        """Of the identity, what is known before anything is loaded or asked."""
        return {}

    @property
    def scales(self) -> Mapping[str, str]:
        """By kind of prompt, how the scale of its log-probabilities was checked; no part of the identity."""
        return {}

    @property
    def retried(self) -> int:
        """How many calls it had to make again so far."""
        return 0

    @property
    def waited(self) -> float:
        """The seconds that calls waited before they were made again, all together."""
        return 0.0

    def shallower(self) -> Model | None:
        """The same model without the last third of its layers; none where these cannot be left out."""
        return None


class Model(ModelDefaults, Protocol):
    """Whatever answers prompts."""

    name: str

    @property
    def batch(self) -> int:
        """How many prompts it likes to weigh in one call."""
        ...

    @property
    def ask_batch(self) -> int:
        """How many it likes to write texts for in one call; 1 where more gain nothing, since texts are kept by call."""
        ...

    @property
    def parallel(self) -> int:
        """How many calls it can have under way at once, from different threads."""
        ...

    @property
    def identity(self) -> Mapping[str, Any]:
        """All that can change an answer, as JSON; nothing secret belongs there."""
        ...

    @property
    def cannot(self) -> frozenset[str]:
        """What it refuses with a ModelError: some of "raw", "chat", "prefill", "schema", "weigh", "continuations"."""
        ...

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        ...

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order."""
        ...


@runtime_checkable
class Submitting(Protocol):
    """A model that can have many calls under way without a thread for each of them."""

    def submit(self, verb: Verb, prompts: Sequence[Prompt]) -> Future[list[Any]]:
        """Begin to ask, or to weigh, some prompts."""
        ...


class _OnlyDefaults(ModelDefaults):
    """A model that says nothing else."""


def completed(model: Any) -> Model:
    """A model by somebody else's class, which need not know of the defaults, with those of what it does not say."""
    without = _OnlyDefaults()
    for name in [each for each in vars(ModelDefaults) if not each.startswith("_")]:
        if not hasattr(model, name):
            setattr(model, name, getattr(without, name))
    return cast(Model, model)


def fingerprint(model: Model) -> str:
    """A short name for all that can change this model's answers: weights, template, engine, settings."""
    text = json.dumps(model.identity, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _local(spec: str) -> tuple[Callable[..., Model], str | Path]:
    from otherminds.models.local.model import Local

    kind, _, path = spec.partition(":")
    return Local, Path(path).expanduser() if kind == "gguf" else spec


def _hugging_face(spec: str) -> tuple[Callable[..., Model], str]:
    from otherminds.models.hf.model import HuggingFace

    return HuggingFace, spec.partition(":")[2]


def _served(spec: str) -> tuple[Callable[..., Model], str]:
    from otherminds.models.api.pool import serve

    provider, _, name = spec.partition(":")
    known = {key: value for key, value in PROVIDERS.get(provider, {}).items() if key != "about"}
    return partial(serve, **known, provider=provider), name


# A name that ends in a colon wants something behind it: a path, or the name that the hub or the server knows.
BACKENDS: dict[str, Callable[[str], tuple[Callable[..., Model], str | Path]]] = {
    "smollm2": _local,
    "gemma-270m": _local,
    "gguf:": _local,
    "hf:": _hugging_face,
    "api:": _served,
    **{f"{provider}:": _served for provider in PROVIDERS},
}


def _meant(spec: str, kind: str) -> str:
    """What somebody may have had in mind who wrote a name that is none."""
    near = get_close_matches(kind, [name.rstrip(":") for name in BACKENDS], n=1, cutoff=0.5)
    if "+" in kind and kind.partition("+")[0] in BACKENDS:
        base = kind.partition("+")[0]
        return " or ".join(f"{base}+{name}" for name in adapters.shipped()) + " or a file of an adapter"
    if near:
        # "smolm2" is a slip of the pen; "hf" is half a name.
        return near[0] + (":…" if near[0] + ":" in BACKENDS else "")
    if spec.endswith(".gguf"):
        return f"gguf:{spec}"
    if "/" in spec:
        return f"hf:{spec}"
    makers = {"gpt": "openai", "claude": "anthropic", "gemini": "google"}
    return next((f"{maker}:{spec}" for name, maker in makers.items() if spec.startswith(name)), "")


def get_model(spec: str, **settings: Any) -> Model:
    """The model called `smollm2`, `gemma-270m`, `gguf:PATH`, `hf:NAME`, `api:NAME`, `openai:NAME` and so on.

    `smollm2+beliefs` is a model with an adapter, by the name of one that is shipped or by its file. Settings may stand
    behind its name too, as in `vllm:qwen,temperature=0`, and come before others. `name` is what it goes by in reports;
    it changes no answer.
    """
    spec, own = read_spec(spec)
    settings |= own
    called = settings.pop("name", None)
    if called is not None and not (isinstance(called, str) and called.strip()):
        raise UsageError(f"{spec}: name should be a text, not {called!r}")
    spec, adapter = adapters.split(spec)
    if adapter:
        settings["adapter"] = adapter
    kind, colon, rest = spec.partition(":")
    maker: Callable[..., Model]
    name: str | Path
    if kind in added("models"):
        maker, name = load("models", kind), rest
    elif kind + colon in BACKENDS and bool(colon) == bool(rest):
        maker, name = BACKENDS[kind + colon](spec)
    else:
        meant = _meant(spec, kind)
        hint = f" (did you mean {meant}?)" if meant else ""
        known = [word + "…" if word.endswith(":") else word for word in BACKENDS]
        raise UsageError(f"there is no model {spec!r}{hint}; there are {', '.join([*known, *added('models')])}")
    allowed = [word for word, option in signature(maker).parameters.items() if option.kind == option.KEYWORD_ONLY]
    unknown = sorted(set(settings) - set(allowed))
    if unknown:
        raise UsageError(f"{spec} has no setting {unknown[0]!r}; it has {', '.join(allowed)}")
    model = completed(maker(name, **settings))
    if called:
        model.name = called.strip()
    return model
