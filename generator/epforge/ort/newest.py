"""Which ONNX Runtime is the newest that pip would install: pip itself is asked."""

from __future__ import annotations

import json
import subprocess
import sys

from epforge.errors import MissingError
from epforge.network import pip_environment

PACKAGE = "onnxruntime"
_TIMEOUT_S = 900.0


def newest_release(package: str = PACKAGE) -> str:
    """The newest release of ONNX Runtime that pip would install for this Python: ``1.32.0``.

    pip's own configuration holds: its index, its proxy, its constraints. Nothing is installed.

    Raises:
        MissingError: pip cannot tell; its last error line is in the message.
    """
    command = [
        *(sys.executable, "-P", "-m", "pip"),  # not one that lies in the current directory
        *("install", "--dry-run", "--ignore-installed", "--no-deps"),
        *("--only-binary", ":all:", "--quiet", "--disable-pip-version-check", "--report", "-"),
        package,
    ]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env=pip_environment(),
        )
    except subprocess.TimeoutExpired as error:
        raise MissingError(f"pip did not end within {_TIMEOUT_S:.0f} s") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
        said = lines[-1].removeprefix("ERROR: ") if lines else f"status {done.returncode}"
        raise MissingError(
            f"pip cannot tell which {package} is the newest: {said}",
            "Name the release yourself: epforge upgrade --ort 1.N",
        )
    try:
        return str(json.loads(done.stdout)["install"][0]["metadata"]["version"])
    except (ValueError, LookupError, TypeError) as error:
        raise MissingError(
            f"pip does not say which {package} is the newest: its report cannot be read",
            "Name the release yourself: epforge upgrade --ort 1.N",
        ) from error
