"""What a search would ask, as a table: it was searched the same way, against somebody who answers at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from otherminds.terminal.screen import print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.calling.costs import DryRun
    from otherminds.studies.explore.search.versus import Outcome


def show_rehearsal(
    tally: DryRun, outcomes: Sequence[Outcome], *, settings: int, price_of: str, given: dict[str, Any], as_json: bool
) -> None:
    """Print what was counted, and what the options tell of time and money."""
    from otherminds.calling.costs import read_prices, read_speed

    prices = read_prices(given["prices"]) if given["prices"] else {}
    speed = read_speed(given["speed"]) if given["speed"] else None
    forecast = tally.forecast(price=prices.get(price_of), speed=speed)
    stories = sum(outcome.asked + outcome.confirming for outcome in outcomes)
    if as_json:
        print_json({"settings": settings, "stories": stories, **asdict(forecast)})
        return
    rows = [
        ["settings", f"{settings:,}"],
        ["stories to ask about", f"{stories:,}"],
        ["calls to make, about", f"{forecast.calls:,}"],
        ["tokens to send, about", f"{forecast.prompt_tokens:,}"],
        ["tokens to be written, at most", f"{forecast.written_tokens:,}"],
        ["time, about", "unknown without --speed" if forecast.seconds is None else f"{forecast.seconds / 60:,.1f} min"],
        ["money, about", "unknown without --prices" if forecast.money is None else f"{forecast.money:.4f}"],
    ]
    print_table(["dry run: nothing was asked", ""], rows)
    say("A search goes where the answers lead it; this one was led by answers at random, so it is a likeness.")
