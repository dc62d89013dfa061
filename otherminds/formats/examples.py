"""Three solved questions, shown before another so that a model sees in which form answers are wanted.

They are about things alone, so that they say nothing of minds; the answer is what was named first, last and in between.
"""

from __future__ import annotations

from otherminds.files import read_words
from otherminds.items import Item

EXAMPLES = tuple(Item(**{**parts, "choices": tuple(parts["choices"])}) for parts in read_words("prompts")["examples"])
