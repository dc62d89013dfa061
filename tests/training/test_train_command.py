"""A small Llama learns from lessons on the CPU; a run that is killed goes on to the same weights."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.items import Item, Suite
from otherminds.models import Prompt, adapters, fingerprint, get_model
from tests.models.tiny import write_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")

from otherminds.training.bases import encoder_of  # noqa: E402
from otherminds.training.encoding import EncodedShard, pack  # noqa: E402
from otherminds.training.exams import as_lesson, examine_suite  # noqa: E402
from otherminds.training.loop import Machine, Settings, outputs  # noqa: E402
from otherminds.training.weights import from_gguf  # noqa: E402

SMALL = ("--device", "cpu", "--rows", "2", "--length", "512", "--rate", "0.01", "--warm-up", "3", "--steps", "20")


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Matrices so small are slower on several threads, and threads change the last digit of a sum."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def call(*args: str | Path) -> str:
    done = CliRunner().invoke(cli, list(map(str, args)), prog_name="otherminds")
    assert done.exit_code == 0, done.output
    return done.output


def refuses(*args: str | Path) -> str:
    done = CliRunner().invoke(cli, list(map(str, args)), prog_name="otherminds")
    assert done.exit_code in (1, 2), done.output
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def lessons(folder: Path, base: Path, *more: str) -> Path:
    few = ("--shards", "1", "--size", "30", "--grammars", "terse", "--people", "2", "--questions", "3")
    call("build", "lessons", "-o", folder, "--model", f"gguf:{base}", "--processes", "1", *few, *more)
    return folder


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("school")
    base = write_tiny(folder / "tiny.gguf")
    lessons(folder / "data", base)
    lessons(folder / "exam", base, "--test", "--seed", "9", "--size", "120")
    return folder


def args(school: Path, out: Path, *more: str | Path) -> list[str]:
    base = ["train", school / "data", "-o", out, "-m", f"gguf:{school / 'tiny.gguf'}", *SMALL, *more]
    return list(map(str, base))


def losses(out: Path) -> list[float]:
    return [json.loads(line)["loss"] for line in (out / "curve.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("how", [("--full",), ("--rank", "4"), ("--rank", "4", "--replay", "4", "--replay-rows", "1")])
def test_the_loss_falls_in_twenty_steps(school: Path, tmp_path: Path, how: Sequence[str]) -> None:
    call(*args(school, tmp_path, *how, "--exam", school / "exam", "--keep", "10"))
    found = losses(tmp_path)
    assert len(found) == 10
    assert found[-1] < 0.7 * found[0]
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert list(scores) == ["before", "step-10", "adapter"]
    right, number = scores["adapter"]["exam"]["all"]
    assert 0 <= right <= 1
    assert number == sum(n for kind, (_, n) in scores["adapter"]["exam"].items() if kind != "all") > 20


def test_what_was_learned_is_a_model(school: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHERMINDS_CACHE", str(tmp_path / "cache"))
    call(*args(school, tmp_path / "out", "--rank", "8"))
    base, file = f"gguf:{school / 'tiny.gguf'}", tmp_path / "out" / "adapter.safetensors"
    before, after = get_model(base), get_model(f"{base}+{file}")
    prompt = Prompt(text="the red box", choices=(" red", " box"))
    assert fingerprint(before) != fingerprint(after)
    assert before.weigh([prompt])[0].logprobs != after.weigh([prompt])[0].logprobs
    call(*args(school, tmp_path / "more", "--from", file, "--steps", "2"))
    assert (tmp_path / "more" / "adapter.safetensors").exists()


def test_killed_and_gone_on_it_comes_to_the_same_weights(school: Path, tmp_path: Path) -> None:
    straight, killed = tmp_path / "straight", tmp_path / "killed"
    call(*args(school, straight, "--rank", "4"))
    command = [sys.executable, "-m", "otherminds", *args(school, killed, "--rank", "4", "--save-every", "3")]
    process = subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, stderr=subprocess.DEVNULL)
    while not (killed / "state.pt").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it was over before it could be killed"
    assert not (killed / "adapter.safetensors").exists()
    call(*args(school, killed, "--rank", "4", "--save-every", "3"))
    one, other = (adapters.read(folder / "adapter.safetensors") for folder in (straight, killed))
    assert one.parts.keys() == other.parts.keys()
    for name, (down, up) in one.parts.items():
        np.testing.assert_allclose(down, other.parts[name][0], atol=1e-5)
        np.testing.assert_allclose(up, other.parts[name][1], atol=1e-5)
    assert "another rate" in refuses(*args(school, killed, "--rank", "4", "--rate", "0.02"))


def test_suites_and_plain_text_are_scored_before_in_between_and_after(school: Path, tmp_path: Path) -> None:
    told = {"a": ("The red box is in the attic.", "attic", "reality"), "b": ("x" * 600, "y", "too long")}
    items = [Item(id, text, "Where is it?", key, (), tags={"kind": kind}) for id, (text, key, kind) in told.items()]
    suite, text = tmp_path / "few.jsonl", tmp_path / "text.txt"
    Suite("few", tuple(items)).save(suite)
    text.write_text("A red box and a tree. " * 40)
    more = ("--rank", "4", "--steps", "4", "--examine-every", "2", "--exam", suite, "--plain", text)
    call(*args(school, tmp_path / "out", *more))
    scores = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert list(scores) == ["before", "step-2", "adapter"]
    for name in scores:
        assert scores[name]["few.jsonl"] == {"reality": [0.0, 1], "all": [0.0, 1]}
        bits, characters = scores[name]["text.txt"]["bits_per_character"]
        assert characters == 880
        assert 1 < bits < 20
    assert scores["before"]["text.txt"] != scores["step-2"]["text.txt"] != scores["adapter"]["text.txt"]


def test_an_item_is_right_where_the_answer_is_what_the_model_says(school: Path, tmp_path: Path) -> None:
    """Taught nothing but the answers of a suite, a network has them all; of one with other answers, none."""
    base = school / "tiny.gguf"
    encoder, network = encoder_of(base), from_gguf(base)
    items = tuple(Item(str(n), f"story {n}", "Where is it?", f"at {n}", ()) for n in range(3))
    wrong = tuple(replace(item, answer="nowhere") for item in items)
    for name, some in (("right", items), ("wrong", wrong)):
        Suite(name, some).save(tmp_path / f"{name}.jsonl")
    machine, settings = Machine("cpu"), Settings(length=128, rows=1)
    put = machine.put(pack(EncodedShard.of(encoder.lesson(as_lesson(item)) for item in items), 128))
    learning = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(40):
        learning.zero_grad()
        torch.nn.functional.cross_entropy(outputs(network, put), put["targets"]).backward()
        learning.step()
    for name, share in (("right", 1.0), ("wrong", 0.0)):
        assert examine_suite(network, tmp_path / f"{name}.jsonl", encoder, machine, settings)["all"] == (share, 3)


# ---- bad input -----------------------------------------------------------------------------------------------------


def test_what_cannot_be_trained_is_said_in_a_sentence(school: Path, tmp_path: Path) -> None:
    other = write_tiny(tmp_path / "other.gguf", seed=1)
    foreign, empty = tmp_path / "foreign", tmp_path / "empty.txt"
    empty.touch()
    call(*args(school, foreign, "--steps", "1"))
    for words, more in {
        "was made for weights with the digest": ("-m", f"gguf:{other}", "--from", foreign / "adapter.safetensors"),
        "give one of --full and --from": ("--full", "--from", "beliefs"),
        "cannot be trained here": ("-m", "api:gpt"),
        "there is no file": ("-m", "gguf:nowhere.gguf"),
        "there is no adapter 'belefs' (did you mean beliefs?)": ("--from", "belefs"),
        "fits into 64 tokens; give a greater --length": ("--length", "64"),
        "--keep takes numbers of steps": ("--keep", "8,x"),
        "leave some to learn": ("--replay", "4", "--replay-rows", "2"),
        "there is no file nowhere.txt": ("--plain", "nowhere.txt"),
        "there is no file nowhere.jsonl": ("--exam", "nowhere.jsonl"),
        "two exams are called exam": ("--exam", school / "exam", "--exam", school / "exam"),
        "holds no text that could be foretold": ("--plain", empty),
    }.items():
        assert words in refuses(*args(school, tmp_path / "out", *more))
    (tmp_path / "file").touch()
    assert "cannot be made" in refuses(*args(school, tmp_path / "file" / "below"))
    plain = args(school, tmp_path / "out")
    assert "holds test stories" in refuses("train", school / "exam", *plain[2:])
    assert "has no recipe.json" in refuses("train", tmp_path, *plain[2:])
    (tmp_path / "recipe.json").write_text("{}")
    assert "make the folder anew" in refuses("train", tmp_path, *plain[2:])


def test_lessons_for_another_tokenizer_are_refused(school: Path, tmp_path: Path) -> None:
    plain = write_tiny(tmp_path / "base.gguf", template="")
    assert "was not encoded for gguf:" in refuses(*args(school, tmp_path / "out", "-m", f"gguf:{plain}"))


def test_no_gpu_and_too_little_memory(school: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "there is no GPU that torch can use" in refuses(*args(school, tmp_path / "out", "--device", "auto"))

    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr("otherminds.training.experiment.train", full)
    assert "too little for 2 rows of 512 tokens in a step; lower --rows" in refuses(*args(school, tmp_path / "out"))


def test_without_the_extra(school: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("otherminds.commands.train.find_spec", lambda _: None)
    monkeypatch.setattr("otherminds.training.builds.find_spec", lambda _: None)
    assert "pip install 'otherminds[train]'" in refuses(*args(school, tmp_path / "out"))
    assert "or give --form text" in refuses("build", "lessons", "-o", tmp_path / "data")


def test_a_shard_that_is_cut_short(school: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for path in (school / "data").iterdir():
        (data / path.name).write_bytes(path.read_bytes()[: 2000 if path.suffix == ".npz" else None])
    assert "is not a shard of training data" in refuses("train", data, *args(school, tmp_path / "out")[2:])
