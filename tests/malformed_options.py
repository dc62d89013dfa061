"""Wrong values for every option of every command, and wrong words where names are wanted."""

import random
from collections.abc import Iterator

import click

from otherminds.cli import cli
from tests.malformed import Case, Put, folder, holding

NOWHERE = ("--base-url", "http://127.0.0.1:9/v1", "-M", "retries=0")
SEARCH = ("--sets", "tomi", "--stories", "1", "--budget", "1", "--endings", "1", "--no-baseline")
BASE: dict[tuple[str, ...], tuple[str, ...]] = {
    ("profile",): ("-m", "baseline:oracle", "--no-studies", "--dry-run"),
    ("tell",): ("sally-anne",),
    ("explore",): ("--against", "baseline:realist", *SEARCH, "-o", "out"),
    ("retell",): ("missing", "--writer", "api:nobody", *NOWHERE),
    ("invent",): ("--writer", "api:nobody", *NOWHERE, "--number", "1", "-o", "out.jsonl"),
    ("series",): ("series.yaml", "-o", "out"),
    ("play",): ("-m", "api:nobody", *NOWHERE, "--limit", "1", "-o", "out"),
    ("build", "explore"): (".", "-o", "out.jsonl"),
    ("build", "perturbed"): ("-o", "out.jsonl", "--focal"),
    ("build", "safety"): ("-o", "out.jsonl", "--size", "4", "--tasks", "TB"),
    ("build", "training"): ("--number", "2", "--sets", "tomi", "-o", "out"),
    ("build", "starter"): ("-o", "out.jsonl"),
    ("build", "lessons"): ("--form", "text", "--shards", "1", "--size", "1", "--processes", "1", "-o", "out"),
    ("train",): ("missing", "-o", "out", "--device", "cpu"),
    ("build", "dialogue"): ("--published", "missing.json", "-o", "out.jsonl"),
    ("build", "traits"): ("--talks", "missing.jsonl", "-o", "out.jsonl"),
    ("judge",): ("-m", "api:nobody", *NOWHERE, "--talks", "missing.jsonl", "-o", "out.jsonl"),
    ("import",): ("missing.txt", "--from", "tomi", "-o", "out.jsonl"),
    ("lint",): ("kept.jsonl",),
    ("audit",): ("kept.jsonl",),
    ("run",): ("kept.jsonl", "-m", "baseline:oracle"),
    ("benchmark",): ("kept.jsonl", "--readers"),
    ("annotate",): ("kept.jsonl", "--no-open"),
    ("runs",): (),
    ("show",): ("last",),
    ("check",): ("last", "--min", "all>=0"),
    ("report",): ("last",),
    ("compare",): ("last", "last"),
    ("diagnose",): ("last",),
    ("export",): ("kept.jsonl", "--to", "lm-eval", "-o", "out"),
    ("track",): ("no-such-run", "--with", "mlflow"),
    ("web",): ("--no-open",),
    ("merge",): ("missing.db",),
    ("store", "verify"): (),
    ("models",): (),
    ("models", "get"): ("nothing",),
    ("models", "probe"): ("api:nobody", *NOWHERE),
    ("doctor",): (),
}
"""A quick call of every command, to which one wrong option is added."""
EVERYWHERE = ("unknown", "\udcff", "💥" * 300, "a\nb", "-", "../../nowhere/x", "'; DROP TABLE runs; --", "%s{0}{x}")
"""What is hardly ever meant, and never a number."""


def _wrong(option: click.Option, rng: random.Random) -> Iterator[tuple[str, bool]]:
    """Values for an option, each with whether it is wrong for certain."""
    kind = option.type
    if isinstance(kind, click.Choice):
        yield from ((value, True) for value in rng.sample(EVERYWHERE, 2))
    elif isinstance(kind, click.types.IntParamType):
        yield from ((value, True) for value in (rng.choice(EVERYWHERE), "1.5", ""))
        least = kind.min if isinstance(kind, click.IntRange) else None
        if least is not None:
            yield str(least - 1), True
        else:
            yield "-9" + "9" * 30, False
            yield "-1", False
    elif isinstance(kind, click.types.FloatParamType):
        yield from ((value, True) for value in (rng.choice(EVERYWHERE), ""))
        yield from ((value, False) for value in ("nan", "inf", "-1", "1e400"))
    elif isinstance(kind, click.Path):
        yield from ((value, False) for value in ("a-folder", "a-file", "a-file/below", "x" * 300))
    else:
        yield from ((value, False) for value in (*rng.sample(EVERYWHERE, 2), ""))


def _options() -> Iterator[Case]:
    rng = random.Random("options")
    for path, base in BASE.items():
        command: click.Command = cli
        for name in path:
            assert isinstance(command, click.Group)
            found = command.get_command(click.Context(command), name)
            assert found
            command = found
        yield _case((*path, *base, "--no-such-option"))
        yield _case((*path, *base, *["too", "many"] * 20), sure=path not in (("report",), ("models",), ("tell",)))
        for option in command.params:
            if isinstance(option, click.Option) and not option.is_flag:
                name = option.opts[-1]
                yield _case((*path, *base, name))
                for value, sure in _wrong(option, rng):
                    yield _case((*path, *base, name, value), sure)


HERE: tuple[tuple[str, Put], ...] = (("a-folder", folder), ("a-file", holding(b"nothing of use")))


def _case(args: tuple[str, ...], sure: bool = True) -> Case:
    words = " ".join(args).encode("utf-8", "backslashreplace").decode()
    return Case(words[:120], args, HERE, sure, lambda _: True)


# ---- words whose meaning is ours, not click's -----------------------------------------------------------------------

BUDGETS = (
    *(
        "calls",
        "calls=",
        "calls=x",
        "calls=-1",
        "calls=nan",
        "=5",
        "calls=5,",
        "money=1",
        "pounds=3",
        ",",
        "calls=5;tokens=3",
    ),
    *("tokens=-0.1", "seconds=one", "calls==5", "\udcff=1"),
)
SETTINGS = (
    *("temperature", "=1", "temperature=hot", "temperature=-1", "temperature=[1]", "temperature=null", "seed=x"),
    *("context=0", "context=many", "context=-5", "layers=-1", "layers=x", "expand=perhaps"),
    *("nonsense=1", "api_key=abc", "accept_licence={", "temperature=" + "[" * 5000, "temperature=NaN", "seed=1e400"),
)
SERVED = (
    *("parallel=0", "parallel=x", "parallel=1.5", "retries=-1", "retries=x", "timeout=0", "timeout=x", "timeout=NaN"),
    *(
        "top_logprobs=0",
        "top_logprobs=x",
        "server=none",
        "server=[]",
        "server={}",
        "extra=5",
        "extra=[1]",
        "prefill=maybe",
    ),
    *("key_env=5", "key_env=[]", "base_url=7", "temperature=hot", "temperature={}", "seed=x", "parallel=null"),
)
ADDRESSES = (
    "",
    "x",
    "http://",
    "ftp://a/b",
    "http://[::1",
    "http://127.0.0.1:99999/v1",
    "http://\udcff/",
    "http://a b/",
    "//x/v1",
)
MODELS = (
    "",
    "x",
    "smollm",
    ":",
    "api:",
    "gguf:",
    "hf:",
    "baseline:",
    "baseline:x",
    "api",
    "gguf:missing.gguf",
    "gguf:.",
)
NAMES = {
    "suite": [("lint", name) for name in ("", "x", "startr", ".", "..", "/", "a/b", "x.jsonl", "\udcff", "x" * 5000)],
    "story": [
        ("tell", name) for name in ("", "x", "sally-ann", ".", "/dev/null", "a/b", "x.json", "\udcff", "x" * 5000)
    ],
    "line-up": [("series", name) for name in ("", "x", ".", "papers", "\udcff", "x" * 5000)],
    "run": [
        (*command, id)
        for command in (("show",), ("report",), ("compare", "last"), ("show", "last"))
        for id in ("", "x", "zzzz", "%", "_", "' OR 1", "\udcff", "x" * 5000)
    ],
    "model": [("run", "kept.jsonl", "-m", name) for name in MODELS],
    "talker": [("play", "-m", name, "-o", "out") for name in MODELS],
    "partner": [("play", "-m", "api:a", *NOWHERE, "--partner", name, "-o", "out") for name in MODELS if name],
    "searched": [("explore", "--against", name, *SEARCH, "-o", "out") for name in MODELS],
    "profiled": [("profile", "-m", name, "--no-studies", "-o", "out") for name in MODELS],
    "weights": [("models", "get", name) for name in ("", "x", "smollm", "gguf:a", "\udcff")],
    "server": [("run", "kept.jsonl", "-m", "api:a", "--base-url", address) for address in ADDRESSES],
    "budget": [("run", "kept.jsonl", "-m", "baseline:oracle", "--budget", words) for words in BUDGETS],
    "setting": [("run", "kept.jsonl", "-m", "gguf:a-file", "-M", words) for words in SETTINGS],
    "server's setting": [("run", "kept.jsonl", "-m", "api:a", *NOWHERE, "-M", words) for words in SERVED],
    "prompt": [("run", "kept.jsonl", "-m", "baseline:oracle", "--prompt", name) for name in ("x", "cot ", "\udcff")],
    "score": [("run", "kept.jsonl", "-m", "baseline:oracle", "--score", name) for name in ("x", "Letters", "\udcff")],
    "tasks": [("build", "safety", "--tasks", name, "-o", "out.jsonl") for name in ("x", ",", "TB,x", "tb,")],
    "size": [("build", "safety", "--size", name, "-o", "out.jsonl") for name in ("x", "-1", "0", "1.5", "²", "1")],
    "sets": [
        ("explore", "--against", "baseline:realist", "--sets", name, "-o", "out") for name in ("x", "", ",", "tomi,x")
    ],
    "states": [
        ("play", "-m", "api:a", *NOWHERE, "--states", name, "-o", "out") for name in ("x", "belief,x", "Belief")
    ],
    "numbers": [
        ("explore", "--against", "baseline:realist", name, words, "-o", "out")
        for name in ("--people", "--moves")
        for words in ("", "x", "0", "2,", "-1", "99", "2;3", "1" + "0" * 5000)
    ],
    "command": [(name,) for name in ("", "x", "Run", "--nothing", "-1", "\udcff", "build x", "models x")],
    "two sources": [("build", "dialogue", "--talks", "a", "--published", "b", "-o", "out.jsonl")],
    "itself": [("build", "perturbed", "--focal", "-o", "out.md"), ("report", "last", "-o", "a-folder")],
}
OPTIONS = [*_options(), *(_case(args) for several in NAMES.values() for args in several)]
