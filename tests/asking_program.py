"""A program that tests start, kill and start again: a run against a loopback server.

python asking_program.py URL STORE SUITE PARALLEL
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from otherminds.items import Suite
from otherminds.models import Prompt, Response, Weighing
from otherminds.runs.runs import run
from otherminds.store.store import Store


class Loopback:
    """The least that can call /v1/completions."""

    name = "loopback"
    batch = ask_batch = 1
    cannot: frozenset[str] = frozenset({"chat", "prefill", "schema"})

    def __init__(self, url: str, parallel: int) -> None:
        self.identity: Mapping[str, Any] = {"backend": "loopback"}
        self.parallel = parallel
        self._url = url
        self._client = httpx.Client(trust_env=False)

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        raise NotImplementedError

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        found = []
        for prompt in prompts:
            body = {"prompt": prompt.text, "max_tokens": 1, "logprobs": 2}
            (choice,) = self._client.post(self._url, json=body).json()["choices"]
            (top,) = choice["logprobs"]["top_logprobs"]
            found.append(Weighing({token.strip(): value for token, value in top.items()}, rendered=prompt.text))
        return found


def main() -> None:
    url, store, suite, parallel = sys.argv[1:]
    with Store(store) as kept:
        done = run(
            Suite.load(suite),
            Loopback(url, int(parallel)),
            store=kept,
            progress=lambda answered, _: print("answered", answered, flush=True),
        )
    print("calls", done.manifest["calls"]["made"], done.manifest["calls"]["reused"], flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(3)
