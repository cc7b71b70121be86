"""``python -m epforge`` and the console script."""

from __future__ import annotations

import gc
import os
import sys

#: Objects made before the collector looks for garbage. What a verb makes it keeps to its end.
_MANY = 100_000
#: Else onnxruntime keeps an identifier of this machine and a database in the home directory.
_QUIET = ("ORT_DISABLE_TELEMETRY", "1")
_INTERRUPTED = '{"format": 1, "error": {"message": "interrupted", "cure": "", "exit_status": 130}}'


def main() -> None:
    """Runs epforge and exits; an interrupt is exit status 130, as shells expect."""
    gc.set_threshold(_MANY)
    os.environ.setdefault(*_QUIET)
    try:
        from epforge.cli.main import main as run

        run()
    except KeyboardInterrupt:  # before a verb has begun
        if "--json" in sys.argv:
            print(_INTERRUPTED)
        sys.exit(130)


if __name__ == "__main__":
    main()
