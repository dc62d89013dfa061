"""What smollm2 makes of prompts and texts where cyllama cannot be imported: `python -m tests.without_engine`.

With `--compare`, both with and without it, on all prompts and on 100,000 random texts: the long version of the test.
"""

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from otherminds.errors import Unable
from otherminds.formats.scores import scoring
from otherminds.models import Prompt, fingerprint
from otherminds.models.local.model import Local
from otherminds.studies.explore.material.controls import stories
from otherminds.studies.suites import get_suite

ROOT = Path(__file__).parent.parent
ALPHABETS = (0x80, 0x250, 0x3000, 0x10000, 0x110000)


class Blocked:
    """An import path on which cyllama is missing."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] == "cyllama":
            raise ModuleNotFoundError("No module named 'cyllama'", name="cyllama")


def prompts(every: int = 1) -> list[Prompt]:
    """What the starter and random stories of explore ask, by letters, raw and in chat, and by cloze."""
    items = [*get_suite("starter").items, *stories(0, number=4).items]
    found = []
    for score, how in (("letters", "raw"), ("letters", "direct"), ("cloze", "raw")):
        pose = scoring(score).pose
        found += [posed.prompt for item in items if item.choices for posed in pose(item, prompt=how, seed=0)]
    return found[::every]


def edges() -> Iterator[str]:
    """Texts with every character at which a kind of letter, number or space begins or ends."""
    kinds = json.loads((ROOT / "otherminds" / "data" / "unicode.json").read_text("utf-8"))
    places = {ord(character) + step for kind in kinds.values() for character in kind for step in (-1, 0, 1)}
    for code in sorted(places):
        if 0 <= code < 0xD800 or 0xE000 <= code < 0x110000:
            character = chr(code)
            yield f"a{character}b {character}{character} 1{character}2  {character}'s\n{character}\n\n{character}!"


def random_texts(number: int) -> Iterator[str]:
    """Texts of characters of all kinds, common ones among them."""
    chance = random.Random(27)
    for _ in range(number):
        most = chance.choice(ALPHABETS)
        characters = (chr(chance.randrange(most)) for _ in range(chance.randrange(60)))
        yield "".join(
            one if chance.random() < 0.6 else chance.choice(" \n\t'12sd.a\u00a0")
            for one in characters
            if not 0xD800 <= ord(one) < 0xE000
        )


def shipped_texts() -> Iterator[str]:
    """The texts that come with the package."""
    for path in sorted((ROOT / "otherminds" / "data").rglob("*")):
        if path.suffix in (".json", ".jsonl", ".toml", ".j2", ".html", ".js"):
            yield from path.read_text("utf-8").splitlines(keepends=True)


def answers(*, every: int, texts: int) -> dict[str, Any]:
    """What the default model makes of all that, with or without the engine."""
    model = Local("smollm2")
    asked = prompts(every)
    corpus = [*[*shipped_texts(), *edges()][::every], *random_texts(texts), *(str(prompt) for prompt in prompts())]
    tokens = [model._tokenizer.tokenize(text) for text in corpus]
    weighed = [{"logprobs": one.logprobs, "tokens": one.tokens} for one in model.weigh(asked)]
    taught = [dict(one.logprobs) for one in Local("smollm2", adapter="beliefs").weigh(asked[:4])]
    return {
        "engine": type(model._tokenizer).__name__,
        "fingerprint": fingerprint(model),
        "texts": len(corpus),
        "tokens": [sha256(json.dumps(each).encode()).hexdigest()[:16] for each in tokens],
        "weighed": json.loads(json.dumps(weighed)),
        "taught": taught,
    }


def refusals(other: Path) -> dict[str, str]:
    """What is said where the engine is needed."""
    found = {}
    chat = next(prompt for prompt in prompts() if prompt.messages)
    for name, act in {
        "text": lambda: Local("smollm2").ask([replace(chat, choices=(), labels=False)]),
        "unexpanded": lambda: Local("smollm2", expand=False).weigh([chat]),
        "other": lambda: Local(other).weigh([chat]),
    }.items():
        try:
            act()
        except Unable as error:
            found[name] = str(error)
    return found


def elsewhere(*options: str) -> dict[str, Any]:
    """The same in a process of its own, without the engine."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.without_engine", *options], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    return dict(json.loads(done.stdout))


def main() -> None:
    """Print one side, or compare both."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--compare", action="store_true")
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--texts", type=int, default=100_000)
    options.add_argument("--other", type=Path)
    given = options.parse_args()
    sizes = ("--every", str(given.every), "--texts", str(given.texts))
    if given.compare:
        without, with_it = elsewhere(*sizes), answers(every=given.every, texts=given.texts)
        differ = [key for key in with_it if key != "engine" and with_it[key] != without[key]]
        print(
            f"{without['texts']} texts and {len(without['weighed'])} prompts; different: {', '.join(differ) or 'none'}"
        )
        sys.exit(bool(differ))
    sys.meta_path.insert(0, Blocked())
    found = answers(every=given.every, texts=given.texts)
    print(json.dumps(found | ({"refusals": refusals(given.other)} if given.other else {})))


if __name__ == "__main__":
    main()
