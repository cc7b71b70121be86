"""Official headers, fetched once by the real provider and kept in epforge's cache."""

from __future__ import annotations

from pathlib import Path

import pytest
from ort_sdk import copy_of, sdk_of


@pytest.fixture(scope="session")
def headers23() -> Path:
    """Directory with the headers of 1.23."""
    return sdk_of(23).include


@pytest.fixture(scope="session")
def headers27() -> Path:
    """Directory with the headers of 1.27."""
    return sdk_of(27).include


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A copy of the headers of 1.27, to be damaged."""
    return copy_of(27, tmp_path / "include")


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, no SDK in the environment and none in the system."""
    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path / "cache"))
    for variable in ("EPFORGE_ORT_SDK", "ORT_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("epforge.ort.sdk.find.system_roots", lambda: (tmp_path / "system",))
    return tmp_path / "cache"
