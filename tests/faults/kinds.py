"""Every kind of fault that a model server has shown, or could: what it does, where it can strike, what may come of it.

What may come of a fault: an item is as in a calm run, or an error with a reason. A few faults are words of the server
about its answer; what those may lead to is named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.faults import bytes_faults as raw
from tests.faults import reply_faults as said
from tests.faults.server import Fault, Request
from tests.faults.truth import fraction


@dataclass(frozen=True)
class Form:
    """A way of asking a kind of server."""

    score: str
    chat: bool
    server: str = "other"

    @property
    def name(self) -> str:
        """Such as "letters-raw", or "vllm:letters-raw"."""
        way = f"{self.score}-{'chat' if self.chat else 'raw'}"
        return way if self.server == "other" else f"{self.server}:{way}"


COMMON = (Form("letters", False), Form("letters", True), Form("cloze", False), Form("text", False), Form("text", True))
OWN = (
    *(Form(score, chat, "llama.cpp") for score in ("letters", "cloze") for chat in (False, True)),
    Form("text", False, "llama.cpp"),
    *(Form("letters", chat, server) for server in ("vllm", "sglang") for chat in (False, True)),
)
"""Where labels, continuations or raw prompts go a way of the server's own."""
FORMS = {form.name: form for form in (*COMMON, *OWN)}


Where = Callable[[Form], bool]


@dataclass(frozen=True)
class Kind:
    """A kind of fault."""

    name: str
    group: str
    fault: Fault
    applies: Where
    says: frozenset[str] = frozenset()
    """Verdicts that the server's own words may lead to."""
    may_stop: bool = False
    """Whether the server asks for more patience than anybody has, so that a run may end with a sentence."""
    timeout: float = 3.0
    retries: int = 5
    parallel: int = 16
    basic: bool = False
    """Whether the key is a name and a password in the address."""


def common(form: Form) -> bool:
    """The ways that all servers have."""
    return form in COMMON


def _everywhere(form: Form) -> bool:
    return True


def _text(form: Form) -> bool:
    return form.score == "text"


def _weighed(form: Form) -> bool:
    return form.score != "text" and not _scoring(form)


def _echoing(form: Form) -> bool:
    return form.score == "cloze" and form.server == "other"


def _scoring(form: Form) -> bool:
    return form.server == "sglang" and not form.chat


def _tokenising(form: Form) -> bool:
    # SGLang's chat goes by the likeliest tokens and shows no numbers.
    return form.server != "other" and not (form.server == "sglang" and form.chat)


def _group(
    group: str, faults: dict[str, Fault], applies: Callable[[Form], bool] = common, **more: object
) -> list[Kind]:
    return [Kind(name, group, fault, applies, **more) for name, fault in faults.items()]


_STATUS = {
    "400": raw.status(400, "bad request"),
    "401": raw.status(401, "who are you?"),
    "403": raw.status(403, "not for you"),
    "404": raw.status(404, "not found"),
    "500": raw.status(500, "internal error"),
    "503": raw.status(503, "no worker is free"),
    "502-html": raw.page(502),
    "204": raw.nothing(204),
    "empty": raw.nothing(200),
    "hang-up": raw.hang_up,
    "reset": raw.reset_in_body,
}
_RATE = {
    "429": raw.busy(),
    "429-seconds": raw.busy("1"),
    "429-date": raw.busy_until(1),
    "429-clock-fast": raw.busy_until(1, clock=120),
    "429-clock-slow": raw.busy_until(1, clock=-120),
    "429-past": raw.busy_until(-3600),
    "429-negative": raw.busy("-5"),
    "429-nan": raw.busy("NaN"),
    "429-inf": raw.busy("inf"),
    "429-words": raw.busy("a while"),
}
_FRAMING = {
    "cut-json": raw.cut(0.6),
    "cut-json-end": raw.cut(0.97),
    "wrong-type": raw.body(lambda text: text, Content_Type="image/png"),
    "html": raw.page(200),
    "302": raw.redirect(302),
    "307": raw.redirect(307),
    "bad-header": raw.header(b"this is no header"),
    "null-header": raw.header(b"X-Null: \0\x01"),
    "huge-header": raw.header(b"X-Huge: " + b"x" * 200_000),
    "many-headers": raw.header(b"\r\n".join(b"X-%d: y" % place for place in range(5000))),
    "no-status": raw.no_status,
    "length-short": raw.length(-20),
    "chunks-cut": raw.chunks_cut,
    "gzip-broken": raw.packed(lambda data: data[:12] + b"\xff" * 20 + data[32:]),
    "gzip-cut": raw.packed(lambda data: data[: len(data) // 2]),
    "gzip-none": raw.body(lambda text: text, Content_Encoding="gzip"),
    "deep": raw.beside("deep", b"[" * 10_000 + b"]" * 10_000),
    "long-integer": raw.beside("created", b"9" * 400),
    "longer-integer": raw.beside("created", b"9" * 5000),
    "utf-16": raw.recoded("utf-16"),
    "utf-16-bare": raw.recoded("utf-16-le"),
    "latin-1": raw.recoded("latin-1"),
    "latin-1-told": raw.recoded("latin-1", "; charset=latin-1"),
}
_TWICE = {"twice": raw.twice, "twice-late": raw.twice_late}
_DESYNC = {
    **{f"extra-{1000 * delay:.0f}-ms": raw.extra(delay) for delay in (0, 0.005, 0.05)},
    "extra-late": raw.extra_late,
    **{f"foreign-first-{1000 * delay:.0f}-ms": raw.foreign_first(delay) for delay in (0, 0.005, 0.05)},
    "foreign-split": raw.split,
    "foreign-joined": raw.pieces,
    "foreign-chunked": raw.chunked_twice,
    "swapped": raw.swapped,
    "byte-after": raw.after_body(b"x"),
    "line-after": raw.after_body(b"\r\nHTTP/1.1 200 OK\r\n"),
}
_DESYNC_LATE = {"extra-300-ms": raw.extra(0.3), "foreign-first-300-ms": raw.foreign_first(0.3)}
_BIG = {"gzip-bomb": raw.gzip_bomb, "50-MB": raw.big}
_ENVELOPE = {
    "error-object": raw.said({"error": {"message": "overloaded", "type": "server_error"}}),
    "error-string": raw.said({"error": "overloaded"}),
    "error-code": raw.said({"error": {"message": "upstream failed", "code": 503}}),
    "error-code-400": raw.said({"error": {"message": "upstream failed", "code": 400}}),
    "error-code-text": raw.said({"error": {"message": "upstream failed", "code": "server_error"}}),
    "error-detail": raw.said({"object": "error", "message": "upstream failed", "code": 500}),
    "a-list": raw.said([]),
    "a-null": raw.said(None),
    "a-string": raw.said("B"),
    "choices-missing": said.reply(said.drop("choices")),
    "choices-empty": said.reply(said.put("choices", [])),
    "choices-null": said.reply(said.put("choices", None)),
    "choices-of-null": said.reply(said.put("choices", [None])),
    "choices-tripled": said.reply(said.tripled),
    "choices-foreign": said.reply(said.foreign_first),
    "choices-dict": said.reply(lambda data: data.update(choices={"0": data["choices"][0]})),
    "error-in-choice": said.choice(said.put("error", {"message": "cancelled", "code": 502})),
    "error-beside": said.reply(said.put("error", {"message": "cancelled", "code": 502})),
    "finish-unknown": said.choice(said.put("finish_reason", "banana")),
    "finish-error": said.choice(said.put("finish_reason", "error")),
    "finish-number": said.choice(said.put("finish_reason", 7)),
    "usage-missing": said.reply(said.drop("usage")),
    "usage-negative": said.reply(said.put("usage", {"prompt_tokens": -5, "completion_tokens": -1})),
    "usage-text": said.reply(said.put("usage", {"prompt_tokens": "many", "completion_tokens": "few"})),
    "usage-huge": said.reply(said.put("usage", {"prompt_tokens": 10**30, "completion_tokens": 10**30})),
    "usage-bool": said.reply(said.put("usage", {"prompt_tokens": True, "completion_tokens": 1.5})),
}
_TEXTS = {
    "message-list": said.choice(said.message_list),
    "content-null": said.content(lambda text: None),
    "content-number": said.content(lambda text: 7),
    "content-nul": said.content(lambda text: text + "\0"),
    "content-surrogate": said.content(lambda text: text + "\ud83d"),
    "content-missing": said.choice(lambda part: part.pop("message", None) or part.pop("text", None)),
}
_WEIGHTS = {
    "logprobs-missing": said.weights(lambda part, _: part.pop("logprobs")),
    "logprobs-null": said.weights(lambda part, _: part.update(logprobs=None)),
    "logprobs-empty": said.weights(said.empty),
    "logprobs-holes": said.each(lambda value: None),
    "logprobs-too-few": said.weights(said.too_few),
    "logprobs-too-many": said.weights(said.too_many),
    "logprobs-nan": said.each(lambda value: float("nan")),
    "logprobs-inf": said.each(lambda value: float("inf")),
    "logprobs-minus-inf": said.each(lambda value: float("-inf")),
    "logprobs-positive": said.each(lambda value: 0.7),
    "logprobs-5000": said.each(lambda value: 5000),
    "logprobs-1e400": said.each(lambda value: 10**400),
    "logprobs-minus-1e400": said.each(lambda value: -(10**400)),
    "logprobs-strings": said.each(str),
    "logprobs-lists": said.each(lambda value: [value]),
    "logprobs-bools": said.each(lambda value: False),
}
_TOKENS = {
    "tokens-int": said.tokens(lambda ids: 5),
    "tokens-dicts": said.tokens(lambda ids: [{"id": number, "piece": "?"} for number in ids]),
    "tokens-null": said.tokens(lambda ids: None),
    "tokens-of-null": said.tokens(lambda ids: [None] * len(ids)),
    "tokens-text": said.tokens(lambda ids: "".join(map(str, ids))),
}
_SCORES = {
    "scores-too-few": said.scores(lambda found: [found[:-1]]),
    "scores-too-many": said.scores(lambda found: [[*found, 0.1]]),
    "scores-null": said.scores(lambda found: [[None, *found[1:]]]),
    "scores-all-null": said.scores(lambda found: None),
    "scores-text": said.scores(lambda found: [list(map(str, found))]),
    "scores-above-1": said.scores(lambda found: [[7.5, *found[1:]]]),
    "scores-nan": said.scores(lambda found: [[float("nan"), *found[1:]]]),
}
_LLAMA = {
    "llama-null": said.weights(lambda part, _: part["logprobs"].update(content=None)),
    "llama-dict": said.weights(said.as_dict),
    "llama-id-missing": said.weights(said.id_missing),
}
_WORDS = {
    "logprobs": "the worker that computes logprobs is restarting; 5 of 8 are up",
    "system": "the system message bus is down",
    "max-tokens": "the worker died; neither max_tokens nor max_completion_tokens was at fault",
}
_WORDING = {f"words-{name}-{code}": raw.status(code, words) for name, words in _WORDS.items() for code in (400, 500)}
_KEYS = {
    **{f"key-in-{code}": said.key_in_error(code) for code in (200, 400, 401, 500)},
    "key-beside": said.key_beside,
    "key-in-usage": said.key_in_usage,
    "key-in-finish": said.key_in_finish,
}


ALL: tuple[Kind, ...] = (
    *_group("status", _STATUS, _everywhere),
    *_group("rate limits", _RATE),
    *_group("rate limits", {"429-a-day": raw.busy("86400")}, may_stop=True),
    *_group("time", {"slow": raw.hang(0.3)}),
    *_group("time", {"hang": raw.hang(2.0), "hang-forever": raw.hang(3600)}, timeout=0.3, retries=2),
    *_group("time", {"trickle": raw.trickle}, timeout=0.3, retries=2),
    *_group("time", {"trickle-forever": raw.trickle_forever}, timeout=0.3, retries=2),
    *_group("time", {"trickle-headers": raw.trickle_headers}, timeout=0.3, retries=2),
    *_group("framing", _FRAMING),
    *_group("framing", _TWICE, _everywhere),
    *_group("desync", _DESYNC, _everywhere),
    *_group("desync", _DESYNC_LATE, _everywhere, retries=2),
    *_group("framing", {"length-long": raw.length(20)}, timeout=0.3, retries=2),
    *_group("framing", _BIG, parallel=4, retries=2),
    *_group("envelope", _ENVELOPE),
    *_group("envelope", _TEXTS, _text),
    *_group("envelope", {"tool-calls": said.choice(said.tool_calls)}, lambda form: common(form) and form.chat),
    *_group("envelope", {"content-filter": said.choice(said.filtered)}, says=frozenset({"refused"})),
    *_group(
        "envelope",
        {"filter-400": raw.said({"error": {"message": "filtered", "code": "content_filter"}}, 400)},
        says=frozenset({"refused"}),
    ),
    *_group("envelope", {"finish-length": said.choice(said.cut_short)}, _text, says=frozenset({"truncated"})),
    *_group("log-probabilities", _WEIGHTS, _weighed),
    *_group("log-probabilities", {"echo-ignored": said.weights(said.not_echoed)}, _echoing),
    *_group("label endpoints", _TOKENS, _tokenising),
    *_group("label endpoints", _SCORES, _scoring),
    *_group("label endpoints", _LLAMA, lambda form: form.server == "llama.cpp" and form.score != "text"),
    *_group("wording", _WORDING),
    *_group("echo", {f"bearer-{name}": fault for name, fault in _KEYS.items()}),
    *_group("echo", {f"basic-{name}": fault for name, fault in _KEYS.items()}, basic=True),
    *_group("echo", {"bearer-key-in-text": said.key_in_text}, _text),
    *_group("echo", {"basic-key-in-text": said.key_in_text}, _text, basic=True),
)
KINDS = {kind.name: kind for kind in ALL}


# ── which requests are struck ──


@dataclass(frozen=True)
class Chance:
    """A share of the requests, each on its own: asked again, the same may fare better."""

    share: float
    seed: str

    def __call__(self, request: Request) -> bool:
        return fraction(self.seed, request.key, request.attempt) < self.share


@dataclass(frozen=True)
class Sticky:
    """Always the same share of the prompts."""

    share: float
    seed: str

    def __call__(self, request: Request) -> bool:
        # A server that never says who it is belongs to no prompt: it is another server.
        return request.method == "POST" and fraction(self.seed, request.key) < self.share


@dataclass(frozen=True)
class First:
    """The first requests of all."""

    most: int

    def __call__(self, request: Request) -> bool:
        return request.number < self.most


@dataclass(frozen=True)
class Crowd:
    """Whoever comes while so many others are being answered."""

    most: int

    def __call__(self, request: Request) -> bool:
        return request.under_way > self.most
