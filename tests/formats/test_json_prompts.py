"""Prompts that ask for JSON, byte for byte, and their way through scores, plans and baselines."""

import json

import pytest

from otherminds.errors import ModelError, UsageError
from otherminds.formats.json_answers import pose_json, pose_json_free
from otherminds.formats.json_prompts import WANTS
from otherminds.formats.letters import pose_letters
from otherminds.formats.plans import plan
from otherminds.formats.words import pose_text
from otherminds.heuristics.readers import oracle, realist
from otherminds.items import Item, Suite
from otherminds.models import Prompt, Response
from otherminds.models.scripted import Scripted
from otherminds.runs.runs import run
from otherminds.studies.starter.study import starter

STORY = ["Sally puts the marble in the basket.", "Anne moves it to the box."]
SHOWN = Item(
    id="shown",
    context="1. Ben hides.",
    question="Where is Ben?",
    answer="unknown",
    choices=("hall", "unknown"),
    meta={"target": "Ben", "belief_question": "Where is Ben?", "gold": [["unknown"]], "perceived": [1]},
)
ITEM = Item(
    id="sally",
    context="1. Sally puts the marble in the basket.\n2. Anne moves it to the box.",
    question="Where will Sally look?",
    answer="basket",
    choices=("basket", "box", "unknown"),
    meta={
        "target": "Sally",
        "belief_question": "Where will Sally look?",
        "sentences": STORY,
        "gold": [["basket"], ["basket"]],
        "reality": "box",
        "aliases": {"basket": ["hamper"]},
        "demonstration": SHOWN.to_dict(),
    },
)
BARE = Item(id="bare", question="Which?", answer="a", choices=("a", "b"))
SUITE = Suite("one", (ITEM,), prompt="json-chain", score="json")


def test_the_answer_alone_to_the_byte() -> None:
    ((asked,),) = (pose_json(ITEM, prompt="json", seed=0),)
    shown, answered, last = asked.prompt.messages
    assert answered.content == '{"answer": "unknown"}'
    assert last.content == (
        f"{ITEM.context}\n\nQuestion: Where will Sally look?\nOptions: basket, box, unknown\n"
        "Say unknown where there is no definite answer.\n\n"
        'Reply with JSON only, in this form: {"answer": "<option>"}'
    )
    assert shown.content.startswith("1. Ben hides.\n\nQuestion: Where is Ben?\nOptions: hall, unknown\n")
    (plain,) = pose_json(BARE, prompt="json", seed=0)
    (only,) = plain.prompt.messages
    assert only.content.startswith("Question: Which?\nOptions: a, b\n\nReply")


def test_the_chain_to_the_byte() -> None:
    (asked,) = pose_json(ITEM, prompt="json-chain", seed=0)
    _, answered, last = asked.prompt.messages
    assert asked.wants == ("states", "answer")
    assert answered.content == '{"states": [{"sentence": 1, "belief": "unknown"}], "answer": "unknown"}'
    assert last.content.endswith(
        "Go through the story sentence by sentence. After each sentence, say what Sally believes at that point: "
        'how would "Where will Sally look?" be answered then?\n'
        'Reply with JSON only, in this form: {"states": [{"sentence": 1, "belief": "<option>"}, '
        '{"sentence": 2, "belief": "<option>"}, …], "answer": "<option>"}'
    )


@pytest.mark.parametrize("name", WANTS)
def test_the_schema_asks_for_the_parts_in_order(name: str) -> None:
    (asked,) = pose_json(ITEM, prompt=name, seed=0)
    schema = json.loads(asked.prompt.schema)
    assert tuple(schema["properties"]) == tuple(schema["required"]) == WANTS[name]
    if "states" in WANTS[name]:
        states = schema["properties"]["states"]
        assert (states["minItems"], states["maxItems"]) == (2, 2), "a state for every sentence"
        assert states["items"]["properties"]["belief"]["enum"] == list(ITEM.choices)


def test_without_a_schema_the_words_are_the_same() -> None:
    (held,), (free,) = pose_json(ITEM, prompt="json-chain", seed=0), pose_json_free(ITEM, prompt="json-chain", seed=0)
    assert free.prompt.schema == ""
    assert (held.prompt.messages, held.wants) == (free.prompt.messages, free.wants)


def test_a_model_that_cannot_keep_to_a_schema_is_not_asked_to() -> None:
    def answer(prompt: Prompt) -> str:
        if prompt.schema:
            raise ModelError("this model cannot keep to a schema")
        return 'Well: {"states": ["basket", "hamper"], "answer": "basket"}'

    model = Scripted(answer, name="free")
    model.cannot = frozenset({"schema"})
    (record,) = run(SUITE, model).records
    assert (record.score.verdict, record.score.detail["states"]) == ("correct", ["basket", "basket"])
    assert record.score.detail["repairs"] == ["prose"]
    assert not plan(SUITE, cannot={"schema"}).prompts[0].schema
    assert plan(SUITE).prompts[0].schema


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (Response('{"states": [], "answer": "basket"}'), "correct"),
        (Response('{"states": [], "answer": "box"}'), "incorrect"),
        (Response('{"answer": "basket"}'), "unparsed"),
        (Response("I'm sorry, but I cannot answer that."), "refused"),
        (Response("", "refused"), "refused"),
        (Response('{"states": [{"sente', "length"), "truncated"),
        (Response(error="the server is down"), "error"),
    ],
)
def test_verdicts(said: Response, verdict: str) -> None:
    (record,) = run(SUITE, Scripted(lambda prompt: said, name="said")).records
    assert record.score.verdict == verdict
    assert (record.score.value is None) is (verdict not in ("correct", "incorrect"))


@pytest.mark.parametrize("prompt", WANTS)
@pytest.mark.parametrize("score", ["json", "json-free"])
def test_baselines_answer_in_json(prompt: str, score: str) -> None:
    suite = SUITE.using(prompt=prompt, score=score)
    assert run(suite, oracle(suite)).mean() == 1
    assert run(suite, realist(suite)).mean() == 0


def test_any_item_with_choices_can_be_asked_for_json() -> None:
    suite = starter().using(prompt="json", score="json")
    done = run(suite, realist(suite))
    assert (done.mean(false_belief=True), done.mean(false_belief=False)) == (0, 1)


def test_what_cannot_be_posed_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'json-chain' needs items with meta\.target, and 'bare' has none"):
        pose_json(BARE, prompt="json-chain", seed=0)
    with pytest.raises(UsageError, match="no choices"):
        pose_json(Item(id="open", question="?", answer="a"), prompt="json", seed=0)
    with pytest.raises(UsageError, match="'raw' does not ask for JSON; with score 'json' use json, json-chain"):
        pose_json(ITEM, prompt="raw", seed=0)
    with pytest.raises(UsageError, match="there is no prompt 'rap'"):
        pose_json(ITEM, prompt="rap", seed=0)
    for pose in (pose_letters, pose_text):
        with pytest.raises(UsageError, match="'json' asks for JSON; use score 'json'"):
            pose(ITEM, prompt="json", seed=0)
