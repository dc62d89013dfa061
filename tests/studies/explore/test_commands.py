"""`explore`, `build` and `lint` as seen from the shell; and a search that is killed and taken up again."""

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from importlib.resources import files
from pathlib import Path
from threading import Event, Lock
from typing import Any

import pytest

from otherminds.items import Item, Suite, Tag
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.stories.contexts import bank
from otherminds.studies.explore.material.folders import load
from tests.models.scripted_server import Call, Reply, chat, serving
from tests.shell import call, data, fails
from tests.trials import is_trial

pytestmark = pytest.mark.usefixtures("own_folder")

QUICK = ("--stories", "4", "--budget", "8", "--endings", "5", "--width", "3", "--confirm", "2")
SETS = ("--sets", "tomi,tomi+asymmetric")
READER = ("explore", "--against", "baseline:first_order", "--order", "2", *SETS, *QUICK, "-o", "out")


def target(monkeypatch: pytest.MonkeyPatch, answer: Any) -> Scripted:
    """A function in the place of a model behind a server."""
    model = Scripted(lambda prompt: answer(prompt), name="api:m")
    model.cannot = frozenset({"weigh"})  # a server that chats
    monkeypatch.setattr("otherminds.terminal.names.open_model", lambda *_, **__: model)
    return model


def by_hash(prompt: Prompt | str) -> str:
    """An answer that only the question decides."""
    return "AB"[hashlib.sha256(str(prompt).encode()).digest()[0] % 2]


def by_twin(suite: Suite) -> dict[Tag, list[Item]]:
    pairs: dict[Tag, list[Item]] = {}
    for item in suite:
        pairs.setdefault(item.tags["twin"], []).append(item)
    return pairs


# ── explore ──


def test_explore_prints_both_methods_and_writes_a_folder(own_folder: Path) -> None:
    done = call(*READER)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.endswith("\nout\n")
    for word in (
        "search that learns",
        "random stories",
        "tomi",
        "tomi+asymmetric",
        "sentences",
        "confirmed",
        "asked about",
    ):
        assert word in done.stdout
    assert "baseline:first_order is wrong in 100 % [" in done.stdout
    found = load("out")
    assert Counter(each.method for each in found) == {"learn": 4, "random": 4}
    assert all(each.goal.startswith("false-belief:2") and each.twin and each.tellings == 2 for each in found)
    assert {path.name for path in (own_folder / "out").iterdir()} == {
        *("stories.jsonl", "questions.jsonl", "pairs.jsonl", "run.json", "card.md")
    }
    pairs = by_twin(Suite.load("out/pairs.jsonl"))
    assert len(pairs) == len({each.story.text for each in found})  # both methods may find the same
    assert all(len(pair) == len({item.answer for item in pair}) == 2 for pair in pairs.values())
    kept = json.loads(Path("out/run.json").read_text(encoding="utf-8"))
    assert (kept["against"], kept["seed"], kept["score"]) == ("baseline:first_order", 0, "text")
    assert all(method["asked"] <= 32 for method in kept["methods"])
    assert [method["method"] for method in kept["methods"]] == ["learn", "random"]
    assert kept["methods"][0]["asked"] == kept["methods"][1]["asked"]
    assert {method["confirming"] for method in kept["methods"]} == {8}


def test_the_published_search_stays_and_counts_as_published() -> None:
    found = data(*READER, "--method", "astar", "--goal", "none", "--confirm", "0")
    assert [method["method"] for method in found["methods"]] == ["search", "overgenerate"]
    assert {row["method"] for row in found["found"]} == {"search", "overgenerate"}
    assert {(row["confirmed"], row["twin"]) for row in found["found"]} == {(None, None)}
    alone = data(*READER, "--method", "random")
    assert [method["method"] for method in alone["methods"]] == ["random"]


def test_a_goal_is_kept_and_sets_the_order_of_the_questions() -> None:
    given = ("explore", "--against", "baseline:first_order", "--sets", "tomi", *QUICK, "--no-baseline", "-o", "out")
    found = data(*given, "--goal", "false-belief:2,asymmetric")
    assert {(row["set"], row["goal"]) for row in found["found"]} == {("tomi+asymmetric", "false-belief:2,asymmetric")}
    assert {each.order for each in load("out")} == {2}


def test_explore_as_json_is_the_same_every_time() -> None:
    first = data(*READER, "--no-baseline")
    assert [row["method"] for row in first["found"]] == ["learn"] * 4
    assert all(row["sentences"] <= 15 and row["accuracy"] < 1 for row in first["found"])
    assert data(*READER, "--no-baseline") == first
    assert data(*READER, "--no-baseline", "--seed", "1")["found"] != first["found"]


def test_options_reach_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    model = target(monkeypatch, by_hash)
    given = ("--people", "3", "--moves", "2,3", "--sentences", "12", "--kinds", "topic", "--interesting", "--first")
    searched = data("explore", "--against", "api:m", "--sets", "all", *given, *QUICK, "-o", "out")
    assert {(row["people"], row["moves"]) for row in searched["found"]} <= {(3, 2), (3, 3)}
    assert all(row["sentences"] <= 12 for row in searched["found"])
    assert all("about" in prompt.messages[0].content for prompt in model.history)
    assert searched["model"]["calls"]["made"] == len(model.history) > 0
    assert all("container" not in prompt.messages[0].content.rpartition("Question:")[2] for prompt in model.history)


def test_a_second_time_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    model = target(monkeypatch, by_hash)
    first = data("explore", "--against", "api:m", *SETS, *QUICK, "-o", "one")
    calls = len(model.history)
    again = data("explore", "--against", "api:m", *SETS, *QUICK, "-o", "two")
    assert len(model.history) == calls == first["model"]["calls"]["made"]
    counted = again["model"]["calls"]
    assert (counted["made"], counted["reused"]) == (0, first["model"]["calls"]["reused"] + calls)
    assert (counted["in_all"]["sittings"], counted["in_all"]["made"]) == (1, calls)
    assert Path("one/stories.jsonl").read_bytes() == Path("two/stories.jsonl").read_bytes()


def test_a_budget_stops_cleanly_and_more_of_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    model = target(monkeypatch, by_hash)
    order = ("explore", "--against", "api:m", *SETS, *QUICK, "--width", "1", "-o", "out")
    whole = data(*order)
    Path("otherminds.db").unlink()
    stopped = call(*order, "--calls", "100", "--json")
    assert stopped.exit_code == 3
    assert "not finished: the budget of 100 calls is spent" in stopped.stderr
    part = json.loads(stopped.stdout)
    assert part["model"]["calls"]["made"] == 100
    assert 0 < len(part["found"]) < len(whole["found"])
    assert part["found"] == whole["found"][: len(part["found"])]
    assert load("out")
    calls = len(model.history)
    assert data(*order)["found"] == whole["found"]
    assert len(model.history) == 2 * (calls - 100)
    assert call(*order, "--calls", "0", "--store", "other.db").exit_code == 3
    assert load("out") == []


def test_a_budget_of_money_needs_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    target(monkeypatch, by_hash)
    assert "needs a price for 'api:m'" in fails(2, "explore", "--against", "api:m", "--money", "1", "-o", "out")


def test_a_model_without_a_usable_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    target(monkeypatch, lambda prompt: "I wonder.")
    said = fails(1, "explore", "--against", "api:m", *SETS, *QUICK, "-o", "out")
    assert "api:m gave no usable answer" in said
    assert not Path("out").exists()


BROKEN_CONTEXT = '{"id": "a", "place": "a pier", "scene": "It rains.", "rooms": ["hut"]}'


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--sets", ""), "no action set was named"),
        (("--sets", "tomy"), "there is no action set 'tomy'"),
        (("--budget", "0"), "budget should be at least 1, not 0"),
        (("--step", "0"), "step should be at least 1"),
        (("--people", "two"), "should be numbers with commas"),
        (("--people", "0"), "should be numbers from 1 on"),
        (("--people", "9"), "needs 9 people"),
        (("--kinds", "rooms"), "no questions of the kind 'rooms'"),
        (("--sets", "tomi", "--kinds", "topic"), "came upon nothing to ask"),
        (("--moves", "4", "--sentences", "3"), "4 moves and 0 secrets take 4 sentences or more, not 3"),
        (
            ("--sets", "all", "--people", "4", "--moves", "4", "--sentences", "5"),
            "all/p4/m4: none of 2000 random stories",
        ),
        (("--against", "baseline:nobody"), "there is no baseline 'nobody'"),
        (("--against", "smolm2"), "did you mean smollm2"),
        (("--goal", "true-belief"), "there is no goal 'true-belief'"),
        (("--sets", "fantom-public", "--goal", "false-belief"), "nothing is moved and nobody lies"),
        (("--confirm", "-1"), "confirm should be at least 0"),
        (("--score", "smell"), "there is no score 'smell'"),
        (("--prompt", "sing"), "there is no prompt 'sing'"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(options: tuple[str, ...], words: str) -> None:
    assert words in fails(2, "explore", "--against", "baseline:realist", *QUICK, "-o", "out", *options)
    assert not Path("out").exists()


def test_a_broken_context_is_refused_by_line_and_part(own_folder: Path) -> None:
    (own_folder / "mine.jsonl").write_text(BROKEN_CONTEXT, encoding="utf-8")
    said = fails(1, *READER, "--contexts", "mine.jsonl")
    assert "mine.jsonl, line 1: rooms should be a list of 2" in said


def test_contexts_of_ones_own_are_used(own_folder: Path) -> None:
    lines = files("otherminds").joinpath("data/explore/contexts.jsonl").read_text(encoding="utf-8").splitlines()
    (own_folder / "mine.jsonl").write_text(lines[5], encoding="utf-8")
    data(*READER, "--contexts", "mine.jsonl")
    assert {each.context for each in load("out")} == {bank()[5].id}


# ── build and lint ──


def test_a_suite_is_built_from_findings(own_folder: Path) -> None:
    data(*READER)
    built = data("build", "explore", "out", "-o", "hard.jsonl", "--interesting", "--paraphrase", "3", "--limit", "30")
    suite = Suite.load("hard.jsonl")
    assert suite.name == "hard"
    assert built["items"] == len(suite) <= 30
    assert built["files"] == ["hard.jsonl", "hard.md"]
    assert {item.tags["interesting"] for item in suite} == {True}
    assert "# hard" in Path("hard.md").read_text(encoding="utf-8")
    even = data("build", "explore", "out", "-o", "even.jsonl", "--balance", "like_reality", "--order", "1")
    values = Counter(item.tags["like_reality"] for item in Suite.load("even.jsonl"))
    assert values[True] == values[False] == even["items"] / 2
    assert data("run", "hard.jsonl", "-m", "baseline:oracle")["verdicts"]["correct"] == len(suite)


def test_build_refuses_what_is_no_folder_of_findings(own_folder: Path) -> None:
    assert "there is no file" in fails(2, "build", "explore", "nowhere", "-o", "x.jsonl")
    (own_folder / "stories.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")
    assert "line 1 is not a story found by explore" in fails(1, "build", "explore", ".", "-o", "x.jsonl")
    data(*READER)
    assert "overwritten by its own data card" in fails(1, "build", "explore", "out", "-o", "x.md")


def test_training_files(own_folder: Path) -> None:
    built = data("build", "training", "-o", "train", "--number", "120", "--sets", "tomi", "--form", "completion")
    assert built["files"] == ["train/train.jsonl", "train/test.jsonl", "train/card.md"]
    assert built["items"] == 120
    assert built["faults"] == []
    lines = [json.loads(line) for name in built["files"][:2] for line in Path(name).read_text().splitlines()]
    assert len(lines) == 120
    assert set(lines[0]) >= {"prompt", "completion", "split", "needs_theory_of_mind"}
    shown = call("build", "training", "-o", "more", "--number", "20", "--sets", "tomi", "--paraphrase")
    assert shown.exit_code == 0
    assert shown.stdout.endswith("more/card.md\n")
    assert "share should lie from 0 to 1" in fails(2, "build", "training", "-o", "no", "--share", "2")
    assert "no action set was named" in fails(2, "build", "training", "-o", "no", "--sets", ",")
    assert not Path("no").exists()


def test_lint_tells_faults_from_cues(own_folder: Path) -> None:
    assert data("lint", "starter")["faults"] == []
    header = {"otherminds": 1, "suite": "mine"}
    one = {"id": "one", "question": "Is it in the box?", "answer": "box", "choices": ["box", "tin"]}
    lines = [header, one, one | {"id": "two", "answer": "tin"}]
    Path("mine.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = call("lint", "mine.jsonl")
    assert done.exit_code == 1
    assert "fault: the same question with different answers: one, two" in done.stdout
    assert "fault: the question names the answer and no other choice: one" in done.stdout
    assert "first option" in done.stdout
    found = json.loads(call("lint", "mine.jsonl", "--json").stdout)
    assert {fault["rule"]: fault["ids"] for fault in found["faults"]}["the same question with different answers"] == [
        "one",
        "two",
    ]
    assert {cue["name"]: (cue["right"], cue["n"]) for cue in found["cues"]}["first option"] == (0.5, 2)


# ── killed and taken up again ──


class Server:
    """Answers by hash, counts, and after `limit` answers lets everybody wait until they are gone."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.answered: Counter[str] = Counter()
        self.gate = Event()
        self._lock = Lock()

    def __call__(self, asked: Call) -> Reply:
        if asked.path != "/v1/chat/completions":
            return Reply({}, status=404)
        content = asked.body["messages"][-1]["content"]
        if is_trial(json.dumps(content)):
            return chat("Good morning.")
        with self._lock:
            held = self.limit is not None and self.answered.total() >= self.limit
            if not held:
                self.answered[content] += 1
        if held:
            self.gate.wait(120)
            return Reply({}, status=500)
        return chat(by_hash(content))


def explore(url: str, store: str, folder: str) -> "subprocess.Popen[str]":
    given = ("explore", "--against", "api:m", "--base-url", url, "-M", "parallel=4", *SETS, *QUICK, "--store", store)
    code = "from otherminds.cli import main; main()"
    return subprocess.Popen([sys.executable, "-c", code, *given, "-o", folder], stdout=-1, stderr=-2, text=True)


def stored(path: str) -> int:
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
            return int(db.execute("SELECT count(*) FROM calls").fetchone()[0])
    except sqlite3.OperationalError:  # not there yet
        return 0


def test_killed_in_the_middle_it_repeats_no_call_and_finds_the_same() -> None:
    whole = Server()
    with serving(whole) as undisturbed:
        done = explore(undisturbed.url, "whole.db", "whole")
        said, _ = done.communicate(timeout=300)
        assert done.returncode == 0, said
    halved = Server(limit=whole.answered.total() // 2)
    with serving(halved) as server:
        first = explore(server.url, "half.db", "half")
        waited = time.monotonic() + 300
        while stored("half.db") < (halved.limit or 0) and first.poll() is None and time.monotonic() < waited:
            time.sleep(0.02)
        os.kill(first.pid, signal.SIGKILL)
        first.communicate()
        assert first.returncode == -signal.SIGKILL
        assert not Path("half").exists()
        halved.limit = None
        halved.gate.set()
        second = explore(server.url, "half.db", "half")
        said, _ = second.communicate(timeout=300)
        assert second.returncode == 0, said
    assert set(halved.answered.values()) == {1}
    assert halved.answered == whole.answered
    for name in ("stories.jsonl", "questions.jsonl", "card.md"):
        assert (Path("half") / name).read_bytes() == (Path("whole") / name).read_bytes()
    counted = json.loads(Path("half/run.json").read_text(encoding="utf-8"))["model"]["calls"]
    assert counted["made"] == whole.answered.total() - whole.answered.total() // 2
    assert (counted["in_all"]["sittings"], counted["in_all"]["made"]) == (2, whole.answered.total())
