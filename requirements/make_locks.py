"""Writes the locks, which name every file that an installation may use by its hash: `make locks`.

They are resolved for Linux, macOS and Windows and for Python 3.11 to 3.14 at once, with constraints.txt, by uv. No
address is in them: pip looks where it is set to look, and takes nothing but what has one of these hashes.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCKS = {
    "build": (),
    "core": (),
    "dev": ("dev", "hf", "train", "harness", "inspect", "parquet", "frame", "ray", "docs"),
    "track": ("track",),
}
"""The extras in each. `build` makes wheels of what comes as source alone; the README's commands do not use `track`."""
UNLOCKED = ("torch", "triton", "nvidia-", "cuda-")
"""torch differs by what the machine computes with; constraints.txt pins it by version, and it brings its own CUDA."""
OPTIONS = "--universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --quiet"


def main() -> None:
    """Write them; versions that are locked stay where constraints.txt allows, unless `--upgrade` is given."""
    builders = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"] + ["editables"]
    before: list[str] = []
    for name, extras in LOCKS.items():
        place = f"requirements/{name}.txt"
        command = [sys.executable, "-m", "uv", "pip", "compile", *OPTIONS.split(), *sys.argv[1:], "-o", place, "-"]
        command += [word for lock in ["constraints.txt", *before] for word in ("-c", lock)]
        wanted = ["setuptools"]
        if name != "build":
            wanted = builders
            command += ["pyproject.toml", *(word for extra in extras for word in ("--extra", extra))]
        subprocess.run(command, cwd=ROOT, input="\n".join(wanted), text=True, check=True)
        written = (ROOT / place).read_text("utf-8")
        blocks = re.split(r"\n(?=\S)", written.rstrip("\n"))
        (ROOT / place).write_text("\n".join(each for each in blocks if not each.startswith(UNLOCKED)) + "\n", "utf-8")
        before.append(place)


if __name__ == "__main__":
    main()
