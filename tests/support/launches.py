"""What device code must not do to whoever uses the same device (field report 53)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

#: The settings of a launch.
LAUNCH = re.compile(r"<<<(.*?)>>>", re.DOTALL)
#: What waits for the device, or works on the default stream.
FORBIDDEN = re.compile(
    r"cudaDeviceSynchronize|cudaStreamSynchronize|cudaEventSynchronize|cudaStreamLegacy"
    r"|cudaStreamPerThread|cuCtxSynchronize|cudaMemcpy(?!\w*Async)|cudaMemset(?!\w*Async)"
    r"|cudaMalloc(?!Async)|cudaFree(?!Async)"
)
_ON_THE_STREAM = re.compile(r",\s*0,\s*static_cast<cudaStream_t>\(exec\.Stream\(\)\)$")


def code(written: Mapping[str, Path]) -> dict[str, str]:
    """The C++ and CUDA files below ``src`` without their comments."""
    return {
        path: re.sub(r"//[^\n]*", "", file.read_text())
        for path, file in written.items()
        if path.startswith("src/")
    }


def check_launches(written: Mapping[str, Path]) -> int:
    """Passes files whose launches are on the stream of their Exec, and which wait for nothing.

    Args:
        written: the files of kernels by their paths.

    Returns:
        How many launches there are.

    Raises:
        AssertionError: a file does otherwise, or launches without a stream, or drops an error.
    """
    found = 0
    for path, text in code(written).items():
        assert not FORBIDDEN.search(text), path
        before = 0
        for launch in LAUNCH.finditer(text):
            assert _ON_THE_STREAM.search(launch[1]), f"{path}: {launch[1]}"
            assert "exec.Stream() == nullptr) return Failed(" in text[before : launch.start()], path
            before = launch.end()
            rest = text[before : text.find("<<<", before)]
            assert re.match(r"[^}]*return LaunchStatus\(\);", rest), path
            found += 1
    assert found, "the kernels launch nothing"
    return found
