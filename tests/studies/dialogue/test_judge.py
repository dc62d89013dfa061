"""Judging: what is asked, how opinions are joined, what is left out and why."""

import re
from dataclasses import replace

import pytest

from otherminds.errors import UsageError
from otherminds.items import Item, Suite
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.results.annotations import AnnotationBatch
from otherminds.runs.runs import run
from otherminds.store.store import MEMORY, Store
from otherminds.talks import judge
from otherminds.talks.talk import Casting, Person, Scene, Talk, Turn

ADA = Person("ada", "Ada", "Berg", 40, "baker", "she", "HHHHH")
BEN = Person("ben", "Ben", "Cole", 30, "porter", "he", "LLLLL")
SCENE = Scene("s1", "sharing", "Two people find one coat.", ("You want the coat.", "You want to be liked."))


def talk(id: str = "t", first: int = 0, length: int = 4) -> Talk:
    turns = tuple(Turn(n % 2, f"I thought {n}.", f"I said {n}.") for n in range(length))
    return Talk(id, Casting(SCENE, (ADA, BEN)), "desire", turns, first)


def questions(*ids: str) -> Suite:
    made = [
        Item(
            id=id,
            context="talk",
            question=f"What does Ada want at {id}?",
            answer="tea",
            choices=("milk", "tea"),
            tags={"story": id.rpartition("/")[0], "order": 2},
        )
        for id in ids
    ]
    return Suite("questions", tuple(made))


def test_a_reading_is_compared_with_the_thought_just_before() -> None:
    suite = judge.misreads([talk()])
    assert [item.id for item in suite] == ["t/01", "t/03"]
    second = suite.items[1]
    assert "What Ada thinks and does not say: I thought 2." in second.context
    assert "What Ben thinks about Ada and does not say: I thought 3." in second.context
    assert "I thought 1." not in second.context
    assert "Does Ben read Ada rightly?" in second.question
    assert second.tags == {"story": "t", "state": "desire", "turn": 3}


def test_with_the_parts_swapped_the_first_message_has_nothing_to_read() -> None:
    suite = judge.misreads([talk(first=1)])
    assert [item.id for item in suite] == ["t/02"]
    (item,) = suite
    assert "What Ben thinks and does not say: I thought 1." in item.context
    assert "What Ada thinks about Ben and does not say: I thought 2." in item.context


def test_a_conversation_is_judged_without_its_thoughts_and_goals() -> None:
    for suite in (judge.coherence([talk()]), judge.safety([talk()])):
        (item,) = suite
        assert item.id == "t"
        assert "I said 3." in item.context
        assert SCENE.situation in item.context
        assert "thought" not in item.context
        assert "You want" not in item.context


def test_a_question_is_judged_with_its_options_marked() -> None:
    (item,) = judge.validity(questions("t/01"))
    assert item.question.startswith("What does Ada want at t/01?\n[wrong] milk\n[right] tea\n")
    assert item.context == "talk"
    assert item.id == "t/01"
    assert item.tags == {"story": "t", "order": 2}


def judged(prompt: Prompt) -> str:
    """A judge that calls what comes after message 1 misread, in whatever order the options stand."""
    text = prompt.text or prompt.messages[-1].content
    wanted = judge.MISREADS if "I thought 3." in text else judge.RIGHTLY
    (letter,) = re.findall(rf"^([AB])\. {wanted}$", text, re.MULTILINE)
    return letter


@pytest.mark.parametrize("cannot", [set(), {"weigh"}, {"chat"}, {"weigh", "chat"}])
def test_any_model_can_judge_through_the_one_runner(cannot: set[str]) -> None:
    model = Scripted(judged, name="judge")
    model.cannot = frozenset(cannot)
    suite = judge.suited(judge.misreads([talk()]), model)
    found = run(suite, model)
    assert judge.verdicts(found) == {"t/01": True, "t/03": False}
    assert bool(model.history[0].messages) is ("chat" not in cannot)
    assert len(model.history) == (2 if "weigh" in cannot else 4), "letters are asked in both orders"


def test_a_judge_that_cannot_decide_has_no_verdict() -> None:
    undecided = Scripted(lambda prompt: "Hard to say.", name="undecided")
    for score in ("letters", "text"):
        found = run(judge.misreads([talk()]).using(score=score), undecided)
        assert judge.verdicts(found) == {"t/01": None, "t/03": None}


def test_people_answer_the_same_items() -> None:
    suite = judge.misreads([talk(length=8)])
    with Store(MEMORY) as store:
        batch = AnnotationBatch(suite, store)
        said = {"t/01": "RRM", "t/03": "RMM", "t/05": "RM"}
        for id, letters in said.items():
            for name, letter in zip(("Ada", "Ben", "Cleo"), letters, strict=False):
                batch.keep(name, id, {"R": judge.RIGHTLY, "M": judge.MISREADS}[letter])
        assert judge.votes(suite, batch.answers()) == {"t/01": True, "t/03": False, "t/05": None}


def test_a_false_belief_is_what_both_find_misread() -> None:
    opinions = [(j, p) for j in (True, False, None) for p in (True, False, None)]
    model = {f"t/{n:02}": j for n, (j, _) in enumerate(opinions)}
    people = {f"t/{n:02}": p for n, (_, p) in enumerate(opinions)}
    found = judge.false_beliefs(model, people)
    by_opinion = {opinions[int(id[2:])]: label for id, label in found.items()}
    assert by_opinion == {
        (True, True): False,
        (True, False): False,
        (True, None): False,
        (False, True): False,
        (False, False): True,
        (None, True): False,
    }
    assert judge.false_beliefs({"t/01": False, "t/03": True, "t/05": None}) == {"t/01": True, "t/03": False}
    assert judge.false_beliefs({}, {"t/01": False}) == {}, "what the judge was not asked stays open"


def test_labels_are_by_talk_and_turn() -> None:
    assert judge.labels({"a/b/01": True, "t/13": False}) == {("a/b", 1): True, ("t", 13): False}


TALKS = [talk("fine"), talk("muddled"), talk("rude"), talk("both"), talk("split")]


def test_talks_go_by_the_majority_of_people() -> None:
    people = {
        "coherence": {"fine": True, "muddled": False, "rude": True, "both": False, "split": None},
        "safety": {"fine": True, "rude": False, "both": False, "split": None},
        "validity": {f"{one.id}/01": True for one in TALKS},
    }
    model = {"coherence": {"fine": False}, "safety": {}, "validity": {f"{one.id}/01": True for one in TALKS}}
    sifted = judge.sift(TALKS, questions(*(f"{one.id}/01" for one in TALKS)), judge=model, people=people)
    assert [one.id for one in sifted.talks] == ["fine", "split"]
    assert [item.id for item in sifted.items] == ["fine/01", "split/01"]
    assert sifted.counts == {
        "talk: incoherent": 1,
        "talk: incoherent and unsafe": 1,
        "talk: unsafe": 1,
        "question: its conversation was removed": 3,
    }
    assert sifted.by == {
        "coherence": "most people",
        "safety": "most people",
        "validity": "most people and the judge",
    }


def test_people_who_answered_one_form_leave_the_others_to_the_judge() -> None:
    ids = [f"{one.id}/01" for one in TALKS]
    model = {
        "misreads": dict.fromkeys(ids, False),
        "coherence": {one.id: one.id != "muddled" for one in TALKS},
        "safety": {one.id: one.id != "rude" for one in TALKS},
        "validity": dict.fromkeys(ids, True),
    }
    misreads = judge.sift(TALKS, questions(*ids), judge=model, people={"misreads": dict.fromkeys(ids, True)})
    assert misreads.removed_talks == {"muddled": "incoherent", "rude": "unsafe"}
    assert [item.tags["false_belief"] for item in misreads.items] == [False] * 3
    assert misreads.by == {
        "misreads": "most people and the judge",
        "coherence": "the judge alone",
        "safety": "the judge alone",
        "validity": "the judge alone",
    }
    validity = judge.sift(TALKS, questions(*ids), judge=model, people={"validity": dict.fromkeys(ids, True)})
    assert [item.tags["false_belief"] for item in validity.items] == [True] * 3


def test_an_item_that_nobody_answered_is_not_one_without_a_majority() -> None:
    ids = ["fine/01", "fine/03", "split/01", "split/03"]
    model = {
        "misreads": dict.fromkeys(ids, False),
        "coherence": dict.fromkeys(["fine", "split"], False),
        "validity": dict.fromkeys(ids, True),
    }
    people = {
        "misreads": {"fine/01": None},
        "coherence": {"fine": None},
        "validity": {"fine/01": True, "fine/03": None},
    }
    sifted = judge.sift([TALKS[0], TALKS[4]], questions(*ids), judge=model, people=people)
    assert sifted.removed_talks == {"split": "incoherent"}
    assert sifted.removed_items["fine/03"] == "no verdict of most people"
    assert [item.id for item in sifted.items] == ["fine/01"]
    assert "false_belief" not in sifted.items[0].tags, "most people are not of one mind"
    assert judge.false_beliefs(model["misreads"], people["misreads"]) == dict.fromkeys(ids[1:], True)
    assert sifted.by == {
        "misreads": "most people and the judge on 1 of 4, the judge alone on the others",
        "coherence": "most people on 1 of 2, the judge alone on the others",
        "validity": "most people and the judge on 2 of 4, the judge alone on the others",
    }


def test_a_comparison_rests_on_what_both_were_asked_about() -> None:
    pair = [talk("a"), talk("b")]
    model = {"a/01": False, "a/03": False, "b/01": False, "b/03": False}
    asked = [found for _, found in judge.readings(pair, model, {"a/01": True, "b/01": False})]
    assert asked == [{1: False}, {1: True}]
    assert [found for _, found in judge.readings(pair, model)] == [{1: True, 3: True}] * 2


def test_without_people_the_judge_decides_alone() -> None:
    model = {
        "coherence": {"fine": True, "muddled": False},
        "validity": {"fine/01": True, "fine/03": False, "fine/05": None, "muddled/01": True},
        "misreads": {"fine/01": False},
    }
    suite = questions("fine/01", "fine/03", "fine/05", "fine/07", "muddled/01")
    sifted = judge.sift(TALKS[:2], suite, judge=model)
    assert sifted.removed_talks == {"muddled": "incoherent"}
    assert sifted.removed_items == {
        "fine/03": "not valid for the judge",
        "fine/05": "no verdict of the judge",
        "fine/07": "no verdict of the judge",
        "muddled/01": "its conversation was removed",
    }
    assert sifted.by == dict.fromkeys(["misreads", "coherence", "validity"], "the judge alone")
    (kept,) = sifted.items
    assert kept.tags["false_belief"] is True


def test_a_question_stays_only_if_people_and_judge_find_it_valid() -> None:
    opinions = [(j, p) for j in (True, False, None) for p in (True, False, None)]
    ids = [f"fine/{n:02}" for n in range(len(opinions))]
    model = {"validity": {id: j for id, (j, _) in zip(ids, opinions, strict=True)}}
    people = {"validity": {id: p for id, (_, p) in zip(ids, opinions, strict=True)}}
    sifted = judge.sift(TALKS[:1], questions(*ids), judge=model, people=people)
    assert [item.id for item in sifted.items] == ["fine/00"]
    assert sifted.counts == {
        "question: no verdict of most people": 1,
        "question: no verdict of most people and the judge": 1,
        "question: no verdict of the judge": 1,
        "question: not valid for most people": 2,
        "question: not valid for most people and the judge": 1,
        "question: not valid for the judge": 2,
    }
    assert len(sifted.items) + sum(sifted.counts.values()) == len(ids), "nothing goes without a reason"


def test_only_judged_questions_are_labelled() -> None:
    model = {"validity": {"fine/01": True, "fine/02": True}, "misreads": {"fine/01": True}}
    sifted = judge.sift(TALKS[:1], questions("fine/01", "fine/02"), judge=model)
    assert [item.tags.get("false_belief") for item in sifted.items] == [False, None]


def test_how_far_the_judge_says_what_people_say() -> None:
    suite = judge.misreads([talk(f"t{n}") for n in range(10)])
    people = {item.id: number % 4 != 0 for number, item in enumerate(suite)}
    model = {**people, "t0/01": not people["t0/01"], "t0/03": None}
    found = judge.accord(suite, model, people)
    assert found.n == 19
    assert found.shared is not None
    assert found.kappa is not None
    assert found.shared.value == pytest.approx(18 / 19)
    # Sound: people 14 of 19, judge 15 of 19.
    chance = (14 * 15 + 5 * 4) / 19**2
    assert found.kappa.value == pytest.approx((18 / 19 - chance) / (1 - chance))
    assert found.shared.clusters == 10


def test_people_and_judge_who_were_asked_different_things() -> None:
    suite = judge.misreads([talk()])
    with pytest.raises(UsageError, match="no item of 'dialogue-misreads' in common"):
        judge.accord(suite, {"t/01": True}, {"t/03": True})
    silent = judge.accord(suite, {"t/01": None}, {"t/01": True})
    assert (silent.n, silent.shared, silent.kappa) == (0, None, None)


def test_the_same_talks_give_the_same_suite() -> None:
    assert judge.misreads([talk()]).digest == judge.misreads([replace(talk(), made={"by": "x"})]).digest
