"""The command line as seen from the shell: exit codes, JSON, sentences instead of tracebacks, and no key anywhere."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import click
import pytest
from click.testing import Result

from otherminds.cli import COMMANDS, cli
from otherminds.errors import ModelError
from otherminds.heuristics.readers import BASELINES, Reader, reader
from otherminds.items import Suite
from otherminds.models import Prompt, Response
from otherminds.models.scripted import Scripted
from otherminds.runs import runs as running
from otherminds.store.store import RunRow, Store
from tests.shell import call, data, fails

pytestmark = pytest.mark.usefixtures("own_folder")

KEY = "sk-test-4f1c9a72e0b3"
BAD_FILE = """{"otherminds": 1, "suite": "mine"}
{"id": "a", "question": "Where?", "answer": "box", "choices": ["tin", "jar"]}
"""


# ── 0: it works ──


def test_run_show_runs_compare_and_report(own_folder: Path) -> None:
    realist = data("run", "starter", "-m", "baseline:realist")
    assert [row["value"] for row in realist["right"][:3]] == [0.5, 0.0, 1.0]
    assert (realist["manifest"]["calls"]["made"], realist["manifest"]["calls"]["reused"]) == (96, 0)
    oracle = data("run", "starter", "-m", "baseline:oracle", "--score", "cloze")
    assert [row["id"] for row in data("runs")] == [oracle["run"], realist["run"]]

    shown = data("show", "last", "bakery-key-false")
    assert shown["score"]["verdict"] == "correct"
    assert shown["calls"][0]["rendered"].endswith("Nadia will look for the key in the")

    compared = data("compare", oracle["run"], realist["run"])
    assert compared["rows"][0]["value"] == 0.5
    assert len(compared["gained"]) == len(compared["changed"]) == 24
    assert compared["lost"] == []
    assert compared["changed"][0]["question"] == "Where will Nadia look for the key first?"
    assert all(row["holm"] >= row["p"] for row in compared["rows"])
    told = call("compare", oracle["run"], realist["run"], "-o", "pages/c.html").stdout
    assert "<h1>oracle beside realist</h1>" in (own_folder / "pages/c.html").read_text(encoding="utf-8")
    assert "p (Holm)" in told
    assert "Where will Nadia look for the key" in told
    assert "and 12 more (--json has all)" in told

    assert data("report", "last", realist["run"][:6], "-o", "pages/r.html")["report"] == "pages/r.html"
    assert "<h1>" in (own_folder / "pages/r.html").read_text(encoding="utf-8")


def test_output_for_people() -> None:
    ran = call("run", "starter", "-m", "baseline:realist")
    assert "0.00 [0.00, 0.10], n = 24" in ran.stdout
    assert "24 correct, 24 incorrect" in ran.stdout
    assert "realist" in call("runs").stdout
    shown = call("show", "last", "bakery-key-false").stdout
    for part in (
        "story\n  Nadia runs",
        "teapot (right)",
        "prompt 1, exactly as sent",
        "p = 0.95",
        "right answer\n  teapot",
    ):
        assert part in shown
    assert call("report", "last").stdout == "report.html\n"


def test_a_second_run_asks_nothing() -> None:
    data("run", "starter", "-m", "baseline:oracle")
    counted = data("run", "starter", "-m", "baseline:oracle")["manifest"]["calls"]
    assert (counted["made"], counted["reused"], counted["in_all"]["made"]) == (0, 96, 96)


def test_dry_run_asks_nothing_and_leaves_nothing(own_folder: Path) -> None:
    forecast = data("run", "starter", "-m", "baseline:oracle", "--dry-run")
    assert (forecast["items"], forecast["calls"], forecast["known"]) == (48, 96, 0)
    assert list(own_folder.iterdir()) == []


def test_the_store_can_be_named_by_the_environment(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHERMINDS_STORE", "elsewhere.db")
    data("run", "starter", "-m", "baseline:oracle", "--limit", "2")
    assert (own_folder / "elsewhere.db").exists()
    assert not (own_folder / "otherminds.db").exists()


def test_profile_writes_a_report_and_names_it_last(own_folder: Path) -> None:
    done = call("profile", "-m", "baseline:realist", "-o", "out", "--no-studies")
    assert done.exit_code == 0, done.stderr
    assert done.stdout == "out/profile.html\n"
    page = (own_folder / "out/profile.html").read_text(encoding="utf-8")
    for part in ("letters", "cloze", "text", "realist", "oracle"):
        assert part in page
    again = data("profile", "-m", "baseline:realist", "-o", "out", "--no-studies")
    assert len(again["studies"][0]["runs"]) == 3


def test_models_and_doctor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OTHERMINDS_CACHE", str(tmp_path / "cache"))
    assert {"smollm2", "gemma-270m", "api:NAME"} <= {row["name"] for row in data("models")}
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    found = data("doctor")
    assert found["cache"] == str(tmp_path / "cache")
    assert found["key"] == "OPENAI_API_KEY is set"
    assert KEY not in json.dumps(found)
    assert "otherminds models get smollm2" in call("doctor").stdout


def test_every_command_has_json_and_help() -> None:
    for name in COMMANDS:
        helped, command = call(name, "--help"), cli.get_command(click.Context(cli), name)
        assert command is not None
        assert helped.exit_code == 0
        assert "--json" in helped.stdout
        assert command.get_short_help_str(60).endswith(".")
        assert "..." not in command.get_short_help_str(68)


# ── 1: it failed ──


def test_a_bad_file_is_refused_by_line_and_field(own_folder: Path) -> None:
    (own_folder / "mine.jsonl").write_text(BAD_FILE, encoding="utf-8")
    said = fails(1, "run", "mine.jsonl", "-m", "baseline:oracle")
    assert "line 2" in said
    assert "answer 'box'" in said
    assert "no file nowhere.jsonl" in fails(2, "run", "nowhere.jsonl")


def test_a_store_that_is_none(own_folder: Path) -> None:
    (own_folder / "otherminds.db").write_text("a shopping list, and by no means a database " * 40, encoding="utf-8")
    assert "not a database" in fails(1, "run", "starter", "-m", "baseline:oracle")
    assert "there is no store" in fails(2, "runs", "--store", "none.db")


def test_an_error_cannot_steer_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    def rude(*_: object, **__: object) -> None:
        raise ModelError("the server says\n\x1b[2Jnothing")

    monkeypatch.setattr(running, "run", rude)
    said = fails(1, "run", "starter", "-m", "baseline:oracle")
    assert said == "error: the server says \\x1b[2Jnothing\n"


def test_terms_are_shown_before_weights_are_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OTHERMINDS_CACHE", str(tmp_path / "cache"))
    for args in (["models", "get", "gemma-270m"], ["run", "starter", "-m", "gemma-270m"]):
        assert "--accept-licence" in fails(1, *args)


def test_a_fault_of_ours_is_a_sentence_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("the cat sat on it")

    monkeypatch.setattr(running, "run", broken)
    assert "ValueError: the cat sat on it" in fails(1, "run", "starter", "-m", "baseline:oracle")
    for args in (["--debug", "run", "starter"], ["run", "starter", "--debug"]):
        assert isinstance(call(*args, "-m", "baseline:oracle").exception, ValueError)


def test_when_every_call_fails_so_does_the_run() -> None:
    with loopback(400, {"error": {"message": "this one is too long"}}) as url:
        done = call("run", "starter", "-m", "api:m", "--base-url", url, "--score", "text", "--limit", "2")
    assert done.exit_code == 1, done.output
    assert "2 of 2 items failed" in done.stderr


# ── 2: it was asked wrongly ──


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["run", "stater"], "did you mean 'starter'"),
        (["run", "starter", "-m", "smolm2"], "did you mean smollm2"),
        (["run", "starter", "-m", "baseline:liar"], "there is no baseline 'liar'"),
        (["run", "starter", "-m", "smollm2", "-M", "colour=red"], "no setting 'colour'"),
        (["run", "starter", "-M", "temperature"], "should be KEY=VALUE"),
        (["run", "starter", "-m", "smollm2", "-M", "temperature=hot"], "temperature should be a number, not 'hot'"),
        (["run", "starter", "-m", "baseline:oracle", "--score", "charm"], "there is no score 'charm'"),
        (["run", "starter", "-m", "baseline:oracle", "--prompt", "shout"], "there is no prompt 'shout'"),
        (["run", "starter", "-m", "baseline:oracle", "--budget", "calls=few"], "calls=100"),
        (["run", "starter", "-m", "baseline:oracle", "--budget", "luck=3"], "not 'luck'"),
        (["run", "starter", "-m", "api:m"], "needs base_url"),
        (["run", "starter", "-m", "smollm2", "-m", "baseline:oracle"], "takes one model, not 2"),
        (["models", "probe", "baseline:oracle"], "made from the questions"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage(args: list[str], said: str) -> None:
    assert said in fails(2, *args)


@pytest.mark.parametrize("args", [["run"], ["fly"], ["run", "starter", "--limit", "0"], ["show"], ["report"]])
def test_click_says_what_is_missing(args: list[str]) -> None:
    done = call(*args)
    assert done.exit_code == 2
    assert "Usage: otherminds" in done.stderr
    assert done.stdout == ""


def test_last_is_the_run_that_was_asked_last() -> None:
    oracle, realist, again = (
        data("run", "starter", "-m", f"baseline:{name}", "--limit", "2")["run"]
        for name in ("oracle", "realist", "oracle")
    )
    assert oracle == again != realist
    assert data("show", "last")["run"] == oracle


def test_runs_tells_what_is_under_way() -> None:
    row = RunRow("abc123", "small", "d", "model", "f", "raw", "text", {}, "2026-01-01T00:00:00")
    with Store("otherminds.db") as store:
        store.begin_run(row)
        assert data("runs")[0]["state"] == "running"
        assert "running" in call("runs").stdout
    assert data("runs")[0]["state"] == "stopped"
    assert "has no run with an answer yet" in fails(2, "show", "last")


def test_unknown_runs_and_items() -> None:
    call("run", "starter", "-m", "baseline:oracle", "--limit", "2")
    assert "did you mean" in fails(2, "show", "last", data("show", "last")["records"][0]["item"]["id"] + "x")
    assert "has no run 'zz'" in fails(2, "show", "zz")


# ── 3: it stopped before the end ──


def test_a_spent_budget_leaves_a_partial_run_that_goes_on() -> None:
    done = call("run", "starter", "-m", "baseline:oracle", "--budget", "calls=10", "--json")
    assert done.exit_code == 3
    assert json.loads(done.stdout)["partial"] is True
    assert "the budget of 10 calls is spent; give the same command again" in done.stderr
    assert "stopped" in call("runs").stdout
    counted = data("run", "starter", "-m", "baseline:oracle")["manifest"]["calls"]
    assert (counted["made"], counted["reused"]) == (86, 10)
    assert (counted["in_all"]["sittings"], counted["in_all"]["made"]) == (2, 96)


def test_ctrl_c_says_that_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "run", interrupted)
    assert "what was answered is kept" in fails(3, "run", "starter", "-m", "baseline:oracle")


def test_single_failures_make_a_run_partial(monkeypatch: pytest.MonkeyPatch) -> None:
    def grumpy(prompt: Prompt) -> Response:
        return Response(error="too long for me") if "Nadia" in str(prompt.messages) else Response("A")

    monkeypatch.setitem(BASELINES, "grumpy", lambda suite: Scripted(grumpy, name="grumpy"))
    done = call("run", "starter", "-m", "baseline:grumpy", "--score", "text", "--prompt", "direct")
    assert done.exit_code == 3, done.output
    assert "2 of 48 items failed, the first with: too long for me" in done.stderr
    assert "2 error" in done.stdout


def test_a_profile_with_a_way_that_failed_is_partial(monkeypatch: pytest.MonkeyPatch) -> None:
    def mute(_: Sequence[Prompt]) -> list[Response]:
        raise ModelError("it lost its voice")

    def made(suite: Suite) -> Reader:
        silent = reader("mute", suite, lambda item: [item.answer])
        silent.ask = mute  # type: ignore[method-assign]
        return silent

    monkeypatch.setitem(BASELINES, "mute", made)
    done = call("profile", "-m", "baseline:mute", "--no-studies", "--json")
    assert done.exit_code == 3
    assert json.loads(done.stdout)["studies"][0]["cut"] == ["mute by text: it lost its voice"]


def test_a_profile_where_nothing_works_fails(own_folder: Path) -> None:
    with loopback(401, {"error": {"message": "no"}}) as url:
        done = call("profile", "-m", "api:m", "--base-url", url, "--no-studies")
    assert done.exit_code == 1
    assert "refuses us (401: no); set OPENAI_API_KEY" in done.stderr
    assert not (own_folder / "profile/profile.html").exists()


# ── a key is never seen ──


@contextmanager
def loopback(status: int, body: Any) -> Iterator[str]:
    """A server that gives every POST the same answer."""

    class Same(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            self.reply(404, {})

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.reply(status, body)

        def reply(self, code: int, content: Any) -> None:
            payload = json.dumps(content).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Same)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def seen_anywhere(folder: Path, *done: Result) -> bool:
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert files
    return any(KEY.encode() in content for content in files) or any(KEY in result.output for result in done)


def test_a_key_reaches_neither_screen_nor_store_nor_report(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    answer = {"choices": [{"message": {"role": "assistant", "content": "A"}, "finish_reason": "stop"}]}
    with loopback(200, answer) as url:
        api = ["-m", "api:m", "--base-url", url]
        run = call("run", "starter", *api, "--score", "text", "--prompt", "direct", "--limit", "4")
        assert run.exit_code == 0, run.output
        probe = call("models", "probe", "api:m", "--base-url", url)
    others = [call("show", "last", "--json"), call("runs", "--json"), call("report", "last"), call("doctor", "--json")]
    assert all(done.exit_code == 0 for done in others)
    assert not seen_anywhere(own_folder, run, probe, *others)


def test_a_server_that_repeats_the_key_is_not_quoted(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with loopback(401, {"error": {"message": f"the key {KEY} is not valid"}}) as url:
        done = call("run", "starter", "-m", "api:m", "--base-url", url, "--score", "text")
    assert done.exit_code == 1
    assert done.stderr.startswith("error: ")
    assert not seen_anywhere(own_folder, done)


def test_a_key_on_the_command_line_is_refused() -> None:
    said = fails(2, "run", "starter", "-m", "api:m", "-M", f"api_key={KEY}")
    assert "OPENAI_API_KEY" in said
    assert KEY not in said
