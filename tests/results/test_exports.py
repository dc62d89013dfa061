"""Suites and runs as other programs read them."""

import csv
import json
import random
import subprocess
import sys
from io import StringIO
from math import log
from pathlib import Path

import pytest
import yaml

from otherminds.data.export import otherminds_scores
from otherminds.errors import UsageError
from otherminds.items import Item, Suite
from otherminds.models import Prompt, Response
from otherminds.models.scripted import Scripted
from otherminds.results.exports import csv_text, inspect_files, lm_eval_files, name_of
from otherminds.runs.runs import run
from otherminds.studies.starter.study import starter
from otherminds.studies.suites import get_suite

FREE = Item("free", "Where is the tea?", "cupboard", tags={"story": "tea"})
CHOSEN = Item("chosen", "Where is the tea?", "drawer", "Jon moved it.", ("drawer", "cupboard"), tags={"story": "tea"})
OPEN = Item("open", "Tea or coffee?", "tea", choices=("tea", "coffee"), tags={"scored": False})


def documents(files: dict[str, str], name: str) -> list[dict]:
    return [json.loads(line) for line in files[name].splitlines()]


def weigh(prompt: Prompt) -> dict[str, float]:
    """Some probabilities, the same for the same prompt; now and then all are equal."""
    drawn = random.Random(prompt.text)
    return {choice: 0.05 + 0.02 * drawn.randrange(3) for choice in prompt.choices}


def harness(doc: dict, *, letters: bool) -> list[tuple[float, bool]]:
    """What the harness would find with that model: a letter shares its probability with itself after a space."""
    names, parts = (doc["continuations"][1::2], (0.75, 0.25)) if letters else (doc["continuations"], (1,))
    found = weigh(Prompt(text=doc["prompt"], choices=tuple(names)))
    return [(log(found[name] * part), False) for name in names for part in parts]


@pytest.mark.parametrize("score", ["letters", "cloze"])
def test_the_harness_computes_our_response_score(score: str) -> None:
    suite = starter()
    ours = run(suite.using(score=score), Scripted(lambda _: "", name="dice", weigh=weigh))
    docs = documents(lm_eval_files(suite), f"otherminds_starter_{score}.jsonl")
    assert [doc["prompt"] for doc in docs] == [prompt.text for record in ours.records for prompt in record.prompts]
    read = [otherminds_scores.read(doc, harness(doc, letters=score == "letters")) for doc in docs]
    assert otherminds_scores.response_score(each["S"] for each in read) == pytest.approx(ours.mean("S"), abs=1e-12)
    assert otherminds_scores.right(each["right"] for each in read) == pytest.approx(ours.mean())
    assert sum(each["mass"] for each in read) / len(read) == pytest.approx(ours.mean("mass"))
    tied = otherminds_scores.tied(each["tied"] for each in read)
    assert tied == ours.verdicts()["tied"] / len(ours) > 0
    by_item: dict[str, list] = {}
    for doc, each in zip(docs, read, strict=True):
        by_item.setdefault(doc["id"], []).append(each["S"])
    for id, orders in by_item.items():
        assert otherminds_scores.response_score(orders) == pytest.approx(ours.values("S")[id], abs=1e-12)


def test_every_order_of_the_choices_is_a_document() -> None:
    docs = documents(lm_eval_files(get_suite("dialogue")), "otherminds_dialogue_letters.jsonl")
    assert len(docs) == 4 * 560
    first = docs[:4]
    assert {doc["id"] for doc in first} == {docs[0]["id"]}
    for place in range(4):
        assert len({doc["choices"][place] for doc in first}) == 4
    for doc in first:
        assert doc["choices"][doc["target"] // 2] == doc["answer"]
        assert len(doc["continuations"]) == 8


def test_one_task_for_each_way_of_weighing() -> None:
    files = lm_eval_files(starter())
    assert set(files) == {
        "otherminds_scores.py",
        *(f"otherminds_starter_{score}.{kind}" for score in ("letters", "cloze") for kind in ("yaml", "jsonl")),
    }
    assert not [name for name in lm_eval_files(get_suite("perturbed")) if "cloze" in name]

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))
    task = yaml.load(files["otherminds_starter_cloze.yaml"], Loader)
    assert (task["task"], task["tag"]) == ("otherminds_starter_cloze", "otherminds_starter")
    assert task["dataset_kwargs"]["file"] in files
    metrics = [each["aggregation"] for each in task["metric_list"]]
    for name in (task["custom_dataset"], task["process_results"], *metrics):
        module, _, function = name.rpartition(".")
        assert name == "mean" or (f"{module}.py" in files and callable(getattr(otherminds_scores, function)))


def test_what_cannot_be_weighed_is_left_out() -> None:
    files = lm_eval_files(Suite("tea", (FREE, CHOSEN, OPEN)))
    assert {doc["id"] for doc in documents(files, "otherminds_tea_letters.jsonl")} == {"chosen"}
    with pytest.raises(UsageError, match="has choices to weigh"):
        lm_eval_files(Suite("tea", (FREE,)))
    with pytest.raises(UsageError, match="has a right answer"):
        inspect_files(Suite("tea", (OPEN,)))


def test_names_are_names_everywhere() -> None:
    assert name_of(Suite("Tea & 2 cups\n", (FREE,))) == "otherminds_tea_2_cups"


def test_questions_for_inspect() -> None:
    files = inspect_files(Suite("tea", (FREE, CHOSEN, OPEN)))
    (chosen,) = documents(files, "otherminds_tea.jsonl")
    assert chosen["input"] == "Jon moved it.\n\nWhere is the tea?"
    assert chosen["choices"]["AB".index(chosen["target"])] == "drawer"
    assert chosen["metadata"] == {"story": "tea", "cluster": "story tea"}
    (free,) = documents(files, "otherminds_tea_words.jsonl")
    assert (free["id"], free["target"]) == ("free", "cupboard")
    assert "choices" not in free
    compile(files["task.py"], "task.py", "exec")
    only = inspect_files(Suite("tea", (FREE,)))
    assert set(only) == {"task.py", "otherminds_tea_words.jsonl"}
    assert "multiple_choice" not in only["task.py"]


def test_the_canary_goes_along() -> None:
    suite = get_suite("safety")
    doc = documents(lm_eval_files(suite), "otherminds_safety_letters.jsonl")[0]
    question = documents(inspect_files(suite), "otherminds_safety.jsonl")[0]
    assert doc["canary"] == question["metadata"]["canary"] == suite.items[0].meta["canary"]


ALWAYS_A = """
import json
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

def answer(*_):
    # Without a usage, Inspect would count tokens with a table that it fetches.
    return ModelOutput.from_content("mockllm/model", "ANSWER: A").model_copy(update={"usage": ModelUsage()})

logs = eval("task.py", model=get_model("mockllm/model", custom_outputs=answer), display="none", log_dir="logs")
print(json.dumps([json.loads(log.model_dump_json(include={"status", "results"})) for log in logs]))
"""


def test_inspect_runs_the_task(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
    files = inspect_files(Suite("starter", (*starter().items, FREE)))
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    # In a process of its own, since it leaves streams open that would be found much later.
    done = subprocess.run([sys.executable, "-c", ALWAYS_A], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    letters, words = json.loads(done.stdout)
    first = [question["target"] == "A" for question in documents(files, "otherminds_starter.jsonl")]
    metrics = letters["results"]["scores"][0]["metrics"]
    assert (letters["status"], letters["results"]["total_samples"]) == ("success", 48)
    assert metrics["accuracy"]["value"] == pytest.approx(sum(first) / len(first))
    assert metrics["stderr"]["params"] == {"cluster": "cluster"}
    assert metrics["stderr"]["value"] > 0
    assert (words["status"], words["results"]["scores"][0]["metrics"]["accuracy"]["value"]) == ("success", 0)


def test_a_run_as_a_table() -> None:
    suite = Suite("tea", (CHOSEN, FREE, OPEN), prompt="direct", score="text")
    made = run(suite, Scripted(lambda prompt: "B" if "coffee" in prompt.messages[0].content else "cupboard", name="m"))
    rows = made.rows()
    assert [(row["id"], row["answer"], row["said"], row["verdict"], row["value"]) for row in rows] == [
        ("chosen", "drawer", "cupboard", "incorrect", 0.0),
        ("free", "cupboard", "cupboard", "correct", 1.0),
        ("open", "tea", rows[2]["said"], "unscored", None),
    ]
    assert [(row["story"], row["scored"]) for row in rows] == [("tea", None), ("tea", None), (None, False)]
    read = list(csv.DictReader(StringIO(csv_text(made))))
    assert read == [{name: "" if cell is None else str(cell) for name, cell in row.items()} for row in rows]


def test_numbers_of_the_score_are_columns() -> None:
    made = run(starter(), Scripted(lambda _: "", name="dice", weigh=weigh))
    rows = made.rows()
    assert {row["id"]: row["S"] for row in rows} == made.values("S")
    assert {"mass", "b", "consistent", "false_belief", "kind"} <= set(rows[0])
    assert "S_orders" not in rows[0]


def test_a_tag_with_the_name_of_a_column_keeps_its_own() -> None:
    item = get_suite("perturbed").items[0]
    (row,) = run(Suite("one", (item,)), Scripted(lambda _: "", name="dice", weigh=weigh)).rows()
    assert (row["question"], row["tag_question"]) == (item.question, item.tags["question"])


def test_a_run_without_records_is_an_empty_table() -> None:
    made = run(starter(), Scripted(lambda _: "", name="dice", weigh=weigh)).where(kind="nothing")
    assert made.rows() == []
    assert csv_text(made) == "\n"


def test_a_model_cannot_write_a_formula() -> None:
    suite = Suite("tea", (FREE,), prompt="direct", score="text")
    made = run(suite, Scripted(lambda _: Response("=cupboard()"), name="sly"))
    (row,) = csv.DictReader(StringIO(csv_text(made)))
    assert not row["said"].startswith("=")
