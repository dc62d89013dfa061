"""What the shell can, Python can, and the other way round: the options of a command are its function's parameters."""

from collections.abc import Iterator
from functools import partial
from inspect import signature

import click
import pytest

import otherminds as om
from otherminds.cli import COMMANDS, cli
from otherminds.errors import UsageError
from otherminds.models.specs import Spec
from otherminds.terminal.derived import LEFT_OUT
from otherminds.terminal.names import real_model
from otherminds.terminal.options import SETTINGS, named_models

OF_A_SHELL = {"dry_run", "speed", "forms", "prose", "separate", "output"}
"""What another function does (`estimate`, `write_forms`, `tell_in_prose`, `separate`), or where a suite is written."""
BY_HAND = {"lint", "audit", "diagnose"}
"""Commands whose options are not derived from a function; no other may be."""
TOLD = {"writer", "judges", "candidates", "long", "trust"}
"""What `explore --prose` hands to `tell_in_prose`."""


def each_command() -> Iterator[click.Command]:
    context = click.Context(cli)
    for name in COMMANDS:
        found = cli.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            inside = (found.get_command(context, each) for each in found.list_commands(context))
            yield from (each for each in inside if each is not None)
        else:
            yield found


EVERY = list(each_command())


@pytest.mark.parametrize("command", EVERY, ids=lambda command: command.name)
def test_options_are_the_parameters_of_the_function(command: click.Command) -> None:
    if isinstance(command.callback, partial):
        verb = command.callback.args[1].make  # something that a study makes
    elif not hasattr(command.callback, "verb"):
        assert command.name in BY_HAND
        return
    else:
        verb = command.callback.verb
    told = {name for name in signature(verb).parameters if name not in LEFT_OUT}
    options = {each.name for each in command.params} - {"as_json", "debug", *SETTINGS}
    assert told - options <= {"output"}
    assert options - told <= OF_A_SHELL | TOLD


@pytest.mark.parametrize("command", EVERY, ids=lambda command: command.name)
def test_defaults_are_those_of_the_function(command: click.Command) -> None:
    verb = getattr(command.callback, "verb", None)
    for each in command.params if verb else ():
        given = signature(verb).parameters.get(each.name or "")
        if given and given.kind is given.KEYWORD_ONLY and each.name not in ("model", "store") and not each.required:
            assert each.get_default(click.Context(command)) in (given.default, None), each.name


def test_a_model_takes_in_python_what_it_takes_in_the_shell() -> None:
    with pytest.raises(UsageError, match="--replicas is for models on a cluster"):
        om.get_model("gguf:none.gguf", replicas=2)
    model = om.get_model("api:m", base_url="http://127.0.0.1:9/v1", patience="2m")
    assert model.wire.patience == 120  # type: ignore[attr-defined]
    far = om.get_model("gguf:none.gguf", on="ray", replicas=2)
    assert type(far).__name__ == "Replicas"


def test_settings_of_the_shell_reach_whom_they_are_for() -> None:
    given = {
        "model": "api:a,temperature=0",
        "partner": "gguf:b",
        "base_url": "http://h/v1",
        "patience": "90",
        "extra": ("temperature=1", "top_p=0.5"),
        "on": "ray",
        "replicas": None,
        "gpus": None,
    }
    named_models(given, ["model", "partner"])
    assert given == {
        "model": Spec(
            "api:a", {"patience": 90, "on": "ray", "temperature": 0, "top_p": 0.5, "base_url": "http://h/v1"}
        ),
        "partner": Spec("gguf:b", {"on": "ray", "temperature": 1, "top_p": 0.5}),
    }


def test_a_baseline_is_no_model_to_talk_to() -> None:
    with pytest.raises(UsageError, match="here there are none; take a model"):
        real_model("baseline:realist")


def test_what_cannot_weigh_is_searched_against_in_words() -> None:
    model = om.Scripted(lambda prompt: "box", name="chats")
    model.cannot = frozenset({"weigh", "raw"})
    found = om.explore(model, stories=1, budget=2, sets="tomi", baseline=False, quiet=True)
    assert found.searched["score"] == "text"
