"""The table of arguments that must not be null, against a real C parser."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clang import cindex
from ort_sdk import sdk_of

from epforge.ort.levels import load_level, required_arguments
from epforge.ort.model import Role

_EMPTY = re.compile(r"^#define (_(?:In|Out|Inout|Outptr)\w*_)$", re.MULTILINE)


def annotated(level: int, folder: Path) -> Iterator[tuple[str, str, dict[str, set[str]]]]:
    """Struct, function, and the marks of its parameters: the macros, made visible."""
    shutil.copytree(sdk_of(level).include, folder, dirs_exist_ok=True)
    header = folder / "onnxruntime_c_api.h"
    text = header.read_text(encoding="utf-8")
    header.write_text(_EMPTY.sub(r'#define \1 __attribute__((annotate("\1")))', text), "utf-8")
    compiler = next(filter(None, map(shutil.which, ("gcc", "cc", "clang"))))
    command = [compiler, "-print-file-name=include"]
    builtin = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    arguments = ["-x", "c", "-std=c11", f"-I{folder}", f"-I{builtin}"]
    unit = cindex.Index.create().parse(str(header), args=arguments)
    for struct in unit.cursor.get_children():
        for field in struct.get_children():
            if field.kind == cindex.CursorKind.FIELD_DECL:
                yield struct.spelling, field.spelling, dict(marks(field))


def marks(field: Any) -> Iterator[tuple[str, set[str]]]:
    for param in field.get_children():
        if param.kind == cindex.CursorKind.PARM_DECL:
            kind = cindex.CursorKind.ANNOTATE_ATTR
            yield param.spelling, {c.spelling for c in param.get_children() if c.kind == kind}


def test_what_is_required_is_marked_so(tmp_path: Path) -> None:
    seen = {(struct, name): of for struct, name, of in annotated(27, tmp_path)}
    count = 0
    for struct in load_level(27).structs.values():
        if struct.role is not Role.CALLS:
            continue
        for member in struct.members:
            for name in required_arguments(struct.name, member.name):
                found = seen[struct.name, member.name][name]
                assert found, f"{struct.name}.{member.name} {name}"
                assert not any("_opt_" in mark for mark in found), member.name
                count += 1
    assert count > 700
