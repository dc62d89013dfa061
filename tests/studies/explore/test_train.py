"""Training triples: so many, in the right share, without leaks, and in forms that can be read back."""

import json
from collections import Counter
from pathlib import Path

import pytest

from otherminds.errors import UsageError
from otherminds.items import Item
from otherminds.items.lint import faults
from otherminds.search import training as train
from otherminds.search.training import save, triples
from otherminds.search.training import training_suite as suite
from otherminds.stories.contexts import bank
from otherminds.stories.sets import choose, grid

CELLS = grid(choose("tomi,fantom-private,tomi+object-state+asymmetric"), people=(2, 3), moves=(2, 3))
MADE = list(triples(CELLS, bank(), number=600, seed=1))


def by_story(made: list[Item]) -> dict[str, list[Item]]:
    grouped: dict[str, list[Item]] = {}
    for each in made:
        grouped.setdefault(each.context, []).append(each)
    return grouped


def test_as_many_as_asked_for_each_once() -> None:
    assert len(MADE) == 600
    assert len({(each.context, each.question) for each in MADE}) == 600
    assert all(each.answer in each.choices for each in MADE)
    assert max(map(len, by_story(MADE).values())) == 8
    assert faults(suite(MADE)) == []
    assert list(triples(CELLS, bank(), number=600, seed=1)) == MADE
    assert list(triples(CELLS, bank(), number=50, seed=1)) == MADE[:50]


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_the_share_of_stories_that_need_theory_of_mind(share: float) -> None:
    stories = by_story(list(triples(CELLS, bank(), number=200, share=share, seed=2)))
    needing = [each[0].tags["needs_theory_of_mind"] for each in stories.values()]
    for count in range(1, len(needing)):
        assert abs(sum(needing[:count]) - share * count) <= 1


def test_train_and_test_share_no_context() -> None:
    contexts = {
        split: {each.tags["context"] for each in MADE if each.tags["split"] == split} for split in ("train", "test")
    }
    assert contexts["train"]
    assert contexts["test"]
    assert not contexts["train"] & contexts["test"]
    assert {each.tags["split"] for each in triples(CELLS, bank(), number=40, test=0.0)} == {"train"}


def test_paraphrased_stories_are_the_same_stories_in_other_words() -> None:
    told = list(triples(CELLS, bank(), number=600, seed=1, paraphrase=True))
    assert not {each.context for each in told} & {each.context for each in MADE}
    assert Counter(each.tags["set"] for each in told).keys() == Counter(each.tags["set"] for each in MADE).keys()


@pytest.mark.parametrize("form", ["chat", "completion"])
def test_files_hold_every_triple(tmp_path: Path, form: str) -> None:
    written = save(tmp_path, MADE, form=form)
    assert [path.name for path in written] == ["train.jsonl", "test.jsonl", "card.md"]
    lines = [json.loads(line) for path in written[:2] for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 600
    one = MADE[0]
    asked = f"{one.context}\n\n{one.question}"
    expected = {
        "chat": {"messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": one.answer}]},
        "completion": {"prompt": f"{asked}\nAnswer:", "completion": f" {one.answer}"},
    }
    assert set(one.tags) == {"split", "context", "set", "needs_theory_of_mind", "order", "kind"}
    assert expected[form] | dict(one.tags) in lines
    card = written[2].read_text(encoding="utf-8")
    assert "600 questions about" in card
    assert "| longest option |" in card


def test_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'otherminds\[parquet\]'"):
        save(tmp_path, MADE, parquet=True)
    assert list(tmp_path.iterdir()) == []


def test_parquet_reads_back(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    train_file, *_ = save(tmp_path, MADE, form="completion", parquet=True)
    assert parquet.read_table(train_file).num_rows == sum(each.tags["split"] == "train" for each in MADE)


@pytest.mark.parametrize(
    "wrong",
    [{"share": 1.5}, {"share": -0.1}, {"test": 1.0}, {"number": 0}, {"each": 0}, {"cells": []}, {"contexts": []}],
)
def test_requests_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    given = {"cells": CELLS, "contexts": bank(), "number": 10} | wrong
    with pytest.raises(UsageError):
        next(triples(given.pop("cells"), given.pop("contexts"), **given))  # type: ignore[arg-type]


def test_settings_without_such_stories_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "GIVEN_UP", 3)
    # Two people who talk aloud in one room always know the same.
    cells = grid(choose("fantom-public"), people=(2,), moves=(2,))
    with pytest.raises(UsageError, match="gave no new story that needs theory of mind, after 0 stories"):
        list(triples(cells, bank(), number=10, share=1.0))


def test_an_unknown_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no form 'poem'"):
        save(tmp_path, MADE, form="poem")
