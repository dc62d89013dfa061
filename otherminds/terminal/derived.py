"""A command from a function: options from its signature, their help from its docstring.

The docstring ends with a line for every parameter, `name (as it is typed): help`. What is typed is the options' names,
where they are not the parameter's own, and what stands for the value: `tracker (--with NAME): Whose client logs it.`
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args, get_origin

import click

from otherminds.terminal.names import get_model
from otherminds.terminal.options import SETTINGS, common, extra_option, model_option, named_models, store_option

Count: TypeAlias = int
Natural: TypeAlias = int
Port: TypeAlias = int
"""Whole numbers: from 1 on, from 0 on, and those of a port."""
Amount: TypeAlias = float
Share: TypeAlias = float
"""Numbers from 0 on, and those from 0 to 1."""
File: TypeAlias = str | Path
Folder: TypeAlias = str | Path

PATH = click.Path(path_type=Path)
KINDS: Mapping[str, click.ParamType[Any]] = {
    "File": click.Path(path_type=Path, dir_okay=False),
    "Folder": click.Path(path_type=Path, file_okay=False),
    "str": click.STRING,
    "Path": PATH,
    "Count": click.IntRange(min=1),
    "Natural": click.IntRange(min=0),
    "Port": click.IntRange(0, 65535),
    "Share": click.FloatRange(0, 1),
    "Amount": click.FloatRange(min=0),
    "int": click.INT,
    "float": click.FLOAT,
}
"""What a word in an annotation is on the command line; the first that is there counts."""
LEFT_OUT = ("as_json", "quiet", "progress")
"""Parameters that get no option of their own: --json every command has, and a bar a shell can do without."""
USUAL = {
    "budget": ("NAME=N,…", "Stop cleanly, for each model: calls=, tokens=, seconds=, money=."),
    "prices": ("", "A JSON table of prices a million tokens."),
}
"""What is typed for parameters that several functions have, and their help, unless a docstring has its own."""
_LINE = re.compile(r"(?P<name>\w+)(?: \((?P<typed>[^)]+)\))?: (?P<help>.+)", re.DOTALL)
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
"""What click has for one option or several."""
Shell = Callable[..., int | None]
"""Calls the function, prints, and returns the exit code."""


def command(
    verb: Callable[..., Any] | None = None,
    *,
    name: str = "",
    before: Mapping[str, Sequence[Decorator | click.Parameter]] | None = None,
    configured: Sequence[str] = ("model", "models"),
    **changes: Mapping[str, Any],
) -> Callable[[Shell], click.Command]:
    """Make a command of the function that does the work and the one that prints, or of one that does both.

    `before` puts options that only a shell has before a parameter, or at the end (""); `configured` are the parameters
    that --base-url, -M and so on are for. `changes` are what click should know of a parameter besides.
    """

    def make(shell: Shell) -> click.Command:
        known = signature(verb or shell).parameters
        # What is not the function's own is among the options that stand before one of its own.
        named = [each for each in configured if each not in known or "Spec" in str(known[each].annotation)]

        def callback(**given: Any) -> None:
            named_models(given, named)
            if code := shell(given.pop("as_json"), **given):
                click.get_current_context().exit(code)

        def options() -> list[click.Parameter]:
            more, found = dict(before or {}), list[click.Parameter]()
            for each in parameters(verb or shell, changes):
                found += [*shared(*more.pop(each.name or "", ())), each]
            return found + shared(*more.pop("", ()), common)

        callback.verb = verb or shell  # type: ignore[attr-defined]
        help = documented(shell, *filter(None, [verb]))[0]
        made = Derived(name or (verb or shell).__name__, callback=callback, help=help)
        made.options = options
        del made.params
        return made

    return make


class Derived(click.Command):
    """A command whose options are made when they are needed first: a list of commands needs none."""

    options: Callable[[], list[click.Parameter]]

    def __getattr__(self, name: str) -> Any:
        if name != "params":
            raise AttributeError(name)
        self.params = self.options()
        return self.params


def shared(*some: Decorator | click.Parameter) -> list[click.Parameter]:
    """Parameters, and those that click's decorators add."""
    found: list[click.Parameter] = []
    for each in some:
        if isinstance(each, click.Parameter):
            found.append(each)
        else:

            def nothing() -> None: ...

            found += reversed(getattr(each(nothing), "__click_params__", []))
    return found


def parameters(
    verb: Callable[..., Any], changes: Mapping[str, Mapping[str, Any]] | None = None, *, only: Sequence[str] = ()
) -> Iterator[click.Parameter]:
    """The arguments and options of a function, in its order; a model and a store are those of every command."""
    told, scope = documented(verb)[1], getattr(verb, "__globals__", {})
    for name, given in signature(verb).parameters.items():
        if name in LEFT_OUT or (only and name not in only):
            continue
        typed, help = told.get(name) or USUAL.get(name) or ("", None)
        change = dict((changes or {}).get(name, {}))
        if name == "store":
            yield from shared(store_option)
        elif name == "model" and "Model" in str(given.annotation):
            yield from shared(model_option(typed, help), *model_settings())
        elif name == "models":
            yield from shared(model_option(typed, help, several=True), *model_settings())
        elif given.kind is Parameter.KEYWORD_ONLY:
            yield _option(given, typed, help, change, scope)
        else:
            yield _argument(given, typed, change, scope)


def model_settings() -> list[click.Parameter]:
    """How a model is set up and where it is computed: what `get_model` takes, and -M for all else."""
    address, patience, *placed = parameters(get_model, only=SETTINGS)
    return [address, patience, *shared(extra_option), *placed]


def _argument(given: Parameter, typed: str, change: dict[str, Any], scope: Mapping[str, Any]) -> click.Argument:
    required = given.default is Parameter.empty and change.pop("required", True)
    kind, several = _kind(given.annotation, scope)
    several = several or given.kind is Parameter.VAR_POSITIONAL
    change = {"type": kind, "nargs": -1 if several else 1, "required": required} | change
    return click.Argument([given.name], **{"metavar": typed or given.name.upper()} | change)


def _option(
    given: Parameter, typed: str, help: str | None, change: dict[str, Any], scope: Mapping[str, Any]
) -> click.Option:
    name, words = given.name, typed.split()
    flags = [word for word in words if word.startswith("-")]
    value = " ".join(word for word in words if not word.startswith("-"))
    dashed, on = name.replace("_", "-"), given.default
    if isinstance(on, bool):
        flags = flags or [f"--no-{dashed}" if on else f"--{dashed}"]
        flag = {"is_flag": True, "flag_value": not on, "default": on, "help": help}
        return click.Option([name, *flags], **flag | change)
    kind, several = _kind(given.annotation, scope)
    usual: dict[str, Any] = {"type": kind, "multiple": several, "metavar": value or None, "help": help}
    if given.default is Parameter.empty or change.get("required"):
        usual |= {"required": True}
    else:
        usual |= {"default": given.default, "show_default": given.default not in (None, "", ())}
    letters = ["-o"] if name == "output" and not flags else []
    return click.Option([name, *letters, *(flags or [f"--{dashed}"])], **usual | change)


def _kind(annotation: object, scope: Mapping[str, Any]) -> tuple[click.ParamType[Any] | None, bool]:
    """What an annotation is on the command line, and whether it may be given several times."""
    written = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    parts = _parts(written)
    for part in parts:
        if isinstance(part, ast.Subscript) and ast.unparse(part.value).endswith("Literal"):
            return click.Choice(ast.literal_eval(part.slice) if isinstance(part.slice, ast.Tuple) else ()), False
    words = {ast.unparse(part).rpartition(".")[2] for part in parts} - {"None"}
    for word in words:
        if get_origin(scope.get(word)) is Literal:
            return click.Choice(get_args(scope[word])), False
    if "Path" in words and words <= {"Path", "str"}:
        return PATH, False
    for word, kind in KINDS.items():
        if word in words:
            return kind, False
    for part in parts:
        if isinstance(part, ast.Subscript):
            inner = part.slice.elts[0] if isinstance(part.slice, ast.Tuple) else part.slice
            return _kind(ast.unparse(inner), scope)[0], True
    return None, False


@cache
def _parts(written: str) -> list[ast.expr]:
    """What stands between the bars of an annotation."""

    def split(node: ast.expr) -> Iterator[ast.expr]:
        if isinstance(node, ast.BinOp):
            yield from (*split(node.left), *split(node.right))
        else:
            yield node

    return list(split(ast.parse(written, mode="eval").body))


def documented(*functions: Callable[..., Any]) -> tuple[str, dict[str, tuple[str, str]]]:
    """What the first docstring says that there is, and by parameter what is typed for it and its help."""
    doc = next(filter(None, map(getdoc, functions)), "")
    text, _, last = doc.rpartition("\n\n")
    lines = [_LINE.fullmatch(re.sub(r"\s*\n\s*", " ", part)) for part in re.split(r"\n(?! )", last)]
    if not text or not all(lines):
        return doc, {}
    return text, {line["name"]: (line["typed"] or "", line["help"]) for line in lines if line}
