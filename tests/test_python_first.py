"""What `import otherminds as om` does in one call: names for objects, short reprs, and what notebooks show."""

import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

import otherminds as om
from otherminds.diagnosis.diagnosis import Diagnosis
from otherminds.errors import ModelError, UsageError
from otherminds.profiles.findings import Profile
from otherminds.results.measures import Comparison
from otherminds.results.storybook import Timeline
from otherminds.studies.explore.exploring import Exploration

LONG = "lorem <script>alert(1)</script> " * 2_000
MOST = 2_000
ITEM = om.Item("long", LONG, "a", LONG, ("a", "b"), tags={"note": LONG}, meta={"why": LONG})
SUITE = om.Suite(LONG, tuple(om.Item(f"{n}", LONG, "a", LONG, ("a", "b")) for n in range(50)))
TOWN = tuple(f"person-{n}" for n in range(200))


@pytest.fixture(scope="module")
def run() -> om.Run:
    return om.run("starter", "baseline:realist", quiet=True)


@pytest.fixture(scope="module")
def shown(run: om.Run) -> dict[str, object]:
    """Everything that a notebook may be given, by class; texts are as long as they come, and hostile."""
    story = om.Story.of(*(om.Enter(name, "den") for name in TOWN))
    long_run = om.run(SUITE, om.Scripted(lambda _: LONG, name=LONG), score="text", quiet=True)
    return {
        "Budget": om.Budget(calls=1),
        "Fact": om.Fact("marble", "container", "basket"),
        "Item": ITEM,
        "Message": om.Message("user", LONG),
        "Premises": om.Premises(clear=frozenset(TOWN)),
        "Prompt": om.Prompt(text=LONG, choices=TOWN),
        "Recorded": om.Recorded(om.Scripted(lambda _: "", name="short"), om.Store(":memory:")),
        "Report": om.summarise([run]),
        "Response": om.Response(LONG, rendered=LONG),
        "Run": long_run,
        "Score": om.Score("correct", 1.0, LONG, LONG, dict.fromkeys(TOWN, 1)),
        "Scripted": om.Scripted(lambda _: LONG, name="short"),
        "Setting": om.Setting(TOWN, ("den",)),
        "Store": om.Store(":memory:"),
        "Story": story,
        "Suite": SUITE,
        "Weighing": om.Weighing(dict.fromkeys(TOWN, -1.0), rendered=LONG),
        "View": story.view(),
        "Record": long_run.records[0],
        "Diagnosis": om.diagnose(run),
        "Comparison": om.compare(run, om.run("starter", "baseline:oracle", quiet=True)),
        "Comparisons": om.compare(run, run, *[om.run("starter", "baseline:oracle", quiet=True)] * 6),
        "Timeline": om.timeline("sally-anne"),
        "Carry": om.Carry("Ann", "key", "den"),
        "Change": om.Change("Ann", "key", "state", "shines"),
        "Enter": om.Enter("Ann", "den"),
        "Leave": om.Leave("Ann", "den"),
        "Look": om.Look("Ann", "box"),
        "Move": om.Move("Ann", "key", "box"),
        "Open": om.Open("Ann", "box"),
        "Place": om.Place("key", "box"),
        "Tell": om.Tell("Ann", "the party"),
    }


def test_no_repr_is_long(shown: dict[str, object]) -> None:
    classes = {name for name in om.__all__ if isinstance(getattr(om, name), type)}
    errors = {name for name in classes if issubclass(getattr(om, name), BaseException)}
    assert classes - errors - {"Model"} <= set(shown), "every public class has an example here"
    for name, value in shown.items():
        assert type(value).__name__ == name
        assert len(repr(value)) <= MOST, name
        assert "\n" not in repr(value)
    for name in om.__all__:
        assert len(repr(getattr(om, name))) <= MOST, name


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag not in ("rect", "line", "polygon", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("rect", "line", "polygon", "br"):
            assert self.open.pop() == tag


@pytest.mark.parametrize(
    "name", ["Story", "View", "Item", "Suite", "Run", "Report", "Diagnosis", "Comparison", "Comparisons", "Timeline"]
)
def test_notebooks_show_it_small_and_escaped(shown: dict[str, object], name: str) -> None:
    html = shown[name]._repr_html_()  # type: ignore[attr-defined]
    page = Elements()
    page.feed(html)
    assert not page.open, "every element is closed"
    assert "script" not in page.seen
    assert len(html) < 200_000 if name in ("Story", "Timeline") else len(html) < 40_000


def test_a_story_is_shown_as_a_timeline(sally_anne: om.Story) -> None:
    html = sally_anne._repr_html_()
    assert "<svg" in html
    assert "Where is the marble?" in html
    assert "✗ basket" in html, "Sally's false belief is marked"


def test_a_run_is_shown_as_a_table(run: om.Run) -> None:
    html = run._repr_html_()
    assert "false belief" in html
    assert "0.00 [" in html
    assert "24 correct" in html


def test_suites_and_models_go_by_name(run: om.Run) -> None:
    by_hand = om.run(om.get_suite("starter"), om.realist(om.get_suite("starter")), quiet=True)
    assert (run.id, run.verdicts()) == (by_hand.id, by_hand.verdicts())
    assert om.run("starter", om.get_model("baseline:realist"), quiet=True).id == run.id
    assert om.run("starter", "baseline:realist", score="text", prompt="direct", quiet=True).score == "text"


def test_a_baseline_by_name_is_asked_nothing_without_a_suite() -> None:
    model = om.get_model("baseline:realist")
    assert model.name == "realist"
    with pytest.raises(ModelError, match="put it to one with run"):
        model.ask([om.Prompt(text="Where?")])
    with pytest.raises(UsageError, match="there is no baseline 'grumpy'; there are"):
        om.get_model("baseline:grumpy")
    with pytest.raises(UsageError, match="leave out temperature"):
        om.get_model("baseline:realist", temperature=0)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: om.run("startre", "baseline:oracle"), "did you mean 'starter'"),
        (lambda: om.run("starter", "baseline:none"), "there is no baseline 'none'"),
        (lambda: om.run("starter", 3), "a model is one of get_model, or its name"),
        (lambda: om.run(3, "baseline:oracle"), "a suite is one of get_suite"),
        (lambda: om.load("startre"), "did you mean 'starter'"),
        (lambda: om.load("sally-ann"), "did you mean 'sally-anne'"),
        (lambda: om.timeline("sally-anne", about="unicorn"), "about 'unicorn'"),
        (lambda: om.timeline(om.Story()), "nothing happens"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(
    call: Callable[[], object], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=sentence):
        call()


def test_load_finds_suites_stories_and_runs(tmp_path: Path, run: om.Run) -> None:
    store = tmp_path / "kept.db"
    kept = om.run("starter", "baseline:realist", store=store, limit=4, quiet=True)
    assert om.load(kept.id[:6], store=store) == kept
    assert om.load("last", store=store) == kept
    assert isinstance(om.load("starter"), om.Suite)
    assert om.load("sally-anne") == om.load_story("sally-anne")
    om.get_suite("starter").save(tmp_path / "mine.jsonl")
    assert om.load(tmp_path / "mine.jsonl").digest == run.digest
    assert isinstance(om.compare(kept.id, "last", store=store), Comparison)
    with pytest.raises(UsageError, match=r"has no run 'zzz'"):
        om.load("zzz", store=store)


def test_timelines_can_be_chosen_and_saved(tmp_path: Path) -> None:
    drawn = om.timeline("ice-cream", order=2, about="ice-cream")
    assert isinstance(drawn, Timeline)
    assert " › " in drawn.svg
    drawn.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")


def test_explore_finds_what_a_realist_gets_wrong(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = om.explore("baseline:realist", stories=1, budget=4, sets="tomi", baseline=False, quiet=True)
    assert isinstance(found, Exploration)
    assert len(repr(found)) < MOST
    assert found.found[0].accuracy < 1
    assert "Stories against realist" in found._repr_html_()
    found.save(tmp_path)
    assert len(om.load(tmp_path / "questions.jsonl")) == len(found.suite)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("goal", "order"), [("", 1), ("false-belief:2", 2), ("asymmetric", 1)])
def test_a_goal_with_an_order_is_asked_about_at_that_order(goal: str, order: int) -> None:
    asked: list[str] = []

    def answer(prompt: om.Prompt) -> str:
        asked.append(str(prompt))
        return "A"

    model = om.Scripted(answer, name="listener")
    found = om.explore(model, goal=goal, stories=1, budget=2, sets="tomi", baseline=False, score="text", quiet=True)
    assert asked
    assert {1 + ("think that" in text) for text in asked} == {order}
    assert all(one.set.endswith("+asymmetric") == (goal == "asymmetric") for one in found.found)


def test_profile_of_the_starter_suite_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = om.profile("baseline:realist", output=tmp_path, studies=False, quiet=True)
    assert isinstance(found, Profile)
    assert len(repr(found)) < MOST
    assert "realist" in found._repr_html_()
    assert (tmp_path / "profile.html").exists()
    assert capfd.readouterr().err == ""


def test_diagnosis_has_its_sentence_in_the_notebook(run: om.Run) -> None:
    found = om.diagnose(run)
    assert isinstance(found, Diagnosis)
    assert found.sentences[0].replace("'", "&#x27;") in found._repr_html_()


def test_strings_cost_no_import_time() -> None:
    code = "import sys, otherminds as om; print(len([name for name in sys.modules if 'otherminds' in name]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"
