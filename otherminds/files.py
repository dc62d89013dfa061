"""Files that are there whole or not at all, and JSON as the standard has it."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from otherminds.errors import BadFile


def write_text(path: str | Path, text: str) -> None:
    """Write beside the target and move into place, so that no reader ever sees half a file."""
    target = Path(path)
    half = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        half.write_text(text, encoding="utf-8")
        os.replace(half, target)
    except (OSError, UnicodeEncodeError) as error:
        with suppress(OSError):
            half.unlink()
        raise BadFile(f"{target} cannot be written: {getattr(error, 'strerror', '') or error}") from None


_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str) -> Any:
    """JSON, or a ValueError that says what is wrong; what Python alone would let pass could never be written again."""
    try:
        data = json.loads(text, parse_float=_number, parse_constant=_refuse)
        if _HALF.search(text):
            json.dumps(data, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("it holds half of a character, written as \\ud800 to \\udfff") from None
    return data


def _number(digits: str) -> float:
    return value if isfinite(value := float(digits)) else _refuse(digits)


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number that JSON can hold")
