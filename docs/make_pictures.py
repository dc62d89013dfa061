"""Takes the pictures of docs/images from real pages: `python docs/make_pictures.py FOLDER`, in a checkout.

FOLDER is what `otherminds profile -m smollm2 -m smollm2+beliefs --no-studies -o FOLDER` wrote. Chromium must be there.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT))

from tests.browser import Browser, Page  # noqa: E402  (only a checkout has them)

OURS = [sys.executable, "-m", "otherminds"]
WIDE, PAPER = 1200, (794, 1123)


def main(folder: Path) -> None:
    profile = (folder / "profile.html").resolve()
    with Browser() as browser, TemporaryDirectory() as made:
        with browser.page(width=WIDE, height=900) as page:
            page.open(profile.as_uri())
            take(page, "profile", height=1100)
            take(page, "diagnosis", height=650)
        with browser.page(width=PAPER[0], height=PAPER[1]) as page:
            page.send("Emulation.setEmulatedMedia", media="print")
            page.open(profile.as_uri())
            page.evaluate("document.body.style.padding = '14mm'")  # what a printer leaves white
            take(page, "profile-print", width=PAPER[0], height=PAPER[1])
        told = Path(made) / "story.html"
        subprocess.run(
            [*OURS, "tell", "ice-cream", "--html", str(told)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
        )
        with browser.page(width=WIDE, height=900) as page:
            page.open(told.as_uri())
            page.evaluate("document.querySelectorAll('h2')[1].scrollIntoView()")
            take(page, "timeline", height=640)
        with served(folder) as address, browser.page(width=WIDE, height=900) as page:
            page.open(address)
            take(page, "web", height=800)


def take(page: Page, name: str, *, height: int, width: int = WIDE) -> None:
    """What is seen of a page in a window of this size, without bars to scroll by."""
    page.resize(width, height)
    page.evaluate("document.documentElement.style.scrollbarWidth = 'none'")
    page.screenshot(IMAGES / f"{name}.png")
    print(IMAGES / f"{name}.png")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of `otherminds web` on the store there."""
    words = [*OURS, "web", "--no-open"]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        yield next(line for line in server.stdout if line.startswith("http")).strip()
        server.terminate()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
