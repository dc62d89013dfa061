"""The rows of CONTRIBUTING's "Where a new thing goes", each as the steps that it asks for and a proof that they do.

A step is a file of the repository and what is done to it: a text to write, or words with what stands in their place.
A proof is a program that is run in the repository; with any of the steps left out, it fails.
"""

from __future__ import annotations

from dataclasses import dataclass

Edit = str | tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Recipe:
    """How one row of the table is done."""

    steps: dict[str, Edit]
    proof: str
    tests: tuple[str, ...] = ()
    """Tests of the repository that belong to the proof."""


HOLD = '''"""Holding a container open."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from otherminds.minds.events.event import Outcome, Shape
from otherminds.minds.events.looking import Inspection
from otherminds.minds.sightings import look_into
from otherminds.minds.story import Story
from otherminds.minds.telling import Forms
from otherminds.minds.world import View


@final
@dataclass(frozen=True, slots=True)
class Hold(Inspection):
    """A person holds a container open, and everybody there sees what is in it."""

    def happen(self, story: Story) -> Outcome:
        world = story.world

        def learn(view: View) -> View:
            return look_into(view, self.container, world, story, certain=True)

        return world, (self.sighting(story.present(world.get(self.person, "room") or ""), learn),), ()

    def forms(self, before: Story | None) -> tuple[Forms, Mapping[str, str]]:
        told = "{person} held up the {container} for all there to look into."
        return (told, told.replace("look into", "see")), {"person": self.person, "container": self.container}

    def brief(self, roles: Mapping[str, str]) -> str:
        return f"{self.person} holds up the {self.container}"

    @classmethod
    def shapes(cls) -> tuple[Shape, ...]:
        return (Shape("hold_open", {"person": "person", "container": "container"}),)
'''
BACKEND = """import otherminds as om


def parrot(name, *, says="Ann"):
    def answer(prompt):
        return '{"place": "box"}' if prompt.schema else f"Answer: {says}"

    return om.Scripted(answer, name=f"parrot:{name} {says}")
"""
PROMPT = """

def loud(item, choices):
    asked = direct(item, choices)
    return replace(asked, messages=tuple(replace(each, content=each.content.upper()) for each in asked.messages))
"""
SCORE = '''"""Score "spoken": words, and how many of them."""

from dataclasses import replace

from otherminds.formats.verdicts import Scoring
from otherminds.formats.words import pose_text, score_text


def score_spoken(item, posed, results):
    read = score_text(item, posed, results)
    return replace(read, detail={**read.detail, "words": len(results[0].text.split())})


SCORES = {"spoken": Scoring("ask", pose_text, score_spoken)}
'''
HEURISTIC = '''

def first_choice(item):
    """Answers with whatever an item names first."""
    return item.choices[:1]
'''
COMMAND = '''import click

from otherminds.errors import UsageError


@click.command()
@click.argument("word")
def whisper(word):
    """Say a word, but not loudly."""
    if word.isupper():
        raise UsageError(f"{word!r} is loud; write it in small letters")
    click.echo(f"psst: {word}")
'''
GOSSIP = '''"""Gossip: who knows what is said?"""

import json
from importlib.resources import files

import otherminds as om
from otherminds.pages.report import Section
from otherminds.results.answers import Answers
from otherminds.results.sections import MODELS, Axis, Column, PictureOf, TableOf, mean
from otherminds.studies.builds import Build
from otherminds.studies.declared import GapOf, ScoreOf, declared_study

DAY = "Day {{day}}. {{heard}} heard it, {{missed}} missed it, {{heard}} left."


def suite(days=12, name="gossip", asks="Who heard it?"):
    pair = json.loads((files("{package}") / "{data}").read_text(encoding="utf-8"))
    made = []
    for day in range(days):
        heard, missed = pair[:: 1 if day % 2 else -1]
        told = DAY.format(day=day, heard=heard, missed=missed)
        tags = {{"story": f"s{{day}}", "kind": name}}
        right = heard if name == "gossip" else missed
        made.append(om.Item(f"{{name}}-{{day}}", asks, right, told, tuple(pair), tags=tags, meta={{"reality": heard}}))
    return om.Suite(name, tuple(made), study="gossip")


def suites():
    return [suite(), suite(name="missed", asks="Who knows nothing of it?")]


def controls(asked):
    return [om.Item(f"left-{{one.id}}", "Who left?", one.meta["reality"], one.context, one.choices) for one in asked]


def make(output, *, days: "Count" = 4):
    """Make gossip."""
    return suite(days)


KINDS = Axis("asked about", by="kind")
SECTIONS = [
    Section(
        "By question",
        [
            "Somebody who answers with who heard it is right about one kind only.",
            TableOf([MODELS, KINDS], [Column("right", mean(), behind=Answers.with_value), Column("n", len)], "Right"),
            PictureOf(KINDS, MODELS, mean(), "Who knows what", "With 95 % intervals.", "share of right answers"),
        ],
    )
]
FINDINGS = [
    ScoreOf("Gossip right", {{"kind": "gossip"}}, chance=0.5, first=True),
    GapOf("Heard less missed", {{"kind": "gossip"}}, {{"kind": "missed"}}),
]
ASKS = "Who knows what is said?"
BUILDS = [Build("gossip", make)]
STUDY = declared_study("gossip", ASKS, suites, SECTIONS, FINDINGS, controls=controls, by="kind", builds=BUILDS)
'''
NAMES = '["Ann", "Bo"]\n'

RECIPES: dict[str, Recipe] = {
    "a kind of event": Recipe(
        {
            "otherminds/minds/events/holding.py": HOLD,
            "otherminds/minds/events/__init__.py": (
                (
                    "from otherminds.minds.events.looking import",
                    "from otherminds.minds.events.holding import Hold as Hold\n"
                    "from otherminds.minds.events.looking import",
                ),
            ),
            "docs/semantics.md": (
                (
                    "| `Open(person,",
                    "| `Hold(person, container)` | both are in one room | nothing | as Open |\n| `Open(person,",
                ),
            ),
            "tests/second_opinion.py": (
                ('"change_state" | "open"}', '"change_state" | "open" | "hold_open"}'),
                ('event["do"] == "open"', 'event["do"] in ("open", "hold_open")'),
                ('"look_inside" | "open"', '"look_inside" | "open" | "hold_open"'),
            ),
        },
        """
from tests.agreement import agree  # what `make second-opinion` runs

told = agree(60, order=2, seed=0)
assert not told.differences, told.differences[0]
assert told.kinds["hold_open"] > 5, told.kinds
""",
        ("tests/minds/test_events.py::test_the_page_defines_every_kind",),
    ),
    "a question about stories": Recipe(
        {
            "otherminds/minds/questions.py": (
                ('if self.kind == "room":', 'if self.kind in ("room", "whereabouts"):'),
                (
                    "    for topic in sorted(story.world.topics):",
                    "    for one in story.people if len(rooms) > 1 else ():\n"
                    '        found.append(Matter("whereabouts", one, "room", (*rooms, UNKNOWN), _where_is(one)))\n'
                    "    for topic in sorted(story.world.topics):",
                ),
                (
                    "def _has_heard(",
                    "def _where_is(person: str) -> Callable[[Minds], str]:\n"
                    "    return lambda minds: "
                    'f"In which room does {minds[0]} think {_through(minds[1:])}{person} is?"\n\n\n'
                    "def _has_heard(",
                ),
            ),
        },
        """
import otherminds as om

story = om.load_story("ice-cream")
asked = [item for item in om.quiz(story, order=2) if item.tags["kind"] == "whereabouts"]
assert len(asked) > 10
for item in asked:
    view = story.view(*item.meta["minds"])  # its answer is read off a view
    assert item.answer == (view.get(item.meta["about"], "room") or "unknown")
""",
    ),
    "a model backend": Recipe(
        {
            "otherminds/models/parrot.py": BACKEND,
            "otherminds/models/contract.py": (
                (
                    "# A name that ends in a colon",
                    "def _parrot(spec: str) -> tuple[Callable[..., Model], str]:\n"
                    "    from otherminds.models.parrot import parrot\n\n"
                    '    return parrot, spec.partition(":")[2]\n\n\n'
                    "# A name that ends in a colon",
                ),
                ('    "api:": _served,\n', '    "api:": _served,\n    "parrot:": _parrot,\n'),
            ),
        },
        """
import otherminds as om
from otherminds.models.check import check_model

check_model(om.get_model("parrot:grey"))
assert om.get_model("parrot:grey", says="Bo").ask([om.Prompt(text="?")])[0].text == "Answer: Bo"
assert "BACKENDS" in open("otherminds/models/contract.py").read()
""",
    ),
    "a way to prompt or to score": Recipe(
        {
            "otherminds/formats/prompts.py": (
                ("PROMPTS: ", PROMPT.lstrip() + "\n\nPROMPTS: "),
                ('    "cot": ', '    "loud": loud,\n    "cot": '),
            ),
            "otherminds/formats/spoken.py": SCORE,
            "otherminds/formats/scores.py": (('"words", "json_answers")', '"words", "json_answers", "spoken")'),),
        },
        """
import otherminds as om
from otherminds.heuristics.readers import oracle, realist

suite = om.get_suite("starter").using(prompt="loud", score="spoken")
done = [om.run(suite, make(suite)) for make in (oracle, realist)]
assert [run.mean() for run in done] == [1.0, 0.5]
assert "QUESTION" in done[0].records[0].prompts[0].messages[0].content
assert done[0].mean("words") >= 2

from otherminds.formats.question_formats import QuestionFormat
from otherminds.items.controls import as_suite
from otherminds.runs.calibration import calibrate
from otherminds.studies import STUDIES
from otherminds.studies.controlled import about_minds

model = om.Scripted(lambda prompt: "A" if prompt.choices else "Answer: A", name="talker")
model.cannot = frozenset({"weigh"})
suite = om.get_suite("starter")
controls = as_suite("starter", STUDIES["starter"]().controls(suite))
found = calibrate(
    controls, about_minds(suite), lambda suites: [om.run(each, model) for each in suites], cannot=model.cannot
)
assert QuestionFormat("spoken", "direct") in [each.form for each in found.tried]
""",
    ),
    "a heuristic": Recipe(
        {
            "otherminds/heuristics/rules.py": (
                ("# ---- the list", HEURISTIC.lstrip() + "\n\n# ---- the list"),
                (
                    '    "oracle": Heuristic(',
                    '    "first choice": Heuristic(first_choice),\n    "oracle": Heuristic(',
                ),
            ),
        },
        """
import json
import subprocess
import sys

import otherminds as om
from otherminds.heuristics.readers import BASELINES

suite = om.get_suite("starter")
known = sum(item.choices[0] == item.answer for item in suite) / len(suite)
assert om.run(suite, BASELINES["first_choice"](suite)).mean() == known


def printed(*words):
    done = subprocess.run([sys.executable, "-m", "otherminds", *words], capture_output=True, text=True, check=True)
    return done.stdout


assert "first choice" in printed("lint", "starter")
assert "first choice: answers with whatever an item names first" in printed("lint", "starter", "--heuristics")
assert "first choice" in json.loads(printed("diagnose", "--suite", "starter", "--json"))["right"]
assert "first choice" in {row["heuristic"] for row in json.loads(printed("audit", "starter", "--json"))["repaired"]}
assert "first choice" in str(om.summarise([om.run(suite, om.realist(suite))]).sections)
""",
    ),
    "a tag, or a key of meta that is read": Recipe(
        {
            "otherminds/data/keys.toml": (
                (
                    "\ntask = ",
                    '\nvolume = {means = "how loudly it is said", by = "gossip", values = ["loud", "soft"]}\ntask = ',
                ),
            ),
            "docs/items.md": (
                ("| `task` |", "| `volume` | one of loud, soft | how loudly it is said | gossip |\n| `task` |"),
            ),
        },
        """
import otherminds as om
from otherminds.errors import BadFile

item = om.Item("one", "Who heard it?", "Ann", tags={"volume": "shrill"})
om.Suite("mine", (item,)).save("mine.jsonl")
try:
    om.Suite.load("mine.jsonl")
except BadFile as error:
    assert "line 2" in str(error) and "volume" in str(error), error
else:
    raise AssertionError("a value that the tag cannot have was taken")
""",
        ("tests/items/test_tags.py::test_the_page_lists_every_tag",),
    ),
    "a study": Recipe(
        {
            "otherminds/studies/gossip/study.py": GOSSIP.format(package="otherminds", data="data/gossip/names.json"),
            "otherminds/data/gossip/names.json": NAMES,
            "otherminds/studies/__init__.py": (('"perturbed")', '"perturbed", "gossip")'),),
        },
        """
from otherminds.studies import STUDIES
from tests.studies.test_study_contract import check_study

check_study(STUDIES["gossip"]())
lines = open("otherminds/studies/gossip/study.py").read().splitlines()
assert len(lines) <= 60, f"a study of two suites takes {len(lines)} lines"
""",
        ("tests/studies/test_study_contract.py::test_study_keeps_the_contract[gossip]",),
    ),
    "a block of a report": Recipe(
        {
            "otherminds/pages/report.py": (
                (
                    "@dataclass(frozen=True, slots=True)\nclass Cards:",
                    '@dataclass(frozen=True, slots=True)\nclass Aside:\n    """A remark."""\n\n    remark: str\n\n\n'
                    "@dataclass(frozen=True, slots=True)\nclass Cards:",
                ),
                ("Block = str | Table", "Block = str | Aside | Table"),
            ),
            "otherminds/data/blocks.html.j2": (
                (
                    "{% macro cards(",
                    "{% macro aside(block) %}\n<aside>{{ block.remark }}</aside>\n{% endmacro %}\n\n{% macro cards(",
                ),
                ('"Cards": cards,', '"Cards": cards, "Aside": aside,'),
            ),
        },
        """
from otherminds.pages.report import Aside, Report, Section

page = Report("One", "Lead.", [Section("", [Aside("<script>window.ran = 1</script>")])]).html()
assert "<aside>&lt;script&gt;window.ran" in page and "<script>window.ran" not in page
""",
    ),
    "a command": Recipe(
        {
            "otherminds/commands/whisper.py": COMMAND,
            "otherminds/cli.py": (('    "store": ', '    "whisper": "commands.whisper",\n    "store": '),),
        },
        """
from click.testing import CliRunner
from otherminds.cli import cli

assert CliRunner().invoke(cli, ["whisper", "hello"]).output == "psst: hello\\n"
bad = CliRunner().invoke(cli, ["whisper", "HELLO"])
assert (bad.exit_code, bad.stderr) == (2, "error: 'HELLO' is loud; write it in small letters\\n")
assert "whisper" in CliRunner().invoke(cli, ["--help"]).output
""",
    ),
    "a page of documentation": Recipe(
        {
            "docs/whispering.md": "# Whisper\n\n```python\nimport otherminds\n\notherminds.get_suite('starter')\n```",
            "mkdocs.yml": (("      - glossary.md\n", "      - glossary.md\n      - whispering.md\n"),),
        },
        "",
        ("tests/test_docs.py::test_page_runs[whispering.md]", "tests/test_docs.py::test_every_page_can_be_found"),
    ),
}
