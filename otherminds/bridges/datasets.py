"""A suite as a folder that Hugging Face's `datasets` reads: Parquet, a card, and Croissant for machines.

    folder/README.md                                what is in it, with the header that `load_dataset` reads
    folder/data/test-00000-of-00001.parquet         one row an item
    folder/croissant.json                           files, columns and checksums (mlcommons.org/croissant/1.0)

Tags and meta differ from item to item, so each is one column of JSON text; what every item has is a column of its own.
Nothing is sent anywhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

from otherminds.bridges.benchmarks.known import BENCHMARKS
from otherminds.errors import UsageError
from otherminds.files import package_file, read_words, replacing, write_text
from otherminds.heuristics.cards import card
from otherminds.items import Item, Suite
from otherminds.items.tags import BENCHMARK, FALSE_BELIEF, ORDER, STORY

PARQUET = "data/test-00000-of-00001.parquet"
OURS, THEIRS = "Apache-2.0", "The items are another benchmark's: mind its terms before passing them on"
COLUMNS: dict[str, list[str]] = read_words("keys")["columns"]
TYPES = {"string": "sc:Text", "list": "sc:Text", "int64": "sc:Integer", "bool": "sc:Boolean"}


def write(suite: Suite, folder: Path) -> list[Path]:
    """Write the folder; which files there are now."""
    licence = licence_of(suite)
    table = folder / PARQUET
    _write_parquet([_row(item) for item in suite], table)
    digest = hashlib.sha256(table.read_bytes()).hexdigest()
    write_text(folder / "README.md", _readme(suite, licence))
    croissant = json.dumps(_croissant(suite, licence, digest), indent=1, ensure_ascii=False)
    write_text(folder / "croissant.json", croissant + "\n")
    return [table, folder / "README.md", folder / "croissant.json"]


def licence_of(suite: Suite) -> str:
    """Ours, or that of the benchmark that items are from."""
    names = {str(item.meta[BENCHMARK]) for item in suite if BENCHMARK in item.meta}
    known = [BENCHMARKS[name].licence for name in sorted(names) if name in BENCHMARKS]
    return "; ".join(known) if known else OURS


def _row(item: Item) -> dict[str, Any]:
    order, false = item.tags.get(ORDER), item.tags.get(FALSE_BELIEF)
    return {
        "id": item.id,
        "story": str(item.tags.get(STORY, item.id)),
        "context": item.context,
        "question": item.question,
        "choices": list(item.choices),
        "answer": item.answer,
        "label": item.choices.index(item.answer) if item.choices else None,
        "cloze": item.cloze,
        "order": order if isinstance(order, int) else None,
        "false_belief": false if isinstance(false, bool) else None,
        "tags": json.dumps(dict(item.tags), ensure_ascii=False),
        "meta": json.dumps(dict(item.meta), ensure_ascii=False),
    }


def _write_parquet(rows: list[dict[str, Any]], path: Path) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as parquet
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'otherminds[parquet]'") from None
    kinds = {"string": pa.string(), "list": pa.list_(pa.string()), "int64": pa.int64(), "bool": pa.bool_()}
    schema = pa.schema([(name, kinds[kind]) for name, (kind, _) in COLUMNS.items()])
    with replacing(path) as half:
        parquet.write_table(pa.Table.from_pylist(rows, schema=schema), half)


def _name(suite: Suite) -> str:
    return re.sub(r"[^a-z0-9]+", "-", suite.name.lower()).strip("-") or "suite"


def _readme(suite: Suite, licence: str) -> str:
    made = f"written by otherminds {version('otherminds')}, asked by prompt `{suite.prompt}`, scored by `{suite.score}`"
    free = licence == OURS
    return package_file("export/dataset.md").format(
        name=json.dumps(suite.name, ensure_ascii=False),
        licence="apache-2.0" if free else f"other\nlicense_name: {json.dumps(licence)}",
        card=card(suite, made=made),
        columns="\n".join(f"| `{name}` | {kind} | {means} |" for name, (kind, means) in COLUMNS.items()),
        terms=licence if free else f"{licence}. {THEIRS}",
    )


def _croissant(suite: Suite, licence: str, digest: str) -> dict[str, Any]:
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"items/{name}",
            "name": name,
            "description": means,
            "dataType": TYPES[kind],
            **({"repeated": True} if kind == "list" else {}),
            "source": {"fileObject": {"@id": "table"}, "extract": {"column": name}},
        }
        for name, (kind, means) in COLUMNS.items()
    ]
    told: dict[str, Any] = json.loads(package_file("export/croissant.json"))  # the context is as its specification asks
    about = f"{len(suite)} questions of the suite {suite.name}, about what people believe."
    told |= {"name": _name(suite), "description": about, "license": licence, "version": f"1.0.0+{suite.digest}"}
    told["distribution"][0]["sha256"] = digest
    told["recordSet"][0]["field"] = fields
    return told
