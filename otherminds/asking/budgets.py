"""What a run may cost: prices, and budgets that stop it cleanly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import inf
from pathlib import Path

from otherminds.errors import BadFile, UsageError
from otherminds.files import BY_HAND, parse_json, read_text
from otherminds.models import Usage

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, sent and written."""

    prompt: float
    written: float

    def of(self, usage: Usage) -> float:
        """The price of this many tokens; those taken from a shared past are paid like the others."""
        return (usage.prompt * self.prompt + usage.written * self.written) / MILLION


def read_prices(path: str | Path) -> dict[str, Price]:
    """A price table: {"model": {"prompt": 0.15, "written": 0.6}}, for a million tokens."""
    try:
        table = parse_json(read_text(path, most=BY_HAND, kind="price table"))
    except ValueError as error:
        raise BadFile(f"{path} is no price table: {error}") from None
    if not isinstance(table, dict):
        raise BadFile(f'{path} should be like {{"model": {{"prompt": 0.15, "written": 0.6}}}}')
    return {name: _price(row, f"{path}, {name!r}") for name, row in table.items()}


def _price(row: object, where: str) -> Price:
    if not isinstance(row, dict) or set(row) != {"prompt", "written"}:
        raise BadFile(f"{where}: should have 'prompt' and 'written', the prices of a million tokens, not {row!r}")
    for name, value in row.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf:
            raise BadFile(f"{where}: {name} should be a number from 0 on, not {value!r}")
    return Price(**row)


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be spent; calls already under way when tokens, time or money run out are let finish."""

    calls: float | None = None
    tokens: float | None = None
    seconds: float | None = None
    money: float | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for part in fields(self)[:4]:
            value = getattr(self, part.name)
            if value is not None and not 0 <= value < inf:
                raise UsageError(
                    f"a budget of {value} {part.name} makes no sense; give a number from 0 on, or none at all"
                )

    def price(self, model: str) -> Price:
        """The price of a model, which a budget of money needs."""
        if model not in self.prices:
            raise UsageError(f"a budget of money needs a price for {model!r}; give a price table that has it")
        return self.prices[model]

    def spent(self, model: str, *, calls: int, usage: Usage, seconds: float) -> str:
        """Why nothing more may be asked, or nothing."""
        tokens = usage.prompt + usage.written
        if self.calls is not None and calls >= self.calls:
            return f"the budget of {self.calls:g} calls is spent"
        if self.tokens is not None and tokens >= self.tokens:
            return f"the budget of {self.tokens:g} tokens is spent ({tokens} used)"
        if self.seconds is not None and seconds >= self.seconds:
            return f"the budget of {self.seconds:g} seconds is spent"
        if self.money is not None and self.price(model).of(usage) >= self.money:
            return f"the budget of {self.money:g} in money is spent"
        return ""
