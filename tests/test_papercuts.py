"""What new users stumbled over, each so that it cannot come back; displays and bars are in `test_python_first`."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import otherminds as om
from otherminds.cli import cli
from otherminds.minds.stories import STORIES, save_story
from otherminds.terminal import bars

ROOT = Path(__file__).parent.parent
PRIVATE = (
    "S of one mind",
    "rule without a mind",
    "rules without a mind",
    "readers without a mind",
    "in other words than",
)
MISSING = (
    "show zz",
    "show last zz",
    "report zz",
    "compare zz last",
    "diagnose zz",
    "check zz --min all>=0.5",
    "export zz --to csv -o out.csv",
    "run zz",
    "run zz.jsonl",
    "run starter -m zz",
    "run starter -m baseline:zz",
    "run starter -m gguf:zz.gguf",
    "run starter --budget money=1 --prices zz.json",
    "lint zz.jsonl",
    "audit zz.jsonl",
    "tell zz",
    "tell zz.json",
    "import zz.eval",
    "runs --store zz.db",
    "web --store zz.db",
    "store verify --store zz.db",
    "merge zz.db --store out.db",
    "profile -m zz.yaml",
    "report --lineup zz.yaml",
    "explore --contexts zz.jsonl -o out",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("papercuts")
    om.run("starter", "baseline:oracle", store=place / "otherminds.db", limit=4, quiet=True)
    return place


@pytest.mark.parametrize("words", MISSING)
def test_whatever_is_not_there_ends_with_one_code(words: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(cli, words.split())
    assert done.exit_code == 2, done.output
    assert "Traceback" not in done.output
    assert "zz" in done.output


def test_the_docs_have_the_table_of_exit_codes() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (\d) \|", page[page.index("## Exit codes") :], re.M) == ["0", "1", "2", "3", "4"]


def test_private_wordings_are_gone() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "otherminds").rglob("*.py")]
    found = [(page.name, words) for page in pages for words in PRIVATE if words in page.read_text(encoding="utf-8")]
    assert not found


@pytest.mark.parametrize("name", STORIES)
def test_story_files_have_the_names_of_python_and_old_ones_are_read(name: str, tmp_path: Path) -> None:
    story = om.load_story(name)
    save_story(story, tmp_path / "new.json", title="T")
    data = json.loads((tmp_path / "new.json").read_text(encoding="utf-8"))
    assert {event["do"] for event in data["events"]} <= set(om.__all__)
    assert om.load_story(tmp_path / "new.json") == story
    older = {**data, "events": story.to_dicts()}
    assert {event["do"] for event in older["events"]}.isdisjoint(om.__all__)
    (tmp_path / "old.json").write_text(json.dumps(older), encoding="utf-8")
    assert om.load_story(tmp_path / "old.json") == story


def test_the_search_and_the_profile_say_what_they_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    om.profile("baseline:oracle", output=tmp_path, studies=False)
    assert "1 of 1: starter" in capsys.readouterr().err
    monkeypatch.setattr(bars.in_lines, "__kwdefaults__", {"every": 0.0})
    om.explore("baseline:realist", stories=1, budget=12, sets="tomi", baseline=False)
    said = capsys.readouterr().err
    assert re.search(r"^search that learns: stories asked about, at most: \d+ of 12, about \d+ s left$", said, re.M)


def test_a_command_leads_to_the_next(folder: Path) -> None:
    store = ["--store", str(folder / "next.db")]
    done = CliRunner().invoke(cli, ["run", "starter", "-m", "baseline:realist", "--limit", "4", *store])
    (run,) = re.findall(r"run (\w{10})", done.output)
    assert f"otherminds show {run} {' '.join(store)}  ·  otherminds diagnose {run}" in done.output
    listed = CliRunner().invoke(cli, ["runs", *store]).output
    assert "`otherminds show RUN`, `diagnose RUN` and `compare RUN RUN` say more" in listed


def test_a_diagnosis_of_two_items_says_that_they_are_few_and_has_no_empty_table(folder: Path) -> None:
    items = om.get_suite("starter").items[:2]
    run = om.run(om.Suite("two", items), "baseline:realist", store=folder / "two.db", quiet=True)
    said = CliRunner().invoke(cli, ["diagnose", run.id, "--store", str(folder / "two.db")]).output
    assert "Nothing can be said: on enough of these items no reader has an opinion." in said
    assert "in percent" not in said
    assert "share" not in said
    assert "no reader has an opinion" in om.diagnose(run)._repr_html_()
