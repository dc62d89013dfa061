"""Two models talk: who is asked what, what is kept, and what becomes of messages that cannot be read."""

import os
import random
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from players import again, name, player, plays, thought, well

from otherminds.calling.costs import Budget
from otherminds.calling.recorded import Recorded
from otherminds.errors import ModelError, UsageError
from otherminds.models import Prompt, Response
from otherminds.models.scripted import Scripted
from otherminds.store.store import Store
from otherminds.talks import bank, leaks
from otherminds.talks import talk as talks
from otherminds.talks.play import Played, play
from otherminds.talks.talk import STATES
from tests.counting_server import CountingServer

ONE = bank.castings(limit=1)


def once(answer: Any = well, **options: Any) -> Played:
    """One short conversation of a model with itself."""
    model = answer if isinstance(answer, Scripted) else player(answer)
    return play(ONE, model, model, **{"turns": 2, "limit": 1, **options})


def test_every_casting_is_played_in_every_state() -> None:
    model = player()
    done = play(bank.castings(limit=3), model, model, turns=2)
    assert len(done.talks) == 15
    assert not done.apart
    assert {(talk.casting.id, talk.state) for talk in done.talks} == {
        (casting.id, state) for casting in bank.castings(limit=3) for state in STATES
    }
    assert len({talk.id for talk in done.talks}) == 15
    assert {len(talk.turns) for talk in done.talks} == {4}
    assert done.counts.messages == 60
    assert done.counts.share == 0.0
    assert done.leaks == ()


def test_a_limit_is_spread_over_categories_and_states() -> None:
    model = player()
    done = play(bank.castings(), model, model, turns=1, limit=40)
    assert len({(talk.casting.scene.category, talk.state) for talk in done.talks}) == 40
    other = play(bank.castings(), model, model, turns=1, limit=1, seed=1)
    assert (done.talks[0].state, other.talks[0].state) == ("belief", "intention")


def test_talks_say_how_they_came_about_and_survive_the_file(tmp_path: Path) -> None:
    first, second = player(name="one"), player(name="two", cannot=("prefill",))
    (talk,) = play(ONE, first, second, turns=2, limit=1).talks
    assert talk.made["how"] == "played"
    assert talk.made["players"] == ["one", "two"]
    assert talk.made["forms"] == ["prefill", "json"]
    assert (talk.made["leaks"], talk.made["malformed"], talk.made["repairs"]) == (0, 0, {})
    talks.save(tmp_path / "talks.jsonl", [talk])
    assert talks.load(tmp_path / "talks.jsonl") == [talk]
    assert {len(first.history), len(second.history)} == {2}


@pytest.mark.parametrize("form", ["prefill", "json", "plain"])
def test_all_forms_bring_the_same_talk(form: str) -> None:
    (talk,) = once(form=form).talks
    people = talk.casting.people
    assert [turn.speaker for turn in talk.turns] == [0, 1, 0, 1]
    assert talk.turns[0].thought.rstrip(".").startswith(f"I think to keep the amber of {people[0].first} a secret")
    assert talk.turns[1].thought.startswith(f"I think that {people[0].pronoun} think")
    assert talk.turns[3].speech == f"Message 1 of {people[1].first}, with kind regards."


def test_swapped_the_first_thinks_about_the_second() -> None:
    (talk,) = once(swap=True).talks
    assert talk.first == 1
    assert (talk.order(0), talk.order(1)) == (2, 1)
    assert talk.turns[0].thought.startswith(f"I think that {talk.casting.people[1].pronoun} ")
    assert talk.id.endswith("/swapped")


def test_without_inner_speech_there_are_no_thoughts(tmp_path: Path) -> None:
    (talk,) = once(inner=False).talks
    assert {turn.thought for turn in talk.turns} == {""}
    assert all(turn.speech for turn in talk.turns)
    talks.save(tmp_path / "talks.jsonl", [talk])
    assert talks.load(tmp_path / "talks.jsonl") == [talk]


def test_the_partner_never_hears_a_thought() -> None:
    model = player()
    play(bank.castings(limit=2), model, model, turns=3, limit=2)
    for given in model.history:
        own = name(given)
        for turn in given.messages:
            if turn.role != "system":
                assert all(owner == own for owner in re.findall(r"of (\w+) a secret", turn.content))


def test_conversations_that_wait_fill_the_batches_that_a_model_likes() -> None:
    batches: list[int] = []

    class Counting(Scripted):
        def ask(self, prompts):  # type: ignore[no-untyped-def]
            batches.append(len(prompts))
            return super().ask(prompts)

    model = Counting(well, name="m", batch=2)
    play(bank.castings(limit=10), model, model, turns=2, limit=10)
    assert batches == [2] * 20
    alone = Counting(well, name="m", batch=1)
    batches.clear()
    play(bank.castings(limit=2), alone, alone, turns=2, limit=2)
    assert batches == [1] * 8


def test_a_slow_conversation_holds_up_no_other() -> None:
    others_are_done, answered = Event(), Counter[bool]()

    def reply(prompt: Prompt) -> str:
        slow = first in prompt.messages[0].content
        if slow:
            assert others_are_done.wait(30), "the others wait for it"
        answered[slow] += 1
        if answered[False] == 3 * 4:
            others_are_done.set()
        return well(prompt)

    castings = bank.castings(limit=4)
    first = castings[0].people[0].first
    assert all(first not in str(casting) for casting in castings[1:])
    model = Scripted(reply, name="m", batch=1, parallel=2)
    played = play(castings, model, model, turns=2, states=["desire"])
    assert [talk.casting.id for talk in played.talks] == [casting.id for casting in castings]


def test_progress_counts_messages() -> None:
    seen: list[tuple[int, int]] = []
    once(progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


# ── messages that are not as they should be ──


def test_a_malformed_message_is_asked_for_again() -> None:
    done = once(lambda given: well(given) if again(given) else "Hm.", form="plain")
    assert len(done.talks) == 1
    assert (done.counts.malformed, done.counts.retries, done.counts.repaired) == (4, 4, 0)
    assert done.counts.share == 1.0
    assert done.counts.faults == {"there is no thought": 4}


def test_a_thought_without_speech_is_kept_and_only_the_speech_is_asked_for() -> None:
    model = player(lambda given: well(given) if given.prefill.endswith('"') else f" {thought(given)}.)")
    done = once(model)
    assert model.history[1].prefill == f'(I think {thought(model.history[0])}.) "'
    assert len(done.talks) == 1
    assert done.counts.faults == {"nothing is said": 4}
    assert done.counts.repaired == 0


def test_a_thought_that_finds_no_speech_is_given_up() -> None:
    model = player(lambda given: "" if given.prefill.endswith('"') else f" {thought(given)}.)")
    (one,) = once(model).apart
    assert one.reason == "message 1 cannot be read: nothing is said"
    assert [given.prefill for given in model.history] == [
        "(I think",
        f'(I think {thought(model.history[0])}.) "',
        "(I think that",
    ]


def test_what_stays_malformed_is_repaired_and_named() -> None:
    done = once(lambda given: f' {thought(given)}.) "Hello." And so on.', turns=1)
    (talk,) = done.talks
    assert [turn.speech for turn in talk.turns] == ["Hello.", "Hello."]
    assert talk.made["repairs"] == {"0": ["chatter"], "1": ["chatter"]}
    assert (done.counts.repaired, done.counts.repairs, done.counts.faulty) == (2, {"chatter": 2}, 0)


def test_what_cannot_be_read_is_kept_apart_with_the_reason() -> None:
    bad = ONE[0].people[1].first
    done = once(lambda given: "mumble" if name(given) == bad else well(given), form="plain")
    assert done.talks == ()
    (one,) = done.apart
    assert one.reason == "message 2 cannot be read: there is no thought"
    assert len(one.talk.turns) == 1
    assert one.to_dict()["reason"] == one.reason
    assert (done.counts.messages, done.counts.faulty, done.counts.retries) == (2, 1, 2)


def test_one_bad_conversation_leaves_the_others_alone() -> None:
    castings = bank.castings(limit=4)
    bad = castings[2].people[0].first
    model = player(lambda given: "" if name(given) == bad else well(given))
    done = play(castings, model, model, turns=2, limit=4)
    assert [talk.casting for talk in done.talks] == [castings[0], castings[1], castings[3]]
    assert len(done.apart) == 1


def test_a_thought_had_before_is_asked_for_again_and_taken_at_last() -> None:
    def late(given: Prompt) -> str:
        begins = re.search(r"begins with the words: (.*)", given.messages[0].content)
        return f'({begins[1] if begins else ""} it is late.) "Well, well."'

    stuck = once(late, form="plain")
    assert len(stuck.talks) == 1
    assert (stuck.counts.repeated, stuck.counts.retries, stuck.counts.malformed) == (2, 4, 0)
    helped = once(lambda given: well(given) if again(given) else late(given), form="plain")
    assert (helped.counts.repeated, helped.counts.retries) == (0, 2)


def test_a_model_that_fails_or_refuses_ends_the_conversation() -> None:
    for response, reason in (
        (Response(error="the prompt is too long"), "no answer for message 1: the prompt is too long"),
        (Response(text=well.__doc__ or "", finish="refused"), "message 1 cannot be read: the model refused"),
    ):
        (one,) = once(player(lambda _, response=response: response)).apart  # type: ignore[misc]
        assert one.reason == reason


def test_a_talk_with_a_leak_is_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, "check", lambda *_: [leaks.Leak(1, 2, "some words")])
    done = once()
    assert done.talks == ()
    assert done.apart[0].reason == f"a thought of {ONE[0].people[1].first} reached the other"
    assert done.apart[0].talk.made["leaks"] == 1


def test_a_partner_that_guesses_the_very_words_is_no_leak() -> None:
    one = ONE[0].people[0].first
    done = once(lambda given: well(given).replace(name(given), one), turns=3)
    assert done.leaks == ()
    assert len(done.talks) == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"turns": 0}, "turns and limit should be at least 1"),
        ({"limit": 0}, "turns and limit should be at least 1"),
        ({"retries": 4}, "retries should be 0 to 3"),
        ({"states": ["mood"]}, "there is no state 'mood'"),
        ({"states": []}, "nothing to play"),
        ({"form": "verse"}, "no form 'verse'"),
    ],
)
def test_bad_requests_are_refused_before_anything_is_asked(options: dict[str, Any], sentence: str) -> None:
    model = player()
    with pytest.raises(UsageError, match=sentence):
        once(model, **options)
    assert model.history == []


def test_castings_must_differ_and_models_must_chat() -> None:
    model = player()
    with pytest.raises(UsageError, match="is there twice"):
        play([*ONE, *ONE], model, model)
    with pytest.raises(ModelError, match="cannot chat"):
        once(player(cannot=("chat", "prefill")))


# ── nothing is asked twice ──


def test_played_again_nothing_is_asked_and_all_is_the_same(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        results, made = [], []
        for _ in range(2):
            model = Recorded(player(), store)
            results.append(play(bank.castings(limit=3), model, model, turns=2, limit=3))
            made.append(model.made)
    assert results[0] == results[1]
    assert made == [12, 0]


def test_a_spent_budget_leaves_whole_conversations_and_goes_on(tmp_path: Path) -> None:
    def slow() -> Scripted:
        return Scripted(well, name="slow", batch=1)

    with Store(tmp_path / "store.db") as store:
        part = Recorded(slow(), store, budget=Budget(calls=6))
        done = play(bank.castings(limit=3), part, part, turns=2, limit=3)
        assert len(done.talks) == 1
        assert done.apart[0].reason == "no answer for message 3: the budget of 6 calls is spent"
        rest = Recorded(slow(), store)
        whole = play(bank.castings(limit=3), rest, rest, turns=2, limit=3)
        assert (rest.made, rest.reused) == (6, 6)
    alone = slow()
    assert whole == play(bank.castings(limit=3), alone, alone, turns=2, limit=3)


PROGRAM = Path(__file__).with_name("playing_program.py")


def start(server: CountingServer, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, str(PROGRAM), server.url, str(folder)], stdout=subprocess.PIPE, text=True)


def test_killed_at_any_moment_and_played_again(tmp_path: Path) -> None:
    moment = random.randrange(5, 50)
    server = CountingServer(plays, hold_after=moment)
    with server.running():
        program = start(server, tmp_path / "killed")
        assert program.stdout
        with program.stdout:
            assert any(line == f"made {moment}\n" for line in program.stdout), moment
            os.kill(program.pid, signal.SIGKILL)
            assert program.wait() == -signal.SIGKILL
        server.release()
        said, _ = start(server, tmp_path / "killed").communicate(timeout=120)
    calm = CountingServer(plays)
    with calm.running():
        start(calm, tmp_path / "calm").communicate(timeout=120)
    assert (tmp_path / "killed/talks.jsonl").read_bytes() == (tmp_path / "calm/talks.jsonl").read_bytes()
    assert len(talks.load(tmp_path / "calm/talks.jsonl")) == 4
    assert server.times == calm.times
    assert set(server.times.values()) == {1}
    assert said.splitlines()[-1] == f"calls {len(calm.answered) - moment} {moment}"
