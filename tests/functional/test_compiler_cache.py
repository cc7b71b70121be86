"""A compiler's cache that the user has: what epforge compiles goes through it."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_project import call
from small_project import small_project

from epforge.ort.sdk import find_sdk
from epforge.shim import build_shim
from epforge.validate.cross.program import find_native_program

pytestmark = pytest.mark.skipif(not shutil.which("ccache"), reason="there is no ccache")
Looked = Callable[[], list[str]]


@pytest.fixture
def looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Looked:
    """What ccache has said of the compilers' runs since it was asked last: hits and misses."""
    log = tmp_path / "ccache log"
    monkeypatch.setenv("CMAKE_CXX_COMPILER_LAUNCHER", "ccache")
    monkeypatch.setenv("CCACHE_STATSLOG", str(log))

    def since() -> list[str]:
        words = log.read_text().split("\n") if log.exists() else []
        log.unlink(missing_ok=True)
        return [word for word in words if word in ("direct_cache_hit", "cache_miss")]

    return since


@pytest.mark.lab
def test_a_project_in_another_place_is_not_compiled_again(
    looked: Looked, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = tmp_path / "one", tmp_path / "an other" / "deeper"
    other.parent.mkdir()
    for place in (one, other):
        assert call("scaffold", repository / "blueprints/minimal.yaml", place).exit_code == 0
    assert call("build", one).exit_code == 0
    assert looked()
    assert call("build", other).exit_code == 0
    calls = looked()
    assert set(calls) == {"direct_cache_hit"}
    assert len(calls) >= len(list((other / "src").rglob("*.cc")))

    # CMake would remember what the variable said when it ran first.
    monkeypatch.delenv("CMAKE_CXX_COMPILER_LAUNCHER")
    (other / "src/device/discovery.cc").touch()
    assert call("build", other).exit_code == 0
    assert not looked()
    assert "ccache" not in (other / "build/release/build.ninja").read_text()


def test_a_place_whose_name_has_a_dollar(looked: Looked, tmp_path: Path) -> None:
    assert call("build", small_project(tmp_path / "cost$price")).exit_code == 0
    assert looked()


@pytest.mark.lab
def test_what_validation_compiles_goes_through_it(
    looked: Looked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = find_sdk(None, 24).include
    made = []
    for name in ("one", "other"):
        monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path / name))
        build_shim()
        find_native_program(headers, lambda _: None)
        made.append(looked())
    assert set(made[1]) == {"direct_cache_hit"}
    assert len(made[0]) == len(made[1])


def test_one_that_is_not_there_is_named(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("scaffold", repository / "blueprints/minimal.yaml", tmp_path / "p").exit_code == 0
    monkeypatch.setenv("CMAKE_CXX_COMPILER_LAUNCHER", f"no-such-cache{os.sep}x;--quiet")
    done = call("build", tmp_path / "p")
    assert done.exit_code == 4
    assert (
        f"'no-such-cache{os.sep}x' (from CMAKE_CXX_COMPILER_LAUNCHER) is not there" in done.stderr
    )
