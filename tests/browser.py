"""A real browser for the tests: Chromium without a window, driven over a pipe.

    with Browser() as browser, browser.page(width=390) as page:
        page.open(url)
        page.click("#begin")
        page.press("1")
        page.wait("document.title === 'Done'")
        assert page.errors == []

Clicks and keys are those of a person: Chromium finds what lies at the place and whether it has the focus. Nothing but
the standard library is needed; where there is no Chromium, `needs_browser` skips the tests and says so.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
needs_browser = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here; `apt-get install chromium` gets it")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
PATIENCE = 60
KEYS = {"ArrowLeft": 37, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Tab": 9}


def _high(end: int) -> int:
    """The same end of a pipe under a number of at least 10."""
    high = fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(end)
    return high


class Browser:
    """A Chromium of our own, with a profile that is thrown away."""

    def __init__(self) -> None:
        self._profile = tempfile.mkdtemp(prefix="otherminds-browser-")
        # Out of the way of 3 and 4, where Chromium reads commands and writes what it has to say.
        theirs_in, self._out, self._in, theirs_out = (_high(end) for end in (*os.pipe(), *os.pipe()))
        places = (
            f"import os, sys; os.dup2({theirs_in}, 3); os.dup2({theirs_out}, 4); os.execv(sys.argv[1], sys.argv[1:])"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", places, CHROMIUM, *FLAGS, f"--user-data-dir={self._profile}", "about:blank"],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._buffer = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.send("Browser.close")
            self._process.wait(PATIENCE)
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._in)
            os.close(self._out)
            shutil.rmtree(self._profile, ignore_errors=True)

    def send(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """Give one command and wait for what it returns; what happens meanwhile is noted in `events`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            said = self._read()
            if said.get("id") != self._number:
                self.events.append(said)
            elif "error" in said:
                raise AssertionError(f"{method}: {said['error']['message']}")
            else:
                return dict(said["result"])

    @contextmanager
    def page(self, *, width: int = 1280, height: int = 800, dark: bool = False) -> Iterator[Page]:
        """A new page in a profile of its own, so that nothing is remembered from another."""
        context = self.send("Target.createBrowserContext")["browserContextId"]
        target = self.send("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.send(f"{domain}.enable")
        page.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.send("Emulation.setEmulatedMedia", features=[scheme])
        try:
            yield page
        finally:
            self.send("Target.disposeBrowserContext", browserContextId=context)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], PATIENCE)
            part = os.read(self._in, 1 << 16) if ready else b""
            assert part, "the browser does not answer"
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(line))


class Page:
    """One page, seen and used as a person would."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session
        self._width = 0

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """A command of the DevTools protocol about this page."""
        return self._browser.send(method, self._session, **params)

    def open(self, url: str) -> None:
        """Go to an address and wait until it is loaded."""
        self.evaluate("window.leaving = true")
        self.send("Page.navigate", url=url)
        self.wait("!window.leaving && document.readyState === 'complete'")

    def reload(self) -> None:
        """As with the reload button."""
        self.evaluate("window.leaving = true")
        self.send("Page.reload")
        self.wait("!window.leaving && document.readyState === 'complete'")

    def resize(self, width: int, height: int = 800) -> None:
        """Another width; a narrow one is a phone."""
        self._width = width
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                if self.evaluate(f"Boolean({condition})"):
                    return
            except AssertionError as error:
                # Between two pages there is none to ask.
                if "context" not in str(error) and "navigated" not in str(error):
                    raise
            assert time.monotonic() < end, f"never true: {condition}; the page says: {self.text()}"
            time.sleep(0.02)

    def text(self, selector: str = "body") -> str:
        """What a person can read there."""
        return str(self.evaluate(f"document.querySelector({json.dumps(selector)}).innerText"))

    def click(self, selector: str) -> None:
        """Press and release the mouse in the middle of an element."""
        element = f"document.querySelector({json.dumps(selector)})"
        self.evaluate(f"{element}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        x, y, width, height = self.evaluate(
            f"(({{x, y, width, height}}) => [x, y, width, height])({element}.getBoundingClientRect())"
        )
        assert width * height, f"{selector} cannot be seen"
        where = {"x": x + width / 2, "y": y + height / 2, "button": "left", "clickCount": 1}
        self.send("Input.dispatchMouseEvent", type="mousePressed", **where)
        self.send("Input.dispatchMouseEvent", type="mouseReleased", **where)

    def press(self, key: str) -> None:
        """Press and release a key: a letter, a digit, or one of KEYS."""
        about: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": KEYS.get(key) or ord(key.upper())}
        text = {"text": "\r" if key == "Enter" else key} if key == "Enter" or len(key) == 1 else {}
        self.send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **about, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text: str) -> None:
        """Type a text into whatever has the focus."""
        for letter in text:
            self.press(letter)

    def screenshot(self, path: Path) -> None:
        """What it looks like, as PNG."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    @property
    def overflow(self) -> list[str]:
        """What is wider than the window, without something around it that scrolls: elements, or the page as a whole."""
        wide = self.evaluate("document.documentElement.scrollWidth")
        whole = [f"the page is {wide} wide"] if wide > self._width else []
        return whole + list(
            self.evaluate(
                """[...document.querySelectorAll("body *")].filter((element) => {
                    for (let up = element.parentElement; up && up !== document.body; up = up.parentElement)
                        if (["auto", "scroll"].includes(getComputedStyle(up).overflowX)) return false;
                    const box = element.getBoundingClientRect();
                    return box.width > 0 && box.right > document.documentElement.clientWidth + 0.5;
                }).map((element) => element.outerHTML.slice(0, 120))"""
            )
        )

    @property
    def errors(self) -> list[str]:
        """What the console holds of errors and warnings, uncaught ones among them, since the page was made."""
        thrown = [json.dumps(event["exceptionDetails"]) for event in self.events("Runtime.exceptionThrown")]
        called = [event for event in self.events("Runtime.consoleAPICalled") if event["type"] in ("error", "warning")]
        logged = [event["entry"] for event in self.events("Log.entryAdded")]
        bad = [f"{entry['text']} {entry.get('url', '')}" for entry in logged if entry["level"] in ("error", "warning")]
        return [*thrown, *(json.dumps(event["args"]) for event in called), *bad]

    @property
    def hosts(self) -> set[str]:
        """Every host that the page has sent a request to."""
        sent = [urlsplit(event["request"]["url"]) for event in self.events("Network.requestWillBeSent")]
        return {url.hostname or "" for url in sent if url.scheme not in ("data", "about")}

    def events(self, method: str, *, least: int = 0) -> list[dict[str, Any]]:
        """All that has happened of this kind since the page was made; waits until there are so many."""
        end = time.monotonic() + PATIENCE
        while True:
            # Asking for anything brings in what has happened until now.
            self.evaluate("0")
            ours = [event for event in self._browser.events if event.get("sessionId") == self._session]
            found = [event["params"] for event in ours if event["method"] == method]
            if len(found) >= least:
                return found
            assert time.monotonic() < end, f"{len(found)} of {least} times {method}; the page says: {self.text()}"
            time.sleep(0.02)
