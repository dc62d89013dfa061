"""From an address to a page.

    /                                   all runs
    /runs/ID                            one run: its report, and its answers to filter and search; ?items=2 has more
    /runs/ID/answer?item=ITEM           one answer; answer.json is the same as data
    /runs.json                          whether anything is new, and how far a run is that goes on
    /notes                              takes tags and notes of a run, which are kept beside the store
    /compare?a=ID&b=ID                  two runs, item by item; ?runs=ID,ID,… up to eight
    /stories  /stories/NAME             the stories that come with the package, with their timelines

The store is opened anew for every request and only to be read, so another program may write it meanwhile. An address
is looked up among runs, items and stories, never among files.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import unquote

from otherminds.errors import OthermindsError, StoreError, UsageError
from otherminds.minds.stories import STORIES
from otherminds.pages.drawing import visible
from otherminds.pages.report import Report
from otherminds.results.comparisons import MOST, compare_several
from otherminds.results.reading import record_data
from otherminds.results.summary import read_for
from otherminds.runs.runs import Run, load, with_texts
from otherminds.store.store import RunRow, Store
from otherminds.web.pages import EVERYWHERE, Overview, compare_page, several_page, stories_page, story_page, view
from otherminds.web.run_page import (
    NOTHING,
    Body,
    Notes,
    RunState,
    answer_page,
    empty_page,
    items_section,
    mark,
    on_page,
    page_count,
    progress,
    run_body,
    run_page,
    runs_page,
)
from otherminds.web.serving import PageReply, PageRequest, as_json

T = TypeVar("T")


class NoPage(UsageError):
    """An address that leads nowhere."""


class Site:
    """Answers requests for the pages of one store."""

    def __init__(self, store: str | Path) -> None:
        self._path = str(store)
        self._notes = Notes(self._path)
        self._views: _Memory[Overview] = _Memory(most=10_000)
        self._bodies: _Memory[Body] = _Memory(most=16)
        self._scores: _Memory[Run] = _Memory(most=4)

    def respond(self, request: PageRequest) -> PageReply:
        """The page, or one that says in a sentence why there is none."""
        if request.method == "POST":
            return self._note(request)
        try:
            page = self._find([unquote(part) for part in request.path.split("/")[1:]], request)
        except NoPage as error:
            return _sorry("There is no such page", str(error), HTTPStatus.NOT_FOUND)
        except UsageError as error:
            return _sorry("This cannot be shown", str(error), HTTPStatus.BAD_REQUEST)
        except OthermindsError as error:
            return _sorry("The store cannot be read", str(error), HTTPStatus.INTERNAL_SERVER_ERROR)
        except Exception as error:
            said = f"{type(error).__name__}: {error} (a fault of ours)"
            return _sorry("This page failed", said, HTTPStatus.INTERNAL_SERVER_ERROR)
        return page if isinstance(page, PageReply) else PageReply(page.html(), policy=page.policy)

    def _find(self, parts: list[str], request: PageRequest) -> Report | PageReply:
        match parts:
            case ["stories"]:
                return stories_page()
            case ["stories", name] if name in STORIES:
                return story_page(name)
            case [""] | ["runs.json"] | ["compare"] | ["runs", _] | ["runs", _, "answer" | "answer.json"]:
                with Store(self._path, read_only=True) as store:
                    return self._of_store(store, parts, request)
        raise NoPage("nothing is kept under this address; the runs and the stories are all there is")

    def _of_store(self, store: Store, parts: list[str], request: PageRequest) -> Report | PageReply:
        rows = {row.id: row for row in store.runs()}
        if parts == [""]:
            listed = self._overviews(store, rows.values())
            notes, trouble = self._notes.seen()
            page = runs_page(self._path, listed, notes, store.running(), request.token)
            return replace(page, lead=page.lead + trouble)
        if parts == ["runs.json"]:
            news = {"mark": mark(rows.values())}
            return as_json(news | {"running": progress(store, store.running())})
        if parts == ["compare"] and "runs" in request.query:
            chosen = dict.fromkeys(request.query["runs"].split(","))
            runs = [self._scored(store, _row(rows, id)) for id in list(chosen)[: MOST + 1]]
            return several_page(compare_several(runs))
        if parts == ["compare"]:
            first, second = (_row(rows, request.query.get(name, "")) for name in ("a", "b"))
            return compare_page(self._scored(store, first), self._scored(store, second))
        row = _row(rows, parts[1])
        if len(parts) == 2:
            return self._run(store, row, rows.values(), request)
        run = self._scored(store, row)
        place = _position(run, request.query.get("item", ""))
        run = with_texts(store, run, [run.records[place]])
        return answer_page(run, place) if parts[2] == "answer" else as_json(record_data(run.records[place]))

    def _note(self, request: PageRequest) -> PageReply:
        with Store(self._path, read_only=True) as store:
            row = _row({row.id: row for row in store.runs()}, str(request.body.get("run", "")))
        kept = self._notes.keep(row.id, request.body)
        return as_json({"tags": kept.tags, "note": kept.note})

    def _run(self, store: Store, row: RunRow, rows: Collection[RunRow], request: PageRequest) -> Report:
        run = self._scored(store, row)
        notes, trouble = self._notes.seen()
        about = RunState(row, notes.get(row.id, NOTHING), row.id in store.running(), request.token, mark(rows))
        body = self._bodies.get(row, lambda: run_body(with_texts(store, run, read_for(run))))
        if body is None:
            return empty_page(about, run, *store.spent(row.model))
        number = _page(run, request.query.get("items", "1"))
        part = replace(run, records=on_page(run, number))
        items = items_section(run, with_texts(store, part, part.records).records, number, about)
        others = [other for other in rows if other.digest == row.digest and other.id != row.id]
        page = run_page(about, body, items, self._overviews(store, others))
        return replace(page, lead=page.lead + trouble)

    def _scored(self, store: Store, row: RunRow) -> Run:
        """A run without texts, which takes less time and room; those that are shown are read when they are."""
        return self._scores.get(row, lambda: load(store, row.id, texts=False))

    def _overviews(self, store: Store, rows: Iterable[RunRow]) -> list[Overview]:
        return [self._views.get(row, partial(_viewed, store, row)) for row in rows]


class _Memory(Generic[T]):
    """What was made of a run, for as long as the run stays as it is; the oldest are forgotten."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._made: dict[tuple[str, str, str], T] = {}

    def get(self, row: RunRow, make: Callable[[], T]) -> T:
        key = (row.id, row.finished, str(row.manifest.get("ended")))
        if key not in self._made:
            self._made[key] = make()
            if len(self._made) > self._most:
                del self._made[next(iter(self._made))]
        return self._made[key]


def _viewed(store: Store, row: RunRow) -> Overview:
    try:
        return view(row, load(store, row.id, texts=False))
    except StoreError:
        # One run that is damaged must not hide the others; its own page says what is wrong.
        return Overview(row)


def _row(rows: dict[str, RunRow], id: str) -> RunRow:
    if id not in rows:
        raise NoPage(f"this store has no run {id!r}; the list shows those it has")
    return rows[id]


def _page(run: Run, given: str) -> int:
    """Which part of the answers is wanted."""
    pages = page_count(run)
    if not (given.isascii() and given.isdecimal() and 1 <= int(given[:9]) <= pages):
        raise NoPage(f"the answers of run {run.id} have no page {given!r}; they have pages 1 to {pages}")
    return int(given)


def _position(run: Run, item: str) -> int:
    """Which record it is; a link holds the id as it can be seen."""
    for position, id in enumerate(run.columns.ids):
        if visible(id) == visible(item):
            return position
    raise NoPage(f"run {run.id} has no answer to an item {item!r}; its own page shows those it has")


def _sorry(title: str, sentence: str, status: HTTPStatus) -> PageReply:
    page = Report(title, f"{sentence[:1].upper()}{sentence[1:]}.", [], trail=EVERYWHERE)
    return PageReply(page.html(), status=status, policy=page.policy)
