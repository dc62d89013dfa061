"""What a server says to the requests of a whole profile: chat, JSON by schema, log-probabilities; all by the prompt."""

import json
import random
import re
from math import exp, log
from typing import Any

Body = dict[str, Any]


def answer(text: str) -> str:
    """The same to the same request, today and tomorrow."""
    body: Body = json.loads(text)
    dice = random.Random(json.dumps([body.get("prompt"), body.get("messages")]))
    if "messages" in body:
        shape = body.get("response_format", {}).get("json_schema", {}).get("schema")
        said = json.dumps(filled(shape, dice)) if shape else f"Answer: {dice.choice('AB')}"
        choice: Body = {"message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    elif body.get("echo"):
        words = [*body["prompt"], "."]
        values = [None, *(-dice.random() for _ in words[1:])]
        choice = {"text": "".join(words), "logprobs": {"tokens": words, "token_logprobs": values}}
    else:
        top = {f" {letter}": -1.5 - dice.random() for letter in "ABCD"} | dict.fromkeys("ABCD", -9.0)
        left = 1 - sum(map(exp, top.values()))
        top |= {token: log(left * part) for token, part in ((" the", 0.6), (" a", 0.3), (" it", 0.099))}
        choice = {"text": max(top, key=lambda token: top[token]), "logprobs": {"top_logprobs": [top]}}
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})


def filled(shape: Body, dice: random.Random) -> Any:
    """Some JSON that keeps to a schema."""
    if "enum" in shape:
        return dice.choice(shape["enum"])
    if shape.get("type") == "object":
        return {name: filled(part, dice) for name, part in shape.get("properties", {}).items()}
    if shape.get("type") == "array":
        return [filled(shape["items"], dice) for _ in range(shape.get("minItems", 2))]
    if shape.get("type") != "string":
        return 0
    begun = re.match(r"\^([\w ']+)", shape.get("pattern", ""))
    return f"{begun[1] if begun else 'I want '}to keep word {dice.randrange(1000)} for myself."
