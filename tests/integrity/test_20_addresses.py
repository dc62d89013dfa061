"""Where requests go and what goes with them: no password of others, no proxy for this machine, no key in an address."""

import shutil
import socket
import sqlite3
import ssl
import subprocess
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import otherminds as om
from otherminds.errors import EndpointError, UsageError
from otherminds.models.api import connections
from otherminds.models.api.addresses import is_key, is_loopback, read_address
from otherminds.models.api.endpoint import Endpoint
from otherminds.store.store import Store
from tests.faults.bench import KEY, suite
from tests.models.scripted_server import Call, Reply, always, completion, serving, top

RAW = om.Prompt(text="The marble is in the", max_tokens=5)
PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PROXIES, "NO_PROXY", "no_proxy", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


# ── .netrc and proxies ──


@pytest.mark.parametrize("key", ["", KEY])
def test_a_netrc_file_is_never_read_and_a_remote_host_goes_through_the_proxy(
    key: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("\n".join(f"machine {host} login me password secret" for host in ("model.test", "127.0.0.1")))
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    seen: list[Call] = []

    def proxy(call: Call) -> Reply:
        seen.append(call)
        return completion(" box")

    with serving(proxy) as server:
        monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
        model = Endpoint("m", base_url="http://model.test/v1", api_key=key, server="other", lacks="")
        assert model.ask([RAW])[0].text == " box"
    (call,) = seen
    assert call.path == "http://model.test/v1/completions"
    assert call.headers["Host"] == "model.test"
    assert call.headers.get("Authorization", "") == (f"Bearer {key}" if key else "")
    assert "Proxy-Authorization" not in call.headers


def test_a_proxy_gets_its_own_password_and_no_proxy_is_heeded(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def proxy(call: Call) -> Reply:
        seen.append(call.headers.get("Proxy-Authorization", ""))
        return completion(" box")

    with serving(proxy) as server:
        monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1").replace("//", "//me:word@"))
        Endpoint("m", base_url="http://model.test/v1", server="other", lacks="").ask([RAW])
        assert seen == ["Basic bWU6d29yZA=="]
    monkeypatch.setenv("no_proxy", "model.test")
    assert read_address("http://model.test/v1").proxy() is None
    assert read_address("http://other.test/v1").proxy() is not None
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:1080")
    with pytest.raises(UsageError, match="should be like http://proxy:3128"):
        Endpoint("m", base_url="http://other.test/v1")


LOOPBACK = (
    *("127.0.0.1", "localhost", "LOCALHOST", "localhost.", "my.localhost", "0.0.0.0", "0", "127.1", "0x7f.1"),
    *("2130706433", "017700000001", "127.0.0.53", "::1", "::", "::ffff:127.0.0.1", "::ffff:0.0.0.0", "ip6-localhost"),
)
REMOTE = (
    "10.0.0.1",
    "8.8.8.8",
    "::ffff:8.8.8.8",
    "2001:db8::1",
    "localhost.example.com",
    "api.openai.com",
    "128.0.0.1",
)


@pytest.mark.parametrize("host", LOOPBACK)
def test_every_spelling_of_this_machine_goes_without_a_proxy(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert is_loopback(host)
    url = f"http://[{host}]:8080/v1" if ":" in host else f"http://{host}:8080/v1"
    assert read_address(url).proxy() is None


@pytest.mark.parametrize("host", REMOTE)
def test_other_hosts_are_not_this_machine(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "localhost.", "2130706433", "127.1", "[::ffff:127.0.0.1]"])
def test_odd_spellings_reach_the_server_with_the_key_and_without_the_proxy(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "::" in host and not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    with always(completion(" no")) as other, always(completion(" box")) as server:
        monkeypatch.setenv("http_proxy", other.url.removesuffix("/v1"))
        url = server.url.replace("127.0.0.1", host)
        model = Endpoint("m", base_url=url, api_key=KEY, server="other", lacks="")
        assert model.ask([RAW])[0].text == " box"
        assert not other.calls


def test_https_goes_through_a_tunnel_and_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which("openssl"):
        pytest.skip("no openssl to make a certificate with")
    pair = [str(tmp_path / "key.pem"), str(tmp_path / "cert.pem")]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=model.test"]
    subprocess.run(
        [*made, "-addext", "subjectAltName=DNS:model.test", "-keyout", pair[0], "-out", pair[1]],
        check=True,
        capture_output=True,
    )
    secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secure.load_cert_chain(pair[1], pair[0])
    heard: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def proxy() -> None:
        body = b'{"choices": [{"text": " box", "finish_reason": "stop"}]}'
        for _ in range(2):
            client, _ = listener.accept()
            heard.append(client.recv(4096))
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            try:
                with secure.wrap_socket(client, server_side=True) as inner:
                    heard.append(inner.recv(65536))
                    inner.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            except OSError:
                client.close()

    thread = Thread(target=proxy, daemon=True)
    thread.start()
    monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{listener.getsockname()[1]}")
    settings: dict[str, Any] = {"api_key": KEY, "server": "other", "lacks": "", "retries": 0, "timeout": 10}
    trusting = ssl.create_default_context(cafile=pair[1])
    with monkeypatch.context() as patch:
        patch.setattr(connections, "_certificates", lambda: trusting)
        assert Endpoint("m", base_url="https://model.test/v1", **settings).ask([RAW])[0].text == " box"
    assert heard[0].startswith(b"CONNECT model.test:443 HTTP/1.1\r\n")
    assert KEY.encode() not in heard[0]
    assert heard[1].startswith(b"POST /v1/completions HTTP/1.1\r\nHost: model.test\r\n")
    with pytest.raises(EndpointError, match="certificate"):
        Endpoint("m", base_url="https://model.test/v1", **settings).ask([RAW])
    thread.join(10)
    listener.close()


# ── keys in an address ──

WORDS = (
    *("v1", "openai", "deployments", "gpt-4o-mini-2024-07-18", "Meta-Llama-3.1-70B-Instruct-Turbo-FP8-Dynamic"),
    *("key-management-service", "api-keys", "token-classification", "hf-inference", "accounts", "sk-learn", "[key]"),
)
KEYS = (
    *(
        "sk-abcdefgh12345678",
        "gsk_0123456789abcdef",
        "hf_abcdefghijklmnopqrstuv",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    ),
    *("0123456789abcdef0123456789abcdef", "Xk3mP9qL2vR8tY5wZ1nB", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP"),
)


@pytest.mark.parametrize("segment", [*WORDS, *KEYS])
def test_a_key_is_told_from_a_word(segment: str) -> None:
    assert is_key(segment) == (segment in KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_a_key_in_the_path_is_sent_and_shown_nowhere(key: str, tmp_path: Path) -> None:
    def answer(call: Call) -> Reply:
        if "Day 1." in str(call.body):
            return Reply({"error": {"message": f"{call.path} is busy"}}, status=400)
        return completion(" A", **top({" A": -1.0, "A": -2.0, " B": -2.0, "B": -3.0}))

    with serving(answer) as server, Store(tmp_path / "store.db") as store:
        url = server.url.replace("/v1", f"/{key}/v1")
        model = Endpoint("m", base_url=url)
        run = om.run(suite(3).using(prompt="raw", score="letters"), model, store=store)
        assert {call.path for call in server.calls} >= {f"/{key}/v1/completions"}
    assert run.verdicts()["error"] == 1
    with sqlite3.connect(tmp_path / "store.db") as db:
        held = "\n".join(db.iterdump())
    db.close()
    with pytest.raises(EndpointError) as away:
        Endpoint("m", base_url="http://127.0.0.1:9/" + key).ask([RAW])
    shown = [held, repr(model), repr(run), str(model.identity), str(away.value), *(r.score.why for r in run.records)]
    assert not any(key in text for text in shown)
    assert "[key " in repr(model)


def test_an_address_without_a_key_is_who_it_was() -> None:
    for url in ("http://127.0.0.1:8080/v1", "https://api.example.com/openai/deployments/gpt-4o-mini-2024-07-18"):
        assert Endpoint("m", base_url=url).settings["base_url"] == url
