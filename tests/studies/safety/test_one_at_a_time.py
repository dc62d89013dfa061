"""A series whose models are served one after another is the same as one whose models are served together."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from otherminds.cli import cli
from otherminds.items import Item
from otherminds.models.api import wire
from tests.persona_server import Kind, Persona, persona_server

COMPLETIONS: Kind = "completions top-20"
KINDS: dict[str, Kind] = {"one": COMPLETIONS, "two": "chat", "three": "chat top-5", "base": COMPLETIONS}
SKILL = {"one": 0.6, "two": 0.75, "three": 0.95, "base": 0.5}


async def at_once(_: float) -> bool:
    return False


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("otherminds.models.api.wire.sleep", at_once)


class Servers:
    """Four servers."""

    def __init__(self, stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
        self.urls: dict[str, str] = {}
        for name, kind in KINDS.items():
            server = stack.enter_context(persona_server(kind, Persona(_skill(name)), monkeypatch))
            self.urls[name] = server.url


def _skill(name: str) -> Any:
    def chance(item: Item) -> float:
        return SKILL[name]

    return chance


def lineup(urls: dict[str, str]) -> str:
    lines = ["suite: {size: 4, tasks: [TB, FB/SA]}", "models:"]
    for number, name in enumerate(("one", "two", "three", "base"), start=1):
        place = {"rank": number, "parameters": number * 0.5} if name != "base" else {"post_trained": False}
        partner = {"partner": "base"} if name == "three" else {}
        entry = {"name": name, "spec": f"api:{name}", "series": "s", "base_url": urls[name], **place, **partner}
        entry |= {"settings": {"seed": 1}} if name == "two" else {}
        lines.append(f"  - {json.dumps(entry)}")
    return "\n".join(lines)


def call(*args: str) -> Result:
    return CliRunner().invoke(cli, args)


def numbers(done: Result) -> Any:
    data = json.loads(done.stdout)
    return {key: data[key] for key in ("models", "pairs", "trends")}


def test_one_at_a_time_is_the_same_as_all_together(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse: set[str] = set()
    plain = wire.Wire._once

    async def once(self: Any, request: Any) -> Any:
        if any(self.base == url.rstrip("/") for url in refuse):
            return wire._Fault(f"{self.base} cannot be reached; is the server running?", "away")
        return await plain(self, request)

    monkeypatch.setattr(wire.Wire, "_once", once)
    with ExitStack() as stack:
        servers = Servers(stack, monkeypatch)
        Path("lineup.yaml").write_text(lineup(servers.urls))
        together = call("series", "lineup.yaml", "-o", "together", "--store", "together.db", "--json")
        assert together.exit_code == 0, together.output
        for name in KINDS:
            refuse.clear()
            refuse.update(url for other, url in servers.urls.items() if other != name)
            last = call("series", "lineup.yaml", "-o", "apart", "--store", "apart.db", "--json")
            assert last.exit_code in (0, 3), last.output
        assert last.exit_code == 0, last.output
        refuse.update(servers.urls.values())
        assert numbers(last) == numbers(together)
        assert {model: set(tasks) for model, tasks in numbers(last)["models"].items()} == {
            name: {"TB", "FB/SA"} for name in KINDS
        }
        assert len(numbers(last)["pairs"]) == 2
        assert len(numbers(last)["trends"]) == 2
        reported = call("report", "--lineup", "lineup.yaml", "--store", "apart.db", "-o", "page.html")
        assert reported.exit_code == 0, reported.output
    page = Path("page.html").read_text(encoding="utf-8")
    assert all(name in page for name in KINDS)
    assert "no clear trend" in page or "rises" in page
