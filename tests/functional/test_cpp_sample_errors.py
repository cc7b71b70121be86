"""What the C++ sample says when it cannot: one line, whatever went wrong."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import models
import numpy as np
import onnx
import pytest
from models import node, value
from projects import Project
from runtimes import TOO_OLD
from samples import (
    built_sample,
    fine,
    installed_runtime,
    library_of,
    refused,
    start,
)


@pytest.fixture(scope="module")
def program(minimal: Project) -> Path:
    return built_sample(minimal)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with models and arrays in it."""
    place = tmp_path_factory.mktemp("some models")
    for made in (models.mul, models.chain, models.dynamic, models.string_identity):
        onnx.save(made(), place / f"{made.__name__}.onnx")
    return place


@dataclass(frozen=True)
class Trouble:
    """A command line that must fail, and what its one line must have in it."""

    arguments: Sequence[str]
    texts: Sequence[str]


# {here} is the folder of models and arrays, from which the sample is started.
TROUBLES = {
    "no library": Trouble(
        ["mul.onnx", "--library", "../x/y.so"],
        ["the plugin {up}/x/y.so is not there ('../x/y.so', seen from", "correct --library"],
    ),
    "a folder": Trouble(["mul.onnx", "--library", "."], ["is a folder, not a file"]),
    "a text": Trouble(
        ["mul.onnx", "--library", "text.so"],
        ["{here}/text.so is no shared library for this machine"],
    ),
    "another library": Trouble(
        ["mul.onnx", "--library", "{ort}"],
        ["{ort} is no plugin execution provider (it exports no CreateEpFactories): name"],
    ),
    "operators as a plugin": Trouble(
        ["mul.onnx", "--library", "operators.so"],
        ["operators.so is no plugin", "a library of custom operators: use --no-ep --custom-ops"],
    ),
    "a plugin as operators": Trouble(
        ["mul.onnx", "--no-ep", "--custom-ops", "{plugin}"],
        ["exports no RegisterCustomOps", "is a plugin execution provider: use --library"],
    ),
    "no operators": Trouble(
        ["mul.onnx", "--no-ep", "--custom-ops", "{ort}"], ["correct --custom-ops"]
    ),
    "operators beside a plugin": Trouble(
        ["mul.onnx", "--custom-ops", "operators.so"], ["brings its operators along"]
    ),
    "another runtime": Trouble(
        ["mul.onnx", "--runtime", "{plugin}"], ["{plugin} is not ONNX Runtime", "--runtime"]
    ),
    "no runtime": Trouble(
        ["mul.onnx", "--runtime", "no.so"], ["{here}/no.so is not there", "correct --runtime"]
    ),
    "an old runtime": Trouble(
        ["mul.onnx", "--runtime", "{old}"], [f"is ONNX Runtime {TOO_OLD}, but", "needs 1.24.4 or"]
    ),
    "no device": Trouble(
        ["mul.onnx", "--device", "7"], ["there is no device 7", "offers 1", "--list shows them"]
    ),
    "no model": Trouble(["nothing.onnx"], ["the model {here}/nothing.onnx is not there"]),
    "a model that is none": Trouble(["text.so"], ["does not load {here}/text.so"]),
    "an operator of nobody's": Trouble(
        ["foreign.onnx"], ["com.other:MyOp", "is in no library that is registered"]
    ),
    "no such input": Trouble(["mul.onnx", "--input", "Z=A.npy"], ["no input Z; it has: A, B"]),
    "no such output": Trouble(["mul.onnx", "--output", "Z=Z.npy"], ["no output Z; it has: C"]),
    "no such dimension": Trouble(
        ["dynamic.onnx", "--dim", "M=2"], ["no open dimension M; they have: N"]
    ),
    "no open dimension": Trouble(["mul.onnx", "--dim", "M=2"], ["M; they have: none"]),
    "a large dimension": Trouble(
        ["dynamic.onnx", "--dim", "N=99999999999"], ["--dim wants a number from 0 to"]
    ),
    "a bad number": Trouble(["dynamic.onnx", "--dim", "N=-1"], ["not '-1'"]),
    "no name": Trouble(["mul.onnx", "--input", "A.npy"], ["NAME=VALUE, not 'A.npy'"]),
    "twice": Trouble(["mul.onnx", *["--input", "A=A.npy"] * 2], ["--input A is given twice"]),
    "no array": Trouble(["mul.onnx", "--input", "A=no.npy"], ["{here}/no.npy is not there"]),
    "a wrong type": Trouble(
        ["mul.onnx", "--input", "A=double.npy"], ["its elements are <f8, not <f4 (float32)"]
    ),
    "a wrong shape": Trouble(
        ["mul.onnx", "--input", "A=wide.npy"], ["its shape is [2, 3], not [3, 2]"]
    ),
    "a wrong rank": Trouble(
        ["dynamic.onnx", "--input", "A=flat.npy"], ["its shape is [6], not [N, 2]"]
    ),
    "a text as array": Trouble(["mul.onnx", "--input", "A=text.so"], ["is no .npy file"]),
    "an archive": Trouble(["mul.onnx", "--input", "A=all.npz"], ["is no .npy file"]),
    "half an array": Trouble(
        ["mul.onnx", "--input", "A=half.npy"], ["has 12 bytes of data where its header says 24"]
    ),
    "half a header": Trouble(["mul.onnx", "--input", "A=start.npy"], ["is cut off"]),
    "a lying header": Trouble(["mul.onnx", "--input", "A=huge.npy"], ["its shape is too large"]),
    "Fortran": Trouble(["mul.onnx", "--input", "A=fortran.npy"], ["is in Fortran's order"]),
    "big endian": Trouble(["mul.onnx", "--input", "A=big.npy"], ["are big endian"]),
    "objects": Trouble(["mul.onnx", "--input", "A=objects.npy"], ["are no plain numbers"]),
    "words": Trouble(["mul.onnx", "--input", "A=words.npy"], ["are no plain numbers"]),
    "records": Trouble(["mul.onnx", "--input", "A=records.npy"], ["no usable 'descr'"]),
    "a newer format": Trouble(["mul.onnx", "--input", "A=three.npy"], ["has version 3"]),
    "strings": Trouble(["string_identity.onnx"], ["input A has elements of ONNX type 8"]),
    "a place that is none": Trouble(
        ["mul.onnx", "--output", "C=no/C.npy"], ["no/C.npy cannot be written"]
    ),
    "no arguments": Trouble([], ["there is no model"]),
    "an option of nobody's": Trouble(["mul.onnx", "--gpu"], ["no option '--gpu'; --help"]),
    "no value": Trouble(["mul.onnx", "--library"], ["--library wants a value"]),
    "two models": Trouble(["mul.onnx", "chain.onnx"], ["one model at a time"]),
}


@pytest.fixture(scope="module")
def troubled(place: Path) -> Path:
    """The folder of models with everything in it that is not as it should be."""
    right = np.zeros((3, 2), np.float32)
    contents: dict[str, Any] = {
        "A": right,
        "double": right.astype(np.float64),
        "wide": right.reshape(2, 3),
        "flat": right.ravel(),
        "fortran": np.asfortranarray(np.arange(6, dtype=np.float32).reshape(3, 2)),
        "big": right.astype(">f4"),
        "words": np.array([["a", "b"]]),
        "objects": np.array([[None, 1]], object),
        "records": np.zeros((3, 2), [("a", "<f4")]),
    }
    for name, array in contents.items():
        np.save(place / f"{name}.npy", array)
    np.savez(place / "all.npz", A=right)
    with open(place / "three.npy", "wb") as file:
        np.lib.format.write_array(file, right, version=(3, 0))
    whole = (place / "A.npy").read_bytes()
    (place / "half.npy").write_bytes(whole[:-12])
    (place / "start.npy").write_bytes(whole[:40])
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }\n" % (2**62, 2**62)
    (place / "huge.npy").write_bytes(b"\x93NUMPY\x01\x00" + bytes([len(header), 0]) + header)
    (place / "text.so").write_text("not a library\n", encoding="utf-8")
    foreign = models.model(
        [node("MyOp", ["X"], ["Y"], domain="com.other")],
        [value("X", [2])],
        [value("Y", [2])],
        extra=[("com.other", 1)],
    )
    onnx.save(foreign, place / "foreign.onnx")
    source = place / "operators.cc"
    source.write_text(
        'extern "C" void* RegisterCustomOps(void*, const void*) { return nullptr; }\n',
        encoding="utf-8",
    )
    subprocess.run(
        ["c++", "-shared", "-fPIC", str(source), "-o", str(place / "operators.so")], check=True
    )
    return place


@pytest.mark.parametrize("name", TROUBLES)
def test_what_goes_wrong_is_one_line_that_says_what_to_do(
    program: Path, minimal: Project, troubled: Path, name: str
) -> None:
    """FR 22, and FR 7: each library that is not what was wanted is called what it is."""
    trouble = TROUBLES[name]
    known = {
        "here": troubled,
        "up": troubled.parent,
        "ort": installed_runtime(),
        "plugin": minimal.library,
        "old": library_of(TOO_OLD) if "{old}" in trouble.arguments else "",
    }
    arguments = [each.format(**known) for each in trouble.arguments]
    line = refused(start(program, *arguments, cwd=troubled))
    for text in trouble.texts:
        assert text.format(**known) in line


def test_operators_are_registered_without_the_plugin(program: Path, troubled: Path) -> None:
    arguments = ("mul.onnx", "--no-ep", "--custom-ops", "operators.so")
    said = fine(start(program, *arguments, cwd=troubled))
    assert f"custom operators: {troubled / 'operators.so'}\n" in said


@pytest.mark.lab
def test_no_device_is_not_called_a_problem_of_registration(
    compiled_virtual: Project, place: Path
) -> None:
    """FR 22: registered under a plain name, a library for hardware that is not here offers none."""
    program = built_sample(compiled_virtual)
    model = place / "mul.onnx"
    said = fine(start(program, model))
    assert f"registered as {compiled_virtual.ep}.virtual\n" in said
    assert f"nodes on {compiled_virtual.ep}: 1 (Mul)" in said
    line = refused(start(program, model, "--name", "plain"))
    assert f"{compiled_virtual.library} is registered, but offers no device" in line
    assert "Registration is not the problem" in line
    assert f"--name {compiled_virtual.ep}.virtual" in line


def test_a_library_of_another_execution_provider_is_called_by_its_name(
    program: Path, minimal: Project, compiled_virtual: Project, place: Path
) -> None:
    given = ("--library", compiled_virtual.library, "--name", "other.virtual")
    line = refused(start(program, place / "mul.onnx", *given))
    assert f"is the library of {compiled_virtual.ep}, not of {minimal.ep}" in line


@pytest.mark.lab
@pytest.mark.parametrize(
    ("compiler", "flags"),
    [
        ("clang++", ""),
        ("g++", "-O0 -fsanitize=address,undefined -fno-sanitize-recover=all"),
    ],
    ids=["clang", "sanitized"],
)
def test_nothing_leaks_and_every_compiler_is_content(
    minimal: Project, troubled: Path, compiler: str, flags: str
) -> None:
    """When it fails, too, everything is given back, sessions before the library."""
    sample = built_sample(minimal, compiler=compiler, flags=flags)
    fine(start(sample, "chain.onnx", "--dim", "N=3", "--output", "Y=Y.npy", cwd=troubled))
    fine(start(sample, "--list", cwd=troubled))
    for name, trouble in TROUBLES.items():
        known = {"plugin": minimal.library, "ort": installed_runtime(), "old": "none"}
        arguments = [each.format(**known) for each in trouble.arguments]
        done = start(sample, *arguments, cwd=troubled)
        assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), (name, done.stderr)
