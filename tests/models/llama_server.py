"""llama.cpp's own server, from the xllamacpp wheel, in a process of its own on loopback.

As a script: `python llama_server.py FILE` serves the file on a free port, prints the address, and ends with its input.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def llama_server(weights: Path) -> Iterator[str]:
    """The base URL of a server for these weights."""
    command = [sys.executable, __file__, str(weights)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = next((line for line in process.stdout if line.startswith("http://")), "")
            assert address, "the llama.cpp server did not start"
            yield address.strip() + "/v1"
        finally:
            process.stdin.close()
            process.kill()


def serve(weights: str) -> None:
    """Serve until the input ends."""
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = weights
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.n_parallel = 2
    settings.n_ctx = 4096
    # Closer to exact arithmetic, as the engines in process do it.
    settings.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    # One thread: llama.cpp's threads wait by spinning, and on a busy machine two are slower than one.
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1])
