"""The leak check finds what it should: also what the reader of messages took for speech."""

from dataclasses import replace

from players import player

from otherminds.models import Message, Prompt
from otherminds.talks import bank
from otherminds.talks.leaks import Leak, Sent, check
from otherminds.talks.play import play
from otherminds.talks.talk import Talk, Turn

THOUGHT = "I want to be gone before the neighbours come back"
TALK = Talk("t", bank.castings(limit=1)[0], "desire", (Turn(0, THOUGHT, "Lovely weather."),))
SAID = Sent(0, Prompt(messages=(Message("user", "…"),)), f'({THOUGHT}) "Lovely weather."')


def heard(text: str, *, role: str = "user") -> Sent:
    return Sent(1, Prompt(messages=(Message(role, text),)), "")  # type: ignore[arg-type]


def test_what_was_only_said_is_no_leak() -> None:
    assert check(TALK, [SAID, heard('Amara: "Lovely weather."')]) == []


def test_a_whole_thought_is_a_leak() -> None:
    (leak,) = check(TALK, [SAID, heard(f'Amara: ({THOUGHT}) "Lovely weather."')])
    assert leak == Leak(0, 1, "be gone before the neighbours come")


def test_six_words_in_a_row_are_a_leak_and_five_are_none() -> None:
    assert check(TALK, [SAID, heard("TO BE GONE, before the neighbours!")])
    assert not check(TALK, [SAID, heard("To be gone before the party")])


def test_a_short_thought_counts_as_a_whole() -> None:
    short = replace(TALK, turns=(Turn(0, "I want tea", "Lovely weather."),))
    said = replace(SAID, message='(I want tea) "Lovely weather."')
    assert check(short, [said, heard("I want tea")])
    assert not check(short, [said, heard("I want coffee")])


def test_what_the_speaker_also_said_aloud_is_no_leak() -> None:
    aloud = replace(SAID, message=f'({THOUGHT}) "{THOUGHT}, you see."')
    assert not check(TALK, [aloud, heard(f'Amara: "{THOUGHT}, you see."')])
    other = Sent(0, SAID.prompt, f'{{"thought": "{THOUGHT}", "speech": "{THOUGHT}, you see."}}')
    assert not check(TALK, [other, heard(f'Amara: "{THOUGHT}, you see."')])


def test_a_good_guess_of_one_s_own_is_no_leak() -> None:
    assert not check(TALK, [SAID, heard(f"(I think that {THOUGHT})", role="assistant")])


def test_a_thought_that_the_reader_took_for_speech_is_found() -> None:
    misread = replace(TALK, turns=(Turn(0, "I want peace", f"{THOUGHT} Lovely weather."),))
    for message in (
        f'({THOUGHT}\n"Lovely weather."',
        f'({THOUGHT} "Lovely weather."',
        f'{{"thought": "{THOUGHT}", "speech": "Lovely weather."}}',
    ):
        sent = [replace(SAID, message=message), heard(f'Amara: "{THOUGHT} Lovely weather."')]
        assert check(misread, sent), message


def test_it_is_the_other_side_that_must_not_hear() -> None:
    own = replace(SAID, prompt=Prompt(messages=(Message("user", f"You thought: {THOUGHT}"),)))
    assert not check(TALK, [own])


def test_thoughts_that_are_shown_on_purpose_are_found_in_every_later_prompt() -> None:
    model = player()
    hidden = play(bank.castings(limit=2), model, model, turns=3, limit=2)
    shown = play(bank.castings(limit=2), model, model, turns=3, limit=2, thoughts=True)
    assert hidden.leaks == ()
    assert (hidden.prompts, hidden.shown) == (12, 0)
    # All but the very first prompt of each conversation.
    assert (shown.leaks, shown.shown) == ((), 10)
    assert [talk.made["leaks"] for talk in shown.talks] == [5, 5]
    assert not shown.apart


def test_whoever_repeats_the_instructions_gives_nothing_away() -> None:
    brief = Prompt(messages=(Message("system", f"Think, for example: {THOUGHT}."), Message("user", "…")))
    assert not check(TALK, [replace(SAID, prompt=brief), heard(f"Think, for example: {THOUGHT}.")])
    assert check(TALK, [SAID, heard(f"Think, for example: {THOUGHT}.")])
