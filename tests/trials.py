"""What is asked of a server beside the prompts of a run: greetings, which try it out, and canaries, which watch it."""

import json

from otherminds.models.api.provenance import QUESTIONS
from otherminds.models.api.request_forms import GREETINGS


def is_trial(body: str) -> bool:
    """Whether this request, as JSON, is a greeting or a canary."""
    # An echo asks for a greeting and a word more.
    greets = any(json.dumps(greeting)[:-1] in body for greeting in GREETINGS)
    return greets or any(json.dumps(question)[1:-1] in body for question, *_ in QUESTIONS)
