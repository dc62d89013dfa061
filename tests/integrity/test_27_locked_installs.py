"""What the README's commands install is known by its hash, wherever it comes from."""

import json
import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent.parent
HOME = ROOT / "requirements"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SBOM = runpy.run_path(str(HOME / "make_sbom.py"))
LOCKS = {name: list(SBOM["locked"](HOME / f"{name}.txt")) for name in ("build", "core", "dev", "track")}
EXTRAS = runpy.run_path(str(HOME / "make_locks.py"))["LOCKS"]
SYSTEMS = {"linux": ("x86_64", "aarch64"), "darwin": ("arm64", "x86_64"), "win32": ("AMD64",)}
PLACES = [
    {
        "sys_platform": system,
        "platform_machine": machine,
        "python_full_version": f"3.{minor}.9",
        "python_version": f"3.{minor}",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    for system, machines in SYSTEMS.items()
    for machine in machines
    for minor in (11, 12, 13, 14)
]
ADDRESS = re.compile(r"://|--\w*index|find-links|\b[\w-]+\.(org|com|io|net|dev)\b")


def installed(lock: str, place: dict[str, str]) -> dict[str, str]:
    """Name and version of all that a lock brings to a place."""
    return {name: number for name, number, marker, _ in LOCKS[lock] if not marker or Marker(marker).evaluate({**place})}


def wanted(extras: tuple[str, ...]) -> list[Requirement]:
    project = PROJECT["project"]
    lines = project["dependencies"] + [line for extra in extras for line in project["optional-dependencies"][extra]]
    return [Requirement(line) for line in lines]


def test_every_dependency_and_every_extra_is_locked_everywhere() -> None:
    locked = {extra for extras in EXTRAS.values() for extra in extras}
    assert locked == set(PROJECT["project"]["optional-dependencies"])
    for lock, extras in EXTRAS.items():
        for place in PLACES if lock != "build" else []:
            found = installed(lock, place)
            for need in [*wanted(extras), *map(Requirement, PROJECT["build-system"]["requires"])]:
                if need.name == "torch" or (need.marker and not need.marker.evaluate({**place})):
                    continue
                assert need.specifier.contains(found[canonicalize_name(need.name)]), (lock, need, place)


def test_each_place_gets_one_version_of_a_package() -> None:
    for lock, packages in LOCKS.items():
        for place in PLACES:
            names = [name for name, _, marker, _ in packages if not marker or Marker(marker).evaluate({**place})]
            assert len(names) == len(set(names)), (lock, place)


def test_every_line_has_a_hash_and_none_an_address() -> None:
    # `locked` refuses a line that is neither a package nor a hash.
    assert all(hashes for packages in LOCKS.values() for *_, hashes in packages)
    for path in [*HOME.glob("*.txt"), ROOT / "constraints.txt", ROOT / "Makefile", HOME / "sbom.cdx.json"]:
        found = ADDRESS.search(path.read_text("utf-8"))
        # The name of a package may end like an address, but none of ours does.
        assert not found, (path.name, found)


@pytest.mark.parametrize("spoilt", ["click==8.1.7\n", "click>=8 \\\n    --hash=sha256:" + "0" * 64, "--pre\n", "#\n"])
def test_a_lock_with_another_line_is_refused(spoilt: str, tmp_path: Path) -> None:
    lock = tmp_path / "core.txt"
    lock.write_text(spoilt)
    with pytest.raises(SystemExit, match="make locks"):
        list(SBOM["locked"](lock))


def test_locks_agree_with_the_constraints_and_with_each_other() -> None:
    pinned = dict(re.findall(r"(?m)^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text("utf-8")))
    for place in PLACES:
        seen: dict[str, str] = {}
        for lock in LOCKS:
            for name, number in installed(lock, place).items():
                assert seen.setdefault(name, number) == number, (lock, name)
        for name, number in pinned.items():
            assert name == "torch" or seen[canonicalize_name(name)] == number, name
    assert "torch" in pinned


def test_no_torch_and_none_of_its_cuda_is_locked() -> None:
    names = {name for packages in LOCKS.values() for name, *_ in packages}
    assert not [name for name in names if name.startswith(("torch", "nvidia", "cuda", "triton"))]


def test_cyllama_is_wanted_just_where_there_is_a_wheel_of_it() -> None:
    without = {
        (place["sys_platform"], place["platform_machine"])
        for place in PLACES
        if "cyllama" not in installed("core", place)
    }
    assert without == {("linux", "aarch64")}


def test_commands_and_pages_use_the_locks() -> None:
    make = (ROOT / "Makefile").read_text("utf-8")
    recipes = dict(re.findall(r"(?m)^\.venv/(core|dev):.*\n((?:\t.*\n)+)", make))
    for name, recipe in recipes.items():
        lines = recipe.splitlines()
        installs = [line for line in lines if "$(LOCKED)" in line or "$(PIP)" in line]
        assert f"--require-hashes -r requirements/{name}.txt" in recipe
        assert installs[-1].endswith("$(LOCKED) -e .")
        # All but torch and ourselves come with their hashes.
        rest = [line for line in installs[:-1] if "--require-hashes" not in line]
        assert rest == (["\t@$(PIP) -c constraints.txt torch"] if name == "dev" else [])
    assert set(recipes) == {"core", "dev"}
    assert "LOCKED = $(PIP) --no-deps --no-build-isolation" in make
    assert "make test" in (ROOT / ".ci" / "run").read_text("utf-8")
    for page in ("README.md", "CONTRIBUTING.md", "docs/index.md"):
        assert "requirements/" in (ROOT / page).read_text("utf-8"), page


def test_the_bill_of_materials_lists_all_that_is_locked() -> None:
    kept = json.loads(SBOM["PLACE"].read_text("utf-8"))
    assert (kept["bomFormat"], kept["specVersion"]) == ("CycloneDX", "1.6")

    def plain(bill: dict[str, Any]) -> list[dict[str, Any]]:
        return [{key: value for key, value in part.items() if key != "licenses"} for part in bill["components"]]

    assert plain(kept) == plain(SBOM["bill"](kept)), "run `make locks`, or `python requirements/make_sbom.py`"
    references = [part["bom-ref"] for part in kept["components"]]
    assert len(references) == len(set(references))
    models = {part["name"]: part for part in kept["components"] if part["type"] == "machine-learning-model"}
    assert {"smollm2", "smollm2+beliefs"} <= set(models)
    assert all(part["hashes"] for part in kept["components"] if part["name"] != "torch")
    unlicensed = [part for part in kept["components"] if "licenses" not in part]
    assert len(unlicensed) < len(references) / 10


def test_supported_pythons_are_those_of_the_package() -> None:
    assert all(place["python_version"] in SpecifierSet(PROJECT["project"]["requires-python"]) for place in PLACES)
