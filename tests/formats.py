"""A small valid file of every format that a command reads, with the shape that any valid one has."""

import csv
import io
import json

from otherminds.items import Item
from otherminds.results.annotations import shown
from otherminds.stories.contexts import bank
from otherminds.talks.bank import authored
from tests.malformed import Format, Json, fits, number, text
from tests.studies.dialogue.test_published import SIX, record
from tests.studies.explore.made_up import FALSE, TRUE


def lines(*values: Json) -> bytes:
    """JSON Lines."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode()


# ---- suites and what people answer to them --------------------------------------------------------------------------

HEADER = {"otherminds": 1, "suite": "tiny", "prompt": "raw", "score": "letters"}
ITEMS = [
    {
        "id": f"marble-{number}",
        "context": "Sally puts the marble into the basket and leaves. Anne puts it into the box.",
        "question": f"Where will Sally look, {number}?",
        "answer": "basket",
        "choices": ["basket", "box"],
        "cloze": "Sally will look in the",
        "tags": {"order": 1, "false_belief": True, "story": f"s{number}"},
        "meta": {"reality": "box", "why": "she did not see it"},
    }
    for number in range(3)
]


def tag(value: Json) -> bool:
    """What results can be split by."""
    return isinstance(value, str | bool) or number(value)


ITEM = {
    "id": text,
    "question": text,
    "answer": text,
    "context?": str,
    "choices?": [text],
    "cloze?": str,
    "tags?": {"*": tag},
    "meta?": dict,
}


def suite_shape(value: Json) -> bool:
    """A header, then items with ids of their own."""
    head = {"otherminds": int, "suite": text, "prompt?": text, "score?": text, "*": None}
    ids = [item.get("id") for item in value[1:] if isinstance(item, dict)]
    return len(value) > 1 and fits(value[0], head) and fits(value[1:], [ITEM]) and len(ids) == len(set(map(str, ids)))


SUITE = Format(
    "suite",
    "tiny.jsonl",
    lines(HEADER, *ITEMS),
    (
        ("lint", "FILE"),
        ("run", "FILE", "-m", "baseline:realist"),
        ("run", "FILE", "-m", "baseline:oracle", "--dry-run"),
        ("annotate", "FILE", "--agreement"),
        ("annotate", "FILE", "--no-open"),
    ),
    suite_shape,
    form="lines",
)


def answers(rows: list[list[str]]) -> bytes:
    """People's answers as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


DIGESTS = [shown(Item.from_dict(item)) for item in ITEMS]
CSV = Format(
    "answers.csv",
    "answers.csv",
    answers(
        [["id", "annotator", "answer", "digest"]]
        + [[item["id"], "Ada", "box", digest] for item, digest in zip(ITEMS, DIGESTS, strict=True)]
    ),
    (("annotate", "kept.jsonl", "--import", "FILE"), ("annotate", "kept.jsonl", "--import", "FILE", "--agreement")),
    lambda content: content.lstrip("\ufeff").startswith("id,annotator,answer,digest"),
    form="plain",
)
LABELLED = Format(
    "Label Studio",
    "answers.json",
    json.dumps(
        [
            {
                "data": {name: item[name] for name in ("id", "context", "question")}
                | {"choices": [{"value": choice} for choice in item["choices"]]},
                "annotations": [{"completed_by": {"email": "Ada"}, "result": [{"value": {"choices": ["box"]}}]}],
            }
            for item in ITEMS
        ]
    ).encode(),
    (
        ("annotate", "kept.jsonl", "--import", "FILE"),
        ("annotate", "kept.jsonl", "--import", "FILE", "--export", "a.csv"),
    ),
    list,
)

# ---- stories --------------------------------------------------------------------------------------------------------

EVENT = {"do": text, "*": lambda value: isinstance(value, str | bool | list | dict) or value is None}
NAMES = [text]
PREMISES = {"clear?": NAMES, "distrust?": [NAMES], "fresh?": bool}
STORY_SHAPE = {"title?": str, "events": [EVENT], "premises?": PREMISES}
STORY = Format(
    "story",
    "story.json",
    json.dumps(
        {
            "title": "Sally and Anne",
            "premises": {"clear": ["box"], "distrust": [["Anne", "Sally"]], "fresh": False},
            "events": [
                {"do": "enter_room", "person": "Sally", "room": "den"},
                {"do": "enter_room", "person": "Anne", "room": "den", "peekers": []},
                {"do": "move_to_container", "person": "Sally", "object": "marble", "container": "basket"},
                {"do": "leave_room", "person": "Sally", "room": "den"},
                {"do": "move_to_container", "person": "Anne", "object": "marble", "container": "box"},
                {
                    "do": "change_state",
                    "person": "Anne",
                    "object": "marble",
                    "property": "colour",
                    "value": "is red",
                    "visible": True,
                    "words": "{person} painted the {thing} red.",
                },
                {"do": "enter_room", "person": "Sally", "room": "den"},
                {
                    "do": "tell_privately",
                    "speaker": "Sally",
                    "listener": "Anne",
                    "fact": {"entity": "marble", "property": "container", "value": "basket"},
                },
                {"do": "tell_publicly", "speaker": "Anne", "topic": "the weather"},
            ],
        }
    ).encode(),
    (
        ("tell", "FILE"),
        ("tell", "FILE", "--questions", "--json"),
        ("tell", "FILE", "--html", "page.html"),
        ("tell", "FILE", "--seed", "3", "--order", "1"),
    ),
    lambda value: fits(value if isinstance(value, dict) else {"events": value}, STORY_SHAPE),
)


FOUND = Format(
    "stories found",
    "stories.jsonl",
    lines(FALSE.to_dict(), TRUE.to_dict()),
    (("build", "explore", "FILE", "-o", "out.jsonl"), ("build", "explore", ".", "-o", "out.jsonl")),
    [
        {
            "id": text,
            "accuracy": number,
            "cell": text,
            "set": text,
            "people": int,
            "moves": int,
            "order": int,
            "context": text,
            "method": text,
            "seed": int,
            "evaluated": int,
            "text?": None,
            "events": [EVENT],
            "premises?": {"clear?": NAMES, "distrust?": [NAMES]},
            "*": None,
        }
    ],
    form="lines",
)
CONTEXT = json.loads(
    json.dumps(
        {
            "id": "den",
            "place": "a den",
            "scene": "It is small.",
            "rooms": ["den", "hall"],
            "people": [{"name": person.name, "who": person.who} for person in bank()[0].people],
            **{name: list(getattr(bank()[0], name)) for name in ("things", "containers", "topics")},
            "changes": [
                {"property": one.property, "value": one.value, "visible": one.visible, "sentence": one.words}
                for one in bank()[0].changes
            ],
        }
    )
)
CONTEXTS = Format(
    "contexts",
    "contexts.jsonl",
    lines(CONTEXT, {**CONTEXT, "id": "other"}),
    (
        ("build", "training", "--contexts", "FILE", "--number", "2", "--sets", "tomi", "--test", "0", "-o", "out"),
        (
            *("explore", "--against", "baseline:realist", "--contexts", "FILE", "--sets", "tomi", "--stories", "1"),
            *("--budget", "1", "--endings", "1", "--no-baseline", "-o", "out"),
        ),
    ),
    [
        {
            "id": text,
            "place": text,
            "scene": text,
            "rooms": [text],
            "things": [text],
            "containers": [text],
            "people": [{"name": text, "who": text, "*": None}],
            "topics": [text],
            "*": None,
            "changes": [{"property": text, "value": text, "visible": bool, "sentence": text, "*": None}],
        }
    ],
    form="lines",
)

# ---- talks ----------------------------------------------------------------------------------------------------------

PERSON = dict.fromkeys(("id", "first", "last", "occupation", "pronoun", "traits"), text) | {"age": int}
TALKS = Format(
    "talks",
    "talks.jsonl",
    lines(*(one.to_dict() for one in authored()[:2])),
    (("build", "dialogue", "--talks", "FILE", "-o", "out.jsonl"), ("judge", "--talks", "FILE", "--forms", "out")),
    [
        {
            "id": text,
            "scene": {"id": text, "category": text, "situation": text, "goals": [text]},
            "people": [PERSON],
            "state": text,
            "turns": [{"speaker?": None, "thought": text, "speech": text, "*": None}],
            "first?": number,
            "made?": dict,
            "*": None,
        }
    ],
    form="lines",
)
PUBLISHED = Format(
    "published questions",
    "published.json",
    json.dumps([record(*each) for each in SIX[:2]], ensure_ascii=False).encode(),
    (
        ("build", "dialogue", "--published", "FILE", "-o", "out.jsonl"),
        ("build", "dialogue", "--published", "FILE", "-o", "out.jsonl", "--as-published", "again.json"),
    ),
    [
        {
            **dict.fromkeys(("a0", "a1", "a2", "a3", "a_str", "big_five", "q", "q_id", "mental_state"), text),
            "a_idx": int,
            "order": int,
            "false_belief?": lambda value: value is None or isinstance(value, bool),
            "sotopia_agents": [text],
            "*": None,
            "sotopia_environment": text,
            "u_id": lambda value: str(value).isdecimal(),
        }
    ],
)

# ---- models and money -----------------------------------------------------------------------------------------------

RULES = {
    "suite": {"size": 4, "tasks": ["TB"], "seed": 0},
    "models": [
        {
            "name": "guess",
            "spec": "baseline:random",
            "series": "rules",
            "rank": 1,
            "released": "2024-05",
            "parameters": 0.1,
            "settings": {},
        },
        {"name": "knows", "spec": "baseline:oracle", "series": "rules", "rank": 2, "partner": "world"},
        {"name": "world", "spec": "baseline:realist", "series": "rules", "post_trained": False},
    ],
}
SERIES = Format(
    "series",
    "series.yaml",
    json.dumps(RULES).encode(),
    (("series", "FILE", "-o", "out"),),
    {
        "suite?": {"size?": None, "tasks?": [text], "seed?": int},
        "models": [
            {
                "name": text,
                "spec": text,
                "series": text,
                "rank?": int,
                "released?": text,
                "partner?": text,
                "parameters?": number,
                "post_trained?": bool,
                "settings?": dict,
            }
        ],
    },
    form="yaml",
)
PRICES = Format(
    "prices",
    "prices.json",
    json.dumps({"oracle": {"prompt": 0.15, "written": 0.6}, "other": {"prompt": 0, "written": 2}}).encode(),
    (
        ("run", "kept.jsonl", "-m", "baseline:oracle", "--prices", "FILE", "--dry-run"),
        ("run", "kept.jsonl", "-m", "baseline:oracle", "--prices", "FILE", "--budget", "money=1"),
        ("profile", "-m", "baseline:oracle", "--no-studies", "--dry-run", "--prices", "FILE"),
    ),
    {"*": {"prompt": number, "written": number}},
)
FORMATS = (SUITE, CSV, LABELLED, STORY, FOUND, CONTEXTS, TALKS, PUBLISHED, SERIES, PRICES)
"""Those that are texts."""
