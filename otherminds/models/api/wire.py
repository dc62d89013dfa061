"""HTTP to a model server: asks again what may pass, waits while the server is away, and never shows a key.

Knows JSON and status codes, nothing of prompts. All of it happens in the one event loop of `background`.

What fails is asked again a few times. Then the last request that went well is put once more: if the server answers
that one, the fault lies with this request, which alone has no answer; if not, there is an outage, and all wait for as
long as the patience lasts.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import random
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from time import monotonic
from typing import Any, Literal, TypeVar
from weakref import finalize

import aiohttp
from yarl import URL

from otherminds.errors import EndpointError, UsageError
from otherminds.models import BROKEN_OFF
from otherminds.models.api.background import in_order
from otherminds.models.api.connections import Connections, Overdue, Reply, Unreadable
from otherminds.models.api.limits import Limit, retry_after
from otherminds.models.api.outages import OUTAGES

LONGEST_WAIT = 60.0
"""Seconds between two tries."""
_FIRST_WAIT = 0.5
_FIRST_BUSY_WAIT = 2.0
"""Limits are often by the minute: without a word on how long, five tries again take half of one at the least."""
CONFIRMED = 6
"""How often a server must say that it does not let us in, or has no such thing, before we believe it."""
_TRIALS = 1
"""How often a trial that got no answer is made again before another takes its place."""
_LOOKS = 0.25
"""Seconds after which whoever waits looks whether the work was broken off."""
FILTERED = ("content_filter", "content_policy_violation")
"""A server's codes for what it will not answer."""
_BUSY = (429, 503, 529)
_PASSING = (408, 425, *_BUSY)
_MISSING = (404, 405, 501)
_WEAK = ("busy", "passing", "away")
"""Kinds of faults that a server may have which is asked too much."""

T = TypeVar("T")
Body = dict[str, Any]
Kind = Literal["passing", "busy", "away", "unsound", "rejected", "missing", "refused", "lacking"]


class Unanswered(EndpointError):
    """This one request has no answer; another may fare better."""

    def __init__(self, message: str, *, code: str = "", fields: frozenset[str] = frozenset()) -> None:
        super().__init__(message)
        self.code = code
        self.fields = fields
        """The fields of the request that the server names as the reason, in so many fields of its own."""


class Rejected(Unanswered):
    """The server is well but will not take this one request."""


class Lacking(Unanswered):
    """The server answers, but without what was asked for."""


class Missing(EndpointError):
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
            return Rejected(sentence, code=self.code, fields=self.fields)
        if self.kind == "lacking":
            return Lacking(sentence)
        if self.kind in ("missing", "refused") and not asked:
            return Missing(sentence) if self.kind == "missing" else Refused(sentence)
        return Unanswered(sentence, code=self.code)


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    url: str
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
        try:
            url = URL(base_url)
            named = re.fullmatch(r"[\w.:-]+", url.host or "") and (url.port or 0) < 65536
        except (TypeError, ValueError):
            url, named = URL(), None
        if url.scheme not in ("http", "https") or not named:
            raise UsageError("base_url should be like http://127.0.0.1:8080/v1")
        path = url.path.rstrip("/") or "/v1"
        self.base = str(url.with_user(None).with_path(path).with_query(None).with_fragment(None))
        self.root = self.base.removesuffix("/v1")
        # It goes along with every request. What it holds may be a key, so that only its digest is told.
        query = url.raw_query_string
        self.query = hashlib.sha256(query.encode()).hexdigest()[:16] if query else ""
        self.limit = Limit(parallel)
        self.retried = 0
        self.waited = 0.0
        self.interruptions = 0
        """How often a connection failed: whatever answers next may be another server."""
        self.doubtful = False
        """Whether it said no to something before it said yes to anything, as one does that is about to start."""
        self.patience = patience
        self._key_env, self._retries, self._timeout = key_env, retries, timeout
        self._secrets = _secrets(key, url)
        self._paths: set[str] = set()
        self._well: _Request | None = None
        basic = base64.b64encode(f"{url.user or ''}:{url.password or ''}".encode()).decode()
        given = f"Basic {basic}" if url.password else f"Bearer {key}" if key else ""
        self._connections = Connections(
            host=url.host or "",
            secure=url.scheme == "https",
            timeout=timeout,
            query=f"?{query}" if query else "",
            headers={"Authorization": given} if given else {},
        )
        # Nobody closes a model; its connections go when it does.
        finalize(self, self._connections.close)

    async def get(self, path: str, *, root: bool = False) -> Any:
        """What lies at a path; None if the server has no such thing, or not for us."""
        request = _Request("GET", (self.root if root else self.base) + path, None, _anything)

        async def look(_: int) -> Any:
            with suppress(Rejected, Missing, Refused):
                return await self._call(request, trying=True)

        for several in (1, CONFIRMED - 1):
            for found in await in_order(look, range(several)):
                if found is not None:
                    return found
        return None

    async def post(
        self, path: str, body: Body, read: Callable[[Body], T], *, root: bool = False, trying: bool = False
    ) -> T:
        """What `read` makes of the answer to a body; what cannot be had is an EndpointError.

        An answer that `read` finds `Unsound` is asked for again. `trying` takes a first no for an answer.
        """
        url = (self.root if root else self.base) + path
        result: T = await self._call(_Request("POST", url, body, read), trying=trying)
        return result

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
            if attempt >= tries:
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
        """Wait before the next try, as long as the patience lasts; what was waited so far comes back."""
        wait = self._wait(fault, attempt, down)
        if waited + wait > self.patience:
            raise EndpointError(f"{fault.sentence} ({_longer(waited, wait, self.patience)})")
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
        """Seconds until the next try; a server that wants us to wait for long is heard if it is down for sure."""
        first = _FIRST_BUSY_WAIT if fault.kind == "busy" else _FIRST_WAIT
        if fault.kind in ("rejected", "missing", "refused") and not down:
            first = _FIRST_WAIT / 10
        longest = min(LONGEST_WAIT, first * 2 ** min(attempt, 20))
        # Jitter: calls that failed together must not come back together.
        own = random.uniform(longest / 2 if fault.kind == "busy" else 0, longest)
        return max(own, fault.wait if down > 3 else min(fault.wait, LONGEST_WAIT))

    async def _once(self, request: _Request) -> Any:
        """What the reader makes of the reply, or a fault."""
        began, result = await self.limit.enter(), None
        try:
            result = await self._try(request)
        finally:
            fault = result if isinstance(result, _Fault) else None
            kind = fault.kind if fault else None
            self.limit.leave(began, busy=kind == "busy", well=kind not in _WEAK)
        if fault is None:
            self._paths.add(request.url)
            self._well = request if request.method == "POST" else self._well
        return result

    async def _try(self, request: _Request) -> Any:
        url = request.url
        kind: Kind
        try:
            reply = await self._connections.send(request.method, url, request.body)
        except Overdue:
            within = f"within {self._timeout:g} s"
            return _Fault(f"{url} did not answer {within}; is the server overloaded? raise timeout")
        except aiohttp.ClientConnectorError as error:
            self.interruptions += 1
            return _Fault(f"{url} cannot be reached ({self.clean(str(error))}); is the server running?", "away")
        except aiohttp.ClientError as error:
            self.interruptions += 1
            said = error.message if isinstance(error, aiohttp.ClientResponseError) else str(error)
            return _Fault(f"{url} broke off in the middle ({self.clean(said)}); is the server healthy?")
        except Unreadable as error:
            return _Fault(f"{url} sent {self.clean(str(error))}; is it a model server?")
        data = reply.data
        trouble = data.get("error") if isinstance(data, dict) and not data.get("choices") else None
        if reply.status != 200 or trouble:
            return self._failed(url, reply, trouble)
        # What repeats a secret of ours may be stored nowhere, and is no answer to a question of ours.
        if any(secret in _plain(data) for secret in self._secrets if len(secret) >= 8):
            return _Fault(f"{url} sent our own key back; is it a model server?")
        try:
            return request.read(data)
        except Unsound as error:
            kind = "lacking" if error.lacking else "rejected" if error.code else "unsound"
            return _Fault(self.clean(str(error)), kind, code=error.code)

    def _failed(self, url: str, reply: Reply, trouble: Any) -> _Fault:
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
            sentence = f"{url} does not exist ({status}: {said}); check base_url and the model's name"
            return _Fault(sentence, "missing")
        if 300 <= status < 400:
            return _Fault(f"{url} answers {status}: {said}; check base_url", "missing")
        if status in _PASSING or status >= 500 or status < 300:
            kind: Kind = "busy" if status in _BUSY else "passing"
            return _Fault(f"{url} failed ({status}: {said})", kind, retry_after(reply.headers))
        sentence = f"the server rejects this prompt ({status}: {said})"
        return _Fault(sentence, "rejected", code=code, fields=_fields(reply.data))

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


async def sleep(seconds: float) -> bool:
    """Let time pass, but no longer than somebody waits for the answer; true if nobody does."""
    broken_off, end = BROKEN_OFF.get(), monotonic() + seconds
    while not broken_off.is_set() and (left := end - monotonic()) > 0:
        await asyncio.sleep(min(left, _LOOKS))
    return broken_off.is_set()


def _anything(data: Any) -> Any:
    return data


def _longer(waited: float, wait: float, patience: float) -> str:
    asks = f"it asks to wait {wait:.0f} s more" if wait > LONGEST_WAIT else f"waited {waited:.0f} s for it"
    return f"{asks}, and the patience is {patience:.0f} s; give the same command again, or raise --patience"


def _secrets(key: str, url: URL) -> list[str]:
    """All that must not be shown, as it may come back: the key, a password and the header that holds it."""
    asked = [value for value in url.query.values() if len(value) >= 8]
    pair = f"{url.user or ''}:{url.password or ''}"
    basic = [pair, base64.b64encode(pair.encode()).decode()] if url.password else []
    return sorted((secret for secret in (key, *basic, url.password, *asked) if secret), key=len, reverse=True)


def _plain(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def _fields(data: Any) -> frozenset[str]:
    """The fields of our request that a refusal names in fields of its own: OpenAI's `param`, FastAPI's `loc`."""
    error = data.get("error", data) if isinstance(data, dict) else None
    if not isinstance(error, dict):
        return frozenset()
    param, detail = error.get("param"), error.get("detail")
    places = [part.get("loc") for part in detail if isinstance(part, dict)] if isinstance(detail, list) else []
    named = [str(step) for place in places if isinstance(place, list) for step in place]
    return frozenset([*named, re.split(r"[.\[]", param)[0]] if isinstance(param, str) and param else named)
