"""`python -m otherminds`, and the `otherminds` script."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """The command line; Ctrl-C ends it with a word even before it is loaded."""
    # A command makes many objects that stay, and little garbage: to look for it less often saves a seventh of the time.
    gc.set_threshold(200_000, 30, 30)
    try:
        from otherminds.cli import main as command_line

        command_line()
    except KeyboardInterrupt:
        print("error: stopped by Ctrl-C before anything was done", file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    main()
