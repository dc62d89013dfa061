"""Numbers and sentences that must be so: ties, intervals near an end, faith, probes, cues, and no difference."""

import csv
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from otherminds.cli import cli
from otherminds.errors import Unable
from otherminds.formats.continuations import pose_cloze, score_cloze
from otherminds.formats.scores import VERDICTS, Score
from otherminds.heuristics.cues import Cue, cues
from otherminds.heuristics.readers import BASELINES, oracle
from otherminds.items import Item, Suite
from otherminds.models import Prompt, Weighing
from otherminds.models.scripted import Scripted
from otherminds.pages.plots import bars
from otherminds.results.exports import as_log, csv_text
from otherminds.results.itembrowser import Part, records
from otherminds.results.measures import chance, compare, mean_of
from otherminds.results.summary import summarise
from otherminds.runs.runs import Run, load, run
from otherminds.stats import Difference, contrast, difference, mean, signed
from otherminds.store.store import Store
from otherminds.studies import STUDIES
from otherminds.studies.perturbed.page import show
from otherminds.studies.perturbed.tasks.build import build
from otherminds.studies.starter.study import starter
from otherminds.studies.study import Desk, Subject
from tests.models.scripted_server import Call, Reply, chat, completion, serving, top
from tests.older_stores import remove_seals
from tests.studies.perturbed import agents
from tests.studies.test_study_contract import bar

SUITE = starter()


# ---- ties ---------------------------------------------------------------------------------------------------------


def half_tied() -> Run:
    """A run in which the first half of the items is tied and the other half is right."""
    tied = {item.context for item in SUITE.items[:24]}
    knows = oracle(SUITE)

    def weigh(prompt: Prompt) -> dict[str, float]:
        if any(context in prompt.text for context in tied):
            return dict.fromkeys(prompt.choices, 0.5)
        return {choice: float(np.exp(value)) for choice, value in knows.weigh([prompt])[0].logprobs.items()}

    return run(SUITE, Scripted(lambda _: "A", name="half tied", weigh=weigh))


def test_a_tie_is_a_verdict_of_its_own_and_in_no_mean() -> None:
    found = half_tied()
    assert "tied" in VERDICTS
    assert found.verdicts() == {**dict.fromkeys(VERDICTS, 0), "correct": 24, "tied": 24}
    whole = mean_of(found)
    assert whole is not None
    assert (whole.value, whole.n) == (1.0, 24)
    assert len(found.values("S")) == 48  # how even it was stays known
    assert chance([record.item for record in found.records]) == 0.5


def test_a_tie_is_shown_apart_wherever_verdicts_are() -> None:
    found = half_tied()
    page = summarise([found]).html()
    assert "tied: 24 of 48" in page
    assert "Tied: none preferred." in page
    rows = list(csv.DictReader(StringIO(csv_text(found))))
    assert [(row["verdict"], row["value"]) for row in rows[:1]] == [("tied", "")]
    shown = records([Part("starter", [found], lambda item: "")])["records"]
    assert [record["verdict"] for record in shown].count("tied") == 24
    told = compare(found, run(SUITE, oracle(SUITE)))
    assert (told.rows[0].difference.n, told.unpaired) == (24, 24)


def test_a_tie_is_unscored_in_inspect() -> None:
    pytest.importorskip("inspect_ai")
    log = as_log(half_tied())
    assert log.eval.metadata["verdicts"]["tied"] == 24
    assert [score.scored_samples for score in log.results.scores if score.name == "right"] == [24]


def test_a_tie_of_an_older_store_is_read_as_one(tmp_path: Path) -> None:
    old = {"verdict": "unparsed", "value": 0.5, "answer": "", "why": "a tie", "detail": {"S": 0.5}}
    assert Score.from_dict(old) == Score("tied", None, "", "a tie", {"S": 0.5})
    unread = {**old, "value": None}
    assert Score.from_dict(unread).verdict == "unparsed"
    path = tmp_path / "old.db"
    with Store(path) as store:
        made = run(SUITE, Scripted(lambda _: "A", name="even", weigh=lambda _: {"A": 0.5, "B": 0.5}), store=store)
    with closing(sqlite3.connect(path)) as kept:
        kept.execute("UPDATE records SET score = ?, checksum = ''", [json.dumps(old)])
        kept.commit()
    remove_seals(path)
    with Store(path) as store:
        found = load(store, made.id)
    assert (found.verdicts()["tied"], found.values(), len(found.values("S"))) == (48, {}, 48)


def test_a_tie_per_token_is_no_half_either() -> None:
    item = Item("one", "Where?", "tin", "Ann looks.", ("tin", "box"), cloze="It is in the")
    even = Weighing({" tin": -1.0, " box": -1.0}, tokens={" tin": ("t",), " box": ("b",)})
    score = score_cloze(item, pose_cloze(item, prompt="raw", seed=0), [even])
    assert (score.verdict, score.value, score.detail["value_token"]) == ("tied", None, None)


def test_baselines_that_cannot_tell_choices_apart_do_not_break_a_page() -> None:
    items = [Item(f"i{n}", f"Where {n}?", "tin", f"Ann looks {n}.", ("tin", "box")) for n in range(4)]
    suite = Suite("even", tuple(items))
    for name in ("last_mention", "longest_option"):
        assert run(suite, BASELINES[name](suite)).verdicts()["tied"] == 4
    page = summarise([run(suite, oracle(suite))]).html()
    assert "last mention (0 of 4)" in page
    assert "no value" in page


def test_every_verdict_at_once_can_be_drawn() -> None:
    assert "tied: 1 of 8" in bars([("a", dict.fromkeys([*VERDICTS, "unscored"], 1))], title="Verdicts")


# ---- intervals near an end ----------------------------------------------------------------------------------------

SEVEN = [stage for stage in range(7) for _ in range(20)][:136]


@pytest.mark.parametrize("groups", [SEVEN, [n // 4 for n in range(100)], list(range(48)), [n // 2 for n in range(48)]])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_one_odd_answer_changes_an_interval_a_little(groups: Sequence[int], value: float) -> None:
    n = len(groups)
    whole, nearly = (mean([1 - value] * odd + [value] * (n - odd), groups=groups) for odd in (0, 1))
    assert (whole.low, whole.high) == pytest.approx((nearly.low, nearly.high), abs=0.06)
    assert whole.high - whole.low < nearly.high - nearly.low


def test_all_right_is_not_told_worse_than_nearly_all() -> None:
    whole, nearly = mean([1.0] * 136, groups=SEVEN), mean([1.0] * 135 + [0.0], groups=SEVEN)
    assert whole.high == 1 > nearly.high > 0.99
    assert nearly.low < whole.low < nearly.low + 0.06
    assert 0.8 < whole.low < 0.95


def test_two_that_never_differ_are_told_as_well_as_two_that_hardly_do() -> None:
    same = difference([1.0] * 136, [1.0] * 136, groups=SEVEN)
    hardly = difference([1.0] * 136, [1.0] * 135 + [0.0], groups=SEVEN)
    assert (same.low, same.high) == pytest.approx((hardly.low, hardly.high), abs=0.06)
    one, other = (contrast([1.0] * 136, [0.0] * k + [1.0] * (136 - k), groups=(SEVEN, SEVEN)) for k in (0, 1))
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.06)


def test_a_score_on_a_scale_keeps_the_interval_of_its_own_spread() -> None:
    values = np.random.default_rng(1).normal(0.5, 0.01, 48)
    found = mean(values.tolist(), groups=[n // 2 for n in range(48)])
    assert found.high - found.low < 0.012


@pytest.mark.parametrize("alike", [0.2, 0.5])
@pytest.mark.parametrize(("groups", "each", "truth"), [(5, 20, 0.9), (7, 20, 0.9), (7, 4, 0.7), (12, 20, 0.9)])
def test_intervals_near_the_end_hold_the_truth(groups: int, each: int, truth: float, alike: float) -> None:
    random = np.random.default_rng(groups)
    by = np.repeat(np.arange(groups), each).tolist()
    held = 0
    for _ in range(300):
        chances = random.beta(truth * (1 / alike - 1), (1 - truth) * (1 / alike - 1), groups)
        found = mean(
            (random.random((groups, each)) < chances[:, None]).astype(float).ravel().tolist(), groups=by, draws=200
        )
        held += found.low <= truth <= found.high
    assert held / 300 > 0.91


# ---- faith --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [oracle, agents.gold])
def test_whoever_is_always_right_is_not_called_unfaithful(make) -> None:
    suites = [build(style=style, focal=True).where(stage="UT-E") for style in ("vanilla", "cot")]
    page = show([run(suite, make(suite)) for suite in suites])
    assert "not faithful" not in page.html()
    assert "as faithful as can be told" in page.html()
    assert "Its chains are right to the letter in 1.00." in page.lead


# ---- probes -------------------------------------------------------------------------------------------------------


def probe(answer) -> dict[str, dict]:
    with serving(answer) as server:
        done = CliRunner().invoke(cli, ["models", "probe", "api:m", "--base-url", server.url, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["tried"]


def chats_only(said: str):
    """A server that chats, reports letters there, and has no raw completions; it says the same whatever the schema."""

    def answer(call: Call) -> Reply:
        if not call.path.endswith("/chat/completions"):
            return Reply({"error": {"message": "not here"}}, status=404)
        weighs = top({"A": -0.1, "B": -2.5}, in_chat=True) if call.body.get("logprobs") else {}
        return chat(said if call.body.get("response_format") else "Paris", **weighs)

    return answer


def test_letters_are_tried_in_chat_too() -> None:
    tried = probe(chats_only("Paris"))
    assert tried["weigh letters, raw"]["ok"] is False
    assert tried["weigh letters, in chat"]["ok"] is True
    assert tried["weigh letters, in chat"]["said"] == "A -0.10, B -2.50"


@pytest.mark.parametrize(
    ("said", "ok"),
    [
        ("Paris", False),
        ('{"city": "Paris"}', False),
        ('{"town": "Paris"}', False),
        ('{"town": "Quarvelstrom"}', True),
        ('{"town": "Quarvelstrom"', False),
    ],
)
def test_a_schema_works_only_if_the_answer_follows_it(said: str, ok: bool) -> None:
    found = probe(chats_only(said))["JSON schema"]
    assert found["ok"] is ok
    assert repr(said) in found["said"]
    assert ok or found["said"].startswith("not held to the schema")


def test_what_was_cut_off_is_not_judged() -> None:
    def answer(call: Call) -> Reply:
        return chat('{"town"', finish_reason="length") if "messages" in call.body else completion("Paris")

    assert probe(answer)["JSON schema"]["ok"] is None


# ---- cues ---------------------------------------------------------------------------------------------------------


def lint(items: Sequence[Item], folder: Path) -> Result:
    path = folder / "mine.jsonl"
    Suite("mine", tuple(items)).save(path)
    return CliRunner().invoke(cli, ["lint", str(path)])


def named_first(right: int, n: int) -> list[Item]:
    """Items of which so many have the choice that the story names first for an answer."""
    return [
        Item(
            f"i{number}",
            f"Where is key {number}?",
            "tin" if number < right else "box",
            f"The tin is by the box and the jar in room {number}.",
            ("jar", "tin", "box") if number % 2 else ("box", "jar", "tin"),
        )
        for number in range(n)
    ]


def test_a_cue_that_gives_answers_away_is_counted_in_the_last_line(tmp_path: Path) -> None:
    items = named_first(30, 50)
    assert next(cue for cue in cues(items) if cue.name == "first mention").right == pytest.approx(0.6)
    done = lint(items, tmp_path)
    assert done.exit_code == 0  # as documented: only faults fail
    assert "to look at" in done.output
    assert "first mention" in done.output.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("cue", "gives_away"),
    [
        (Cue("first mention", 0.60, 1 / 3, 50), True),
        (Cue("first mention", 0.10, 0.5, 50), True),  # the other choice, then
        (Cue("last option", 0.01, 1 / 3, 1088), True),
        (Cue("longest option", 0.25, 1 / 3, 1088), False),
        (Cue("last mention", 1.0, 0.5, 2), False),
        (Cue("last mention", 0.53, 0.5, 400), False),
    ],
)
def test_what_is_to_be_looked_at(cue: Cue, gives_away: bool) -> None:
    assert cue.gives_away is gives_away


@pytest.mark.parametrize("name", ["starter", "safety", "dialogue"])
def test_our_own_suites_have_no_cue_to_look_at(name: str) -> None:
    done = CliRunner().invoke(cli, ["lint", name])
    assert (done.exit_code, done.output.strip().splitlines()[-1]) == (0, "no faults")


# ---- no difference ------------------------------------------------------------------------------------------------


def test_no_difference_is_said_in_words() -> None:
    nothing = Difference(0.001, -0.002, 0.003, 48, 24, "", 0.9)
    assert signed(nothing) == "no difference"
    assert signed(nothing, 3) == "+0.001 [-0.002, +0.003]"
    assert str(nothing) == "no difference, n = 48 in 24 groups, p = 0.900"


def test_a_model_that_ties_everything_is_not_said_to_have_spent_its_budget() -> None:
    even = Scripted(lambda _: "", name="even", weigh=lambda prompt: dict.fromkeys(prompt.choices, 0.2))
    with Store(":memory:") as store, pytest.raises(Unable, match=r"no answer has a value \(even: \d+ tied\)"):
        STUDIES["dialogue"]().look([Subject.of(even)], Desk(store, bar))
