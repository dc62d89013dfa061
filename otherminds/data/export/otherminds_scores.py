"""Response scores of otherminds from the log-likelihoods of lm-evaluation-harness; `otherminds export` wrote this file.

A document shows an item's choices in one order, and every order has a document. A choice gets the probability of all
that can stand for it (" A" and "A"), the logarithm of that is averaged over the orders, and S is the share of the right
choice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp, inf, log, nan
from pathlib import Path
from statistics import fmean
from typing import Any

TIE = 1e-9
Order = dict[str, Any]


def documents(file: str, **_: object) -> dict[str, Any]:
    """The documents of a file that lies beside this one."""
    from datasets import Dataset

    with Path(__file__).with_name(file).open(encoding="utf-8") as lines:
        return {"test": Dataset.from_list([json.loads(line) for line in lines])}


def read(doc: Mapping[str, Any], results: Iterable[tuple[float, bool]]) -> dict[str, Order | float]:
    """What the harness found for one document: the log-probability of every choice."""
    found = [value for value, _ in results]
    each = len(found) // len(doc["choices"])
    logs = [_together(found[start : start + each]) for start in range(0, len(found), each)]
    order = {"id": doc["id"], "answer": doc["answer"], "logs": dict(zip(doc["choices"], logs, strict=True))}
    return {"S": order, "right": order, "tied": order, "mass": sum(map(exp, logs))}


def response_score(orders: Iterable[Order]) -> float:
    """The mean over items of S."""
    return fmean(_share(answer, logs) for answer, logs in _items(orders))


def right(orders: Iterable[Order]) -> float:
    """The mean over items of 1 for right and 0 for wrong; ties are neither, and leave no number if they are all."""
    found = [value for answer, logs in _items(orders) if (value := _value(answer, logs)) is not None]
    return fmean(found) if found else nan


def tied(orders: Iterable[Order]) -> float:
    """The share of items where the right choice and another weigh the same."""
    return fmean(_value(answer, logs) is None for answer, logs in _items(orders))


def _items(orders: Iterable[Order]) -> Iterator[tuple[str, dict[str, float]]]:
    """The right answer of every item, and the mean log-probability of each of its choices."""
    items: dict[str, list[Order]] = {}
    for order in orders:
        items.setdefault(order["id"], []).append(order)
    for several in items.values():
        first = several[0]
        yield first["answer"], {name: fmean(each["logs"][name] for each in several) for name in first["logs"]}


def _together(logs: Sequence[float]) -> float:
    """The logarithm of a sum of probabilities."""
    top = max(logs)
    return top if top == -inf else top + log(sum(exp(value - top) for value in logs))


def _share(answer: str, logs: Mapping[str, float]) -> float:
    top = max(logs.values())
    if top == -inf:
        return 1 / len(logs)
    return exp(logs[answer] - top) / sum(exp(value - top) for value in logs.values())


def _value(answer: str, logs: Mapping[str, float]) -> float | None:
    top = max(logs.values())
    best = [name for name, value in logs.items() if value == top or top - value < TIE]
    return None if answer in best and len(best) > 1 else float(answer in best)
