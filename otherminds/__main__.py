"""`python -m otherminds`, and the `otherminds` script."""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import Any


class Stream(io.FileIO):
    """Stdout or stderr: what it cannot take is lost without ending the work, and `lost` says why."""

    lost = ""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:  # whoever closed a pipe has seen enough
            self.lost = "" if isinstance(error, BrokenPipeError) else str(error.strerror)
            return len(data)


def _text(file: Stream, old: Any) -> io.TextIOWrapper:
    """A stream for texts like the one that there was, if there was any."""
    code, errors = getattr(old, "encoding", "utf-8"), getattr(old, "errors", "backslashreplace")
    return io.TextIOWrapper(io.BufferedWriter(file), code, errors, line_buffering=getattr(old, "line_buffering", True))


def main() -> None:
    """The command line; Ctrl-C ends it with a word even before it is loaded."""
    # A command makes many objects that stay, and little garbage: to look for it less often saves a seventh of the time.
    gc.set_threshold(200_000, 30, 30)
    # Where one of the first three is closed, the store would be opened in its place, and printed into.
    while (free := os.open(os.devnull, os.O_RDONLY)) <= 2:
        pass
    os.close(free)
    out = Stream(1, "w", closefd=False)
    if sys.stdout is sys.__stdout__:
        sys.stdout, sys.stderr = _text(out, sys.stdout), _text(Stream(2, "w", closefd=False), sys.stderr)
    try:
        from otherminds.cli import main as command_line

        command_line()
    except KeyboardInterrupt:
        print("error: stopped by Ctrl-C before anything was done", file=sys.stderr)
        sys.exit(3)
    except SystemExit as end:
        sys.stdout.flush()
        if out.lost and not end.code:
            said = f"error: what this command did is done, but stdout could not take what it said ({out.lost})"
            print(f"{said}; give the same command with another place to print to", file=sys.stderr)
            sys.exit(1)
        raise


if __name__ == "__main__":
    main()
