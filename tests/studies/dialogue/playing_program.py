"""A program that tests start, kill and start again: conversations against a loopback server.

python playing_program.py URL FOLDER
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

from otherminds.calling.flights import Flight
from otherminds.calling.recorded import Recorded
from otherminds.models import Prompt, Response, Weighing
from otherminds.store.store import Store
from otherminds.talks import bank
from otherminds.talks import talk as talks
from otherminds.talks.play import play


class Loopback:
    """The least that can talk to the server."""

    name = "loopback"
    batch = ask_batch = 1
    parallel = 2
    cannot: frozenset[str] = frozenset({"prefill", "schema"})
    identity: Mapping[str, Any] = {"backend": "loopback"}

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = httpx.Client(trust_env=False, timeout=60)

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        bodies = [json.dumps(prompt.to_dict(), sort_keys=True) for prompt in prompts]
        return [Response(self._client.post(self._url, content=body).text) for body in bodies]

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        raise NotImplementedError


class Telling(Recorded):
    """Says how many calls are kept."""

    def keep(self, flights: Sequence[Flight]) -> None:
        super().keep(flights)
        print("made", self.made, flush=True)


def main() -> None:
    url, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    with Store(folder / "store.db") as store:
        model = Telling(Loopback(url), store)
        done = play(bank.castings(limit=4), model, model, turns=7, limit=4)
    talks.save(folder / "talks.jsonl", done.talks)
    print("calls", model.made, model.reused, flush=True)


if __name__ == "__main__":
    main()
