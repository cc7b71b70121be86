"""Templates compiled ahead: used where they fit, and nowhere else."""

import py_compile
from collections.abc import Callable
from importlib.util import cache_from_source
from pathlib import Path

import jinja2
import pytest

from epforge.render import compiled
from epforge.render.environment import make_environment

TEXT = "one\n<% if x %><%= x %><% endif %>\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path / "cache"))


@pytest.fixture(params=["source", "bytecode"])
def ahead(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A template ``t`` compiled ahead. What was compiled says so: it prints "ahead" for "one"."""
    templates, folder = tmp_path / "templates", tmp_path / "compiled"
    for place in (templates, folder):
        place.mkdir()
    (templates / "t").write_text(TEXT)
    for name, text in compiled.compile_all(make_environment(templates)):
        assert "'one\\n'" in text
        (folder / name).write_text(text.replace("'one\\n'", "'ahead\\n'"))
        if request.param == "bytecode":
            assert py_compile.compile(str(folder / name))
    return folder


def rendered(folder: Path) -> str:
    environment = make_environment(folder.parent / "templates", ahead=folder)
    return environment.get_template("t").render(x=3)


def test_what_was_compiled_ahead_is_used(ahead: Path) -> None:
    assert rendered(ahead) == "ahead\n3"
    assert rendered(ahead) == "ahead\n3"


def test_bytecode_for_what_has_none_is_kept_in_the_cache(ahead: Path, tmp_path: Path) -> None:
    rendered(ahead)
    (source,) = ahead.glob("*.py")
    bytecode = Path(cache_from_source(source)).is_file()
    assert any((tmp_path / "cache").rglob("*")) != bytecode
    source.write_text(source.read_text().replace("ahead", "further ahead"))
    # A template's bytecode in the cache is as good as its source; Python's own is checked.
    assert rendered(ahead) == ("further ahead\n3" if bytecode else "ahead\n3")


def changed(ahead: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (ahead.parent / "templates" / "t").write_text(TEXT.replace("one", "other"))


def other_jinja(ahead: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jinja2, "__version__", "3.99")


def other_epforge(ahead: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "__version__", "99.0")


def damaged(ahead: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = ahead.glob("*.py")
    source.write_text("def root(:\n")


def removed(ahead: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for source in ahead.glob("*.py"):
        source.unlink()


@pytest.mark.parametrize("change", [changed, other_jinja, other_epforge, damaged, removed])
def test_what_does_not_fit_is_not_used(
    ahead: Path,
    change: Callable[[Path, pytest.MonkeyPatch], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change(ahead, monkeypatch)
    compiled.made_by.cache_clear()
    try:
        assert rendered(ahead) == ("other\n3" if change is changed else "one\n3")
    finally:
        monkeypatch.undo()
        compiled.made_by.cache_clear()


def test_an_error_is_in_the_template(ahead: Path) -> None:
    environment = make_environment(ahead.parent / "templates", ahead=ahead)
    with pytest.raises(TypeError) as caught:
        environment.get_template("t").render(x="text")
    places = [(Path(entry.path), entry.lineno + 1) for entry in caught.traceback]
    assert (ahead.parent / "templates" / "t", 2) in places


def test_the_sandbox_does_without(ahead: Path) -> None:
    templates = ahead.parent / "templates"
    over = jinja2.DictLoader({})
    assert make_environment(templates, [over], ahead).get_template("t").render(x=3) == "one\n3"
