"""Looking at a model whose server tells too little."""

from collections.abc import Sequence
from math import inf

import pytest

from otherminds.errors import Unable
from otherminds.models import Prompt, Weighing
from otherminds.models.scripted import Scripted
from otherminds.store.store import MEMORY, Store
from otherminds.studies.safety import chapter as chapters
from otherminds.studies.study import Desk, Subject
from tests.studies.test_study_contract import bar


class Vague(Scripted):
    """Knows of no label more than that it is not the likeliest token."""

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        return [Weighing(bounds=dict.fromkeys(prompt.choices, (-inf, -1.0))) for prompt in prompts]


def test_without_a_single_response_score_the_study_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chapters, "SMALL", 4)
    model = Vague(lambda _: "", name="vague")
    with Store(MEMORY) as store, pytest.raises(Unable, match="raise top_logprobs"):
        chapters.look([Subject.of(model)], Desk(store, bar))
