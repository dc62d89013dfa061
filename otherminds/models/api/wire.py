"""HTTP to a model server: asks again what may pass, waits while the server is away, and never shows a key.

Knows JSON and status codes, nothing of prompts. All of it happens in the one event loop of `background`.

What fails is asked again a few times. Then the last request that went well is put once more: if the server answers
that one, the fault lies with this request, which alone has no answer; if not, there is an outage, and all wait for as
long as the patience lasts.
"""

from __future__ import annotations

import json
import logging
import random
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal, TypeVar

from otherminds.errors import EndpointError
from otherminds.models.api.addresses import read_address
from otherminds.models.api.background import LOOKS, OUTAGES, Limit, in_order, retry_after, sleep
from otherminds.models.api.connections import (
    Broken,
    Connections,
    Doubtful,
    HttpReply,
    TooManyFiles,
    Unreachable,
    Unreadable,
)

LONGEST_WAIT = 60.0
"""Seconds between two tries."""
_FIRST_WAIT = 0.5
_FIRST_BUSY_WAIT = 2.0
"""Limits are often by the minute: without a word on how long, five tries again take half of one at the least."""
CONFIRMED = 6
"""How often a server must say that it does not let us in, or has no such thing, before we believe it."""
_TRIALS = 1
"""How often a trial that got no answer is made again before another takes its place."""
FILTERED = ("content_filter", "content_policy_violation")
"""A server's codes for what it will not answer."""
_BUSY = (429, 503, 529)
_PASSING = (408, 425, *_BUSY)
_MISSING = (404, 405, 501)
_WEAK = ("busy", "passing", "away")
"""Kinds of faults that a server may have which is asked too much."""

TOO_MANY = "this program may open no more files; raise their number with ulimit -n"

_log = logging.getLogger("otherminds")
T = TypeVar("T")
Body = dict[str, Any]
Kind = Literal["passing", "busy", "away", "unsound", "rejected", "missing", "refused", "lacking", "doubtful"]


class Unanswered(EndpointError):
    """This one request has no answer; another may fare better."""

    def __init__(self, message: str, *, code: str = "", fields: frozenset[str] = frozenset()) -> None:
        super().__init__(message)
        self.code = code
        self.fields = fields
        """The fields of the request that the server names as the reason, in so many fields of its own."""


class RejectedRequest(Unanswered):
    """The server is well but will not take this one request."""


class Lacking(Unanswered):
    """The server answers, but without what was asked for."""


class MissingPath(EndpointError):
    """There is nothing at this path."""


class Refused(EndpointError):
    """The server does not let us in."""


class Unsound(Exception):
    """What a reader raises about a reply that is not what was asked for; its text is a sentence about the server."""

    def __init__(self, sentence: str, *, lacking: bool = False, code: str = "") -> None:
        super().__init__(sentence)
        self.lacking = lacking
        """The reply is whole, only that what was asked for is nowhere in it: some servers do not have it."""
        self.code = code


@dataclass(frozen=True, slots=True)
class _Fault:
    """What went wrong with one try, of which kind it is, and how long the server wants us to wait."""

    sentence: str
    kind: Kind = "passing"
    wait: float = 0.0
    code: str = ""
    fields: frozenset[str] = frozenset()

    def error(self, sentence: str, *, asked: bool) -> EndpointError:
        """What it is for a request that stays without an answer; `asked`, if others at its path had one."""
        if self.kind == "rejected":
            return RejectedRequest(sentence, code=self.code, fields=self.fields)
        if self.kind == "lacking":
            return Lacking(sentence)
        if self.kind in ("missing", "refused") and not asked:
            return MissingPath(sentence) if self.kind == "missing" else Refused(sentence)
        return Unanswered(sentence, code=self.code)


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    url: str
    """As it is shown."""
    path: str
    """As it is sent."""
    body: Body | None
    read: Callable[[Any], Any]


class Wire:
    """One server: GET and POST of JSON under its base URL; `timeout` is for a whole call, `patience` for an outage."""

    def __init__(
        self,
        base_url: str,
        *,
        key: str,
        key_env: str,
        parallel: int,
        retries: int,
        timeout: float,
        patience: float = 900.0,
    ) -> None:
        address = read_address(base_url)
        self.base, self.query = address.shown, address.query
        self._path = address.path
        self._parallel, self._few, self.limit = parallel, False, Limit(parallel)
        self.retried = 0
        self.waited = 0.0
        self.uncertain = 0
        """Calls that were asked again because more than one reply came."""
        self.interruptions = 0
        """How often a connection failed: whatever answers next may be another server."""
        self.doubtful = False
        """Whether it said no to something before it said yes to anything, as one does that is about to start."""
        self.patience = patience
        self._key_env, self._retries, self._timeout = key_env, retries, timeout
        # All that must not be shown, as it may come back.
        self._secrets = sorted(filter(None, (key, *address.secrets)), key=len, reverse=True)
        self._paths: set[str] = set()
        self._well: _Request | None = None
        basic, bearer = address.basic and f"Basic {address.basic}", key and f"Bearer {key}"
        self._connections = Connections(address, timeout=timeout, authorization=basic or bearer)

    async def get(self, path: str, *, root: bool = False) -> Any:
        """What lies at a path; None if the server has no such thing, or not for us."""
        request = self._request("GET", path, None, lambda data: data, root=root)

        async def look(_: int) -> Any:
            with suppress(RejectedRequest, MissingPath, Refused):
                try:
                    return await self._call(request, trying=True)
                except Unanswered as error:
                    return error

        found: list[Any] = []
        for several in (1, CONFIRMED - 1):
            found = [one for one in await in_order(look, range(several)) if one is not None]
            if answers := [one for one in found if not isinstance(one, Unanswered)]:
                return answers[0]
        if found:
            raise found[0]
        return None

    async def post(
        self, path: str, body: Body, read: Callable[[Body], T], *, root: bool = False, trying: bool = False
    ) -> T:
        """What `read` makes of the answer to a body; what cannot be had is an EndpointError.

        An answer that `read` finds `Unsound` is asked for again. `trying` takes a first no for an answer.
        """
        result: T = await self._call(self._request("POST", path, body, read, root=root), trying=trying)
        return result

    def _request(
        self, method: str, path: str, body: Body | None, read: Callable[[Any], Any], *, root: bool
    ) -> _Request:
        end = "/v1" if root else ""
        return _Request(method, self.base.removesuffix(end) + path, self._path.removesuffix(end) + path, body, read)

    async def _call(self, request: _Request, *, trying: bool) -> Any:
        waited, down, blamed = 0.0, 0, False
        for attempt in count():
            result = await self._once(request)
            if not isinstance(result, _Fault):
                OUTAGES.end(self)
                return result
            said_no = result.kind in ("missing", "refused", "lacking") or bool(result.fields)
            if trying and (said_no or (result.kind == "rejected" and attempt)):
                self.doubtful |= self._well is None and result.kind != "lacking"
                raise result.error(result.sentence, asked=False)
            # Before anything is asked, a server that is not there is a slip in its address.
            if result.kind == "away" and request.method == "GET" and not self._paths:
                raise EndpointError(result.sentence)
            tries = {"rejected": 2, "missing": CONFIRMED, "refused": CONFIRMED}.get(result.kind, self._retries)
            if trying and attempt >= min(tries, _TRIALS) and request.method == "POST":
                raise self._error(request, result, attempt + 1)
            if attempt >= tries or waited >= self.patience:
                if await self._others_fare_better(request, result, attempt + 1):
                    # It may have got well just then, so that this request has one more try.
                    if blamed:
                        raise self._error(request, result, attempt + 1)
                    blamed = True
                    continue
                blamed, down = False, down + 1
            waited = await self._pause(result, attempt, waited, down)
        raise AssertionError("the loop returns or raises")

    async def outlast(self, error: Unanswered, often: int, waited: float) -> float:
        """Wait for a server that answered nothing at all; what was waited so far, and longer than that now.

        A server that answers other things is not waited for: it has no answer to this one.
        """
        if self._well is not None and not isinstance(await self._once(self._well), _Fault):
            raise error
        return await self._pause(_Fault(str(error)), often, waited, 1)

    async def _pause(self, fault: _Fault, attempt: int, waited: float, down: int) -> float:
        """Wait before the next try, until the last second of the patience; what was waited so far comes back."""
        # A server that wants us to wait for long is heard if it is down for sure.
        asks = fault.wait if down > 3 else min(fault.wait, LONGEST_WAIT)
        if waited >= self.patience or asks > self.patience:
            why = f"it asks to wait {asks:.0f} s more" if asks > self.patience else f"waited {waited:.0f} s for it"
            advice = "give the same command again, or raise --patience"
            raise EndpointError(f"{fault.sentence} ({why}, and the patience is {self.patience:.0f} s; {advice})")
        wait = min(max(asks, self._wait(fault, attempt, down)), self.patience - waited)
        self.retried += 1
        self.waited += wait
        if down:
            self.interruptions += 1
            OUTAGES.begin(self, f"{fault.sentence}; waiting for it, up to {self.patience / 60:.0f} min")
        if await sleep(wait):
            OUTAGES.end(self)
            raise EndpointError(fault.sentence)
        return waited + wait

    def _error(self, request: _Request, fault: _Fault, tries: int) -> EndpointError:
        often = f" (tried {tries} times)" if tries > 1 and fault.kind != "rejected" else ""
        return fault.error(fault.sentence + often, asked=request.url in self._paths)

    async def _others_fare_better(self, request: _Request, fault: _Fault, tries: int) -> bool:
        """Whether the server answers what it answered before; what needs no such proof is raised."""
        error = self._error(request, fault, tries)
        if fault.kind in ("rejected", "lacking", "unsound"):
            raise error
        if self._well is None:
            # Nothing ever went well: an address where nobody is, or a key that nobody takes, is a slip of the pen.
            if fault.kind == "away":
                raise EndpointError(str(error))
            if fault.kind in ("missing", "refused"):
                raise error
            return False
        again = None if fault.kind == "away" else await self._once(self._well)
        if isinstance(again, _Fault) and again.kind in ("missing", "refused") and tries > 2 * CONFIRMED:
            raise again.error(again.sentence, asked=False)
        return fault.kind != "away" and not isinstance(again, _Fault)

    def _wait(self, fault: _Fault, attempt: int, down: int) -> float:
        """Seconds until the next try, if the server does not ask for more."""
        first = _FIRST_BUSY_WAIT if fault.kind == "busy" else _FIRST_WAIT
        if fault.kind in ("rejected", "missing", "refused") and not down:
            first = _FIRST_WAIT / 10
        longest = min(LONGEST_WAIT, first * 2 ** min(attempt, 20))
        # Jitter: calls that failed together must not come back together.
        return random.uniform(longest / 2 if fault.kind == "busy" else 0, longest)

    async def _once(self, request: _Request) -> Any:
        """What the reader makes of the reply, or a fault."""
        for tries in count():
            began, result, fault = await self.limit.enter(), None, None
            try:
                result = await self._try(request)
                fault = result if isinstance(result, _Fault) else None
                break
            except TooManyFiles:
                self.limit.lower(self._connections.open * 7 // 8)
                if not self._few:
                    self._few = True
                    _log.warning("%s: fewer than %d calls at once, because %s", self.base, self._parallel, TOO_MANY)
            finally:
                kind = fault.kind if fault else None
                self.limit.leave(began, busy=kind == "busy", well=kind not in _WEAK)
            # Only others have any open.
            if not self._connections.open and (tries * LOOKS >= self.patience or await sleep(LOOKS)):
                raise EndpointError(f"{self.base} cannot be asked, because {TOO_MANY}")
        if fault is None:
            self._paths.add(request.url)
            self._well = request if request.method == "POST" else self._well
        return result

    async def _try(self, request: _Request) -> Any:
        url = request.url
        kind: Kind
        try:
            reply = await self._connections.send(request.method, request.path, request.body)
        except TimeoutError:
            within = f"within {self._timeout:g} s"
            return _Fault(f"{url} did not answer {within}; is the server overloaded? raise timeout")
        except Unreachable as error:
            self.interruptions += 1
            return _Fault(f"{url} cannot be reached ({self.clean(str(error))}); is the server running?", "away")
        except Broken:
            self.interruptions += 1
            return _Fault(f"{url} broke off in the middle; is the server healthy?")
        except Doubtful:
            self.uncertain += 1
            return _Fault(f"{url} sent more than one reply to one request; is a proxy mixing them up?", "doubtful")
        except Unreadable as error:
            return _Fault(f"{url} sent {self.clean(str(error))}; is it a model server?")
        data = reply.data
        trouble = data.get("error") if isinstance(data, dict) and not data.get("choices") else None
        if reply.status != 200 or trouble:
            return self._failed(url, reply, trouble)
        # What repeats a secret of ours may be stored nowhere, and is no answer to a question of ours.
        if any(secret in json.dumps(data, ensure_ascii=False) for secret in self._secrets if len(secret) >= 8):
            return _Fault(f"{url} sent our own key back; is it a model server?")
        try:
            return request.read(data)
        except Unsound as error:
            kind = "lacking" if error.lacking else "rejected" if error.code else "unsound"
            return _Fault(self.clean(str(error)), kind, code=error.code)

    def _failed(self, url: str, reply: HttpReply, trouble: Any) -> _Fault:
        """What a status other than 200, or an error in place of an answer, means for this call."""
        status, data = reply.status, trouble or reply.data
        said, code = self._said(data, reply.words)
        # Some who pass requests on say 200, and the status that they got among their words.
        if status == 200 and code in FILTERED:
            status = 400
        elif status == 200 and re.fullmatch(r"[45]\d\d", code):
            status = int(code)
        if status == 402 or code == "insufficient_quota":
            raise EndpointError(f"{url} wants to be paid first ({status}: {said}); then give the same command again")
        if status in (401, 403):
            return _Fault(f"{url} refuses us ({status}: {said}); set {self._key_env} to a key that it takes", "refused")
        if status in _MISSING:
            return _Fault(f"{url} does not exist ({status}: {said}); check base_url and the model's name", "missing")
        if 300 <= status < 400:
            return _Fault(f"{url} answers {status}: {said}; check base_url", "missing")
        if status in _PASSING or status >= 500 or status < 300:
            kind: Kind = "busy" if status in _BUSY else "passing"
            return _Fault(f"{url} failed ({status}: {said})", kind, retry_after(reply.headers))
        return _Fault(f"the server rejects this prompt ({status}: {said})", "rejected", 0.0, code, _fields(reply.data))

    def _said(self, error: Any, text: str) -> tuple[str, str]:
        """The server's own words about an error, and its code for it."""
        if isinstance(error, dict) and isinstance(error.get("error"), dict | str):
            error = error["error"]
        if isinstance(error, dict):
            words = error.get("message") or error.get("detail") or ""
            return self.clean(str(words)), str(error.get("code") or "")
        return self.clean(str(error or text)), ""

    def clean(self, text: str) -> str:
        """A server's words on one short line, without any secret of ours."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return " ".join(text.encode(errors="replace").decode().split())[:300] or "no reason given"


def _fields(data: Any) -> frozenset[str]:
    """The fields of our request that a refusal names in fields of its own: OpenAI's `param`, FastAPI's `loc`."""
    error = data.get("error", data) if isinstance(data, dict) else None
    if not isinstance(error, dict):
        return frozenset()
    param, detail = error.get("param"), error.get("detail")
    places = [part.get("loc") for part in detail if isinstance(part, dict)] if isinstance(detail, list) else []
    named = [str(step) for place in places if isinstance(place, list) for step in place]
    return frozenset([*named, re.split(r"[.\[]", param)[0]] if isinstance(param, str) and param else named)
