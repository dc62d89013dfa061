"""Whether answers are more than guesses, and whether readers explain them at all."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist

import numpy as np

from otherminds.diagnosis.evidence import Evidence, Floats, Ints, numbered

MISFIT = 0.005
SIMULATED = 400
OWN = 1.0
"""How many answers like a guess stand beside those that a model gave to the same text."""


def signal(given: Evidence) -> float:
    """The p of the reader that answers lie nearest to, if they were guesses (score test, Bonferroni).

    A guess is one draw a question, whatever the forms in which it was asked and the orders of its options.
    """
    guess = given.predicted[:, -1]
    above = np.where(guess[:, None] > 0, given.predicted[:, :-1] / guess.max(axis=1)[:, None, None] - 1, 0.0)
    above *= given.weights[:, None, None]
    if not above.shape[1]:
        return 1.0
    seen = np.take_along_axis(above, given.chosen[:, None, None], axis=2)[:, :, 0].sum(axis=0)
    item = given.questions
    by_item = np.zeros((int(item.max()) + 1, *above.shape[1:]))
    np.add.at(by_item, item, above)
    options = np.zeros(len(by_item))
    options[item] = (guess > 0).sum(axis=1)
    spread = np.sqrt((np.square(by_item).sum(axis=2) / options[:, None]).sum(axis=0))
    best = float((seen / np.maximum(spread, 1e-9)).max())
    return min(1.0, int(above.shape[1]) * (1 - NormalDist().cdf(best)))


def misfit(given: Evidence, shares: Floats, seed: int) -> tuple[float, Floats | None]:
    """The least p of how far answers hang together beyond the mixture; and what a model's own answers would predict.

    They may hang together within a story, within a text, or where readers predict the same. Beside them stand answers
    simulated from the mixture with one reader for every story: nothing that readers do hangs together more.
    """
    sorts = _sorts(given)
    expected = np.einsum("r,irc,i->ic", shares, given.predicted, given.weights).ravel()
    awaited = [np.bincount(codes.ravel(), weights=expected).astype(np.float64) for codes in sorts]

    def clumped(chosen: Ints) -> list[float]:
        return [_clumped(codes, chosen, given.weights, hoped) for codes, hoped in zip(sorts, awaited, strict=True)]

    random, seen = np.random.default_rng(seed), np.array(clumped(given.chosen))
    drawn = np.array([clumped(chosen) for chosen in _simulated(given, shares, random)])
    hits = (1 + (drawn >= seen - 1e-9).sum(axis=0)) / (SIMULATED + 1)
    if hits.min() > MISFIT:
        return float(hits.min()), None
    strongest = int(((seen - drawn.mean(axis=0)) / np.maximum(drawn.std(axis=0), 1e-9)).argmax())
    return float(hits.min()), _own(given, sorts[strongest])


def _sorts(given: Evidence) -> list[Ints]:
    """By answer and option, a number that is the same where the same may be expected: a story, a text, a pattern."""
    items = given.answers.items
    whole = given.groups
    options = given.predicted.shape[2]
    by_story, by_text = [], []
    for number, group in zip(given.which, whole, strict=True):
        choices = items[number].choices
        kind = tuple(sorted(choices))
        padded = [*choices, *[""] * (options - len(choices))]
        by_story.append([(int(group), kind, choice) for choice in padded])
        by_text.append([(items[number].context, kind, choice) for choice in padded])
    flat = [numbered([each for row in rows for each in row]).reshape(-1, options) for rows in (by_story, by_text)]
    signs = given.predicted.round(6).transpose(0, 2, 1)
    cells = numbered([row.tobytes() for row in np.sort(signs.reshape(len(signs), -1), axis=1)])
    pattern = numbered([(int(cell), sign.tobytes()) for cell, row in zip(cells, signs, strict=True) for sign in row])
    return [*flat, pattern.reshape(-1, options)]


def _clumped(codes: Ints, chosen: Ints, weights: Floats, awaited: Floats) -> float:
    """How far the counts lie from what is expected of them, in squares."""
    own = codes[np.arange(len(chosen)), chosen]
    return float(np.square(np.bincount(own, weights=weights, minlength=len(awaited)) - awaited).sum())


def _simulated(given: Evidence, shares: Floats, random: np.random.Generator) -> Iterator[Ints]:
    """Answers of the mixture: one reader for every group of stories; a guess is drawn for every question.

    Whoever guesses may well stay with a guess when asked the same again in another form.
    """
    whole, number = given.groups, given.questions
    chances = given.predicted.cumsum(axis=2)
    rows, odds = np.arange(len(whole)), shares / shares.sum()
    for _ in range(SIMULATED):
        reader = random.choice(len(odds), size=whole.max() + 1, p=odds)[whole]
        luck = random.random(number.max() + 1)[number]
        yield (chances[rows, reader] < luck[:, None] - 1e-12).sum(axis=1)


def _own(given: Evidence, codes: Ints) -> Floats:
    """How probable each answer is by the model's own answers to other items of that sort, and a guess beside them."""
    size = int(codes.max()) + 1
    mine = np.take_along_axis(codes, given.chosen[:, None], axis=1)[:, 0]
    counts = np.bincount(mine, weights=given.weights, minlength=size)
    item = numbered(given.which.tolist())
    pairs = numbered(list(zip(item.tolist(), mine.tolist(), strict=True)))
    by_pair = np.bincount(pairs, weights=given.weights)  # of the same item in other orders: no evidence from elsewhere
    real = given.predicted[:, -1] > 0
    alike = ((codes[:, :, None] == codes[:, None, :]) & real[:, None, :]).sum(axis=2)  # options that go by one number
    total = (
        np.where(real, counts[codes] / np.maximum(alike, 1), 0.0).sum(axis=1)
        - np.bincount(item, weights=given.weights)[item]
    )
    own = counts[mine] - by_pair[pairs]
    chance = given.likely[:, -1]
    share = np.take_along_axis(alike, given.chosen[:, None], axis=1)[:, 0]
    found: Floats = (own / share + OWN * chance) / (np.maximum(total, 0) + OWN)
    return found
