"""A small file of every benchmark, in its own format and in our own words."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

# ---- ToMi -----------------------------------------------------------------------------------------------------------

# Ben leaves, then Ada moves the pear: Ada cannot think that Ben looks in the new place, whatever the gold says.
MOVED = ("Ada entered the loft.", "Ben entered the loft.", "The pear is in the tin_box.", "Ben likes the hat",
         "Ben exited the loft.", "Ada moved the pear to the oak_chest.", "Cleo entered the shed.")  # fmt: skip
# Ben comes back, and containers are open, so that he sees where the fig is now.
SEEN = ("Ada entered the attic.", "Ben entered the attic.", "The fig is in the red_jar.", "Ben exited the attic.",
        "Ada moved the fig to the big_pot.", "Ben entered the attic.")  # fmt: skip


def six(thing: str, first: str, now: str, *, ben: str, ada_on_ben: str, ben_on_ada: str) -> list[tuple[str, str, str]]:
    """Question, gold and type, as a generator of ToMi writes them."""

    def sort(kind: str, gold: str) -> str:
        return f"{kind}_{'no_tom' if gold == now else 'tom'}"

    return [
        (f"Where was the {thing} at the beginning?", first, "memory"),
        (f"Where is the {thing} really?", now, "reality"),
        (f"Where will Ada look for the {thing}?", now, "first_order_0_no_tom"),
        (f"Where will Ben look for the {thing}?", ben, sort("first_order_1", ben)),
        (
            f"Where does Ada think that Ben searches for the {thing}?",
            ada_on_ben,
            sort("second_order_0", ada_on_ben),
        ),
        (
            f"Where does Ben think that Ada searches for the {thing}?",
            ben_on_ada,
            sort("second_order_1", ben_on_ada),
        ),
    ]


PEAR = six("pear", "tin_box", "oak_chest", ben="tin_box", ada_on_ben="oak_chest", ben_on_ada="tin_box")
FIG = six("fig", "red_jar", "big_pot", ben="big_pot", ada_on_ben="big_pot", ben_on_ada="big_pot")
TOMI = (
    (MOVED, PEAR, "false_belief"),
    (SEEN, FIG, "true_belief"),
)
"""The second-order gold about Ben, in the first story, is the published sort of mistake."""


def tomi_texts() -> tuple[str, str]:
    """The questions and the trace of a split."""
    questions, traces = [], []
    for lines, asked, story in TOMI:
        for question, gold, kind in asked:
            numbered = [f"{number} {line}" for number, line in enumerate(lines, start=1)]
            questions += [*numbered, f"{len(lines) + 1} {question}\t{gold}\t1"]
            traces.append(f"enter_agent_0,agent_0_moves_obj,{kind},{story}")
    return "\n".join(questions) + "\n", "\n".join(traces) + "\n"


def tomi(folder: Path) -> Path:
    text, trace = tomi_texts()
    path = folder / "tomi_small.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for split in ("train", "test"):
            archive.writestr(f"small/fb_all_{split}.txt", text)
            archive.writestr(f"small/fb_all_{split}.trace", trace)
    return path


# ---- Hi-ToM ---------------------------------------------------------------------------------------------------------

HI_LINES = ("Ada, Ben and Cleo entered the loft.", "The pear is in the tin_box.",
            "Ada made no movements and stayed in the loft for 1 minute.", "Ada exited the loft.",
            "Ben moved the pear to the oak_chest.", "Ben exited the loft.", "Cleo moved the pear to the red_jar.",
            "Cleo exited the loft.")  # fmt: skip
HI_OPTIONS = "A. tin_box, B. oak_chest, C. red_jar, D. big_pot"
HI_ASKED = (
    ("Where is the pear really?", "red_jar"),
    ("Where does Ada really think the pear is?", "tin_box"),
    ("Where does Cleo think Ben thinks the pear is?", "oak_chest"),
)


def hitom_rows() -> list[dict[str, Any]]:
    story = "\n".join(f"{number} {line}" for number, line in enumerate(HI_LINES, start=1))
    rows = []
    for style in ("CoTP", "VP"):
        for order, (question, gold) in enumerate(HI_ASKED):
            told = story if style == "CoTP" else f"Read the story and answer the question behind it.\n{story}"
            stale = style == "VP" and order == 2
            rows.append(
                {
                    "prompting_type": style,
                    "deception": False,
                    "story_length": 1,
                    "question_order": order,
                    "sample_id": len(rows) * 20,
                    "story": told + ("\n***" if style == "CoTP" and order == 1 else ""),
                    "question": question,
                    "choices": HI_OPTIONS,
                    "answer": "red_jar" if stale else gold,
                }
            )
    claim = {**rows[0], "deception": True, "story": f"{story}\n9 Ben publicly claimed that the pear is in the big_pot."}
    return [*rows, claim]


def hitom(folder: Path) -> Path:
    return _json(folder / "Hi-ToM_small.json", {"data": hitom_rows()})


# ---- BigToM ---------------------------------------------------------------------------------------------------------

BIG = (
    "Ida bakes bread in a mill. Ida wants to make rye bread. Ida fills a bowl with rye flour. Ida believes that the "
    "bowl holds rye flour. A helper swaps the flour for wheat while Ida sweeps the floor.",
    "Ida sees the helper swap the flour.", "Ida does not see the helper swap the flour.",
    "Ida empties the bowl.", "Ida pours water into the bowl.",
    "Does Ida believe the bowl holds rye or wheat?", "Does Ida want rye or wheat bread?", "What will Ida do?",
    "Ida believes the bowl holds wheat.", "Ida wants rye bread.", "Ida will empty the bowl.",
    "Ida believes the bowl holds rye.", "Ida wants rye bread.", "Ida will pour water into the bowl.",
    "A cat jumps on a sack.", "Ida sees the cat jump.", "Ida does not see the cat jump.", "auto", "0",
)  # fmt: skip


def bigtom(folder: Path) -> Path:
    path = folder / "bigtom_small.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=";").writerows([BIG, [cell.replace("Ida", "Ole") for cell in BIG]])
    return path


# ---- OpenToM --------------------------------------------------------------------------------------------------------

PLOT = {
    "mover": "Ida",
    "eoi": "cap",
    "original_place": "apron pocket",
    "move_to_place": "the attic",
    "observer": "Noah",
}


def opentom(folder: Path) -> Path:
    home = folder / "opentom"
    home.mkdir()
    story = {"plot": "Ida moved the cap.", "plot_info": PLOT, "observed": False, "narrative": "Ida hid Noah's cap."}
    _json(home / "meta_data.json", {"7": story})
    asked = {
        "attitude": [("As Noah, what is your attitude towards Ida's action?", "negative")],
        "location_cg_fo": [("From Noah's perspective, is the cap in its initial location by the end?", "Yes")],
        "location_fg_fo_new": [
            ("From Noah's perspective, where is the cap located precisely?", "apron pocket"),
            ("From Ida's perspective, where is the cap located precisely?", "the attic"),
            ("From narrator's perspective, where is cap located by the end of the story?", "attic"),
        ],
        "multihop_fo": [
            ("From Ida's perspective, how does apron pocket's fullness change?", "less full"),
            ("From Ida's perspective, how would cap's accessibility change?", "more accessible"),
        ],
    }
    for genre, rows in asked.items():
        _json(home / f"{genre}.json", {"7": [{"question": q, "answer": a, "type": "t"} for q, a in rows]})
    return home


# ---- ToMBench -------------------------------------------------------------------------------------------------------


def tombench_row(number: int, answer: str, options: list[Any], ability: str = "Belief: Location false beliefs") -> Any:
    names = ["选项A", "选项B", "选项C", "选项D"]
    return {
        "能力\nABILITY": ability,
        "序号\nINDEX": number,
        "故事": "小安离开了。",
        "问题": "在哪里？",
        **dict(zip(names, [option if isinstance(option, float) else f"盒{option}" for option in options], strict=True)),
        "STORY": "Ann leaves.",
        "QUESTION": f"Where is thing {number}?",
        **{f"OPTION-{letter}": option for letter, option in zip("ABCD", options, strict=True)},
        "答案\nANSWER": answer,
    }


NAN = float("nan")


def tombench(folder: Path) -> Path:
    home = folder / "tombench"
    home.mkdir()
    rows = [
        tombench_row(1, "A", ["Box", "Tin", "Jar", "Pot"]),
        tombench_row(2, "A. ", ["A. Box", "B. Tin", "C. Jar", "D. Pot"]),
        tombench_row(3, "B", ["Yes", "No", NAN, NAN], "Belief: Location false beliefs "),
    ]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (home / "Small Task.jsonl").write_text(lines, encoding="utf-8")
    return home


# ---- FANToM ---------------------------------------------------------------------------------------------------------


def fantom(folder: Path) -> Path:
    names = {"correct_answer": ["Ida", "Ole"], "wrong_answer": ["Una"]}
    record = {
        "set_id": "3-0-0",
        "part_id": "3-0",
        "short_context": "Ida: Una has gone. Ole: My cat is called Plum.",
        "full_context": "…",
        "factQA": {"question": "What is the cat called?", "correct_answer": "It is called Plum", "wrong_answer": "?"},
        "beliefQAs": [
            {
                "question": "What does Una think the cat is called?",
                "question_type": "tom:belief:inaccessible",
                "tom_type": "first-order",
                "correct_answer": "Una does not know.",
                "wrong_answer": "Una thinks it is Plum.",
                "missed_info_accessibility": "inaccessible",
            }
        ],
        "answerabilityQA_list": {"question": "Who knows the answer?", **names},
        "infoAccessibilityQA_list": {"question": "Who knows this?", **names},
        "answerabilityQAs_binary": [
            {"question": "Does Una know the answer?", "correct_answer": "no"},
            {"question": "Does Ida know the answer?", "correct_answer": "yes"},
            {"question": "Does Bo know the answer?", "correct_answer": "no:long"},
        ],
        "infoAccessibilityQAs_binary": [{"question": "Does Una know this?", "correct_answer": "no"}],
    }
    return _json(folder / "fantom_v1.json", [record])


def fantom_table(folder: Path) -> Path:
    path = folder / "inaccessible_second_order.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["context", "question", "answer_choices", "gt_answer"])
        rows.writerow(["Ida: Una's gone.", "What does Ida think?", str(["It's Plum.", "Nothing."]), "Nothing."])
    return path


# ---- SimpleToM, ToMATO, ExploreToM ----------------------------------------------------------------------------------


def simpletom(folder: Path) -> Path:
    home = folder / "mental-state-qa"
    home.mkdir()
    kinds = {"aware": ("Is Una aware?", ["Yes", "No"], "B"), "action": ("What next?", ["eat it", "return it"], "A"),
             "judge": ("Is that reasonable?", ["reasonable", "not reasonable"], "A")}  # fmt: skip
    rows = [
        {
            "id": f"gen1_{kind}",
            "story": "The bread has gone off. Una takes it home.",
            "question": question,
            "choices": {"text": options, "label": ["A", "B"]},
            "answerKey": key,
        }
        for kind, (question, options, key) in kinds.items()
    ]
    path = home / "test.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def tomato(folder: Path) -> Path:
    traits = ("Openness to Experience", "Conscientiousness", "Extraversion", "Agreeableness", "Neuroticism")
    options = ["He wants tea.", "He wants rest.", "He wants help.", "He wants news."]
    record = {
        **{f"a{number}": option for number, option in enumerate(options)},
        "a_idx": 1,
        "a_str": options[1],
        "big_five": "; ".join(f"{trait} - High" for trait in traits),
        "conversation": 'Ida Berg: "Hi!"\nOle Lund: "Hi."',
        "false_belief": True,
        "mental_state": "desire",
        "order": 2,
        "q": 'What does Ole think that Ida wants when he says "Hi."?',
        "q_id": "2nd-order-belief-about-desire_x_1",
        "sotopia_agents": ["i", "o"],
        "sotopia_environment": "e",
        "u_id": "1",
    }
    return _json(folder / "tomato_small.json", [record])


def exploretom(folder: Path) -> Path:
    head = ["story_structure", "infilled_story", "question", "expected_answer", "qprop=nth_order",
            "qprop=non_unique_mental_state", "sprop=global_idx", "param=story_type"]  # fmt: skip
    rows = [
        [
            "Ida entered the den.",
            "Ida came in.",
            "Does Ida know about the plan?",
            "no",
            "1",
            "True",
            "5",
            "fantom-public",
        ],
        ["Ida put the cup in the tin.", "", "Where will Ida look for the cup?", "tin", "1.0", "False", "6", "tomi"],
    ]
    path = folder / "ExploreToM-small.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def _json(path: Path, data: Any) -> Path:
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    return path


MAKERS: dict[str, Callable[[Path], Path]] = {
    "tomi": tomi,
    "hitom": hitom,
    "bigtom": bigtom,
    "opentom": opentom,
    "tombench": tombench,
    "fantom": fantom,
    "simpletom": simpletom,
    "tomato": tomato,
    "exploretom": exploretom,
}
