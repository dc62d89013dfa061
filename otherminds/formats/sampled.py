"""Score "sampled", for models that tell no probabilities.

Every order of the choices is drawn, and more where orders disagree.

One draw in each order tells as much as a coin or two. Where all orders agree it is left at that; where they do not,
each is drawn again, up to the number of draws that is wanted. `S` is the share of right answers in the first draw of
every order, whose mean over many items is that of the model whatever was drawn afterwards: to draw on only where orders
disagree would pull it away from the middle. The verdict, `share` and its interval (Dirichlet's, which does not mind why
somebody stopped) are of all draws.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase as LETTERS
from typing import Any

from otherminds.errors import UsageError
from otherminds.formats.prompts import Posed, rotations
from otherminds.formats.verdicts import Score, Scoring
from otherminds.formats.words import pose_text, score_text
from otherminds.items import Item
from otherminds.models import Response
from otherminds.stats import share_of_draws

DRAWS = 4
"""The most draws in every order, unless somebody wants more."""
READ = ("correct", "incorrect")


def pose_sampled(item: Item, *, prompt: str, seed: int) -> tuple[Posed, ...]:
    """One draw in every order of the choices."""
    if not item.choices:
        raise UsageError(f"item {item.id!r} has no choices, so it has no orders to draw in; use score 'text'")
    posed = [pose_text(item, prompt=prompt, seed=seed, order=order)[0] for order in rotations(item, seed=seed)]
    return tuple(_drawn(asked, 1) for asked in posed)


def more_draws(item: Item, posed: Sequence[Posed], results: Sequence[Response], most: int) -> tuple[Posed, ...]:
    """One more draw in every order where the draws so far disagree, and fewer were made than are wanted."""
    made = max(asked.prompt.draw for asked in posed)
    first = [asked for asked in posed if asked.prompt.draw == 1]
    said = {score.answer for score in _scores(item, posed, results) if score.verdict in READ}
    if made >= most or len(said) < 2 or any(result.error for result in results):
        return ()
    return tuple(_drawn(asked, made + 1) for asked in first)


def score_sampled(item: Item, posed: Sequence[Posed], results: Sequence[Response]) -> Score:
    """The choice that was drawn most, with the share of the right one among all draws."""
    scores = _scores(item, posed, results)
    if errors := [score for score in scores if score.verdict == "error"]:
        return errors[0]
    read = [(asked, score) for asked, score in zip(posed, scores, strict=True) if score.verdict in READ]
    if not read:
        ends = Counter(score.verdict for score in scores)
        most = ends.most_common(1)[0][0]
        return next(score for score in scores if score.verdict == most)
    counts = Counter(score.answer for _, score in read)
    right, n = counts[item.answer], len(read)
    firsts = [score.value for asked, score in read if asked.prompt.draw == 1]
    detail: dict[str, Any] = {
        "share": right / n,
        "S_interval": list(share_of_draws(right, n)),
        "draws": n,
        "lost": len(scores) - n,
        "mass": n / len(scores),
        "letters": dict(Counter(LETTERS[asked.choices.index(score.answer)] for asked, score in read)),
        "consistent": len(counts) == 1,
        **({"S": sum(value or 0.0 for value in firsts) / len(firsts)} if firsts else {}),
        **({"thought": thought} if (thought := sum(result.thought for result in results)) else {}),
    }
    (best, often), *others = counts.most_common()
    why = f"{right} of {n} draws are right"
    if others and others[0][1] == often and item.answer in [choice for choice, k in counts.items() if k == often]:
        return Score("tied", why=why, detail=detail)
    return Score("correct" if best == item.answer else "incorrect", float(best == item.answer), best, why, detail)


def _scores(item: Item, posed: Sequence[Posed], results: Sequence[Response]) -> list[Score]:
    return [score_text(item, [asked], [result]) for asked, result in zip(posed, results, strict=True)]


def _drawn(asked: Posed, number: int) -> Posed:
    return replace(asked, prompt=replace(asked.prompt, draw=number))


SCORES = {"sampled": Scoring("ask", pose_sampled, score_sampled, more_draws)}


@dataclass(frozen=True, slots=True)
class LetterPrior:
    """How often each letter was answered, whatever stood there: every choice stood at every letter equally often."""

    shares: dict[str, float]
    n: int

    def __str__(self) -> str:
        return ", ".join(f"{letter} {share:.2f}" for letter, share in self.shares.items())


def letter_prior(scores: Iterable[Score]) -> LetterPrior | None:
    """What the letters by themselves got of all draws; none where nothing was drawn."""
    counts: Counter[str] = Counter()
    for score in scores:
        counts.update(score.detail.get("letters", {}))
    n = sum(counts.values())
    return LetterPrior({letter: counts[letter] / n for letter in sorted(counts)}, n) if n else None
