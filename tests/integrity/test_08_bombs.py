"""Small files that would grow without end are refused with a sentence, and so are files that are simply too large."""

import ast
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import otherminds
from otherminds.errors import BadFile
from otherminds.files import BY_HAND, read_text, read_yaml
from otherminds.results.lineups import read_lineup

BOMB = "models:\n- a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9)
)
LINEUP = "models:\n  - {name: a, spec: smollm2, series: x, rank: 1}\n"
GIGABYTE = 1 << 30


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (2 * GIGABYTE, 2 * GIGABYTE))


def test_a_bomb_of_aliases_costs_no_memory(tmp_path: Path) -> None:
    (tmp_path / "bomb.yaml").write_text(BOMB)
    command = [sys.executable, "-m", "otherminds", "series", "bomb.yaml", "-o", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, preexec_fn=limited)
    assert done.returncode == 1
    assert done.stderr == "error: bomb.yaml, line 2: & and * are not read here; write a0 out in full\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (LINEUP + "suite: &s {size: small}\n", 3),
        ("models:\n  - &a {name: a}\n  - *a\n", 2),
        ("models:\n  - {name: &n a, spec: s}\n", 2),
        ("models:\n  - &a\n    name: a\n  - {<<: *a, rank: 2}\n", 2),
        ("models:\n\n  - *never\n", 3),
        ("&k models: []\n", 1),
    ],
)
def test_anchors_and_aliases_are_refused_by_line(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "lineup.yaml"
    path.write_text(text)
    with pytest.raises(BadFile, match=rf"lineup\.yaml, line {line}: & and \* are not read here; write \w+ out in full"):
        read_lineup(path)


def test_what_only_looks_like_an_alias_is_read(tmp_path: Path) -> None:
    path = tmp_path / "lineup.yaml"
    path.write_text("models:\n  - {name: '*a & b', spec: 'x&y', series: \"&s\", rank: 1}\n")
    (member,) = read_lineup(path).members
    assert (member.name, member.spec, member.series) == ("*a & b", "x&y", "&s")


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 5000, "- " * 50_000 + "x"])
def test_deep_yaml(tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep.yaml"
    path.write_text(text)
    with pytest.raises(BadFile, match="nested too deeply"):
        read_yaml(path)


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_text("# " + "x" * (BY_HAND - 2))
    assert read_yaml(path) is None
    path.write_text("# " + "x" * (BY_HAND - 1))
    with pytest.raises(BadFile, match=r"large\.yaml is larger than 1 MiB, the most that is read"):
        read_yaml(path)


def test_a_file_without_an_end() -> None:
    with pytest.raises(BadFile, match="/dev/zero is larger than 1 MiB"):
        read_text("/dev/zero", most=BY_HAND)


@pytest.mark.parametrize(
    "args",
    [
        ["lint", "FILE.jsonl"],
        ["run", "FILE.jsonl", "-m", "baseline:oracle"],
        ["tell", "FILE.json"],
        ["series", "FILE.yaml", "-o", "out"],
        ["run", "starter", "-m", "baseline:oracle", "--dry-run", "--prices", "FILE.json"],
        ["annotate", "starter", "--import", "FILE.json"],
    ],
)
@pytest.mark.parametrize(
    "text", ["[" * 200_000, '{"a":' * 200_000, "[" * 900 + "]" * 900], ids=["lists", "maps", "900"]
)
def test_what_is_nested_deeply_gets_a_sentence(tmp_path: Path, args: list[str], text: str) -> None:
    for ending in ("jsonl", "json", "yaml"):
        (tmp_path / f"deep.{ending}").write_text(text)
    command = [sys.executable, "-m", "otherminds", *(arg.replace("FILE", "deep") for arg in args)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert done.stderr.startswith("error: deep."), done.stderr
    assert done.stderr.count("\n") == 1
    assert "a fault of ours" not in done.stderr


def test_there_is_one_reader_of_yaml() -> None:
    package = Path(otherminds.__file__).parent
    using = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import) and any(alias.name == "yaml" for alias in node.names)
    }
    assert using == {"files.py"}
