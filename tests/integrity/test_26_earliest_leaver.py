"""The rule of the earliest leaver has an opinion on nearly all higher-order questions, and gets what it gets."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest

from otherminds.bridges.audit import audit
from otherminds.bridges.benchmarks.known import read
from otherminds.diagnosis.audit import audit as diagnosis_audit
from otherminds.heuristics.leaver import earliest_leaver
from tests.bridges.higher_orders import rows, rule, write


def test_both_audits_show_what_the_full_rule_gets(tmp_path: Path) -> None:
    made = rows(60)
    suite = read(write(tmp_path, made))
    by_rule = [rule(row["lines"], row["minds"], row["thing"]) for row in made]
    picked = [list(earliest_leaver(item)) for item in suite]
    assert picked == [[place] for place in by_rule]
    gets = fmean(place == row["answer"] for place, row in zip(by_rule, made, strict=True))
    assert gets > 0.85
    shown = {row.name: row for row in audit(suite.items)}
    assert shown["earliest leaver"].opinions == len(made)
    assert shown["earliest leaver"].right.value == pytest.approx(gets)
    assert shown["earliest leaver"].right.value == max(row.right.value for row in shown.values())
    assert diagnosis_audit(suite).right["earliest leaver"].value == pytest.approx(gets)
