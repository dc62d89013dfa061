"""Takes the pictures of docs/images from real pages: `python docs/make_pictures.py FOLDER`, in a checkout.

FOLDER is what `otherminds profile -m smollm2 -m smollm2+beliefs -o FOLDER` wrote. Chromium must be there.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT))

from tests.browser import Browser, Page  # noqa: E402  (only a checkout has them)

OURS = [sys.executable, "-m", "otherminds"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
WIDE, PAPER, MARGIN = 1200, (794, 1123), 20
TALLEST = 1600
"""Of what is seen of a long page."""
FIND = """
const header = document.querySelector("main header");
const maps = [...document.querySelectorAll("main figure.map")];
const figures = [...document.querySelectorAll("main figure")];
const bars = figures.filter((one) => one.innerText.includes("What the answers of"));
const lane = [document.querySelectorAll("h2")[1], document.querySelector("figure")];
"""
BOX = """
const boxes = wanted.map((one) => one.getBoundingClientRect());
const page = document.querySelector("main").getBoundingClientRect();
const [top, bottom] = [Math.min(...boxes.map((box) => box.top)), Math.max(...boxes.map((box) => box.bottom))];
return {x: page.left, y: top, width: page.width, height: bottom - top};
"""


def main(folder: Path) -> None:
    check(folder)
    profile = (folder / "profile.html").resolve()
    with Browser() as browser, TemporaryDirectory() as made:
        with browser.page(width=WIDE, height=900) as page:
            page.open(profile.as_uri())
            take(page, "profile", "[header, ...maps]")
            # The sentences, and below them the bars that they come from.
            beside = "[...document.querySelector('main section').children].filter((one) => !bars.includes(one))"
            evaluate(page, f"if (bars.length) {beside}.forEach((one) => one.hidden = true)")
            take(page, "diagnosis", "[header, ...(bars.length ? bars : maps)]")
        with browser.page(width=PAPER[0], height=PAPER[1]) as page:
            page.send("Emulation.setEmulatedMedia", media="print")
            page.open(profile.as_uri())
            page.evaluate("document.body.style.padding = '14mm'")  # what a printer leaves white
            window(page, "profile-print", *PAPER)
        told = Path(made) / "story.html"
        subprocess.run(
            [*OURS, "tell", "ice-cream", "--html", str(told)], env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL
        )
        with browser.page(width=WIDE, height=900) as page:
            page.open(told.as_uri())
            take(page, "timeline", "lane")
        with served(folder) as address, browser.page(width=WIDE, height=900) as page:
            page.open(address)
            window(page, "web", WIDE, 800)


def check(folder: Path) -> None:
    """Refuse what the words beside the pictures would not be true of."""
    found = json.loads((folder / "profile.json").read_text(encoding="utf-8"))
    if found["partial"] or len(found["models"]) != 2:
        sys.exit(f"{folder} should be the finished profile of two models; it is of {', '.join(found['models'])}")


def take(page: Page, name: str, elements: str) -> None:
    """What lies between the first and the last of these elements, with a margin, without the bar above the page."""
    evaluate(page, "document.querySelectorAll('nav').forEach((one) => one.hidden = true)")
    box = evaluate(page, f"const wanted = {elements}; {BOX}")
    place = {"x": max(0, box["x"] - MARGIN), "y": max(0, box["y"] - MARGIN), "width": box["width"] + 2 * MARGIN}
    height = min(box["height"] + 2 * MARGIN, TALLEST)
    keep(page, name, clip={**place, "height": height, "scale": 1}, captureBeyondViewport=True)


def evaluate(page: Page, script: str) -> Any:
    return page.evaluate(f"(() => {{ {FIND} {script} }})()")


def window(page: Page, name: str, width: int, height: int) -> None:
    """What is seen of a page in a window of this size, without bars to scroll by."""
    page.resize(width, height)
    page.evaluate("document.documentElement.style.scrollbarWidth = 'none'")
    keep(page, name)


def keep(page: Page, name: str, **part: object) -> None:
    data = page.send("Page.captureScreenshot", format="png", **part)["data"]
    (IMAGES / f"{name}.png").write_bytes(base64.b64decode(data))
    print(IMAGES / f"{name}.png")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of `otherminds web` on the store there."""
    words = [*OURS, "web", "--no-open"]
    with subprocess.Popen(words, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        yield next(line for line in server.stdout if line.startswith("http")).strip()
        server.terminate()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
