"""Small files in epforge's cache, written so that a reader sees all of one or none."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def write_quietly(path: Path, content: bytes) -> None:
    """Writes ``path`` atomically; does nothing if the cache cannot be written.

    The directory is made for its owner alone: what lies in it is run (compiled templates) or
    believed (formatted text) later.
    """
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
