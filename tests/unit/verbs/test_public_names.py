"""`import epforge`: every name is there, typed, and imported when it is used."""

import ast
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import epforge
from epforge.verbs.public import HOMES


def imported_for_type_checkers() -> set[str]:
    """The names that `epforge/__init__.py` imports where only type checkers look."""
    tree = ast.parse(Path(epforge.__file__).read_text(encoding="utf-8"))
    (block,) = (
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    return {
        alias.asname or alias.name
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_type_checkers_see_every_name_that_there_is() -> None:
    assert imported_for_type_checkers() == set(epforge.__all__) == HOMES.keys()
    assert sorted(set(epforge.__all__)) == sorted(epforge.__all__)


@pytest.mark.parametrize("name", epforge.__all__)
def test_every_name_is_there_and_explained(name: str) -> None:
    found = getattr(epforge, name)
    assert found.__doc__
    assert name in dir(epforge)


def test_no_name_hides_a_module() -> None:
    """A module that is imported becomes an attribute of its package."""
    assert not [name for name in epforge.__all__ if find_spec(f"epforge.{name}")]


def test_another_name_is_an_error_as_usual() -> None:
    with pytest.raises(AttributeError, match="nope"):
        epforge.nope  # type: ignore[attr-defined]  # noqa: B018


def test_nothing_is_imported_before_it_is_used() -> None:
    code = (
        "import json, sys; before = set(sys.modules); import epforge; "
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) <= {"epforge", "__future__"}


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(epforge.__file__).parent / "py.typed").is_file()


def test_what_a_function_returns_is_frozen(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("epforge: 1\n")
    result = epforge.check_blueprint(tmp_path / "b.yaml")
    with pytest.raises(AttributeError):
        result.file = tmp_path  # type: ignore[misc]
