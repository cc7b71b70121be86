"""The library that has the custom operators alone: where it loads, what it is taken for."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest
from projects import Project
from runtimes import SUPPORTED, TOO_OLD, runtime

from epforge.validate import Kind, Outcome, Report, Rung, read_binary, validate

REGISTER = """
import sys
import numpy as np, onnxruntime as ort
import own_ops, models
library = sys.argv[1] if len(sys.argv) > 1 else LIBRARY
made = own_ops.clip()
settings = ort.SessionOptions()
settings.register_custom_ops_library(library)
one = ort.InferenceSession(made.SerializeToString(), settings, ["CPUExecutionProvider"])
inputs = models.feeds(made)
models.close(one.run(None, inputs), [own_ops.clip_of(inputs["x0"])])
print(ort.__version__)
"""


def library_of(project: Project) -> Path:
    assert project.custom_ops_library is not None
    return project.custom_ops_library


@pytest.mark.parametrize(
    "version",
    [SUPPORTED[-1], *(pytest.param(each, marks=pytest.mark.lab) for each in SUPPORTED[:-1])],
)
def test_fr_6_it_registers_where_it_should(custom_ops: Project, version: str) -> None:
    code = REGISTER.replace("LIBRARY", repr(str(library_of(custom_ops))))
    done = custom_ops.run_python(code, runtime=runtime(version))
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [version], "")


def test_fr_6_a_runtime_that_is_too_old_is_told_both_versions(custom_ops: Project) -> None:
    done = custom_ops.run_python(
        f"""
        import onnxruntime as ort
        settings = ort.SessionOptions()
        try:
            settings.register_custom_ops_library({str(library_of(custom_ops))!r})
        except Exception as error:
            print(error)
        ort.InferenceSession  # the runtime lives on
        """,
        runtime=runtime(TOO_OLD),
    )
    assert done.returncode == 0, done.stderr
    assert TOO_OLD in done.stdout
    assert custom_ops.manifest["ort"]["min"] in done.stdout


def explanation(report: Report) -> str:
    """The one line that says what is wrong with a file."""
    assert not report.passed
    first = report.checks[0]
    assert (first.rung, first.name, first.outcome) == (Rung.STATIC, "file", Outcome.FAILED)
    return first.detail


def test_fr_7_what_is_not_wanted_is_called_what_it_is(custom_ops: Project, tmp_path: Path) -> None:
    """Five files, five explanations, each of one line with what the file is and what it is not."""
    import numpy

    own = library_of(custom_ops)
    text = tmp_path / "libtext.so"
    text.write_text("no library\n")
    data = bytearray(own.read_bytes())
    machine = struct.unpack("<H", data[18:20])[0]
    data[18:20] = struct.pack("<H", 183 if machine != 183 else 62)
    foreign = tmp_path / own.name
    foreign.write_bytes(data)
    extension = next(Path(numpy.__file__).parent.rglob("_multiarray_umath*"))
    said = {
        "a Python extension module": explanation(validate(extension, expect=Kind.CUSTOM_OPS)),
        "a plugin EP": explanation(validate(custom_ops.library, expect=Kind.CUSTOM_OPS)),
        "a custom-op library": explanation(validate(own)),
        "text": explanation(validate(text, expect=Kind.CUSTOM_OPS)),
        "a library for": explanation(validate(foreign, expect=Kind.CUSTOM_OPS)),
    }
    assert len(set(said.values())) == len(said)
    for what, line in said.items():
        assert what in line, line
        assert "\n" not in line


def test_it_is_what_it_should_be(custom_ops: Project) -> None:
    report = validate(library_of(custom_ops), expect=Kind.CUSTOM_OPS)
    assert report.passed, report.summary
    assert read_binary(library_of(custom_ops)).exports == ("RegisterCustomOps",)


def test_the_package_finds_it_in_its_source_tree(custom_ops: Project) -> None:
    code = f"import {custom_ops.package} as p; print(p.get_custom_ops_library_path())"
    environment = custom_ops.environment()
    del environment["CONTOSO_NPU_CUSTOM_OPS_LIBRARY"]
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert Path(done.stdout.strip()) == library_of(custom_ops), done.stderr


def test_a_project_without_operators_of_its_own_has_none(minimal: Project) -> None:
    assert minimal.custom_ops_library is None
    assert not list(minimal.library.parent.glob("*custom_ops*"))
    done = minimal.run_python(f"import {minimal.package} as p; print(dir(p))")
    assert "get_library_path" in done.stdout
    assert "get_custom_ops_library_path" not in done.stdout
