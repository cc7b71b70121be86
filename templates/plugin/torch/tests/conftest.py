<%= banner %>
"""The operators' cases, and the library for the tests that run models."""

import os
from pathlib import Path

import pytest

_LIBRARY_VARIABLE = <%= library_variable | py_string %>


@pytest.fixture(scope="session")
def library() -> str:
    """The library of the operators for a plain ONNX Runtime."""
    path = os.environ.get(_LIBRARY_VARIABLE)
    if not path:
        pytest.skip(f"set {_LIBRARY_VARIABLE} to the library of the operators to run models")
    return str(Path(path).resolve(strict=True))
