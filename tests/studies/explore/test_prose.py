"""Retelling: the first continuation that passes is taken, and a story for which none does is kept apart."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.calling.recorded import Recorded
from otherminds.errors import UsageError
from otherminds.minds.events import Enter, Move
from otherminds.minds.story import Premises, Story
from otherminds.minds.telling import told_premises
from otherminds.models import Prompt, Response
from otherminds.models.scripted import Scripted
from otherminds.prose.claims import claims, steps
from otherminds.prose.retelling import Retelling, paraphrase, retell, retell_all
from otherminds.store.store import Store
from otherminds.stories.contexts import Context, bank, setting
from otherminds.stories.sets import Cell, action_sets

SCENE = "Rain taps on the roof. It smells of soap."


def tale(name: str = "all+asymmetric", *, seed: int = 5, context: Context | None = None) -> Story:
    return setting(context or bank()[0], Cell(action_sets()[name], 3, 3)).story(8, seed=seed)


def next_words(prompt: Prompt) -> str:
    """The events that a step is to tell; nothing for the opening."""
    found = re.search(r"What happens next, in bare words: (.*)\n", prompt.messages[0].content)
    return found[1] if found else ""


def write(prompt: Prompt, *passages: str) -> str:
    """A writer who offers these passages, RAW standing for the bare words, after a fitting opening."""
    raw = next_words(prompt)
    if not raw:
        return json.dumps({"scene": SCENE, "goals": []})
    return json.dumps({"continuations": [passage.replace("RAW", raw) for passage in passages]})


def good(prompt: Prompt) -> str:
    return write(prompt, "Then RAW", "RAW")


class Judge(Scripted):
    """Knows all claims of some stories, and bears them out for passages that hold the bare words."""

    def __init__(self, *stories: Story, denies: str = "nothing of the kind") -> None:
        every = [step for story in stories for step in steps(story)]
        self.hoped = {(step.raw, claim.question): claim.hoped for step in every for claim in claims(step)}
        self.denies = denies
        super().__init__(self.judge, name=f"judge who denies {denies}")

    def judge(self, prompt: Prompt) -> str:
        asked = prompt.messages[0].content
        if "The opening: " in asked:
            return "yes" if "coherent" in asked or f"The opening: {self.denies}" in asked else "no"
        passage, question = re.search(  # type: ignore[union-attr]
            r"The new passage: (?:Then )?(.*?)\n\n.*\n\n(.*)\nReply with", asked
        ).groups()
        true = self.hoped[passage, question]
        return "yes" if true is not (self.denies in question) else "no"


def told(story: Story, writer: Callable[[Prompt], str | Response], **options: object) -> Retelling:
    return retell(story, Scripted(writer, name="writer"), judge=Judge(story), **options)  # type: ignore[arg-type]


def test_a_good_writer_gets_through() -> None:
    story = tale()
    found = told(story, good, context=bank()[0])
    assert found.failed == ""
    assert found.story is story
    assert found.text == " ".join([SCENE, *told_premises(story), *(f"Then {step.raw}" for step in steps(story))])
    assert [step.raw for step in found.steps] == [step.raw for step in steps(story)]
    assert not any(step.rejected for step in found.steps)


@pytest.mark.parametrize("name", action_sets())
def test_every_kind_of_story_can_be_told(name: str) -> None:
    assert told(tale(name), good).failed == ""


def test_lengths_and_styles_are_drawn_by_the_seed() -> None:
    story = tale()

    def manners(seed: int) -> list[tuple[str, str]]:
        return [(step.length, step.style) for step in told(story, good, seed=seed).steps]

    assert manners(1) == manners(1)
    drawn = {manner for seed in range(8) for manner in manners(seed)}
    assert drawn == {(length, style) for length in ("one", "two") for style in ("narration", "speech")}


def test_a_secret_gets_more_than_one_sentence() -> None:
    secret = Move("Ann", "pin", "tin", distracted=frozenset({"Bob"}))
    story = Story.of(Enter("Ann", "den"), Enter("Bob", "den"), secret)
    assert {told(story, good, seed=seed).steps[-1].length for seed in range(8)} == {"two"}


def test_the_first_that_passes_is_taken() -> None:
    story = tale("tomi")
    found = told(story, lambda prompt: write(prompt, "Note: RAW", "RAW **", "RAW", "Then RAW"))
    assert found.failed == ""
    assert [step.text for step in found.steps] == [step.raw for step in steps(story)]
    assert all(len(step.rejected) == 2 for step in found.steps)


def test_a_writer_who_always_adds_notes_fails_at_once() -> None:
    story = tale("tomi")
    found = told(story, lambda prompt: write(prompt, "RAW (Note: beliefs are kept.)", "# Step\nRAW"))
    raw = steps(story)[0].raw
    assert found.failed == f"step 1 of {len(steps(story))} ({raw}): no continuation passed (surface 2)"
    assert found.text == SCENE
    assert found.story is story
    assert "a note by the writer" in found.steps[0].rejected[0]


def test_a_writer_who_leaves_out_the_thing_fails_where_it_matters(sally_anne: Story) -> None:
    found = told(sally_anne, lambda prompt: write(prompt, "RAW").replace("marble", "thing"))
    assert found.failed.startswith("step 2 of 4 (Sally put the marble into the basket.)")
    assert found.steps[-1].rejected == ("surface: leaves out the marble",)
    assert found.text == f"{SCENE} Sally entered the den. Anne entered the den."


@pytest.mark.parametrize(
    ("denies", "step", "rule"),
    [
        ("does Anne think that the marble is in the box", 4, "structure"),
        ("does Sally think that the marble is in the box", 4, "structure"),
        ("is it so that the marble is in the basket", 2, "structure"),
        ("Does the passage tell this", 1, "ad hoc"),
        ("coherent English", 1, "surface"),
        ("anybody other than Sally", 1, "surface"),
    ],
)
def test_a_judge_who_objects_at_one_step_stops_the_story(sally_anne: Story, denies: str, step: int, rule: str) -> None:
    found = retell(sally_anne, Scripted(good, name="writer"), judge=Judge(sally_anne, denies=denies))
    assert found.failed.startswith(f"step {step} of 4 ")
    assert found.failed.endswith(f"no continuation passed ({rule} 2)")
    assert denies in found.steps[-1].rejected[0]
    assert len(found.steps) == step


@pytest.mark.parametrize("word", ["yes", "no", "perhaps", ""])
def test_a_judge_who_always_says_the_same_passes_nothing(sally_anne: Story, word: str) -> None:
    judge = Scripted(lambda prompt: word, name="judge")
    assert retell(sally_anne, Scripted(good, name="writer"), judge=judge).failed.startswith("step 1 of 4 ")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "no answer: it wrote nothing"),
        (Response(error="the server is down", finish="error"), "no answer: the server is down"),
        (Response("Sorry.", finish="refused"), "no answer: it refused"),
        ("[]", "no answer: it wrote no continuation"),
        ('{"continuations": ["Sally', "no answer: it wrote no continuation"),
        ("blah", "no continuation passed (surface 1)"),
        ('{"continuations": [1, {}, "x"]}', "no continuation passed (surface 1)"),
    ],
)
def test_junk_is_a_reason_and_no_error(sally_anne: Story, reply: str | Response, reason: str) -> None:
    found = told(sally_anne, lambda prompt: reply)
    assert found.failed == f"step 1 of 4 (Sally entered the den. Anne entered the den.): {reason}"
    assert found.text == ""


def test_json_that_was_cut_off_and_plain_text_are_read(sally_anne: Story) -> None:
    def cut(prompt: Prompt) -> str:
        return write(prompt, "RAW", "Then RAW")[:-8]

    def plain(prompt: Prompt) -> str:
        return next_words(prompt)

    for writer in (cut, plain):
        assert told(sally_anne, writer).text.endswith("Anne moved the marble to the box.")


def test_no_more_candidates_are_looked_at_than_were_asked_for(sally_anne: Story) -> None:
    found = told(sally_anne, lambda prompt: write(prompt, "Note: RAW", "RAW"), candidates=1)
    assert found.failed.endswith("(surface 1)")


def test_the_long_form_has_five_sentences_a_step_and_speech(sally_anne: Story) -> None:
    longer = 'RAW "So it is," thought the house. It was late. It was dark. All was still.'
    judge = Judge(sally_anne)
    judge.hoped = {(raw + longer[3:], question): hoped for (raw, question), hoped in judge.hoped.items()}
    writer = Scripted(lambda prompt: write(prompt, "RAW", longer), name="writer")
    found = retell(sally_anne, writer, judge=judge, long=True)
    assert found.failed == ""
    assert {(step.length, step.style) for step in found.steps} == {("long", "speech")}
    # The first step alone is long enough: two events, each in a sentence, are not.
    assert found.steps[0].rejected == ("surface: fewer than 5 sentences",)
    assert found.text.count("\n\n") == 4


@pytest.mark.parametrize(
    "scene",
    ["Sally is about. It rains.", "A marble glints. It rains.", "It rains.", "It rains. It pours. It snows.", "", 7],
)
def test_an_opening_that_gives_something_away_is_left_out(sally_anne: Story, scene: object) -> None:
    def writer(prompt: Prompt) -> str:
        return good(prompt) if next_words(prompt) else json.dumps({"scene": scene, "goals": "none"})

    assert told(sally_anne, writer).text.startswith("Then Sally entered the den.")
    context = bank()[0]
    assert told(sally_anne, writer, context=context).text.startswith(f"{context.scene} Then Sally")


def test_the_judge_looks_at_the_opening(sally_anne: Story) -> None:
    denying = Judge(sally_anne, denies=SCENE)
    assert retell(sally_anne, Scripted(good, name="writer"), judge=denying).text.startswith("Then Sally entered")


def test_goals_and_people_reach_the_writer(sally_anne: Story) -> None:
    def writer(prompt: Prompt) -> str:
        goals = [{"name": "Sally", "goal": "to keep her marble."}, {"name": "Zed", "goal": "x"}, {"name": []}, 3]
        return good(prompt) if next_words(prompt) else json.dumps({"scene": SCENE, "goals": goals})

    model = Scripted(writer, name="writer")
    assert retell(sally_anne, model, judge=Judge(sally_anne)).failed == ""
    assert "- Sally: one of the people here; wants to keep her marble\n" in model.history[1].messages[0].content
    assert not any("Zed" in prompt.messages[0].content for prompt in model.history)
    context = bank()[0]
    story = tale(context=context)
    model = Scripted(good, name="writer")
    retell(story, model, judge=Judge(story), context=context)
    who = {person.name: person.who for person in context.people}
    name = steps(story)[0].named[0]
    assert f"- {name}: {who[name]}" in model.history[1].messages[0].content


def test_somebody_of_the_context_who_is_not_there_is_not_brought_in() -> None:
    context = bank()[0]
    story = tale(context=context)
    absent = next(person.name for person in context.people if person.name not in story.people)
    found = told(story, lambda prompt: write(prompt, f"RAW It was as {absent} liked it."), context=context)
    assert found.steps[0].rejected == (f"surface: brings in {absent}",)


def test_premises_are_told_first() -> None:
    premises = Premises(clear=frozenset({"jar"}))
    story = Story.of(Enter("Ann", "den"), Move("Ann", "pin", "jar"), premises=premises)
    assert told(story, good).text.startswith(f"{SCENE} One can see into the jar from outside: ")


def test_many_stories_share_their_rounds() -> None:
    stories = [tale("tomi", seed=seed, context=bank()[seed]) for seed in range(6)]
    writer, judge = Scripted(good, name="writer", batch=999), Judge(*stories)
    rounds: list[int] = []
    ask = writer.ask
    writer.ask = lambda prompts: (rounds.append(len(prompts)), ask(prompts))[1]  # type: ignore[method-assign]
    found = list(retell_all([(story, None) for story in stories], writer, judge=judge))
    assert [each.story for each in found] == stories
    assert not any(each.failed for each in found)
    assert len(rounds) == 1 + max(len(steps(story)) for story in stories)
    assert rounds[0] == 6
    alone = [retell(story, Scripted(good, name="writer"), judge=judge) for story in stories]
    assert alone == found


def test_taken_up_again_nothing_is_asked_twice(tmp_path: Path) -> None:
    stories = [(tale("tomi", seed=seed), None) for seed in range(3)]
    writer, judge = Scripted(good, name="writer"), Judge(*(story for story, _ in stories))
    with Store(tmp_path / "calls.db") as store:

        def again(count: int) -> list[Retelling]:
            models = Recorded(writer, store), Recorded(judge, store)
            return list(retell_all(stories[:count], models[0], judge=models[1]))

        first = again(2)
        asked = writer.history + judge.history
        assert again(2) == first
        assert len(writer.history + judge.history) == len(asked)
        assert again(3)[:2] == first
        every = [json.dumps(prompt.to_dict()) for prompt in writer.history + judge.history]
        assert len(every) == len(set(every)) > len(asked)


def test_a_spent_budget_is_a_reason(sally_anne: Story) -> None:
    def judge(prompt: Prompt) -> Response:
        return Response(error="the budget of 5 calls is spent", finish="error")

    found = retell(sally_anne, Scripted(good, name="writer"), judge=Scripted(judge, name="judge"))
    assert found.failed.endswith(": no answer: the judge: the budget of 5 calls is spent")


@given(st.text(alphabet='{}[]":,\\\n Saly.1*', max_size=60) | st.text(max_size=30), st.text(max_size=8))
def test_nothing_that_is_written_raises(reply: str, said: str) -> None:
    story = Story.of(Enter("Sally", "den"), Move("Sally", "marble", "box"))
    found = retell(story, Scripted(lambda prompt: reply, name="w"), judge=Scripted(lambda prompt: said, name="j"))
    assert found.failed
    assert found.story is story


def test_a_retelling_can_be_written_down(sally_anne: Story) -> None:
    found = told(sally_anne, good)
    data = json.loads(json.dumps(found.to_dict()))
    assert data["raw"] == sally_anne.text
    assert Story.from_dicts(data["events"]) == sally_anne
    assert data["premises"] == {"clear": [], "distrust": [], "fresh": False}
    assert (data["text"], data["failed"]) == (found.text, "")
    assert [step["text"] for step in data["steps"]] == [step.text for step in found.steps]


def test_a_story_without_events_has_nothing_to_tell() -> None:
    assert told(Story(), good).failed.startswith("nothing happens in this story")


@pytest.mark.parametrize("option", ["candidates", "width"])
def test_numbers_start_at_one(option: str) -> None:
    with pytest.raises(UsageError, match="give a number from 1 on"):
        retell_all([], Scripted(good, name="writer"), **{option: 0})  # type: ignore[arg-type]


def test_paraphrase_needs_no_model() -> None:
    context = bank()[0]
    story = tale(context=context)
    assert paraphrase(story, seed=1) == story.tell(seed=1)
    assert paraphrase(story, seed=1, context=context) == f"{context.scene} {story.tell(seed=1)}"
