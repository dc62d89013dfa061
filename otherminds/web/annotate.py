"""The page on which people answer the items of a suite, one at a time.

What it shows of an item is context, question and choices: neither the right answer nor a tag nor anybody else's answer
leaves this program. Where a person stands is read from the store, so a reload goes on where they were.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from http import HTTPStatus
from importlib.resources import files
from typing import Any

from otherminds.errors import UsageError
from otherminds.results.annotations import AnnotationBatch, check_name
from otherminds.web.serving import PageReply, PageRequest, as_json, failed


class AnnotationPage:
    """Answers the requests of the page for one batch."""

    def __init__(self, batch: AnnotationBatch) -> None:
        self._batch = batch
        self._routes: dict[tuple[str, str], Callable[[PageRequest], PageReply]] = {
            ("GET", "/"): self._page,
            ("GET", "/state"): self._state,
            ("GET", "/item"): self._item,
            ("POST", "/answer"): self._keep,
        }

    def respond(self, request: PageRequest) -> PageReply:
        """The page, where an annotator stands, one item, or the receipt for an answer."""
        route = self._routes.get((request.method, request.path))
        return route(request) if route else failed("there is no such page", HTTPStatus.NOT_FOUND)

    def _page(self, request: PageRequest) -> PageReply:
        nonce = secrets.token_urlsafe(16)
        html = (files("otherminds") / "data" / "annotate.html").read_text(encoding="utf-8")
        return PageReply(
            html.replace("{{nonce}}", nonce).replace("{{token}}", request.token),
            policy=f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:;"
            " connect-src 'self'; form-action 'none'",
        )

    def _state(self, request: PageRequest) -> PageReply:
        """The items in order, each with the number of the choice that this annotator has taken, or null."""
        annotator = check_name(request.query.get("annotator", ""))
        given = self._batch.answers_of(annotator)
        items = [
            {"id": id, "answer": item.choices.index(given[id]) if id in given else None}
            for id, item in self._batch.items.items()
        ]
        return as_json({"suite": self._batch.suite.name, "annotator": annotator, "items": items})

    def _item(self, request: PageRequest) -> PageReply:
        item = self._batch.items.get(request.query.get("id", ""))
        if item is None:
            return failed("there is no such item; reload the page", HTTPStatus.NOT_FOUND)
        return as_json(
            {"id": item.id, "context": item.context, "question": item.question, "choices": list(item.choices)}
        )

    def _keep(self, request: PageRequest) -> PageReply:
        annotator, id, choice = (request.body.get(name) for name in ("annotator", "item", "choice"))
        if not isinstance(annotator, str) or not isinstance(id, str) or id not in self._batch.items:
            raise UsageError("an answer needs an annotator and an item of this suite")
        self._batch.keep(annotator, id, self._chosen(id, choice))
        return as_json({"kept": True})

    def _chosen(self, id: str, choice: Any) -> str:
        choices = self._batch.items[id].choices
        if type(choice) is not int or not 0 <= choice < len(choices):
            raise UsageError(f"an answer to item {id!r} is a number from 0 to {len(choices) - 1}")
        return choices[choice]
