"""Writes sbom.cdx.json, the bill of materials in CycloneDX, from the locks and the weights: `make locks`.

Licences are what installed packages say of themselves; of what is not installed here, what the file said before.
"""

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, metadata, version
from pathlib import Path
from typing import Any

from otherminds.models.adapters import shipped
from otherminds.models.local.weights import WEIGHTS

HOME = Path(__file__).parent
PLACE = HOME / "sbom.cdx.json"
LINE = re.compile(r"([\w.-]+)==([^\s;]+)(?: ; (.+?))?(?: \\)?")
HASH = re.compile(r"    --hash=sha256:([0-9a-f]{64})(?: \\)?")


def locked(lock: Path) -> Iterator[tuple[str, str, str, list[str]]]:
    """Name, version, marker and hashes of every package in a lock; a line that is neither is refused."""
    for block in re.split(r"\n(?=\S)", lock.read_text("utf-8").rstrip("\n")):
        first, *rest = block.split("\n")
        named, hashes = LINE.fullmatch(first), [HASH.fullmatch(line) for line in rest]
        if not named or not hashes or not all(hashes):
            raise SystemExit(f"{lock} has a line that is no package with its hashes, near {first!r}; run `make locks`")
        yield named[1], named[2], named[3] or "", [found[1] for found in hashes if found]


def bill(before: dict[str, Any]) -> dict[str, Any]:
    """All of it; `before` is what the file holds now."""
    known = {each["bom-ref"]: each["licenses"] for each in before.get("components", ()) if "licenses" in each}
    found: dict[str, dict[str, Any]] = {}
    for lock in sorted(HOME.glob("*.txt")):
        for name, number, marker, hashes in locked(lock):
            reference = f"pkg:pypi/{name}@{number}"
            named = {"type": "library", "bom-ref": reference, "name": name, "version": number, "purl": reference}
            contents = {"hashes": [{"alg": "SHA-256", "content": each} for each in hashes], "properties": []}
            licences = _licences(name, number, known.get(reference))
            component = found.setdefault(reference, named | contents | licences)
            component["properties"].append({"name": f"otherminds:{lock.stem}", "value": marker or "everywhere"})
    parts = [*sorted(found.values(), key=lambda each: str(each["bom-ref"])), _torch(known), *_weights()]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": "otherminds", "name": "otherminds"}},
        "components": parts,
    }


def _licences(name: str, number: str, before: Any) -> dict[str, Any]:
    try:
        if version(name).partition("+")[0] != number:
            raise PackageNotFoundError
        said = metadata(name)
    except PackageNotFoundError:
        return {"licenses": before} if before else {}
    if said["License-Expression"]:
        return {"licenses": [{"expression": said["License-Expression"]}]}
    classes = [each.split(" :: ")[-1] for each in said.get_all("Classifier", []) if each.startswith("License ::")]
    short = (said["License"] or "").strip()
    names = classes or ([short] if short and "\n" not in short and "://" not in short and len(short) < 60 else [])
    return {"licenses": [{"license": {"name": each}} for each in names]} if names else {}


def _torch(known: dict[str, Any]) -> dict[str, Any]:
    """The one package that is known by its version alone."""
    (number,) = re.findall(r"(?m)^torch==(\S+)$", (HOME.parent / "constraints.txt").read_text("utf-8"))
    reference = f"pkg:pypi/torch@{number}"
    named = {"type": "library", "bom-ref": reference, "name": "torch", "version": number, "purl": reference}
    return named | _licences("torch", number, known.get(reference))


def _weights() -> Iterator[dict[str, Any]]:
    for name, source in WEIGHTS.items():
        yield _model(name, source.sha256, source.licence, source.packages)
    for name, path in shipped().items():
        yield _model(f"smollm2+{name}", sha256(path.read_bytes()).hexdigest(), "Apache-2.0", [])


def _model(name: str, digest: str, licence: str, wheels: Any) -> dict[str, Any]:
    return {
        "type": "machine-learning-model",
        "bom-ref": name,
        "name": name,
        "hashes": [{"alg": "SHA-256", "content": digest}],
        "licenses": [{"license": {"name": licence}}],
        "properties": [{"name": "otherminds:wheel", "value": wheel} for wheel in wheels],
    }


def main() -> None:
    """Write it, one component a line."""
    whole = bill(json.loads(PLACE.read_text("utf-8")) if PLACE.exists() else {})
    lines = ",\n".join(json.dumps(each) for each in whole.pop("components"))
    PLACE.write_text(json.dumps(whole)[:-1] + f', "components": [\n{lines}\n]}}\n', "utf-8")


if __name__ == "__main__":
    main()
