"""Who answered a run, and what speaks for its being one model: the same words in the terminal and on pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from otherminds.runs.runs import Run


def checks(run: Run) -> str:
    """How many calls that were asked again, and how many canaries, agree; empty where none were asked."""
    notes = run.manifest.get("provenance", {})
    calls, canaries = notes.get("rechecked"), notes.get("canaries")
    parts = [f"{_share(calls)} calls agree"] if calls else []
    parts += [f"canaries {_share(canaries)}"] if canaries and "compared" in canaries else []
    return "; ".join(parts)


def versions(run: Run) -> str:
    """Which versions of the model answered; empty where no server said."""
    counts = run.manifest.get("provenance", {}).get("versions", {})
    listed = ", ".join(f"{name} {often:,}" for name, often in counts.items())
    return f"answers by {len(counts)} versions: {listed}" if len(counts) > 1 else ", ".join(counts)


def not_clean(run: Run) -> str:
    """Why the numbers of a run may come from more than one model; empty where nothing says so."""
    doubts = "; ".join(run.doubts)
    return f"run {run.id} is not clean: {doubts}. More than one model may have answered it" if doubts else ""


def _share(counts: Mapping[str, Any]) -> str:
    return f"{counts['agree']:,} of {counts['compared']:,}"
