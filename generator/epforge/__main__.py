"""``python -m epforge`` and the console script."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs epforge and exits; an interrupt is exit status 130, as shells expect."""
    try:
        from epforge.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
