"""`otherminds build lessons`: what it writes, what can be chosen, and stories of benchmarks that it refuses."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.errors import UsageError
from otherminds.items import Suite
from otherminds.training.builds import recipe_of
from otherminds.training.leaks import known_runs, leaks
from otherminds.training.lessons import Recipe, lesson


def build(folder: Path, *more: str, code: int = 0) -> str:
    words = [
        "build",
        "lessons",
        "-o",
        str(folder),
        "--form",
        "text",
        "--processes",
        "1",
        "--shards",
        "2",
        "--size",
        "4",
    ]
    done = CliRunner().invoke(cli, [*words, *more], prog_name="otherminds")
    assert done.exit_code == code, done.output
    return done.output if code == 0 else done.stderr


def test_text_for_any_trainer_the_same_on_every_machine(tmp_path: Path) -> None:
    for name in ("one", "other"):
        build(tmp_path / name)
    files = [sorted(path for path in (tmp_path / name).iterdir()) for name in ("one", "other")]
    assert [path.name for path in files[0]] == ["recipe.json", "shard-00000.jsonl", "shard-00001.jsonl"]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]
    lines = [json.loads(line) for line in files[0][1].read_text().splitlines()]
    made = lesson(Recipe(), 0)
    first = lines[0]["messages"][0]["content"] if made.chat else lines[0]["prompt"]
    assert first == made.story + made.branches[0].prompt
    assert {"kind", "grammar"} <= set(lines[0])


def test_held_out_lessons_are_a_suite_for_any_model(tmp_path: Path) -> None:
    build(tmp_path, "--form", "suite", "--test", "--grammars", "scenes", "--seed", "910")
    suite = Suite.load(tmp_path / "suite.jsonl")
    recipe = Recipe(seed=910, grammars=("scenes",), forms="plain", contexts="test")
    asked = [(made.story, each.question) for n in range(8) for made in [lesson(recipe, n)] for each in made.branches]
    assert [(item.context, item.question) for item in suite] == list(dict.fromkeys(asked))
    assert (suite.prompt, suite.score) == ("raw", "open")


def test_what_can_be_chosen() -> None:
    assert recipe_of() == Recipe()
    assert "terse" not in recipe_of(without="terse").grammars
    chosen = recipe_of(grammars="plain,own", orders="memory,0,1", people="3-4", test=True, seed=6)
    kinds = {branch.kind for n in range(30) for branch in lesson(chosen, n).branches}
    assert kinds
    assert not any(f"order {deep}" in kind for kind in kinds for deep in (2, 3, 4))
    assert all(kind.endswith("/ question") for kind in kinds)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"grammars": "tense"}, "there is no grammar 'tense'"),
        ({"grammars": "terse", "without": "terse"}, "no grammar is left"),
        ({"orders": "5"}, "--orders takes memory and 0 to 4"),
        ({"people": "1-3"}, "--people takes numbers from 2 to 20"),
        ({"needing": 1.5}, "--needing takes a share from 0 to 1"),
        ({"people": "many"}, "--people takes numbers from 2 to 20"),
    ],
)
def test_what_cannot(given: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        recipe_of(**given)  # type: ignore[arg-type]


def test_stories_of_a_benchmark_are_refused_and_counted(tmp_path: Path) -> None:
    taken = lesson(Recipe(), 5).story  # the second of the second file
    benchmark, clean = tmp_path / "benchmark.json", tmp_path / "clean.txt"
    benchmark.write_text(json.dumps({"story": f"Read this. {taken}"}))
    clean.write_text(lesson(Recipe(seed=1), 5).story)
    said = build(tmp_path / "data", "--leak-check", f"{clean},{benchmark}", code=1)
    assert "1 of 8 stories stand in" in said
    assert not (tmp_path / "data" / "recipe.json").exists()
    build(tmp_path / "data", "--leak-check", str(clean))
    assert "there is no benchmark" in build(tmp_path / "data", "--leak-check", "nowhere.txt", code=2)


def test_numbers_of_lines_do_not_hide_a_story(tmp_path: Path) -> None:
    lines = ["Amy entered the den.", "The pear is in the blue_box.", "Ben entered the den.", "Amy exited the den."]
    file = tmp_path / "benchmark.txt"
    file.write_text("".join(f"{n} {line}\n" for n, line in enumerate(lines, 1)))
    known = known_runs([file])
    assert leaks(" ".join(lines), known)
    assert leaks("\n".join(lines).replace("_", " "), known)
    assert not leaks(" ".join(lines).replace("Amy", "Eve"), known)
