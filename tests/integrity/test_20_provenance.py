"""Every number is of the model that the run names: another one ends or marks the run, and a healthy one never does."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import otherminds as om
from otherminds.errors import EndpointError, OtherModel
from otherminds.models import Message, Origin, Prompt, Response
from otherminds.models.api.endpoint import Endpoint
from otherminds.models.api.provenance import Known, agree
from otherminds.results.labels import checks
from otherminds.runs.records import load
from otherminds.runs.shards import Shard, merge
from otherminds.store.packing import pack, remembered
from otherminds.store.store import Store
from tests.faults.bench import hasten, suite
from tests.integrity.switches import CLEAN, FORMS, KINDS, NEITHER, Bench, Case, healthy
from tests.integrity.switching_server import SwitchingServer, Version, always
from tests.models.scripted_server import Reply, chat
from tests.models.scripted_server import always as replying
from tests.shell import call

OLD = Version(fingerprint="fp_1")
RUN = ("run", "some.jsonl", "-m", "vllm:m", "--score", "letters", "--prompt", "raw")
ASKED = Prompt(messages=(Message("user", "Where is it?"),))


@pytest.fixture(scope="module")
def server() -> Iterator[SwitchingServer]:
    with SwitchingServer().running() as serving:
        yield serving


@pytest.fixture
def bench(server: SwitchingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    hasten(monkeypatch.setattr)
    server.begin(always(OLD))
    return Bench(server, tmp_path)


def model(server: SwitchingServer, **settings: Any) -> Endpoint:
    return Endpoint("m", base_url=server.url, api_key="", **settings)


# ── switches ──


@pytest.mark.parametrize("kind", KINDS)
def test_a_switch_never_ends_as_a_clean_run(bench: Bench, kind: str) -> None:
    case = Case(kind, FORMS[len(kind) % len(FORMS)], 1)
    assert KINDS[kind](bench, case) in ("error", "split", "disagreement"), bench.said


@pytest.mark.parametrize("kind", NEITHER)
def test_a_switch_that_no_canary_sees_is_seen_by_calls_asked_again_or_not_at_all(bench: Bench, kind: str) -> None:
    assert NEITHER[kind](bench, Case(kind, FORMS[0], 1)) in (CLEAN, "disagreement")


def test_healthy_servers_raise_no_alarm(bench: Bench) -> None:
    assert healthy(bench, 10) == []


def test_the_sentence_says_what_was_what_is_and_what_to_do(bench: Bench) -> None:
    case = Case("", FORMS[0], 3)
    bench.server.begin(case.from_here(replace(OLD, fingerprint="fp_2"), OLD))
    path = bench.new_store()
    assert bench.run(case, path) == "error"
    for words in ("'fp_1'", "'fp_2'", "replies", "are kept", "same command", "versions=any"):
        assert words in bench.said
    # The same command is another run, of the present version alone.
    assert bench.run(case, path) == CLEAN
    with Store(path) as store:
        now, before = store.runs()
    assert now.finished
    assert not before.finished
    assert now.manifest["identity"]["served"] == {"system_fingerprint": "fp_2"}
    assert before.manifest["identity"]["served"] == {"system_fingerprint": "fp_1"}


# ── what is part of the identity, and what is kept ──


def test_what_replies_say_is_part_of_who_a_model_is(server: SwitchingServer) -> None:
    server.begin(always(Version(model="m-2026-08", fingerprint="fp_1")))
    named = {"model": "m-2026-08", "system_fingerprint": "fp_1"}
    assert model(server).identity["served"] == named
    assert model(server, lacks="raw,weigh").identity["served"] == named
    assert model(server, versions="any").identity["versions"] == "any"
    assert "served" not in model(server, versions="any").identity


def test_a_server_that_says_nothing_keeps_its_identity(server: SwitchingServer) -> None:
    server.begin(always(Version()))
    assert "served" not in model(server).identity


def test_a_model_whose_server_is_away_is_known_by_what_it_said(bench: Bench) -> None:
    path = bench.new_store()
    assert bench.run(Case("", FORMS[0], 1), path) == CLEAN
    away = Endpoint("m", base_url=bench.server.url, api_key="")
    with Store(path) as store:
        found = remembered(away, store, "it is away")
    assert found
    assert found.identity["served"] == {"system_fingerprint": "fp_1"}


def test_every_call_keeps_its_origin(bench: Bench) -> None:
    path = bench.new_store()
    bench.run(Case("", FORMS[2], 1), path)
    with sqlite3.connect(path) as db:
        rows = db.execute("SELECT DISTINCT json_remove(json_extract(result, '$.origin'), '$.created') FROM calls")
        assert rows.fetchall() == [('{"model":"m","system_fingerprint":"fp_1","version":"0.9"}',)]
        assert db.execute("SELECT min(json_extract(result, '$.origin.created')) FROM calls").fetchone()[0] > 1e9
    db.close()


def test_an_origin_is_compared_by_nobody_else() -> None:
    one, other = (Response("A", origin=Origin("m", created=when)) for when in (1, 2))
    assert one == other
    assert "origin" not in pack(Response("A"))


def test_shards_that_overlap_merge_whenever_they_were_answered(bench: Bench, tmp_path: Path) -> None:
    asked = suite(12).using(score="letters", prompt="raw")
    stores = [Store(tmp_path / f"shard-{number}.db") for number in (1, 2)]
    for store in stores:
        om.run(asked, model(bench.server), store=store, shard=Shard(1, 2), quiet=True)
    with Store(tmp_path / "all.db") as whole:
        assert merge(whole, stores).calls
    for store in stores:
        store.close()


def test_parts_of_different_weights_are_not_clean_together(bench: Bench, tmp_path: Path) -> None:
    asked = suite(12).using(score="letters", prompt="raw")
    stores = [Store(tmp_path / f"part-{number}.db") for number in (1, 2)]
    for number, store in enumerate(stores, start=1):
        bench.server.begin(always(replace(OLD, weights=number)))
        om.run(asked, model(bench.server), store=store, shard=Shard(number, 2), quiet=True)
    with Store(tmp_path / "all.db") as whole:
        for _ in range(2):
            merge(whole, stores)
            (row,) = whole.runs()
            done = load(whole, row.id)
            assert not done.partial
            assert len(done.doubts) == 1
            assert "in one part" in done.doubts[0]
            assert done.manifest["provenance"]["versions"] == {"m fp_1 0.9": 24}
    for store in stores:
        store.close()


def test_a_run_that_was_killed_is_compared_with_the_canaries_it_began_with(bench: Bench, tmp_path: Path) -> None:
    path, copy = bench.new_store(), tmp_path / "copy.db"

    def look(done: int, _: int) -> None:
        if done >= 12 and not copy.exists():
            # What a kill would leave on disk.
            with closing(sqlite3.connect(path)) as db, closing(sqlite3.connect(copy)) as kept:
                db.backup(kept)

    case = Case("", FORMS[0], 1)
    assert bench.run(case, path, progress=look) == CLEAN
    bench.server.begin(always(replace(OLD, weights=2)))
    assert bench.run(case, copy) == "disagreement"
    assert "than before" in bench.said


def test_an_answer_of_several_replies_is_of_one_version(server: SwitchingServer) -> None:
    server.begin(lambda _: replace(OLD, fingerprint=f"fp_{server.random.random() < 0.3}"), seed=2)
    asked = [Prompt(text=f"It is number {number} in the", choices=(" box", " bag")) for number in range(8)]
    for found in model(server, versions="any", lacks="prefill").weigh(asked):
        assert found.origin or "two versions" in found.error


@pytest.mark.parametrize("odd", [None, 7, 10**400, ["m"], "\ud800", "x" * 10_000])
def test_a_name_that_is_none_is_no_reason_to_stop(odd: Any) -> None:
    said = chat("hm").body | {"model": odd, "system_fingerprint": odd, "created": odd}
    with replying(Reply(said)) as serving:
        found = Endpoint("m", base_url=serving.url, api_key="", lacks="weigh").ask([ASKED])[0]
    assert found.text == "hm"
    assert len(found.origin.model if found.origin else "") <= 200


# ── canaries and calls asked again ──


def test_canaries_and_calls_asked_again_are_counted_apart(bench: Bench) -> None:
    asked = suite(12).using(score="letters", prompt="raw")
    done = om.run(asked, model(bench.server), recheck=1.0, quiet=True)
    calls = done.manifest["calls"]
    assert (calls["made"], calls["canaries"], calls["rechecked"]) == (24, 24, 24)
    assert checks(done) == "24 of 24 calls agree; canaries 8 of 8"
    assert bench.server.asked == 48


def test_the_canaries_of_a_store_are_asked_twice_at_the_start_of_its_first_run_alone(bench: Bench) -> None:
    who = model(bench.server)
    with Store(bench.new_store()) as store:
        done = [
            om.run(suite(items).using(score="letters", prompt="raw"), who, store=store, quiet=True)
            for items in (8, 16, 24)
        ]
    assert [run.manifest["calls"]["canaries"] for run in done] == [24, 16, 16]


def test_a_run_that_has_all_its_answers_asks_nothing(bench: Bench) -> None:
    path, case = bench.new_store(), Case("", FORMS[1], 1)
    bench.run(case, path, recheck=0.5)
    asked, tried = bench.server.asked, bench.server.checks
    assert bench.run(case, path, recheck=0.5) == CLEAN
    assert bench.server.asked == asked
    assert bench.server.checks - tried <= tried - 24, "neither canaries nor the scale"


def test_a_run_that_goes_on_asks_the_same_calls_again(bench: Bench) -> None:
    asked = suite(24).using(score="letters", prompt="raw")
    whole = om.run(asked, model(bench.server), recheck=0.3, quiet=True).manifest["provenance"]["rechecked"]
    store = Store(bench.new_store())

    def stop(done: int, _: int) -> None:
        if done >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        om.run(asked, model(bench.server, parallel=1), recheck=0.3, store=store, progress=stop, quiet=True)
    halves = om.run(asked, model(bench.server), recheck=0.3, store=store, quiet=True).manifest["provenance"]
    # Ctrl-C may have come before some of the first half were asked again; nothing else is.
    assert 0 < halves["rechecked"]["compared"] <= whole["compared"]
    store.close()


def test_a_budget_counts_canaries_and_a_small_one_has_no_room_for_them(bench: Bench) -> None:
    asked = suite(12).using(score="letters", prompt="raw")
    done = om.run(asked, model(bench.server), budget=om.Budget(calls=10), quiet=True)
    assert done.manifest["calls"]["made"] == 10
    assert "canaries" not in done.manifest["calls"]
    done = om.run(asked, model(bench.server), budget=om.Budget(calls=100), quiet=True)
    assert (done.manifest["calls"]["made"], done.manifest["calls"]["canaries"]) == (24, 24)
    done = om.run(suite(50).using(score="letters", prompt="raw"), model(bench.server), budget=om.Budget(calls=100))
    assert (done.manifest["calls"]["made"], done.manifest["calls"]["canaries"]) == (76, 24)


def test_a_server_that_is_gone_at_the_end_leaves_a_doubt_that_the_same_command_removes(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, case = bench.new_store(), Case("", FORMS[0], 1)
    with monkeypatch.context() as patch:

        def gone(self: Endpoint) -> None:
            raise EndpointError("it cannot be reached")

        patch.setattr(Endpoint, "confirm", lambda self: gone(self) if bench.server.asked == 24 else None)
        assert bench.run(case, path) == "disagreement"
        assert "cannot be reached" in bench.said
    assert bench.run(case, path) == CLEAN
    assert bench.server.asked == 24


def test_with_sampling_agreement_is_reported_and_raises_no_alarm(bench: Bench) -> None:
    bench.server.begin(always(replace(OLD, drawing=True)))
    done = om.run(
        suite(12).using(score="text", prompt="direct"),
        model(bench.server, temperature=0.7),
        recheck=1.0,
        quiet=True,
    )
    assert done.doubts == ()
    assert checks(done).endswith("calls agree; canaries 0 of 8")


def test_batching_is_within_the_tolerance_and_other_weights_are_not() -> None:
    assert agree({"A": [-0.5, -0.5, 1]}, {"A": [-0.54, -0.54, 1]})
    assert agree({"A": [-9.0, -9.0, 1]}, {"A": [-9.25, -9.25, 1]})
    assert agree({"A": [None, -7.0, 1]}, {"A": [-7.5, -7.5, 1]})
    assert not agree({"A": [-0.5, -0.5, 1]}, {"A": [-0.7, -0.7, 1]})
    assert not agree({"A": [None, -7.0, 1]}, {"A": [-2.0, -2.0, 1]})
    assert agree({" box": [-4.0, -4.0, 4]}, {" box": [-4.3, -4.3, 4]})


def test_a_text_that_comes_back_is_a_tie_and_one_that_does_not_has_changed() -> None:
    known = Known([["red"]] * 8)
    replies = iter(["blue", "red"])
    assert known.compare(["blue", *["red"] * 7], lambda places: [next(replies) for _ in places]) == 0
    assert known.varied == 1
    asked = []

    def never(places: Any) -> list[str]:
        asked.extend(places)
        return ["green" for _ in places]

    assert known.compare(["green", *["red"] * 7], never) == 1
    assert len(asked) < 30


# ── where it is said ──


def test_a_run_that_is_not_clean_says_so_everywhere(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    suite(12).save(tmp_path / "some.jsonl")
    case = Case("", FORMS[0], 3)
    bench.server.begin(case.from_here(replace(OLD, weights=2), OLD))
    given = (*RUN, "--base-url", bench.server.url)
    with caplog.at_level(logging.WARNING):
        done = call(*given, "--recheck", "0.2")
    assert done.exit_code == 4
    assert "canaries are answered otherwise at the end of this run" in done.stderr
    assert "canaries 0 of 8" in done.stdout
    assert "another --store" in caplog.text
    for command in (("show", "last"), ("report", "last"), ("check", "last", "--min", "all>=0")):
        said = call(*command)
        assert "is not clean" in said.stderr, command
        assert said.exit_code == (1 if command[0] == "check" else 0)
    assert "is not clean" in (tmp_path / "report.html").read_text()
    again = call(*given)
    assert again.exit_code == 4, "the same command asks nothing, and the run is what it was"


def test_a_clean_run_says_what_was_compared(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    suite(12).save(tmp_path / "some.jsonl")
    given = (*RUN, "--base-url", bench.server.url)
    forecast = call(*given, "--recheck", "0.25", "--dry-run")
    assert "54" in forecast.stdout, "24 of the suite, 24 canaries and 6 asked again"
    done = call(*given, "--recheck", "1")
    assert done.exit_code == 0, done.output
    assert "asked again: 24 of 24 calls agree; canaries 8 of 8" in done.stdout
    assert call("report", "last").exit_code == 0
    page = (tmp_path / "report.html").read_text()
    assert "24 of 24 calls agree" in page
    assert "m fp_1 0.9" in page


def test_a_change_is_an_error_of_its_own(server: SwitchingServer) -> None:
    server.begin(lambda asked: replace(OLD, fingerprint="fp_2") if asked else OLD)
    who = model(server)
    assert who.identity
    assert who.ask([ASKED])[0].text
    with pytest.raises(OtherModel, match="after 1 replies"):
        who.ask([ASKED])
