"""The annotation page in a real browser: what people click is what is exported, and no text of an item ever runs."""

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from otherminds.items import Item, Suite
from tests.browser import Browser, Page, needs_browser

pytestmark = needs_browser

HOSTILE = (
    "<script>window.ran = 'script'</script>"
    "<img src=x onerror=\"window.ran = 'image'\">"
    "<b onmouseover=\"window.ran = 'mouse'\">bold</b> [link](javascript:window.ran='link') {{token}}"
)
LONG = "\n".join(f'Tomasz Featherstonehaugh-Kowalczyk: "This is message {n} of a long talk."' for n in range(40))
SUITE = Suite(
    "page-test",
    (
        Item(id="plain", context="Sally has left.", question="Where?", answer="box", choices=("basket", "box")),
        Item(id="hostile/1", context=HOSTILE, question=HOSTILE, answer=HOSTILE, choices=("no", HOSTILE)),
        Item(id="long & odd?", context=LONG, question="Who?", answer="b", choices=("a", "b", "c", "d")),
        Item(id="bare", question="W" * 300, answer="é", choices=("é", "日本" * 80), tags={"secret": "tag-not-shown"}),
    ),
)
IDS = [item.id for item in SUITE]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    SUITE.save(tmp_path / "suite.jsonl")
    return tmp_path


@pytest.fixture
def url(folder: Path) -> Iterator[str]:
    process = subprocess.Popen(
        _annotate(folder, "--no-open"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout
    yield process.stdout.readline().strip()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Traceback" not in said


def _annotate(folder: Path, *options: str) -> list[str]:
    program = [sys.executable, "-c", "from otherminds.cli import main; main()"]
    return [*program, "annotate", str(folder / "suite.jsonl"), "--store", str(folder / "store.db"), *options]


def exported(folder: Path, name: str) -> dict[tuple[str, str], str]:
    """(annotator, id) → answer, read from a file by means of our own."""
    subprocess.run(_annotate(folder, "--export", str(folder / name)), check=True, capture_output=True)
    if name.endswith(".csv"):
        with (folder / name).open(encoding="utf-8-sig", newline="") as lines:
            return {(line["annotator"], line["id"]): line["answer"] for line in csv.DictReader(lines) if line["answer"]}
    return {
        (said["result"][0]["meta"]["annotator"], entry["data"]["id"]): said["result"][0]["value"]["choices"][0]
        for entry in json.loads((folder / name).read_text(encoding="utf-8"))
        for said in entry["annotations"]
    }


def at(page: Page, item: Item, answered: int) -> None:
    """Wait until the page shows this item."""
    shown = json.dumps([item.question, f"{answered} of {len(SUITE)} answered"])
    page.wait(f"{shown}.every((text, n) => document.querySelectorAll('#question, #count')[1 - n].textContent === text)")
    assert page.evaluate("[...document.querySelectorAll('#choices span')].map((e) => e.textContent)") == [*item.choices]


def choose(number: int) -> str:
    return f"#choices li:nth-child({number + 1}) button"


def pressed(page: Page) -> list[bool]:
    return list(page.evaluate("[...document.querySelectorAll('#choices button')].map((b) => b.ariaPressed === 'true')"))


def log_in(page: Page, url: str, name: str) -> None:
    page.open(url)
    page.wait("!document.querySelector('#name').hidden")
    page.type(name)
    page.press("Enter")


def test_what_two_people_click_is_what_is_exported(browser: Browser, folder: Path, url: str) -> None:
    with browser.page() as ada, browser.page(width=390) as ben:
        log_in(ada, url, "Ada")
        log_in(ben, url, "Ben")
        at(ada, SUITE.items[0], 0)
        at(ben, SUITE.items[0], 0)
        ada.click(choose(1))
        at(ada, SUITE.items[1], 1)
        ada.press("2")
        at(ada, SUITE.items[2], 2)
        ben.press("a")
        at(ben, SUITE.items[1], 1)
        ben.press("ArrowRight")
        at(ben, SUITE.items[2], 1)
        ben.click(choose(3))
        at(ben, SUITE.items[3], 2)

        ada.reload()
        at(ada, SUITE.items[2], 2)
        assert pressed(ada) == [False] * 4
        ada.press("ArrowLeft")
        at(ada, SUITE.items[1], 2)
        assert pressed(ada) == [False, True]
        ada.press("1")
        at(ada, SUITE.items[2], 2)
        ada.press("C")
        at(ada, SUITE.items[3], 3)
        ada.click(choose(1))
        ada.wait("document.querySelector('#ending').innerText.startsWith('All answered')")

        ben.click(choose(0))
        ben.wait("document.querySelector('#ending').innerText.startsWith('1 of 4 still')")
        assert ben.text("#count") == "3 of 4 answered"
        ben.click("#again")
        at(ben, SUITE.items[1], 3)
        ben.click(choose(1))
        at(ben, SUITE.items[2], 4)
        assert pressed(ben) == [False, False, False, True]

        clicked = {
            **{("Ada", id): item.choices[n] for id, item, n in zip(IDS, SUITE, (1, 0, 2, 1), strict=True)},
            **{("Ben", id): item.choices[n] for id, item, n in zip(IDS, SUITE, (0, 1, 3, 0), strict=True)},
        }
        assert exported(folder, "answers.csv") == clicked
        assert exported(folder, "answers.json") == clicked
        for page in (ada, ben):
            assert page.errors == []
            assert page.hosts == {"127.0.0.1"}


def test_text_of_an_item_never_runs(browser: Browser, folder: Path, url: str) -> None:
    with browser.page() as page:
        page.open(f"{url}?annotator=Eve")
        at(page, SUITE.items[0], 0)
        page.press("ArrowRight")
        at(page, SUITE.items[1], 0)
        page.click("#context p")
        page.click(choose(1))
        at(page, SUITE.items[2], 1)
        assert page.evaluate("window.ran") is None
        assert page.evaluate("document.querySelectorAll('main img, main b, main a, main script').length") == 0
        assert page.errors == []
    assert exported(folder, "answers.csv") == {("Eve", "hostile/1"): HOSTILE}


def test_a_name_in_the_address_cannot_run_either(browser: Browser, url: str) -> None:
    with browser.page() as page:
        page.open(f"{url}?annotator=%3Cimg%20src%3Dx%20onerror%3D%22window.ran%3D1%22%3E")
        page.wait("!document.querySelector('#trouble').hidden && !document.querySelector('#name').hidden")
        assert "cannot be the name of an annotator" in page.text("#trouble")
        assert page.evaluate("window.ran") is None
        assert page.evaluate("document.querySelectorAll('img').length") == 0


def test_the_page_is_told_neither_the_answer_nor_a_tag(browser: Browser, url: str) -> None:
    with browser.page() as page:
        page.open(f"{url}?annotator=Eve")
        at(page, SUITE.items[0], 0)
        for id in IDS:
            told = page.evaluate(
                f"fetch('/item?' + new URLSearchParams({{id: {json.dumps(id)}}})).then((r) => r.json())"
            )
            assert set(told) == {"id", "context", "question", "choices"}
        state = page.evaluate("fetch('/state?annotator=Eve').then((r) => r.text())")
        assert json.loads(state)["items"] == [{"id": id, "answer": None} for id in IDS]


def test_another_page_can_neither_read_nor_write(browser: Browser, folder: Path, url: str) -> None:
    with browser.page() as page:
        page.open("data:text/html,<title>elsewhere</title>")
        post = "{method: 'POST', body: JSON.stringify({annotator: 'Eve', item: 'plain', choice: 0}), mode: 'no-cors'}"
        for address, options in ((f"{url}state?annotator=Ada", "{}"), (f"{url}answer", post)):
            asked = f"fetch({json.dumps(address)}, {options}).then((r) => r.text(), () => '')"
            assert page.evaluate(asked) == ""
    assert exported(folder, "answers.csv") == {}


def test_a_held_key_answers_one_item(browser: Browser, url: str) -> None:
    with browser.page() as page:
        page.open(f"{url}?annotator=Ada")
        at(page, SUITE.items[0], 0)
        key = {"key": "1", "text": "1", "windowsVirtualKeyCode": 49}
        page.send("Input.dispatchKeyEvent", type="keyDown", **key)
        at(page, SUITE.items[1], 1)
        for _ in range(5):
            page.send("Input.dispatchKeyEvent", type="keyDown", autoRepeat=True, **key)
        page.send("Input.dispatchKeyEvent", type="keyUp", **key)
        page.press("ArrowRight")
        at(page, SUITE.items[2], 1)


def test_nothing_is_shown_or_taken_before_an_answer_is_kept(browser: Browser, folder: Path, url: str) -> None:
    with browser.page() as page:
        page.send("Fetch.enable", patterns=[{"urlPattern": "*/answer"}])
        page.open(f"{url}?annotator=Ada")
        at(page, SUITE.items[0], 0)
        for key in ("1", "2", "ArrowRight"):
            page.press(key)
        (held,) = page.events("Fetch.requestPaused", least=1)
        at(page, SUITE.items[0], 0)
        assert exported(folder, "before.csv") == {}
        page.send("Fetch.continueRequest", requestId=held["requestId"])
        at(page, SUITE.items[1], 1)
        assert exported(folder, "after.csv") == {("Ada", "plain"): "basket"}
        assert len(page.events("Fetch.requestPaused")) == 1


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out_and_long_texts_scroll(browser: Browser, url: str, width: int) -> None:
    with browser.page(width=width) as page:
        page.open(url)
        page.wait("!document.querySelector('#name').hidden")
        assert page.overflow == []
        page.open(f"{url}?annotator=Ada")
        for number, item in enumerate(SUITE):
            at(page, item, 0)
            assert page.overflow == [], item.id
            if item.context == LONG:
                assert page.evaluate("document.activeElement.id") == "context", "so that the arrow keys scroll it"
                assert page.evaluate("(({scrollHeight, clientHeight}) => scrollHeight > clientHeight)(context)")
            page.press("ArrowRight")
            if number == len(SUITE) - 1:
                page.wait("!document.querySelector('#end').hidden")
        assert page.overflow == []


def test_an_answer_that_was_not_kept_is_not_shown_as_kept(browser: Browser, folder: Path) -> None:
    process = subprocess.Popen(
        _annotate(folder, "--no-open", "--annotator", "Ada"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    with process, browser.page() as page:
        assert process.stdout
        page.open(process.stdout.readline().strip())
        at(page, SUITE.items[0], 0)
        process.kill()
        process.wait()
        page.press("1")
        page.wait("!document.querySelector('#trouble').hidden")
        assert "does not answer" in page.text("#trouble")
        assert page.text("#count") == "0 of 4 answered"
        assert pressed(page) == [False, False]
