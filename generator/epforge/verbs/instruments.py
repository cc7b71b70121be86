"""Where the rungs of the validation ladder get what they look through."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from epforge.errors import MissingError

if TYPE_CHECKING:
    from epforge.validate.instruments import Instruments

_HEADERS_SINCE = 24  # what the host program is written against


def instruments(project: Path | None, progress: Callable[[str], None]) -> Instruments:
    """The instruments for a library; each is made when it is asked for.

    Args:
        project: the project that the library is built from; None for a library alone.
    """
    from epforge.validate.instruments import Instruments

    def shim() -> Path:
        from epforge.shim import build_shim

        return build_shim(progress)

    def sanitized(sanitizer: str) -> Path | None:
        if project is None:
            return None
        from epforge.build import build

        return build(project, sanitizer, progress=progress).library

    def headers() -> Path | None:
        from epforge.ort.sdk import find_sdk

        try:
            return find_sdk(None, _HEADERS_SINCE, report=progress).include
        except MissingError:
            return None

    def compiler() -> list[str]:
        from epforge.build.toolchain import find_toolchain

        return find_toolchain(progress=progress).command

    return Instruments(shim, sanitized, headers, compiler)
