"""Puts spoilt inputs to a target, in children whose memory and time are bounded."""

import json
import os
import random
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

from otherminds.errors import OthermindsError
from tests.fuzz.targets import TARGETS

MEMORY = 1 << 30
"""Bytes that one input may take more than what is loaded already."""
WORK = 10.0
"""Seconds of computing after which an input has exploded."""
AT_ONCE = 200
"""Inputs that one child reads, so that what one leaves behind is seen in the others, and forgotten soon."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An input, and what came of it."""

    data: bytes
    why: str


class TooLong(BaseException):
    """It was computed for too long."""


def fuzz(name: str, *, seconds: float = 0, inputs: int = 0, seed: int = 0) -> tuple[int, list[Finding]]:
    """Spoil inputs for so long, or so many: how many were tried, and one of every kind of what was found."""
    found: dict[str, Finding] = {}
    tried, end, target = 0, time.monotonic() + seconds, TARGETS[name]
    target.seeds()  # made once, and not in every child
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        while tried < inputs or (not inputs and time.monotonic() < end):
            dice = random.Random(f"{name} {seed} {tried}")
            wanted = min(AT_ONCE, inputs - tried) if inputs else AT_ONCE
            child = os.fork()
            if not child:
                _read_many(name, lambda dice=dice: target.spoilt(dice), wanted, folder, end)
            _, status = os.waitpid(child, 0)
            told = (folder / "told").read_text(encoding="utf-8").splitlines()
            tried += len(told)
            if code := os.waitstatus_to_exitcode(status):
                _keep(found, (folder / target.file).read_bytes(), f"the program ended with {code}")
                tried += 1
            for line in filter(None, told):
                said = json.loads(line)
                _keep(found, bytes.fromhex(said["data"]), said["why"])
    return tried, list(found.values())


def _keep(found: dict[str, Finding], data: bytes, why: str) -> None:
    """Of every kind the smallest input."""
    if why not in found or len(data) < len(found[why].data):
        found[why] = Finding(data, why)


def _read_many(name: str, make: Callable[[], bytes], wanted: int, folder: Path, end: float) -> NoReturn:
    """Read inputs one after another, and tell a line of each: empty, or what is wrong."""
    target = TARGETS[name]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, now + MEMORY))
    signal.signal(signal.SIGPROF, _too_long)
    warnings.simplefilter("ignore")  # numbers that are none are no findings
    code = 1
    try:
        with (folder / "told").open("w", encoding="utf-8") as told:
            for _ in range(wanted):
                data = make()
                (folder / target.file).write_bytes(data)
                why = _what_is_wrong(name, folder / target.file)
                told.write((json.dumps({"why": why, "data": data.hex()}) if why else "") + "\n")
                told.flush()
                if end and time.monotonic() > end and wanted == AT_ONCE:
                    break
        code = 0
    finally:
        os._exit(code)


def _what_is_wrong(name: str, path: Path) -> str:
    """What came of an input, if it is neither a result nor an error of ours."""
    target = TARGETS[name]
    signal.setitimer(signal.ITIMER_PROF, WORK)
    try:
        target.read(path)
    except OthermindsError:
        pass
    except TooLong:
        return "computed too long"
    except BaseException as error:
        return _named(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return ""


def _named(error: BaseException) -> str:
    """An exception by its type and by the last line of ours that it went through."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if f"{os.sep}otherminds{os.sep}" in frame.filename
    ]
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno} {frames[-1].name}" if frames else "outside"
    return (
        f"{type(error).__name__} at {where}: {str(error)[:100]}" if not frames else f"{type(error).__name__} at {where}"
    )


def _too_long(*_: Any) -> None:
    raise TooLong


sys.setrecursionlimit(1000)
