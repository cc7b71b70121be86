"""Rung `static` on facts alone: what is right, what is wrong, and in which words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from epforge.validate.binary import Binary, host_machine, read
from epforge.validate.model import Outcome
from epforge.validate.static import Kind, Place, check, identify, mismatch

LINUX = Place("linux", host_machine())
GOOD = Binary(
    format="elf",
    machine=host_machine(),
    shared=True,
    exports=("CreateEpFactories", "ReleaseEpFactory"),
    imports=("malloc",),
    needed=("libstdc++.so.6", "libc.so.6"),
)


def faults(binary: Binary, tmp_path: Path) -> dict[str, str]:
    """Name and detail of every check that failed."""
    library = tmp_path / "lib.so"
    library.touch()
    lines = check(library, binary, Kind.PLUGIN_EP, LINUX)
    return {line.name: line.detail for line in lines if line.outcome is not Outcome.PASSED}


def test_a_good_library_has_no_faults(tmp_path: Path) -> None:
    assert faults(GOOD, tmp_path) == {}


@pytest.mark.parametrize(
    ("change", "name", "says"),
    [
        ({"exports": ("CreateEpFactories",)}, "exports", "ReleaseEpFactory is not exported"),
        ({"exports": ("ReleaseEpFactory",)}, "exports", "CreateEpFactories is not exported"),
        ({"exports": (*GOOD.exports, "_Znwm")}, "exports", "operator new/delete"),
        ({"exports": (*GOOD.exports, "_ZdlPvm")}, "exports", "operator new/delete"),
        ({"exports": (*GOOD.exports, "GetProvider")}, "exports", "GetProvider"),
        ({"exports": (*GOOD.exports, "a", "b", "c", "d")}, "exports", "a, b, c and 1 more"),
        ({"exports": (*GOOD.exports, "u"), "unique": ("u",)}, "exports", "unique linkage"),
        ({"needed": ("libonnxruntime.so.1",)}, "needs", "libonnxruntime.so.1"),
        ({"imports": ("OrtGetApiBase",)}, "needs", "OrtGetApiBase"),
        ({"imports": ("_ZN3Ort6detail6GlobalE",)}, "needs", "_ZN3Ort"),
        ({"imports": ("_ZN11onnxruntime5GraphE",)}, "needs", "_ZN11onnxruntime"),
        ({"search": ("/home/me/lib",)}, "search path", "/home/me/lib"),
    ],
)
def test_each_fault_has_its_line(
    change: dict[str, tuple[str, ...]], name: str, says: str, tmp_path: Path
) -> None:
    found = faults(replace(GOOD, **change), tmp_path)  # type: ignore[arg-type]
    assert list(found) == [name]
    assert says in found[name]


@pytest.mark.parametrize("path", ["$ORIGIN", "$ORIGIN/../lib", "@loader_path"])
def test_relative_search_paths_are_fine(path: str, tmp_path: Path) -> None:
    assert faults(replace(GOOD, search=(path,)), tmp_path) == {}


@pytest.mark.parametrize("name", ["Orthogonal", "OrtonNormal", "MyOrtThing", "_ZN4Orth3runEv"])
def test_names_that_only_look_like_the_runtimes(name: str, tmp_path: Path) -> None:
    assert faults(replace(GOOD, imports=(name,)), tmp_path) == {}


def test_another_systems_library_is_named() -> None:
    text = mismatch(replace(GOOD, format="pe"), Kind.PLUGIN_EP, LINUX)
    assert "a pe file; this system loads elf" in text
    assert mismatch(GOOD, Kind.PLUGIN_EP, LINUX) == ""


@pytest.mark.parametrize(
    ("exports", "kind"),
    [
        (("ReleaseEpFactory",), Kind.PLUGIN_EP),
        (("PyInit_x",), Kind.PYTHON_EXTENSION),
        (("RegisterCustomOps",), Kind.CUSTOM_OPS),
        (("GetProvider",), Kind.LEGACY_PROVIDER),
        (("OrtGetApiBase",), Kind.RUNTIME),
        (("cos",), Kind.LIBRARY),
        (("CreateEpFactories", "RegisterCustomOps"), Kind.PLUGIN_EP),
    ],
)
def test_kinds_by_exports(exports: tuple[str, ...], kind: Kind) -> None:
    assert identify(replace(GOOD, exports=exports)) is kind
    assert identify(replace(GOOD, exports=exports, shared=False)) is Kind.NOT_A_LIBRARY


def test_facts_survive_the_way_between_processes() -> None:
    assert Binary.from_json(GOOD.to_json()) == GOOD


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "empty"),
        (b"hello\nworld\n", "text"),
        ("Gr\u00fc\u00dfe".encode(), "text"),
        (b"\x00\x01\x02", "unknown"),
        (b"\xff\xfe\xfa", "unknown"),
        (b"PK\x03\x04rest", "archive"),
        (b"!<arch>\nrest", "archive"),
    ],
)
def test_what_is_no_library_is_told_by_its_bytes(content: bytes, kind: str, tmp_path: Path) -> None:
    (tmp_path / "x.so").write_bytes(content)
    assert read(tmp_path / "x.so").format == kind
