"""A user for git."""

import os
from pathlib import Path

import pytest

CONFIG = "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with a name and nothing else, and none of this process's settings."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(CONFIG)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "none"))
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    return home
