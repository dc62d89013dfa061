"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from otherminds.errors import BadFile


def write_text(path: str | Path, text: str) -> None:
    """Write beside the target and move into place, so that no reader ever sees half a file."""
    target = Path(path)
    half = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        half.write_text(text, encoding="utf-8")
        os.replace(half, target)
    except OSError as error:
        half.unlink(missing_ok=True)
        raise BadFile(f"{target} cannot be written: {error.strerror or error}") from None
