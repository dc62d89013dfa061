"""`otherminds run` and `profile` against servers on loopback: what they say when a server cannot do everything."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from otherminds.cli import cli
from otherminds.items import Item, Suite
from tests.models.scripted_server import Call, Reply, always, chat, serving

TEXT = ("--score", "text", "--prompt", "direct", "--limit", "2")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OTHERMINDS_STORE", raising=False)


def call(*args: str) -> Result:
    return CliRunner().invoke(cli, args, prog_name="otherminds")


def chat_alone(asked: Call) -> Reply:
    if asked.path == "/v1/chat/completions":
        return chat("A")
    return Reply({"error": {"message": "This is a chat model"}}, status=404)


@pytest.mark.parametrize(
    ("settings", "hint"),
    [
        ((), "2 of 2 texts were cut off at 64 tokens; -M max_tokens=4096 gives them more room"),
        (("-M", "max_tokens=2000"), "cut off at 2000 tokens; -M max_tokens=8000 gives"),
        (("-M", 'extra={"max_tokens": 9}'), ""),
    ],
)
def test_texts_that_were_cut_off_are_told_with_what_to_do(settings: tuple[str, ...], hint: str) -> None:
    with always(chat("Let me think", finish_reason="length")) as server:
        done = call("run", "starter", "-m", "api:m", "--base-url", server.url, *TEXT, *settings)
    assert done.exit_code == 0, done.output
    assert hint in done.stderr
    assert ("cut off" in done.stderr) == bool(hint)


def test_a_run_goes_on_past_prompts_that_always_fail() -> None:
    broken = Reply({"error": {"message": "device-side assert"}}, status=500)

    def answer(asked: Call) -> Reply:
        return broken if "key" in str(asked.body.get("messages")) else chat_alone(asked)

    given = ("run", "starter", "--score", "text", "--prompt", "direct", "-M", "retries=0", "-M", "parallel=1")
    with serving(answer) as server:
        done = call(*given, "-m", "api:m", "--base-url", server.url)
    assert done.exit_code == 3, done.output
    assert "items failed, the first with" in done.stderr
    assert "device-side assert" in done.stderr


def test_a_server_with_chat_alone_is_asked_in_words_and_the_profile_ends() -> None:
    with serving(chat_alone) as server:
        done = call("profile", "-m", "api:m", "--base-url", server.url, "--no-studies", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["partial"] is False
    assert found["left_out"] == [
        "api:m by cloze: it has no continuations and no raw and no weigh",
    ]
    own = [run["score"] for run in found["studies"][0]["runs"] if run["suite"] == "starter"]
    assert own == ["sampled", "text"]


def tagged(number: int, **tags: str | bool) -> Item:
    tags = {"false_belief": number % 2 == 0, **tags}
    return Item(f"q{number}", "Where?", "tin", f"Story {number}.", ("tin", "jar"), tags=tags)


def test_a_screen_holds_no_more_kinds_of_items_than_a_person_reads() -> None:
    items = [tagged(n, **{f"tag{t}": f"v{n % 4}" for t in range(6)}) for n in range(8)]
    Suite("hard", tuple(items)).save("hard.jsonl")
    ran = call("run", "hard.jsonl", "-m", "baseline:oracle")
    assert ran.exit_code == 0, ran.output
    table = ran.stdout.split("\n\n")[1].splitlines()[2:]
    assert [line.split("  ")[0] for line in table[:4]] == ["all items", "false belief", "true belief", "tag0: v0"]
    assert len(table) == 11
    assert "16 more kinds of items: see the report, or --json" in ran.stdout
    assert "(of all choices together, median)" in ran.stdout
    shown = json.loads(call("run", "hard.jsonl", "-m", "baseline:oracle", "--json").stdout)
    assert len(shown["right"]) == 27


def test_the_list_of_runs_has_scores_and_says_on_how_many_answers() -> None:
    Suite("some", (tagged(0), tagged(1), tagged(2, scored=False))).save("some.jsonl")
    call("run", "some.jsonl", "-m", "baseline:oracle")
    (row,) = json.loads(call("runs", "--json").stdout)
    assert (row["right"], row["n"]) == (1.0, 2)
    listed = call("runs")
    head, _, line = [part for part in listed.stdout.splitlines() if part.strip()][:3]
    assert head.split()[-3:] == ["right", "n", "state"]
    assert line.split()[-3:] == ["1.00", "2", "done"]
    assert "right: the share of right answers" in listed.stderr
    answers = call("show", "last")
    assert "unscored" in answers.stdout
    assert "S: the probability of the right choice" in answers.stderr
