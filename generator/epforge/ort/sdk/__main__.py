"""``python -m epforge.ort.sdk path [LEVEL]``: prints the include directory; installs if needed."""

from __future__ import annotations

import sys

from epforge.errors import EpforgeError
from epforge.ort.levels import DEFAULT_TARGET, parse_level
from epforge.ort.sdk import find_sdk


def main(arguments: list[str]) -> int:
    """Returns the exit status."""
    if arguments[:1] != ["path"] or len(arguments) > 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        level = parse_level(arguments[1] if len(arguments) > 1 else DEFAULT_TARGET)
        print(find_sdk(None, level, report=lambda line: print(line, file=sys.stderr)).include)
    except EpforgeError as error:
        print(error, file=sys.stderr)
        return int(error.exit_status)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
