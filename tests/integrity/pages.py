"""A profile page as a reader follows it: its rows, its links, and the answers that each link selects."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl

Key = tuple[str, ...]
"""Study, suite, model, score, prompt and the id of the item."""


@dataclass
class Cell:
    """What a cell of a table says, and where it leads."""

    text: str = ""
    link: str = ""


@dataclass
class Found:
    """A table by its caption: rows of cells."""

    caption: str
    rows: list[list[Cell]] = field(default_factory=list)


def sentences(html: str) -> list[Cell]:
    """The numbers in running text that lead to items, each with its interval and n as a cell would have them."""
    found = re.findall(r'<a href="?(#items\?[^">]+)"?>([\d.]+)</a> (\[[^\]]+\]) on (\d+)', html)
    return [Cell(f"{value} {interval}, n = {n}", unescape(link)) for link, value, interval, n in found]


class Tables(HTMLParser):
    """Every table of a page, and every link to items."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[Found] = []
        self.links: list[str] = []
        self._open: list[str] = []
        self._caption = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("role") == "group":
            self._caption = given.get("aria-label") or ""
        elif tag == "table":
            self.tables.append(Found(self._caption))
        elif tag == "tr":
            self.tables[-1].rows.append([])
        elif tag in ("td", "th"):
            self.tables[-1].rows[-1].append(Cell())
        elif tag == "a" and (given.get("href") or "").startswith("#items?"):
            self.links.append(str(given["href"]))
            if self._open[-1:] in (["td"], ["th"]):
                self.tables[-1].rows[-1][-1].link = str(given["href"])
        if tag in ("td", "th", "svg", "script", "caption"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open[-1:] in (["td"], ["th"]):
            self.tables[-1].rows[-1][-1].text += data


class Items:
    """The answers in a page, to be selected as a link says."""

    def __init__(self, html: str) -> None:
        (text,) = re.findall(r'<script[^>]*id="?records"?[^>]*>(.*?)</script>', html, flags=re.DOTALL)
        self._data = json.loads(text)

    def of(self, link: str) -> list[Key]:
        """By what is written in docs and page, not by the package's own rule."""
        wanted = dict(parse_qsl(link.partition("?")[2]))
        return [
            (run["study"], run["suite"], run["model"], run["score"], run["prompt"], item["id"])
            for record, run, item in self._records()
            if all(self._value(name, record, run, item) in value.split("|") for name, value in wanted.items())
        ]

    def _records(self) -> Iterator[tuple[Mapping[str, Any], Mapping[str, str], Mapping[str, Any]]]:
        for record in self._data["records"]:
            yield record, self._data["runs"][record["run"]], self._data["items"][record["item"]]

    @staticmethod
    def _value(name: str, record: Mapping[str, Any], run: Mapping[str, str], item: Mapping[str, Any]) -> object:
        if name in run:
            return run[name]
        if name == "verdict":
            return record["verdict"]
        return item[name] if name in ("id", "kind") else item["tags"].get(name)
