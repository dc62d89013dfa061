"""`otherminds tell`: tables for people, JSON for programs, a page to look at."""

import json
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from otherminds.cli import cli
from otherminds.commands.belief_tables import belief_tables
from otherminds.minds.beliefs import traces
from otherminds.minds.questions import questions
from otherminds.minds.stories import STORIES, in_brief, load_story


def tell(*args: object) -> Result:
    return CliRunner().invoke(cli, ["tell", *map(str, args)])


def table_lines(name: str, *, order: int, width: int) -> list[str]:
    from rich.console import Console

    story = load_story(name)
    briefs = [in_brief(event, story.cast.roles) for event in story.events]
    paper = StringIO()
    screen = Console(width=width, file=paper)
    for trace in traces(story, order=order):
        for part in belief_tables(trace, briefs, width=width):
            screen.print(part)
    return paper.getvalue().splitlines()


def test_without_a_story_the_built_in_ones_are_listed() -> None:
    assert all(name in tell().stdout for name in STORIES)
    assert json.loads(tell("--json").stdout) == STORIES


def test_sally_anne_reads_well() -> None:
    done = tell("sally-anne", "--order", 3)
    assert done.exit_code == 0
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "5 Anne moved the marble to the box." in lines
    assert "5 Anne puts the marble into the box box ✗ basket box ✗ basket ≠" in lines
    assert "4 Sally leaves the den · · · ·" in lines
    assert "Sally wrongly thinks that Anne thinks that the marble is in the basket." in done.stdout
    assert "1 of 2 chains of order 2, 2 of 2 chains of order 3" in done.stdout


@pytest.mark.parametrize("name", STORIES)
@pytest.mark.parametrize("width", [80, 120])
def test_tables_keep_to_the_width(name: str, width: int) -> None:
    lines = table_lines(name, order=3, width=width)
    assert max(map(len, lines)) <= width
    # A cell that did not fit would be folded, and leave its last sign on a line of its own.
    assert not [line for line in lines if line.strip() in ("≠", "✗")]


def test_long_quiet_stretches_are_one_line() -> None:
    lines = [" ".join(line.split()) for line in table_lines("biscuit-tin", order=1, width=120)]
    assert "2–7 nothing changes here · · · ·" in lines


def test_a_false_belief_stays_in_sight_while_nothing_changes(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    events = [{"do": "enter_room", "person": name, "room": "shed"} for name in ("Ruth", "Saul")]
    events.append({"do": "move_to_container", "person": "Ruth", "object": "seed", "container": "pot"})
    events.append({"do": "leave_room", "person": "Ruth", "room": "shed"})
    events.append({"do": "move_to_container", "person": "Saul", "object": "seed", "container": "box"})
    events += [{"do": "enter_room", "person": name, "room": "barn"} for name in ("Orla", "Ines", "Noor")]
    path.write_text(json.dumps(events), encoding="utf-8")
    lines = [" ".join(line.split()) for line in tell(path, "--order", 1).stdout.splitlines()]
    assert "6–8 nothing changes here · ✗ pot · · · ·" in lines


def test_chains_that_err_at_different_times_have_columns_of_their_own() -> None:
    # Both hold "park" from the sixth event on, but only one of them is wrong about the other at once.
    lines = table_lines("ice-cream", order=2, width=200)
    (row,) = [line for line in lines if line.lstrip().startswith("6")]
    assert row.count("✗ park") == 4
    assert row.count("≠") == 2


def test_seed_tells_it_in_other_words() -> None:
    plain, other = tell("sally-anne").stdout, tell("sally-anne", "--seed", 4).stdout
    assert plain != other
    assert other == tell("sally-anne", "--seed", 4).stdout


def test_questions_are_listed_with_their_answers() -> None:
    done = tell("sally-anne", "--questions")
    assert "In which container does Sally think the marble is?" in done.stdout
    assert f"{len(questions(load_story('sally-anne'), order=2))} questions" in done.stdout


def test_json_has_all_views_after_each_event() -> None:
    data = json.loads(tell("sally-anne", "--json", "--questions").stdout)
    assert [event["event"]["do"] for event in data["events"]][-1] == "Move"
    last = {tuple(view["minds"]): view for view in data["events"][-1]["views"]}
    assert set(last) == {(), ("Sally",), ("Anne",), ("Sally", "Anne"), ("Anne", "Sally")}
    marble = {"of": "marble", "property": "container", "value": "basket", "false": True}
    assert marble in last[("Anne", "Sally")]["facts"]
    assert not any(fact["false"] for fact in last[("Anne",)]["facts"])
    assert {"question", "answer", "choices", "minds", "tags"} == set(data["questions"][0])
    assert data["events"][0]["views"][2] == {"minds": ["Anne"], "facts": [], "topics": []}


def test_html_is_one_page_with_a_picture_and_nested_beliefs_folded(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = tell("sally-anne", "--html", page, "--questions")
    assert (done.exit_code, done.stdout.strip()) == (0, str(page))
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 2
    folded = text[text.index("<details>") : text.index("</details>")]
    assert "What Sally thinks that Anne thinks" in folded
    assert "<svg" in folded
    assert "<script" not in text
    assert "In which container does Sally think the marble is?" in text
    assert json.loads(tell("sally-anne", "--html", page, "--json").stdout)["html"] == str(page)


def test_words_from_a_file_are_harmless_everywhere(tmp_path: Path) -> None:
    evil = "<script>\x1b[2J"
    path, page = tmp_path / "evil.json", tmp_path / "page.html"
    events = [
        {"do": "enter_room", "person": evil, "room": evil + "room"},
        {"do": "move_to_container", "person": evil, "object": evil + "thing", "container": evil + "box"},
        {"do": "leave_room", "person": evil, "room": evil + "room"},
    ]
    path.write_text(json.dumps({"title": evil, "events": events}), encoding="utf-8")
    shown = tell(path, "--questions")
    assert shown.exit_code == 0
    assert "\x1b" not in shown.stdout
    assert tell(path, "--html", page).exit_code == 0
    assert "<script" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["sally-ann"], 2, "did you mean sally-anne?"),
        (["sally-anne", "--order", "0"], 2, "there is no order 0"),
        (["sally-anne", "--order", "50"], 2, "there is no order 50"),
        (["nowhere.json"], 2, "there is no file nowhere.json"),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["table", "json"])
def test_bad_requests_get_a_sentence(args: list[str], code: int, said: str, form: list[str]) -> None:
    done = tell(*args, *form)
    assert done.exit_code == code
    assert said in done.stderr
    assert "Traceback" not in done.output
    assert not done.stdout


def test_nothing_is_written_when_the_story_is_refused(tmp_path: Path) -> None:
    assert tell("sally-anne", "--order", 50, "--html", tmp_path / "page.html").exit_code == 2
    assert not list(tmp_path.iterdir())


def test_two_hundred_people_fit_at_order_one_and_are_refused_above(tmp_path: Path) -> None:
    path = tmp_path / "crowd.json"
    events = [{"do": "enter_room", "person": f"P{number}", "room": "hall"} for number in range(200)]
    events.append({"do": "move_to_container", "person": "P7", "object": "hat", "container": "box"})
    path.write_text(json.dumps(events), encoding="utf-8")
    done = tell(path, "--order", 1)
    assert done.exit_code == 0
    assert "and 197 more" in done.stdout
    assert "200 people make 40,000 chains" in tell(path).stderr
