"""What each side is told and hears: all of it that they should, and nothing that they should not."""

import json
from dataclasses import replace

import pytest

from otherminds.models import Prompt
from otherminds.talks import bank
from otherminds.talks.roles import REMINDERS, Role, beginning, brief, personality, prompt
from otherminds.talks.talk import Casting, Person, Scene, Turn

AMARA = Person("amara", "Amara", "Okafor", 34, "nurse", "she", "LLLHL")
QUINN = Person("quinn", "Quinn", "Abara", 29, "barista", "they", "HHHLH")
SCENE = Scene("norms-01", "norms", "Two people queue.", ("You want to be quick.", "You want to chat, and you are shy."))
CASTING = Casting(SCENE, (AMARA, QUINN))
TURNS = (
    Turn(0, "I want to get out of this queue", "Is it always so slow?"),
    Turn(1, "I think that she wants to talk with me", "Only on Mondays."),
    Turn(0, "I want my lunch to be warm", "Then I chose the wrong day."),
)
FIRST = Role(CASTING, 0, "desire", 1)
SECOND = Role(CASTING, 1, "desire", 2)


def words(given: Prompt) -> str:
    return "\n".join(turn.content for turn in given.messages)


@pytest.mark.parametrize(
    ("state", "own", "of_she", "of_they"),
    [
        ("belief", "I think", "I think that she thinks", "I think that they think"),
        ("intention", "I will", "I think that she will", "I think that they will"),
        ("desire", "I want", "I think that she wants", "I think that they want"),
        ("emotion", "I feel", "I think that she feels", "I think that they feel"),
        ("knowledge", "I know", "I think that she knows", "I think that they know"),
    ],
)
def test_beginnings_agree_with_the_pronoun(state: str, own: str, of_she: str, of_they: str) -> None:
    assert beginning(state, 1, QUINN) == own  # type: ignore[arg-type]
    assert beginning(state, 2, AMARA) == of_she  # type: ignore[arg-type]
    assert beginning(state, 2, QUINN) == of_they  # type: ignore[arg-type]


def test_the_brief_tells_what_is_one_s_own_and_what_both_know() -> None:
    told = brief(FIRST)
    for part in ("Amara Okafor, 34", "nurse", "Quinn Abara, 29", "Their occupation: barista", SCENE.situation):
        assert part in told
    assert "Your goal: You want to be quick." in told
    assert "You are closed, unconscientious, introversive, agreeable and stable." in told
    assert "about your own desire" in told
    assert "begins with the words: I want\n" in told
    assert told.endswith('(your thought) "your words"')
    assert "Talk with them." in told


def test_the_brief_keeps_the_other_s_goal_and_personality_back() -> None:
    assert SCENE.goals[1] not in brief(FIRST)
    assert personality(QUINN) not in brief(FIRST)
    shown = brief(replace(FIRST, attributes=True))
    assert SCENE.goals[1] in shown
    assert f"Quinn is {personality(QUINN)}." in shown
    assert set(brief(FIRST).splitlines()) < set(shown.splitlines())


def test_the_second_thinks_about_the_first() -> None:
    told = brief(SECOND)
    assert "about Amara's desire" in told
    assert "begins with the words: I think that she wants\n" in told
    assert "Talk with her." in told


def test_without_inner_speech_nothing_is_said_of_thoughts() -> None:
    for form in ("prefill", "json", "plain"):
        given = prompt(replace(FIRST, inner=False, form=form), TURNS[:2])  # type: ignore[arg-type]
        assert "hought" not in words(given)
        assert "bracket" not in words(given)
        assert "I want" not in words(given)
    assert given.messages[-2].content == '"Is it always so slow?"'
    assert prompt(replace(FIRST, inner=False), ()).prefill == '"'


def test_turns_alternate_and_begin_with_the_user() -> None:
    for role, heard in ((FIRST, TURNS[:2]), (SECOND, TURNS)):
        given = prompt(role, heard)
        roles = [turn.role for turn in given.messages]
        assert roles == ["system", *["user", "assistant"] * (len(roles) // 2 - 1), "user"]


def test_each_side_has_both_greetings() -> None:
    assert prompt(FIRST, ()).messages[1].content == 'Amara: "Hi!"\nQuinn: "Hi, how are you?"'
    greeted = 'Amara: "Hi!"\nQuinn: "Hi, how are you?"\nAmara: "Is it always so slow?"'
    assert prompt(SECOND, TURNS[:1]).messages[1].content == greeted


def test_one_s_own_thoughts_stay_and_the_other_s_are_not_heard() -> None:
    given = prompt(SECOND, TURNS)
    assert '(I think that she wants to talk with me) "Only on Mondays."' in words(given)
    assert "get out of this queue" not in words(given)
    assert given.messages[-1].content == 'Amara: "Then I chose the wrong day."'
    shown = prompt(replace(SECOND, thoughts=True), TURNS)
    assert shown.messages[-1].content == 'Amara: (I want my lunch to be warm) "Then I chose the wrong day."'


def test_showing_thoughts_changes_nothing_that_is_told() -> None:
    assert brief(replace(FIRST, thoughts=True)) == brief(FIRST)


def test_each_form_asks_in_its_own_way() -> None:
    begun, held, told = (prompt(replace(SECOND, form=form), TURNS) for form in ("prefill", "json", "plain"))  # type: ignore[arg-type]
    assert (begun.prefill, begun.schema) == ("(I think that she wants", "")
    assert json.loads(held.schema)["required"] == ["thought", "speech"]
    assert json.loads(held.messages[2].content) == {"thought": TURNS[1].thought, "speech": TURNS[1].speech}
    assert "bracket" not in held.messages[0].content
    assert (told.prefill, told.schema) == ("", "")


def test_asking_again_is_always_another_prompt() -> None:
    given = [prompt(FIRST, (), reminder=number) for number in range(len(REMINDERS) + 1)]
    assert len(set(given)) == len(given)
    for one in given[1:]:
        assert one.messages[-1].content.startswith(given[0].messages[-1].content + "\n")
        assert "Amara" in one.messages[-1].content.splitlines()[-1]
    # What follows does not remember it.
    assert all("in your own words" not in words(one) for one in (given[0], prompt(FIRST, TURNS[:2])))


def test_a_thought_that_is_kept_is_written_for_the_model() -> None:
    kept = prompt(SECOND, TURNS[:1], reminder=1, thought="I think that she wants to talk")
    assert kept.prefill == '(I think that she wants to talk) "'
    assert prompt(replace(SECOND, form="plain"), TURNS[:1], thought="I think that she wants to talk").prefill == ""


def test_asked_again_the_beginning_of_a_thought_is_longer() -> None:
    assert prompt(FIRST, ()).prefill == "(I want"
    assert prompt(FIRST, (), reminder=1).prefill == "(I want to"
    assert prompt(replace(SECOND, state="emotion"), TURNS[:1], reminder=2).prefill == "(I think that she feels a little"


def test_a_model_is_stopped_where_the_other_would_speak() -> None:
    assert prompt(FIRST, ()).stop == ("\nAmara:", "\nQuinn:", '"\n', "\n\n")
    assert prompt(replace(FIRST, form="plain"), ()).stop == ("\nAmara:", "\nQuinn:", '"\n')
    assert prompt(replace(FIRST, form="json"), ()).stop == ()


def test_every_casting_of_the_bank_gives_two_different_briefs() -> None:
    for casting in bank.castings(limit=8):
        one, other = (brief(Role(casting, side, "belief", side + 1)) for side in (0, 1))
        assert one != other
        assert "  " not in one + other
