"""How far a judge agrees with the key: on replies whose words can be read without one."""

from __future__ import annotations

from dataclasses import dataclass

from otherminds import stats
from otherminds.formats.plans import groups
from otherminds.runs.runs import Run
from otherminds.stats import Estimate

READ = ("correct", "incorrect")


@dataclass(frozen=True, slots=True)
class Judging:
    """Who judged, how often the key says the same, and how many of the judge's own replies could not be read."""

    judge: str
    agreement: Estimate | None
    """Over the items that both could read; None where there are none."""
    unread: int
    judged: int

    def __str__(self) -> str:
        agrees = (
            f"agrees with the key in {self.agreement} of the replies that can be read without a judge"
            if self.agreement
            else "cannot be held against the key: no reply can be read without a judge"
        )
        unread = f"; {self.unread} of {self.judged} replies of the judge could not be read" if self.unread else ""
        return f"judged by {self.judge}, which {agrees}{unread}"


def judging(run: Run) -> Judging | None:
    """What is known of a run's judge; None for a run that was scored without one."""
    judge = run.manifest.get("judge")
    if not isinstance(judge, dict):
        return None
    told = [record for record in run.records if "by_key" in record.score.detail]
    both = [record for record in told if record.verdict in READ and record.score.detail["by_key"] in READ]
    same = [float(record.score.detail["by_key"] == record.verdict) for record in both]
    unread = sum(record.score.detail.get("judge_unread") is True for record in told)
    share = stats.mean(same, groups=groups([record.item for record in both])) if both else None
    return Judging(str(judge.get("name")), share, unread, len(told))
