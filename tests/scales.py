"""Every wrong scale of log-probabilities in every form, and 200 sound servers: `python -m tests.scales [RUNS]`."""

import re
import sys
from itertools import cycle, islice, product

from tests.scale_servers import FORMS, SOUND, WRONG, WRONG_ECHO, Speaker, put


def main(runs: int) -> int:
    """Print what was missed, and what was alarmed about; the exit code is 1 if anything was."""
    wrong, most = [], 0
    cases = [(name, form, *case) for (name, case), form in product(WRONG.items(), FORMS)]
    cases += [(name, "cloze", *case) for name, case in WRONG_ECHO.items()]
    for name, form, settings, word in cases:
        found = put(Speaker(**settings), form)
        most = max(most, found.probes)
        if found.items or not re.search(word, found.said):
            wrong.append(f"missed: {name}, {form}: {found.said or found.notes}")
    for seed, ((name, settings), form) in enumerate(islice(cycle(product(SOUND.items(), FORMS)), runs)):
        found = put(Speaker(seed=seed, **settings), form, items=1)
        most = max(most, found.probes)
        if found.said or not found.items:
            wrong.append(f"false alarm: {name}, {form}, seed {seed}: {found.said}")
    print(*wrong, sep="\n")
    print(f"{len(cases)} wrong servers, {runs} sound ones: {len(wrong)} mistakes; at most {most} probes")
    return bool(wrong) or most >= 30


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
