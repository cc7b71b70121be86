"""The table and the reader against a real C parser, member by member, on official headers."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from clang import cindex
from ort_sdk import sdk_of

from epforge.ort.levels import load_level
from epforge.ort.model import Member
from epforge.ort.reader import read_headers

LEVELS = (23, 27)


@cache
def parsed(level: int) -> Any:
    """The translation unit of onnxruntime_c_api.h, which includes the EP header at its end."""
    include = sdk_of(level).include
    compiler = next(filter(None, map(shutil.which, ("gcc", "cc", "clang"))))
    # The wheel of libclang has no stdbool.h; without one members silently go missing.
    command = [compiler, "-print-file-name=include"]
    builtin = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    unit = cindex.Index.create().parse(
        str(include / "onnxruntime_c_api.h"),
        args=["-x", "c", "-std=c11", f"-I{include}", f"-I{builtin}"],
    )
    bad = [str(d) for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
    assert bad == []
    return unit


def structs(level: int) -> Iterator[tuple[str, list[Any]]]:
    """Name and fields of every struct with a body."""
    for cursor in parsed(level).cursor.get_children():
        if cursor.kind == cindex.CursorKind.STRUCT_DECL and cursor.is_definition():
            kind = cindex.CursorKind.FIELD_DECL
            if cursor.spelling.startswith("Ort"):
                yield cursor.spelling, [c for c in cursor.get_children() if c.kind == kind]


def plain(text: str) -> str:
    """A type as clang spells it, in the spelling of the table."""
    text = re.sub(r"\bstruct ", "", text).replace("OrtStatusPtr", "OrtStatus *")
    text = text.replace("_Bool", "bool")
    return re.sub(r"\s*\*\s*(?=[*,)[]|$)", "*", re.sub(r"\s*\*\s*", " * ", text)).replace(" *", "*")


def shape(field: Any) -> tuple[object, ...]:
    """Name, type, parameter types and names of a field."""
    pointee = field.type.get_pointee()
    function = (cindex.TypeKind.FUNCTIONPROTO, cindex.TypeKind.FUNCTIONNOPROTO)
    if field.type.kind == cindex.TypeKind.POINTER and pointee.kind in function:
        kind = cindex.CursorKind.PARM_DECL
        params = [c for c in field.get_children() if c.kind == kind]
        spelled = [(plain(p.type.spelling), p.spelling) for p in params]
        return field.spelling, plain(pointee.get_result().spelling), spelled
    if field.type.get_canonical().kind == cindex.TypeKind.RECORD and "union" in field.type.spelling:
        members = [
            f"{f.type.element_type.spelling} {f.spelling}[{f.type.element_count}]"
            if f.type.kind == cindex.TypeKind.CONSTANTARRAY
            else f"{f.type.spelling} {f.spelling}"
            for f in field.type.get_fields()
        ]
        return field.spelling, "union { " + " ".join(f"{m};" for m in members) + " }", None
    return field.spelling, plain(field.type.spelling), None


def table_shape(member: Member) -> tuple[object, ...]:
    # A macro, which a parser of C sees only as what it stands for on this platform.
    def seen(type_: str) -> str:
        return type_.replace("ORTCHAR_T", "char")

    params = None
    if member.params is not None:
        params = [(seen(param.type), param.name) for param in member.params]
    return member.name, seen(member.type), params


@pytest.mark.parametrize("level", LEVELS)
def test_the_table_agrees_with_the_compiler(level: int) -> None:
    found = dict(structs(level))
    compared = 0
    for name, struct in load_level(level).structs.items():
        fields = [shape(field) for field in found[name]]
        ours = [table_shape(member) for member in struct.members]
        if level != 27:  # the names of parameters are those of the newest headers
            fields, ours = ([unnamed(row) for row in rows] for rows in (fields, ours))
        assert ours == fields, name
        compared += len(ours)
    assert compared >= {23: 523, 27: 700}[level]


def unnamed(row: tuple[object, ...]) -> tuple[object, ...]:
    name, type_, params = row
    return name, type_, None if params is None else [param[0] for param in params]  # type: ignore[attr-defined]


@pytest.mark.parametrize("level", LEVELS)
def test_the_table_has_every_versioned_struct_an_ep_can_implement(level: int) -> None:
    exported = {name for name, fields in structs(level) if fields[0].spelling.startswith("ort_ver")}
    assert exported <= set(load_level(level).structs)
    assert len(exported) >= 7


@pytest.mark.parametrize("level", LEVELS)
def test_the_reader_sees_the_fields_and_marks_the_compiler_sees(level: int) -> None:
    declared = read_headers(sdk_of(level).include).structs
    for name, fields in structs(level):
        assert [m.name for m in declared[name].members] == [f.spelling for f in fields], name
        for field, mark in zip(fields, declared[name].marks, strict=True):
            said = re.findall(r"[\\@]since (?:Version )?1\.(\d+)", field.raw_comment or "")
            # An unmarked field may follow the remark of a section, which clang gives to no field.
            if said:
                assert mark == int(said[-1]), (name, field.spelling)


@pytest.mark.parametrize("level", LEVELS)
def test_every_header_compiles_alone(level: int, tmp_path: Path) -> None:
    include = sdk_of(level).include
    compiler = next(filter(None, map(shutil.which, ("g++", "c++", "clang++"))))
    # Parts of others, without a guard of their own: they compile with what includes them.
    parts = {"onnxruntime_ep_c_api.h", "onnxruntime_cxx_inline.h"}
    headers = {path.name for path in include.glob("onnxruntime_*.h")} - parts
    assert len(headers) >= 7
    for header in sorted(headers):
        source = tmp_path / "one.cc"
        source.write_text(f"#include <{header}>\n", encoding="utf-8")
        command = [compiler, "-std=c++17", "-fsyntax-only", f"-isystem{include}", str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:2000]
