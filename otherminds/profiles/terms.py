"""The words of a profile, explained at its end."""

from __future__ import annotations

from otherminds.pages.heatmap import Glossary, explained

TERMS = {
    "accuracy": (
        "The share of right answers. Ties, refusals and answers that could not be read are left out, and counted under"
        " “How it was asked”."
    ),
    "accuracy on false-belief questions": (
        "The same on questions where what somebody believes is not so. Whoever answers from reality gets none of them;"
        " so it is read together with the accuracy on true-belief questions."
    ),
    "probability of the right option": (
        "S: the share that the right option has in the probability of all options, over every order of the options."
        " With two options, 0.5 is indifference."
    ),
    "order": (
        "How deep a question goes: 0 asks what is so, 1 what somebody thinks, 2 what somebody thinks that another"
        " thinks."
    ),
    "reader": (
        "A rule that answers every question in its own way. Which of them a model's answers are like is fitted as a"
        " mixture; nothing follows about how the model arrives at them."
    ),
    "oracle": "The reader that knows every answer.",
    "realist": "The reader that answers from reality, whatever people believe.",
    "first-order reader": "The reader that stops at what one person thinks, however deep the question is.",
    "mindless reader": (
        "A rule that needs no thought of anybody's mind: it takes what is really so, anything else, the option named"
        " last, the longest one. What the best of them gets is no evidence of more."
    ),
    "guess": "Any option, by chance. A guess and a slip of somebody who follows a reader look alike.",
    "none of these": "Answers that hang together in a way that no reader explains.",
    "95 % interval": (
        "Drawn by whole stories, conversations or stages, since questions about one story are not independent."
    ),
    "letters, cloze, text": (
        "Ways of asking: which letter of a list of options is more probable; which option is, as the end of a sentence;"
        " what is written as an answer."
    ),
    "bias to A": (
        "How much more the first letter gets than the others, in log-probability, whatever stands beside it. Asking in"
        " every order of the options takes it out of the score."
    ),
    "mass": (
        "The probability of all options together, before they are compared. Far below 1, the model would rather have"
        " written something else."
    ),
    "control questions": (
        "Questions about what a story says outright. Who cannot answer these cannot be asked about minds."
    ),
}


def term(words: str, of: str = "") -> str:
    """Words that lead to what a term means."""
    return explained(words, of or words)


def glossary() -> Glossary:
    """The block at the end of a page."""
    return Glossary(TERMS)
