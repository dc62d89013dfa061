"""Three solved questions, shown before another so that a model sees in which form answers are wanted.

They are about things alone, so that they say nothing of minds; the answer is what was named first, last and in between.
"""

from __future__ import annotations

from otherminds.items import Item

EXAMPLES = (
    Item(
        "example-1",
        "Where is the coin?",
        "purse",
        context="Ada puts the coin into the purse. She lays a pen into the tray. Then she goes to work.",
        choices=("tray", "purse"),
        cloze="The coin is in the",
    ),
    Item(
        "example-2",
        "Where is the spoon?",
        "sink",
        context="The spoon was in the mug. Leo takes the spoon out of the mug and drops it into the sink.",
        choices=("sink", "mug"),
        cloze="The spoon is in the",
    ),
    Item(
        "example-3",
        "What is in the red bowl?",
        "nuts",
        context="Rice is in the green bowl, nuts are in the red bowl, and salt is in the blue one. Rice is cheap.",
        choices=("rice", "nuts"),
        cloze="The red bowl is full of",
    ),
)
