"""One file, replaced whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from epforge.workspace.model import EditedError, WriteError


def replace_file(path: Path, before: bytes, after: bytes) -> None:
    """Writes a file anew: all of it, or nothing. It keeps its rights, and a link stays one.

    Args:
        path: the file.
        before: what was read of it.
        after: what it is to hold.

    Raises:
        EditedError: it holds something else by now.
        WriteError: it cannot be written.
    """
    place = path.resolve()
    draft = place.with_name(f".{place.name}.{secrets.token_hex(6)}")
    try:
        if place.read_bytes() != before:
            raise EditedError((str(path),), "Look at what has changed, and try again.")
        draft.write_bytes(after)
        shutil.copymode(place, draft)
        os.replace(draft, place)
    except OSError as error:
        raise WriteError(f"{path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
