"""Inspect's own provider on loopback: what is evaluated there with its client is read back and diagnosed here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import otherminds as om
from otherminds.cli import cli
from otherminds.errors import ModelError
from otherminds.items import Item, Suite
from otherminds.items.tags import REALITY
from otherminds.models import get_model
from otherminds.results.exports import inspect_files
from otherminds.runs.runs import Run, load
from otherminds.store.store import Store
from otherminds.studies.starter.study import starter
from tests.models.scripted_server import Call, Reply, Serving, chat, serving
from tests.persona_server import Kind, Persona, answerer

pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
pytest.importorskip("openai", reason="Inspect's provider for servers of this kind needs it")
pytestmark = pytest.mark.filterwarnings("default")  # Inspect gives many

CHAT, RAW = "openai-api/loop/m", "openai-api-completions/loop/m"
SURE = 0.97


@pytest.fixture(autouse=True)
def a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOP_API_KEY", "none")


def from_reality(item: Item) -> float:
    """A realist: nearly sure of what is really so, right or wrong."""
    return SURE if item.meta[REALITY] == item.answer else 1 - SURE


def suite_of(score: str, prompt: str) -> Suite:
    return starter().using(score=score, prompt=prompt)


def whole(call: Call, reply: Reply) -> Reply:
    """A reply with all that a server of this kind sends and that the client of OpenAI insists on."""
    if reply.status != 200:
        return reply
    (choice,) = reply.body["choices"]
    if listed := (choice.get("logprobs") or {}).get("top_logprobs"):
        likeliest = max(listed[0], key=listed[0].__getitem__)
        choice["logprobs"] |= {"tokens": [likeliest], "token_logprobs": [listed[0][likeliest]], "text_offset": [0]}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    head = {"id": "1", "created": 1, "model": call.body["model"], "object": "text_completion"}
    return Reply({**head, "choices": [choice | {"index": 0}], "usage": usage})


def server_of(kind: Kind, suite: Suite) -> Iterator[Serving]:
    persona = Persona(from_reality)
    persona.learn(suite.items)
    answer = answerer(persona, kind)
    with serving(lambda call: whole(call, answer(call))) as server:
        yield server


@pytest.fixture
def texts() -> Iterator[Serving]:
    yield from server_of("chat", starter())


@pytest.fixture
def letters() -> Iterator[Serving]:
    yield from server_of("completions top-20", starter())


def evaluated(server: Serving, model: str, tmp_path: Path, task: str = "otherminds/starter", **args: str) -> Path:
    """The log of Inspect's own evaluation of our task, by its entry point or as a file."""
    from inspect_ai import eval

    (log,) = eval(
        task,
        model=model,
        model_base_url=server.url,
        task_args=args,
        display="none",
        log_dir=str(tmp_path / "logs"),
        log_format="eval",
    )
    assert log.status == "success", log.error
    return Path(log.location)


def back(log: Path, tmp_path: Path) -> Run:
    from otherminds.bridges.inspect.logs import read

    with Store(tmp_path / "store.db") as store:
        return load(store, read(log, store).id)


def is_a_realist(run: Run) -> bool:
    found = om.diagnose(run)
    return found.dominant == "realist" and found.shares["realist"].low > 0.8


def test_texts_of_its_provider_are_diagnosed(texts: Serving, tmp_path: Path) -> None:
    run = back(evaluated(texts, CHAT, tmp_path, score="text", prompt="direct"), tmp_path)
    assert len(texts.calls) == len(run.records) == len(starter())
    assert {call.path for call in texts.calls} == {"/v1/chat/completions"}
    here = om.run(suite_of("text", "direct"), get_model("api:m", base_url=texts.url))
    assert run.values() == here.values()
    assert run.mean(false_belief=True) == 0.0
    assert is_a_realist(run)


def test_next_tokens_of_its_provider_are_weighed_and_diagnosed(letters: Serving, tmp_path: Path) -> None:
    log = evaluated(letters, RAW, tmp_path, score="letters", prompt="raw")
    run = back(log, tmp_path)
    items = {item.id: item for item in starter()}
    # Not closer: "A" without the space is not among the tokens reported, and counts at the middle of its bounds.
    assert run.values("S") == pytest.approx({id: from_reality(items[id]) for id in items}, abs=1e-3)
    assert is_a_realist(run)
    shown = CliRunner().invoke(cli, ["import", str(log), "--store", str(tmp_path / "again.db")])
    assert shown.exit_code == 0, shown.output
    named = CliRunner().invoke(cli, ["diagnose", "last", "--store", str(tmp_path / "again.db")])
    assert "realist" in named.stdout


def test_a_task_that_was_exported_and_knows_nothing_of_us_is_diagnosed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "exported"
    folder.mkdir()
    for name, text in inspect_files(starter()).items():
        (folder / name).write_text(text, encoding="utf-8")

    def by_reality(call: Call) -> Reply:
        asked = call.body["messages"][-1]["content"]
        item = next(item for item in starter() if f"{item.context}\n\n{item.question}" in asked)
        shown = dict(reversed(line.split(") ", 1)) for line in asked.splitlines() if line[1:3] == ") ")
        return whole(call, chat(f"ANSWER: {shown[item.meta[REALITY]]}"))

    monkeypatch.chdir(folder)
    with serving(by_reality) as server:
        run = back(evaluated(server, CHAT, tmp_path, "task.py"), tmp_path)
    assert run.suite == "starter"
    assert run.values() == om.run(starter(), om.realist(starter())).values()
    assert {record.item.id: record.item for record in run.records} == {item.id: item for item in starter()}
    assert is_a_realist(run)


def test_its_provider_is_a_model_of_ours(texts: Serving, letters: Serving) -> None:
    asked = om.run(suite_of("text", "direct"), get_model(f"inspect:{CHAT}", base_url=texts.url))
    assert asked.mean(false_belief=True) == 0.0
    assert is_a_realist(asked)
    weighed = om.run(suite_of("letters", "raw"), get_model(f"inspect:{RAW}", base_url=letters.url))
    direct = om.run(suite_of("letters", "raw"), get_model("api:m", base_url=letters.url))
    assert weighed.values("S") == pytest.approx(direct.values("S"), abs=1e-6)
    with pytest.raises(ModelError, match="no log-probabilities"):
        om.run(suite_of("letters", "direct"), get_model(f"inspect:{CHAT}", base_url=texts.url))
