"""`python -m otherminds`, and the `otherminds` script."""

from __future__ import annotations

import sys


def main() -> None:
    """The command line; Ctrl-C ends it with a word even before it is loaded."""
    try:
        from otherminds.cli import main as command_line

        command_line()
    except KeyboardInterrupt:
        print("error: stopped by Ctrl-C before anything was done", file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    main()
