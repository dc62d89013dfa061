"""A program that tests start, kill and start again: `otherminds profile`, with every study as small as it can be.

python profiling_program.py URL FOLDER PARALLEL
"""

import sys
from functools import partial

from otherminds.calling import provenance
from otherminds.cli import main
from otherminds.runs import calibration
from otherminds.studies.dialogue import chapter as dialogue
from otherminds.studies.explore import chapter as explore
from otherminds.studies.safety import chapter as safety


def shrink() -> None:
    """A few items of every kind; the way through all studies stays the same."""
    # What is asked again is not kept, so that a program that is killed cannot tell whether it was.
    provenance.SHARE = 0.0
    calibration.ROUNDS = (4,)
    calibration.CONFIRMED["quick"] = 4
    safety.SMALL = safety.READING = 4
    dialogue.drawn = partial(dialogue.drawn, each=1)
    explore.EFFORTS["quick"] = explore.Effort(stories=2, budget=2, sets="tomi", numbers=(2,), random=10)


if __name__ == "__main__":
    shrink()
    url, folder, parallel = sys.argv[1:]
    model = ["-m", "api:scripted", "--base-url", url, "-M", f"parallel={parallel}"]
    main(["profile", *model, "--size", "quick", "-o", folder])
