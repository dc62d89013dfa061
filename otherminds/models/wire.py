"""HTTP to a model server: tries again what may pass, backs off when the server is busy, and never shows a key.

Knows JSON and status codes, nothing of prompts. Safe to use from many threads at once.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Condition, Lock
from time import sleep
from typing import Any
from weakref import finalize

import httpx

from otherminds.errors import EndpointError, UsageError

LONGEST_WAIT = 60.0
"""Seconds. A server that wants us to wait longer is as good as down, and a person should know."""
_FIRST_WAIT = 0.5
_BUSY = (429, 503, 529)
_PASSING = (408, 425, 500, 502, 504, *_BUSY)
_MISSING = (404, 405, 501)


class Rejected(EndpointError):
    """The server is well but will not take this one request; another may fare better."""

    def __init__(self, message: str, *, code: str = "") -> None:
        super().__init__(message)
        self.code = code


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
        self.limit = Limit(parallel)
        self.retried = 0
        self._key_env, self._retries, self._timeout = key_env, retries, timeout
        self._secrets = [secret for secret in (key, url.password) if secret]
        self._lock = Lock()
        self._client = httpx.Client(
            timeout=timeout,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            auth=(url.username, url.password) if url.password else None,
            limits=httpx.Limits(max_connections=parallel, max_keepalive_connections=parallel),
        )
        # Nobody closes a model; its connections go when it does.
        finalize(self, self._client.close)

    def get(self, path: str, *, root: bool = False) -> dict[str, Any] | None:
        """What lies at a path; None if the server has no such thing."""
        try:
            return self._call("GET", (self.root if root else self.base) + path, None)
        except (Rejected, _Missing):
            return None

    def post(self, path: str, body: dict[str, Any], *, root: bool = False) -> dict[str, Any]:
        """The answer to a body; what cannot be had is an EndpointError."""
        return self._call("POST", (self.root if root else self.base) + path, body)

    def _call(self, method: str, url: str, body: dict[str, Any] | None) -> dict[str, Any]:
        for attempt in range(self._retries + 1):
            began, result = self.limit.enter(), None
            try:
                result = self._once(method, url, body)
            finally:
                fault = result if isinstance(result, _Fault) else None
                self.limit.leave(began, busy=fault is not None and fault.busy, well=isinstance(result, dict))
            if isinstance(result, dict):
                return result
            if attempt == self._retries or result.wait > LONGEST_WAIT:
                tries = f" (tried {attempt + 1} times)" if attempt else ""
                raise EndpointError(result.sentence + tries)
            with self._lock:
                self.retried += 1
            # Full jitter: calls that failed together must not come back together.
            sleep(max(result.wait, random.uniform(0, min(LONGEST_WAIT, _FIRST_WAIT * 2**attempt))))
        raise AssertionError("the last attempt returns or raises")

    def _once(self, method: str, url: str, body: dict[str, Any] | None) -> dict[str, Any] | _Fault:
        try:
            response = self._client.request(method, url, json=body)
        except httpx.TimeoutException:
            return _Fault(f"{url} did not answer within {self._timeout:g} s; is the server overloaded? raise timeout")
        except httpx.ConnectError as error:
            return _Fault(f"{url} cannot be reached ({self.clean(str(error))}); is the server running?")
        except httpx.TransportError as error:
            return _Fault(f"{url} broke off in the middle ({self.clean(str(error))}); is the server healthy?")
        status = response.status_code
        if status == 200:
            return self._read(url, response)
        said, code = self._said(response)
        if status in (401, 403):
            raise EndpointError(f"{url} refuses us ({status}: {said}); set {self._key_env} to a key that it takes")
        if status in _PASSING:
            return _Fault(f"{url} failed ({status}: {said})", _retry_after(response), status in _BUSY)
        if status in _MISSING:
            raise _Missing(f"{url} does not exist ({status}: {said}); check base_url and the model's name")
        if status in (400, 413, 422):
            raise Rejected(f"the server rejects this prompt ({status}: {said})", code=code)
        raise EndpointError(f"{url} answers {status}: {said}; check base_url")

    def _read(self, url: str, response: httpx.Response) -> dict[str, Any] | _Fault:
        try:
            data = response.json()
        except ValueError:
            return _Fault(f"{url} sent what is not whole JSON: {self.clean(response.text)!r}; is it a model server?")
        if not isinstance(data, dict):
            return _Fault(f"{url} sent JSON that is not an object; is it a model server?")
        return data

    def _said(self, response: httpx.Response) -> tuple[str, str]:
        """The server's own words about an error, and its code for it."""
        try:
            data = json.loads(response.text)
        except ValueError:
            data = None
        error = data.get("error", data) if isinstance(data, dict) else None
        if isinstance(error, dict):
            text = error.get("message") or error.get("detail") or ""
            return self.clean(str(text)), str(error.get("code") or "")
        return self.clean(str(error or response.text)), ""

    def clean(self, text: str) -> str:
        """A server's words on one short line, without any secret of ours."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return " ".join(text.split())[:300] or "no reason given"


class _Missing(EndpointError):
    """There is nothing at this path."""


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
