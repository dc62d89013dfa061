"""What the site adds to the pages: tutorials, the commands, the API from docstrings, and links to the glossary."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click
from mkdocs.structure.files import File, Files

HERE = Path(__file__).parent
FILE = re.compile(r"^```(\w+) (\S+)$", re.M)
"""A block that is a file."""
TO_NOTEBOOK = re.compile(r"(\]\([\w./]*)\.ipynb\)(?!\{)")
EVERY_COMMAND = re.compile(r"<!-- every command.*?-->", re.S)
TERMS = {
    "s": r"S",
    "mass": r"mass",
    "bias-to-a": r"bias to A|liking for a letter",
    "cloze": r"cloze",
    "prior-of-words": r"prior of words",
    "control-question": r"control questions?|controls",
    "verdict": r"verdicts?",
    "unscored": r"unscored",
    "group": r"(?:clustered )?by group|groups",
    "order": r"(?:first|second|third)[- ]order|order [012]",
    "false-belief": r"false beliefs?",
    "twin": r"twins?",
    "stage": r"stages?",
    "perturbation": r"perturbations?",
    "series": r"series of models|model series",
    "ladder": r"ladder",
    "adapter": r"adapters?",
    "reader": r"readers?|baselines?",
    "oracle": r"oracle",
    "realist": r"realist",
    "decoy": r"decoy",
    "mindless-baselines": r"mindless baselines?",
    "minds": r"chains? of minds",
    "view": r"views?",
    "sighting": r"sightings?",
    "peeker": r"peekers?",
    "distracted": r"distracted",
    "premises": r"premises",
    "fingerprint": r"fingerprints?",
    "canary": r"canary prompts?|canaries",
    "shard": r"shards?",
}
"""By its anchor in the glossary, the words that a page uses for it."""
# Code and what it showed, headings, links, pictures and tags stay as they are.
SKIPPED = r'^```.*?^```|^<div class="shown">.*?(?=\n\n|\Z)|'
SKIPPED += r"^#[^\n]*$|`[^`\n]*`|!?\[[^\]]*\](?:\([^)]*\))?|<[^>]+>|https?://\S+"
NAMED = "|".join(f"(?P<g{number}>{words})" for number, words in enumerate(TERMS.values()))
WORDS = re.compile(rf"(?P<skipped>{SKIPPED})|\b(?:{NAMED})\b", re.M | re.S)


def on_files(files: Files, *, config: Any) -> Files:
    """A page for every tutorial, beside the notebook itself."""
    page = runpy.run_path(str(HERE / "notebooks.py"))["page"]
    for path in sorted((HERE / "tutorials").glob("*.ipynb")):
        files.append(File.generated(config, f"tutorials/{path.stem}.md", content=page(path)))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """A page as it is written, with what the site adds to it."""
    name = page.file.src_uri
    markdown = TO_NOTEBOOK.sub(r"\1.md)", markdown)
    markdown = FILE.sub(r'```\1 title="\2"', markdown).replace("```console\n", "```bash\n")
    if name == "commands.md":
        return EVERY_COMMAND.sub(lambda _: "\n".join(every_command()), markdown)
    if name == "api.md":
        return api()
    if name == "glossary.md":
        return markdown
    return with_glossary(markdown, "../" * name.count("/"))


def with_glossary(markdown: str, up: str = "") -> str:
    """The page with a link to the glossary where it uses one of its words first."""
    anchors, linked = list(TERMS), set()

    def link(found: re.Match[str]) -> str:
        if found["skipped"]:
            return found[0]
        anchor = anchors[int(str(found.lastgroup)[1:])]
        if anchor in linked:
            return found[0]
        linked.add(anchor)
        return f"[{found[0]}]({up}glossary.md#{anchor}){{ .term }}"

    return WORDS.sub(link, markdown)


# ---- the commands -------------------------------------------------------------------------------------------------


def every_command() -> Iterator[str]:
    """Every command with its arguments and options."""
    from otherminds.cli import cli

    context = click.Context(cli, info_name="otherminds")
    for name in cli.list_commands(context):
        if command := cli.get_command(context, name):
            yield from command_lines(command, click.Context(command, info_name=name, parent=context), "##")


def command_lines(command: click.Command, context: click.Context, level: str) -> Iterator[str]:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"{level} {context.command_path}\n\n```text\n{usage}\n```\n\n{told(command.help)}\n"
    options = [part for part in command.get_params(context) if isinstance(part, click.Option) and not part.hidden]
    if rows := [row for option in options if (row := option.get_help_record(context)) and "--help" not in row[0]]:
        yield "| option | |\n|---|---|"
        yield from (f"| `{names}` | {cell(escaped(text))} |" for names, text in rows)
        yield ""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if inner := command.get_command(context, name):
                yield from command_lines(inner, click.Context(inner, info_name=name, parent=context), f"{level}#")


def told(text: str | None) -> str:
    """A help text as Markdown; columns stay columns."""
    parts = cleandoc((text or "").replace("\f", "")).split("\n\n")
    return "\n\n".join(
        f"```text\n{part.strip(chr(8) + chr(10))}\n```" if "  " in part else escaped(part.strip("\b")) for part in parts
    )


def escaped(text: str) -> str:
    return re.sub(r"([<>*_\[\]])", r"\\\1", text)


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


# ---- the API ------------------------------------------------------------------------------------------------------


def api() -> str:
    """The reference of `make_api.py`, with whole docstrings in place of their first lines."""
    made = runpy.run_path(str(HERE / "make_api.py"))
    lines = [made["HEAD"], "## import otherminds as om\n"]
    for title, names in made["PUBLIC"].items():
        lines += [f"### {title}\n", *(f"::: otherminds.{name}\n" for name in names.split())]
    for title, modules in made["MODULES"].items():
        lines += [f"## {title}\n"]
        for module, names in modules.items():
            lines += [f"### otherminds.{module}\n"]
            lines += [f"::: otherminds.{module}.{name}\n" for name in names.split()]
    return "\n".join(lines)
