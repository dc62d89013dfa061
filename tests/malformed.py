"""Broken files by the hundred: a valid one of every format, and a seeded generator that spoils it.

What comes out is known to be malformed wherever the generator can know; where chance may have left a valid file,
`fits` says so, by shapes written here a second time.
"""

import json
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

Json = Any
Put = Callable[[Path], None]
"""Puts something at a path: a file, a folder, a link."""


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file: a valid one, who reads it, and what any valid one looks like."""

    name: str
    file: str
    """What it is called; the ending may matter."""
    valid: bytes
    commands: tuple[tuple[str, ...], ...]
    """Each reads the file that stands as FILE."""
    shape: Any
    """What the parsed file must look like to be accepted."""
    form: Literal["json", "lines", "yaml", "plain"] = "json"


@dataclass(frozen=True, slots=True)
class Case:
    """One malformed input: what lies there, and the command that meets it."""

    name: str
    args: tuple[str, ...]
    put: tuple[tuple[str, Put], ...] = ()
    refused: bool = True
    """False: it may by chance still be valid, and `fits` decides."""
    fits: Callable[[Path], bool] = field(default=lambda _: False)


# ---- what a valid file looks like -----------------------------------------------------------------------------------


def text(value: Json) -> bool:
    """Something to read."""
    return isinstance(value, str) and bool(value.strip())


def number(value: Json) -> bool:
    """A count, or an amount that can be computed with."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def fits(value: Json, shape: Any) -> bool:
    """Whether a value has a shape: a type, a test, [shape] for lists, {"name": shape, "optional?": shape}."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return False
        names = {name.rstrip("?"): part for name, part in shape.items() if name != "*"}
        needed = {name for name in shape if not name.endswith("?") and name != "*"}
        if not needed <= set(value) or ("*" not in shape and not set(value) <= set(names)):
            return False
        return all(fits(part, names.get(name, shape.get("*"))) for name, part in value.items())
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(part, shape[0]) for part in value)
    if isinstance(shape, type):
        return isinstance(value, shape)
    return shape is None or bool(shape(value))


def strict(content: str) -> Json:
    """JSON as the standard has it, which every part of must be text that can be written again."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    data = json.loads(content, parse_constant=refuse)
    json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
    return data


# ---- spoiling bytes -------------------------------------------------------------------------------------------------


def holding(content: bytes) -> Put:
    """A file with this content."""

    def put(path: Path) -> None:
        path.write_bytes(content)

    return put


def missing(_: Path) -> None:
    """Nothing at all."""


def folder(path: Path) -> None:
    """A folder where a file should be."""
    path.mkdir()
    (path / "inside.txt").write_text("hello")


def loop(path: Path) -> None:
    """A link that leads to itself."""
    os.symlink(path.name, path)


def dangling(path: Path) -> None:
    """A link that leads nowhere."""
    os.symlink("nowhere", path)


PLACES: dict[str, Put] = {"missing": missing, "a folder": folder, "a loop": loop, "a dangling link": dangling}


def spoilt_bytes(valid: bytes, rng: random.Random) -> Iterator[tuple[str, bytes, bool]]:
    """Spoilt copies of a file, each with whether it is malformed for certain."""

    def inside() -> int:
        return rng.randrange(1, len(valid) - 1)

    yield "empty", b"", True
    yield "white space", b" \n\t\r\n  ", True
    yield "zeros", bytes(64), True
    yield "noise", rng.randbytes(300), True
    yield "UTF-16", valid.decode("utf-8", "replace").encode("utf-16"), True
    yield "BOM", b"\xef\xbb\xbf" + valid, False
    yield "deep", b"[" * 100_000 + b"]" * 100_000, True
    yield "deep object", b'{"a":' * 100_000 + b"1" + b"}" * 100_000, True
    yield "a web page", b"<!DOCTYPE html><html><body>404 Not Found</body></html>", True
    for _ in range(4):
        cut = inside()
        yield f"cut at {cut}", valid[:cut], False
    for byte in (b"\xff", b"\xc3\x28", b"\xed\xa0\x80"):
        place = inside()
        yield f"{byte.hex()} at {place}", valid[:place] + byte + valid[place:], True
    for byte in (b"\x00", b"\x1b[2J", b"\r", b'"', b"}"):
        place = inside()
        yield f"{byte!r} at {place}", valid[:place] + byte + valid[place:], False
    for _ in range(4):
        place = inside()
        yield f"flip at {place}", valid[:place] + bytes([rng.randrange(32, 127)]) + valid[place + 1 :], False


# ---- spoiling JSON --------------------------------------------------------------------------------------------------

STRANGE = (
    *("null", "true", "17", "-1", "0.5", "[]", "{}", '""', '"  "', '"\\u0000\\u001b[2J"', '"\\ud800"', "NaN"),
    *("1e999", "-Infinity", "1" + "0" * 400, "9" * 5000, '"nonsense"', '["a", 1]', '{"a": [null]}', "[[[[[[[[]]]]]]]]"),
    '"' + "x" * 50_000 + '"',
    "[" * 970 + "]" * 970,
)
"""Values as they stand in a file, some of which json would never write."""
MARK = "@@@"


def paths(value: Json, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to everything inside a value."""
    if at:
        yield at
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield from paths(part, (*at, name))


def changed(value: Json, at: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Json:
    """A copy in which `change` was done to whoever holds what lies at `at`."""
    copy = json.loads(json.dumps(value))
    holder = copy
    for step in at[:-1]:
        holder = holder[step]
    change(holder, at[-1])
    return copy


def spoilt_json(value: Json, rng: random.Random, times: int) -> Iterator[tuple[str, str]]:
    """Texts in which one part of a value is missing, doubled, unknown or strange."""
    ways = list(paths(value))

    def remove(holder: Any, name: Any) -> None:
        del holder[name]

    def rename(holder: Any, name: Any) -> None:
        if isinstance(holder, dict):
            holder[f"{name}_"] = holder.pop(name)
        else:
            holder.insert(name, holder[name])

    def mark(holder: Any, name: Any) -> None:
        holder[name] = MARK

    for _ in range(times):
        at = rng.choice(ways)
        where = "/".join(map(str, at))
        kind = rng.choice(("remove", "rename", *["strange"] * 6))
        if kind == "strange":
            strange = rng.choice(STRANGE)
            yield f"{where} = {strange[:20]}", json.dumps(changed(value, at, mark)).replace(f'"{MARK}"', strange)
        else:
            change = remove if kind == "remove" else rename
            yield f"{kind} {where}", json.dumps(changed(value, at, change))


def as_lines(listed: str) -> str:
    """A JSON list, as text that json could not read any more, one element a line."""
    parts, depth, begin, quoted = [], 0, 1, False
    for place, sign in enumerate(listed):
        if sign == '"' and listed[place - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        depth += (sign in "[{") - (sign in "]}")
        if (sign == "," and depth == 1) or (sign == "]" and depth == 0):
            parts.append(listed[begin:place].strip())
            begin = place + 1
    return "\n".join(parts) + "\n"


# ---- all cases of a format ------------------------------------------------------------------------------------------


def cases(kind: Format, *, times: int, seed: int = 0) -> Iterator[Case]:
    """Every spoilt copy of a format's file, put to its commands in turn."""
    rng = random.Random(f"{seed}:{kind.name}")
    spoilt: list[tuple[str, Put, bool]] = [(name, put, True) for name, put in PLACES.items()]
    spoilt += [(name, holding(content), sure) for name, content, sure in spoilt_bytes(kind.valid, rng)]
    if kind.form != "plain":
        value = parsed(kind.valid.decode(), kind)
        for name, content in spoilt_json(value, rng, times):
            written = as_lines(content) if kind.form == "lines" else content
            spoilt.append((name, holding(written.encode()), False))
    for place, (name, put, sure) in enumerate(spoilt):
        command = kind.commands[place % len(kind.commands)]
        args = tuple(part.replace("FILE", kind.file) for part in command)
        yield Case(f"{kind.name}: {name}", args, ((kind.file, put),), sure, lambda path: still_valid(path, kind))


def still_valid(folder: Path, kind: Format) -> bool:
    """Whether a spoilt file is, by the shapes of this module, a valid one after all."""
    try:
        content = (folder / kind.file).read_bytes().decode("utf-8-sig")
        return fits(parsed(content, kind), kind.shape)
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return False


def parsed(content: str, kind: Format) -> Json:
    """What a file says, by readers that share nothing with the package."""
    match kind.form:
        case "json":
            return strict(content)
        case "lines":
            return [strict(line) for line in content.split("\n") if line.strip()]
        case "yaml":
            return yaml.safe_load(content)
        case "plain":
            return content
