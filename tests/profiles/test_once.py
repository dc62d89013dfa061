"""Nothing is derived twice for a profile, and no page asks a model."""

import ast
import sys
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import otherminds
from otherminds.cli import cli
from otherminds.models.scripted import Scripted
from otherminds.pages.report import Section
from otherminds.studies import STUDIES

PACKAGE = Path(otherminds.__file__).parent
OURS = ("starter", "safety", "dialogue", "explore", "perturbed")
BUILDERS = {
    "starter": "studies.starter.study.starter",
    "safety": "studies.safety.plots.build.build",
    "dialogue": "studies.dialogue.questions.build.build",
    "explore": "studies.explore.material.build.suite",
    "perturbed": "studies.perturbed.tasks.build.build",
}
MEASURES = {name: f"studies.{name}.measure.measure" for name in OURS[1:]} | {"dialogue": "studies.dialogue.page.show"}
MEASURES["safety"] = "studies.safety.lineups.measure"
MEASURES["explore"] = "studies.explore.material.measure.measure"
PAGES = [
    "results.summary.summarise",
    *(f"studies.{name}.page.report" for name in OURS[1:] if name != "dialogue"),
    "studies.dialogue.page.show",
    "profiles.page.pages",
    "profiles.looking._write",
]
ASKERS = ("run", "Recorded", "get_model", "open_model")
"""What puts anything to a model."""

Before = Callable[..., None]


def instead(patch: pytest.MonkeyPatch, path: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Wrap a function wherever it was imported to."""
    place, _, name = f"otherminds.{path}".rpartition(".")
    function = getattr(import_module(place), name)
    for module in [each for key, each in sys.modules.items() if key.startswith("otherminds.")]:
        for own in [key for key, value in vars(module).items() if value is function]:
            patch.setattr(module, own, make(function))


def told(before: Before) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A wrap that says what it is called with."""

    def make(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*given: Any, **more: Any) -> Any:
            before(*given, **more)
            return function(*given, **more)

        return wrapped

    return make


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> Counter[tuple[str, ...]]:
    """How often each thing was done for a quick profile of two readers."""
    found: Counter[tuple[str, ...]] = Counter()
    depth = 0

    def count(*what: str) -> Before:
        return lambda *given, **more: found.update([what])

    def count_stories(stories: Any, **more: Any) -> None:
        found[("built", "explore", *(each.id for each in stories), str(more.get("paraphrase")))] += 1

    def page(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*given: Any, **more: Any) -> Any:
            nonlocal depth
            depth += 1
            try:
                return function(*given, **more)
            finally:
                depth -= 1

        return wrapped

    def asked(*_: Any) -> None:
        found["asked", "for a page" if depth else "for a run"] += 1

    def drawn(*_: Any, **more: Any) -> None:
        found["drawn", "for a page" if depth else "with the numbers"] += 1

    def body(section: Section) -> Any:
        found["rendered", section.title] += 1
        return rendered(section)

    for make in STUDIES.values():
        make()
    import_module("otherminds.commands.profile")
    import_module("otherminds.profiles.page")
    rendered = Section.body.func  # type: ignore[attr-defined]
    counted = cached_property(body)
    counted.__set_name__(Section, "body")
    with pytest.MonkeyPatch.context() as patch:
        for name, path in BUILDERS.items():
            instead(patch, path, told(count_stories if name == "explore" else count("built", name)))
        for name, path in MEASURES.items():
            instead(patch, path, told(count("measured", name)))
        for path in PAGES:
            instead(patch, path, page)
        instead(patch, "stories.need.shares", told(drawn))
        instead(patch, "profiles.looking._write", told(count("written")))
        instead(patch, "profiles.findings.contrasts", told(count("compared")))
        patch.setattr(Section, "body", counted)
        for verb in ("ask", "weigh"):
            patch.setattr(Scripted, verb, told(asked)(getattr(Scripted, verb)))
        out = tmp_path_factory.mktemp("once")
        done = CliRunner().invoke(cli, ["profile", "-m", "baseline:oracle", "-m", "baseline:realist", "-o", str(out)])
        assert done.exit_code == 0, done.output[-500:]
    return found


def test_each_suite_is_built_once(counts: Counter[tuple[str, ...]]) -> None:
    built = {what: number for what, number in counts.items() if what[0] == "built"}
    assert {what[1] for what in built} == set(OURS)
    assert set(built.values()) == {1}, built


def test_each_study_is_measured_once(counts: Counter[tuple[str, ...]]) -> None:
    assert {name: counts["measured", name] for name in OURS[1:]} == dict.fromkeys(OURS[1:], 1)


def test_models_are_compared_once_a_page(counts: Counter[tuple[str, ...]]) -> None:
    assert counts["written",] == counts["compared",] == len(OURS)


def test_each_chapter_is_rendered_once(counts: Counter[tuple[str, ...]]) -> None:
    assert {name: counts["rendered", name.capitalize()] for name in OURS} == dict.fromkeys(OURS, 1)


def test_nobody_is_asked_for_a_page(counts: Counter[tuple[str, ...]]) -> None:
    assert counts["asked", "for a run"] > 0
    assert counts["asked", "for a page"] == 0


def test_random_stories_are_drawn_once_and_not_for_a_page(counts: Counter[tuple[str, ...]]) -> None:
    assert (counts["drawn", "with the numbers"], counts["drawn", "for a page"]) == (1, 0)


def test_what_makes_pages_knows_no_way_to_ask() -> None:
    makers = [path for room in ("pages", "results") for path in (PACKAGE / room).glob("*.py")]
    makers += [PACKAGE / "profiles" / name for name in ("findings.py", "page.py")]
    makers += [*(PACKAGE / "studies").glob("*/page*.py"), PACKAGE / "studies" / "safety" / "tables.py"]
    for path in makers:
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        known = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
        assert not known & set(ASKERS), path
