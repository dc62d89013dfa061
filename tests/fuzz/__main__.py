"""Spoils valid files and replies for a while: whatever comes of one must be a result or an error of ours.

    python -m tests.fuzz --target gguf --seconds 60 [--seed 0]

Any other exception is a finding, and so is a program that ends, takes a gigabyte more, or computes for ten seconds.
What was found is kept in --keep, one file each. Exits with 1 if there is anything.
"""

import argparse
import sys
from pathlib import Path
from tempfile import gettempdir

from tests.fuzz.fuzzing import fuzz
from tests.fuzz.targets import TARGETS


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--target", choices=TARGETS, action="append", help="this one, and not all")
    options.add_argument("--seconds", type=float, default=60, help="for each target")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--keep", type=Path, default=Path(gettempdir()) / "otherminds-fuzz")
    given = options.parse_args()
    found = 0
    for name in given.target or TARGETS:
        tried, findings = fuzz(name, seconds=given.seconds, seed=given.seed)
        print(f"{name}: {tried} inputs, {len(findings)} kinds of findings", flush=True)
        for number, finding in enumerate(findings):
            given.keep.mkdir(parents=True, exist_ok=True)
            place = given.keep / f"{name}-{number}"
            place.write_bytes(finding.data)
            print(f"  {finding.why}\n    {place}", flush=True)
        found += len(findings)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
