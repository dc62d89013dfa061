"""The address of a server: how it is reached, how it is shown, and what in it is secret."""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import re
import socket
from contextlib import suppress
from dataclasses import dataclass
from urllib.request import getproxies, proxy_bypass

from yarl import URL

from otherminds.errors import UsageError

_LOOPBACK = ("localhost", "localhost.localdomain", "localhost6", "ip6-localhost", "ip6-loopback")
_HERE = [
    *map(ipaddress.ip_network, ("127.0.0.0/8", "::127.0.0.0/104", "::ffff:127.0.0.0/104")),
    *map(ipaddress.ip_network, ("0.0.0.0/8", "::/104", "::ffff:0.0.0.0/104")),
]
"""All of 0.0.0.0/8 leads here where it leads anywhere."""
_KEY_PREFIX = re.compile(r"(?i)((sk|pk|rk|gsk|ghp|glpat|pplx|nvapi)[-_].{8,}|(hf_|xai-|AIza).{16,})")
_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[a-z0-9])|(?<=[0-9])(?=[A-Za-z])")
_LONG, _LONGEST = 20, 32
"""Characters of a key at the least, and of any word that is no key at the most."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is; `shown` and `query` hold digests in place of what may be a key."""

    secure: bool
    host: str
    port: int
    path: str
    shown: str
    raw_query: str
    query: str
    basic: str
    """Name and password, as they are sent."""
    secrets: tuple[str, ...]

    @property
    def netloc(self) -> str:
        """Host and port as a request names them."""
        host = f"[{self.host.partition('%')[0]}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.secure else 80) else f"{host}:{self.port}"

    def proxy(self) -> URL | None:
        """The proxy that the environment names for it; nothing that stays on this machine goes through one."""
        if is_loopback(self.host) or proxy_bypass(f"{self.host}:{self.port}"):
            return None
        named = getproxies().get("https" if self.secure else "http", "")
        url = URL(named if "://" in named else f"http://{named}") if named else None
        if url and (url.scheme != "http" or not url.host):
            raise UsageError(f"the proxy for {self.shown} should be like http://proxy:3128; set no_proxy, or unset it")
        return url


def read_address(base_url: str) -> Address:
    """An address as somebody writes it."""
    try:
        url = URL(base_url)
        named = re.fullmatch(r"[\w.:%-]+", url.raw_host or "") and (url.port or 0) < 65536
    except (TypeError, ValueError):
        url, named = URL(), None
    if url.scheme not in ("http", "https") or not named:
        raise UsageError("base_url should be like http://127.0.0.1:8080/v1")
    bare = url.with_user(None).with_path(url.path.rstrip("/") or "/v1").with_query(None).with_fragment(None)
    shown, keys = str(bare), [segment for segment in bare.raw_path.split("/") if is_key(segment)]
    for key in keys:
        shown = shown.replace(f"/{key}", f"/[key {digest(key)[:8]}]")
    query, pair = url.raw_query_string, f"{url.user or ''}:{url.password or ''}"
    basic = base64.b64encode(pair.encode()).decode() if url.password else ""
    secrets = [*keys, *([pair, basic, url.password] if url.password else [])]
    return Address(
        secure=url.scheme == "https",
        # Few systems know this machine by a name that ends in a dot.
        host=(url.raw_host or "").rstrip("." if is_loopback(url.raw_host or "") else ""),
        port=url.port or 0,
        path=bare.raw_path,
        shown=shown,
        raw_query=f"?{query}" if query else "",
        query=digest(query) if query else "",
        basic=basic,
        secrets=(*secrets, *(value for value in url.query.values() if len(value) >= 8)),
    )


def digest(text: str) -> str:
    """What stands for a secret where it must not be shown."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_key(segment: str) -> bool:
    """Whether a part of a path is more like a key than like a word: a known beginning, or long and without order."""
    packed = re.sub(r"[^A-Za-z0-9]", "", segment)
    mixed = len(_CHANGE.findall(packed)) > 0.36 * len(packed)
    long_word = any(len(word) >= _LONGEST for word in re.findall(r"[A-Za-z0-9]+", segment))
    return bool(_KEY_PREFIX.fullmatch(segment)) or (len(packed) >= _LONG and mixed) or long_word


def is_loopback(host: str) -> bool:
    """Whether a host is this very machine, however that is spelled."""
    name = host.lower().rstrip(".")
    with suppress(OSError):
        # As the system reads it: 127.1, 0x7f.1 and 2130706433 are 127.0.0.1.
        name = socket.inet_ntoa(socket.inet_aton(name))
    try:
        return any(ipaddress.ip_address(name) in network for network in _HERE)
    except ValueError:
        return name in _LOOPBACK or name.endswith(".localhost")
