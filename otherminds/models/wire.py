"""HTTP to a model server: tries again what may pass, backs off when the server is busy, and never shows a key.

Knows JSON and status codes, nothing of prompts. Safe to use from many threads at once.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Condition, Lock
from typing import Any
from weakref import finalize

import httpx

from otherminds.errors import EndpointError, UsageError
from otherminds.models import BROKEN_OFF

LONGEST_WAIT = 60.0
"""Seconds. A server that wants us to wait longer is as good as down, and a person should know."""
_FIRST_WAIT = 0.5
_FIRST_BUSY_WAIT = 2.0
"""Limits are often by the minute: without a word on how long, five tries again take half of one at the least."""
_PATIENCE = 8
"""Calls without an answer, one after another, that are laid to their prompts before they are laid to the server."""
_BUSY = (429, 503, 529)
_PASSING = (408, 425, *_BUSY)
_MISSING = (404, 405, 501)


class Unanswered(EndpointError):
    """This one request has no answer; another may fare better."""

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class Rejected(Unanswered):
    """The server is well but will not take this one request."""


class Missing(EndpointError):
    """There is nothing at this path."""


class Refused(EndpointError):
    """The server does not let us in."""


class Limit:
    """How many calls may be under way: halved when the server is busy, one more for every round that goes well."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._now = float(most)
        self._under_way = 0
        self._cuts = 0
        self._changed = Condition()

    def enter(self) -> int:
        """Wait for a place; the number tells `leave` what the limit knew when the call began."""
        with self._changed:
            self._changed.wait_for(lambda: self._under_way < int(self._now))
            self._under_way += 1
            return self._cuts

    def leave(self, began: int, *, busy: bool, well: bool) -> None:
        """Give the place back."""
        with self._changed:
            self._under_way -= 1
            # Calls that began before the last cut tell nothing about the limit that it set.
            if busy and began == self._cuts:
                self._now, self._cuts = max(1.0, self._now / 2), self._cuts + 1
            elif well:
                self._now = min(float(self._most), self._now + 1 / self._now)
            self._changed.notify_all()

    @property
    def now(self) -> int:
        """How many may be under way at this moment."""
        return int(self._now)


@dataclass(frozen=True, slots=True)
class _Fault:
    """What went wrong and may not go wrong again, and how long the server wants us to wait."""

    sentence: str
    wait: float = 0.0
    busy: bool = False
    away: bool = False
    """Nobody is there at all."""


class Wire:
    """One server: GET and POST of JSON under its base URL."""

    def __init__(self, base_url: str, *, key: str, key_env: str, parallel: int, retries: int, timeout: float) -> None:
        try:
            url = httpx.URL(base_url)
        except (httpx.InvalidURL, TypeError):
            url = httpx.URL("")
        named = re.fullmatch(r"[\w.:-]+", url.host) and (url.port or 0) < 65536
        if url.scheme not in ("http", "https") or not named:
            raise UsageError("base_url should be like http://127.0.0.1:8080/v1")
        path = url.path.rstrip("/") or "/v1"
        self.base = str(url.copy_with(username=None, password=None, path=path, query=None, fragment=None))
        self.root = self.base.removesuffix("/v1")
        # It goes along with every request. What it holds may be a key, so that only its digest is told.
        self.query = hashlib.sha256(url.query).hexdigest()[:16] if url.query else ""
        self.limit = Limit(parallel)
        self.retried = 0
        self._patience, self._unanswered = max(_PATIENCE, parallel), 0
        self._key_env, self._retries, self._timeout = key_env, retries, timeout
        asked = [value for value in url.params.values() if len(value) >= 8]
        self._secrets = [secret for secret in (key, url.password, *asked) if secret]
        self._lock = Lock()
        self._client = httpx.Client(
            timeout=timeout,
            params=url.params,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            auth=(url.username, url.password) if url.password else None,
            limits=httpx.Limits(max_connections=parallel, max_keepalive_connections=parallel),
        )
        # Nobody closes a model; its connections go when it does.
        finalize(self, self._client.close)

    def get(self, path: str, *, root: bool = False) -> Any:
        """What lies at a path; None if the server has no such thing, or not for us."""
        try:
            return self._call("GET", (self.root if root else self.base) + path, None, self._retries)
        except (Rejected, Missing, Refused):
            return None

    def post(
        self, path: str, body: dict[str, Any], *, root: bool = False, retries: int | None = None
    ) -> dict[str, Any]:
        """The answer to a body; what cannot be had is an EndpointError.

        `retries` is how often to try again, if not as often as usual, where the server is not just busy.
        """
        url = (self.root if root else self.base) + path
        data = self._call("POST", url, body, self._retries if retries is None else min(retries, self._retries))
        if not isinstance(data, dict):
            raise Unanswered(f"{url} sent JSON that is not an object; is it a model server?")
        return data

    def _call(self, method: str, url: str, body: dict[str, Any] | None, retries: int) -> Any:
        for attempt in range(self._retries + 1):
            began, fault = self.limit.enter(), None
            try:
                result = self._once(method, url, body)
                fault = result if isinstance(result, _Fault) else None
            finally:
                self.limit.leave(began, busy=fault is not None and fault.busy, well=fault is None)
                self._unanswered *= fault is not None
            if fault is None:
                return result
            # Before anything is asked, a server that is not there is a slip in its address.
            enough = attempt >= (self._retries if fault.busy else retries) or (fault.away and method == "GET")
            if enough or fault.wait > LONGEST_WAIT:
                raise self._given_up(fault, attempt + 1)
            with self._lock:
                self.retried += 1
            # Jitter: calls that failed together must not come back together.
            longest = min(LONGEST_WAIT, (_FIRST_BUSY_WAIT if fault.busy else _FIRST_WAIT) * 2**attempt)
            if sleep(max(fault.wait, random.uniform(longest / 2 if fault.busy else 0, longest))):
                raise self._given_up(fault, attempt + 1)
        raise AssertionError("the last attempt returns or raises")

    def _given_up(self, fault: _Fault, tries: int) -> EndpointError:
        if fault.wait > LONGEST_WAIT:
            asks = f"; it asks to wait {fault.wait:.0f} s, give the same command again then"
            return EndpointError(fault.sentence + asks)
        with self._lock:
            self._unanswered += 1
            server = fault.busy or fault.away or self._unanswered >= self._patience
        sentence = fault.sentence + (f" (tried {tries} times)" if tries > 1 else "")
        return EndpointError(sentence) if server else Unanswered(sentence)

    def _once(self, method: str, url: str, body: dict[str, Any] | None) -> Any:
        """What came back as JSON, or a fault that may pass."""
        try:
            response = self._client.request(method, url, json=body)
        except httpx.TimeoutException as error:
            away = isinstance(error, httpx.ConnectTimeout)
            sentence = f"{url} did not answer within {self._timeout:g} s; is the server overloaded? raise timeout"
            return _Fault(sentence, away=away)
        except httpx.ConnectError as error:
            return _Fault(f"{url} cannot be reached ({self.clean(str(error))}); is the server running?", away=True)
        except httpx.TransportError as error:
            return _Fault(f"{url} broke off in the middle ({self.clean(str(error))}); is the server healthy?")
        status = response.status_code
        try:
            data = _read(response.content)
        except ValueError:
            if status == 200:
                said = self.clean(response.text)
                return _Fault(f"{url} sent what is not whole JSON: {said!r}; is it a model server?")
            data = None
        trouble = data.get("error") if isinstance(data, dict) and not data.get("choices") else None
        if status == 200 and not trouble:
            return data
        said, code = self._said(trouble or data, response.text)
        # Some who pass requests on say 200, and the status that they got among their words.
        status = int(code) if status == 200 and re.fullmatch(r"[45]\d\d", code) else status
        return self._failed(url, status, said, code, _retry_after(response))

    def _failed(self, url: str, status: int, said: str, code: str, wait: float) -> _Fault:
        """What a status other than 200 means for this call, and for all others."""
        if status == 402 or code == "insufficient_quota":
            raise EndpointError(f"{url} wants to be paid first ({status}: {said}); then give the same command again")
        if status in (401, 403):
            raise Refused(f"{url} refuses us ({status}: {said}); set {self._key_env} to a key that it takes")
        if status in _MISSING:
            raise Missing(f"{url} does not exist ({status}: {said}); check base_url and the model's name")
        if status in (200, 400, 413, 422):
            raise Rejected(f"the server rejects this prompt ({status}: {said})", code=code)
        if status in _PASSING or status >= 500:
            return _Fault(f"{url} failed ({status}: {said})", wait, status in _BUSY)
        raise EndpointError(f"{url} answers {status}: {said}; check base_url")

    def _said(self, error: Any, text: str) -> tuple[str, str]:
        """The server's own words about an error, and its code for it."""
        if isinstance(error, dict):
            words = error.get("message") or error.get("detail") or ""
            return self.clean(str(words)), str(error.get("code") or "")
        return self.clean(str(error or text)), ""

    def clean(self, text: str) -> str:
        """A server's words on one short line, without any secret of ours."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return " ".join(text.split())[:300] or "no reason given"


def sleep(seconds: float) -> bool:
    """Let time pass, but no longer than somebody waits for the answer; true if nobody does."""
    return BROKEN_OFF.get().wait(seconds)


def _read(content: bytes) -> Any:
    """JSON, with a question mark for every half of a letter, which no file could hold."""
    data = json.loads(content)
    if b"\\ud" not in content and b"\\uD" not in content:
        return data
    return json.loads(json.dumps(data, ensure_ascii=False).encode(errors="replace"))


def _retry_after(response: httpx.Response) -> float:
    """The seconds that the server asks us to wait."""
    given = response.headers.get("Retry-After", "")
    try:
        return max(0.0, float(given))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(given) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return 0.0
