"""Every error that the FAQ quotes is one that is printed: each is provoked here."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import onnxruntime
import pytest
from projects import Project
from runtimes import TOO_OLD, runtime
from terminal import typed

REPOSITORY = Path(__file__).resolve().parents[2]
SUPPORT = REPOSITORY / "tests/support"
PAGE = (REPOSITORY / "docs/faq.md").read_text(encoding="utf-8")
# A library of ONNX Runtime's that is no plugin.
PROVIDERS = Path(onnxruntime.__file__).parent / "capi/libonnxruntime_providers_shared.so"
SECTIONS = re.findall(r"^### `([^\n]+)`\n(.*?)(?=^##|\Z)", PAGE, re.M | re.S)


@dataclass(frozen=True)
class Here:
    """Where errors are provoked.

    Args:
        place: a directory with `blueprint.yaml`.
        project: a built project with a library that has no options.
        runtime: what the installed runtime says, by the name in `runtime_errors`.
    """

    place: Path
    project: Callable[[], Project]
    runtime: Callable[[str], str]


Provoke = Callable[[Here], str]


def shell(line: str) -> Provoke:
    """Typed where there is a `blueprint.yaml`."""
    return lambda here: typed(line, here.place).text


def edited(expression: str) -> Provoke:
    """A blueprint that sed has spoilt, checked."""
    return shell(f"sed '{expression}' blueprint.yaml > b.yaml; epforge check b.yaml")


def in_project(line: str) -> Provoke:
    """Typed beside a project that is not built."""
    return shell(f"epforge scaffold blueprint.yaml my-ep; {line}")


def runtimes(name: str) -> Provoke:
    """An error of ONNX Runtime's own."""
    return lambda here: here.runtime(name)


def plugin(code: str) -> Provoke:
    """Python in which the library is `library`, and its execution provider `ep`."""

    def provoke(here: Here) -> str:
        project = here.project()
        head = (
            f"import onnxruntime, models\nlibrary, ep = {str(project.library)!r}, {project.ep!r}\n"
            "register = onnxruntime.register_execution_provider_library\n"
        )
        done = project.run_python(head + code)
        return done.stdout + done.stderr

    return provoke


def too_old(here: Here) -> str:
    """The library and a runtime that it does not load in."""
    project = here.project()
    code = (
        "import onnxruntime\n"
        f"onnxruntime.register_execution_provider_library('a', {str(project.library)!r})"
    )
    return project.run_python(code, runtime=runtime(TOO_OLD)).stderr


def without_runtime(here: Here) -> str:
    """The package in a Python that has no onnxruntime."""
    project = here.project()
    code = f"import {project.package} as plugin; plugin.register()"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": str(project.root / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr


OPTION = """
register('a', library)
options = onnxruntime.SessionOptions()
devices = [each for each in onnxruntime.get_ep_devices() if each.ep_name == ep]
options.add_provider_for_devices(devices, {'efort': '1'})
onnxruntime.InferenceSession(models.mul().SerializeToString(), options)
"""

PROVOKED: dict[str, Provoke] = {
    'unknown key "..."': edited("s/^ops:/opps:/"),
    'there is no operator "..."': edited("s/Relu/Relux/"),
    "not valid YAML: YAML indents with spaces, never with tabs": edited("s/^name/\\tname/"),
    "edition ... of the blueprint format is not known": edited("s/epforge: 1/epforge: 2/"),
    '"..." is a C++ keyword, so it cannot be the C++ namespace': edited("s/^name:.*/name: class/"),
    "these files in ... are in the way; nothing was written": shell(
        "mkdir there; echo mine > there/README.md; epforge scaffold blueprint.yaml there"
    ),
    "... is not a project of epforge: it has no epforge.lock": shell("epforge status ."),
    "...: is generated and was edited": in_project(
        "echo // >> my-ep/src/abi/ep.cc; epforge regenerate my-ep"
    ),
    "you and epforge changed the same lines, in line ...": in_project(
        "sed -i 's/computes 4/computes four/' my-ep/README.md; "
        "sed -i 's/MatMul]/MatMul, Sub]/' my-ep/blueprint.yaml; epforge regenerate my-ep"
    ),
    "...: drift": in_project(
        "sed -i 's/MatMul]/MatMul, Sub]/' my-ep/blueprint.yaml; epforge status my-ep"
    ),
    "the C++ compiler '...' (from CXX) is not there": in_project(
        "CXX=/nowhere/g++ epforge build my-ep"
    ),
    "... (from --ort-sdk) does not exist": in_project("epforge build my-ep --ort-sdk /nowhere"),
    "a URL needs the SHA-256 of what it must give": shell(
        "epforge sdk install https://example.org/onnxruntime.tgz"
    ),
    "... is not built: there is no ...": in_project("epforge validate my-ep"),
    "... is a text file, whatever its name says; expected a plugin EP": shell(
        "echo hello > libtext.so; epforge validate --library libtext.so --rung static"
    ),
    "... is a shared library without the entry points": shell(
        f"epforge validate --library {PROVIDERS} --rung static"
    ),
    "Failed to load library ... with error: ...: cannot open shared object file: "
    "No such file or directory": runtimes("no file"),
    "undefined symbol: CreateEpFactories": runtimes("no plugin"),
    "Failed to get symbol RegisterCustomOps": runtimes("no custom ops"),
    "EP library is already registered under ...": plugin(
        "register('a', library); register('a', library)"
    ),
    "Execution provider library: ... was not registered.": runtimes("not registered"),
    "... needs ONNX Runtime 1.24.4 or a newer 1.x; this is '...'": too_old,
    '... needs onnxruntime 1.24.4 or newer: pip install "onnxruntime>=1.24.4"': without_runtime,
    "The requested API version [...] is not available, only API versions [1, ...] are supported in "
    "this build.": runtimes("newer API"),
    "Specified provider '...' is not in available provider names.": runtimes("unknown provider"),
    "Must provide one or more OrtEpDevice instances.": runtimes("no devices"),
    "add_provider_for_devices(): incompatible function arguments.": runtimes("no texts"),
    "unknown option '...' (value '...'): ... has no options": plugin(OPTION),
    "This session contains graph nodes that are assigned to the default CPU EP, but fallback to "
    "CPU EP has been explicitly disabled by the user.": runtimes("not the CPU"),
    "Could not find an implementation for ...": runtimes("no kernel"),
    "Fatal error: ... is not a registered function/op": runtimes("no schema"),
    "Error No Op registered for ... with domain_version of ...": runtimes("no op"),
    "Error No opset import for domain '...'": runtimes("no import"),
    "Type Error: Type '...' of input parameter (...) of operator (...) in node (...) is "
    "invalid.": runtimes("wrong type"),
    "Unsupported model IR version: ..., max supported IR version: ...": runtimes("newer IR"),
    "Opset ... is under development and support for this is limited.": runtimes("newer opset"),
    "EPContext node generated by '...' is not compatible with any execution provider added to the "
    "session.": runtimes("compiled"),
    "Required inputs (...) are missing from input feed (...)": runtimes("no input"),
    "Got invalid dimensions for input: ...": runtimes("wrong shape"),
    "Unexpected input data type. Actual: (...) , expected: (...)": runtimes("wrong element"),
}


@pytest.fixture(scope="module")
def runtime_says() -> Callable[[str], str]:
    """What the installed runtime says to each mistake; its log counts for all."""
    done = subprocess.run(
        [sys.executable, str(SUPPORT / "runtime_errors.py")],
        capture_output=True,
        text=True,
        check=True,
    )
    texts: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return lambda name: f"{texts[name]}\n{done.stderr if name == 'newer API' else ''}"


def shown(quoted: str, text: str) -> bool:
    """Is this what was printed, with something for each ``...``?"""
    pattern = "[^\n]*".join(re.escape(part) for part in quoted.split("..."))
    return re.search(pattern, text) is not None


def test_each_error_of_the_page_is_provoked_here() -> None:
    headings = [heading for heading, _ in SECTIONS]
    assert len(headings) == len(set(headings)) >= 30
    assert set(headings) == set(PROVOKED)
    assert len(SECTIONS) == len(re.findall(r"^### ", PAGE, re.M))


@pytest.mark.parametrize(("quoted", "body"), SECTIONS, ids=[quoted for quoted, _ in SECTIONS])
def test_an_error_has_a_meaning_and_a_cure(quoted: str, body: str) -> None:
    meaning, cure = body.strip().split("\n\n")
    assert meaning.endswith(".")
    assert cure.startswith("What to do: ")
    assert quoted


@pytest.mark.parametrize("quoted", list(PROVOKED))
def test_an_error_is_printed_as_quoted(
    quoted: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    shutil.copy(REPOSITORY / "blueprints/minimal.yaml", tmp_path / "blueprint.yaml")
    here = Here(
        tmp_path,
        lambda: request.getfixturevalue("minimal"),
        lambda name: str(request.getfixturevalue("runtime_says")(name)),
    )
    text = PROVOKED[quoted](here)
    assert shown(quoted, text), text[-3000:]
