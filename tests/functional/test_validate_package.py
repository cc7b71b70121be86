"""Rung `package`: a wheel that is what it should be, and every way in which it may not be."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from projects import Project, expanded
from runtimes import TOO_OLD, runtime
from toys import manifest, toy
from wheels import Change, gone, manifest_beside, replaced, rewritten, wheel_of

from epforge.build.diagnostics import BuildError, Diagnosis
from epforge.errors import MissingError
from epforge.validate import THIS, USUAL, Check, Outcome, Rung, Runtime, find_runtime, validate
from epforge.validate.package import Packing, archive, run

LINES = ["wheel", "install", "import", "smoke", "main program", "uninstall"]


def wrong_with(wheel: Path, project: Project) -> dict[str, str]:
    """What is wrong with a wheel, by the name of the check."""
    cases = archive.inspect(archive.open_wheel(wheel), manifest_beside(project))
    return {case.label: case.detail for case in cases if case.outcome.bad}


def packed(project: Project, make_wheel: Callable[[Path], Path]) -> Check:
    """The line about the wheel alone."""
    (check,) = run(Packing(project.library, make_wheel, runtimes=()))
    assert (check.rung, check.name) == (Rung.PACKAGE, "wheel")
    return check


def test_nothing_is_wrong_with_a_wheel_of_ours(minimal: Project) -> None:
    wheel = archive.open_wheel(wheel_of(minimal))
    cases = archive.inspect(wheel, manifest_beside(minimal))
    assert {case.label: case.detail for case in cases if case.outcome is not Outcome.PASSED} == {}
    assert (wheel.package, wheel.distribution) == (
        "onnxruntime_ep_contoso_npu",
        "onnxruntime-ep-contoso-npu",
    )


def second_plugin(data: bytes) -> bytes:
    return b"\x7fELF CreateEpFactories\0 " + data


TWIN = {"onnxruntime_ep_contoso_npu/libone.so": lambda _: b"same"}
FAULTS: Mapping[str, tuple[Mapping[str, Change], str, str]] = {
    "pure": (
        {"/WHEEL": replaced("Root-Is-Purelib: false", "Root-Is-Purelib: true")},
        "purelib",
        "Root-Is-Purelib is true",
    ),
    "other tag inside": (
        {"/WHEEL": replaced("Tag: py3-none-", "Tag: cp311-cp311-")},
        "tag",
        "and WHEEL in it cp311-cp311-",
    ),
    "no library": ({"_npu.so": gone}, "library", "the plugin libraries in it are: none"),
    "two libraries": (
        {"onnxruntime_ep_contoso_npu/libother.so": second_plugin},
        "library",
        "onnxruntime_ep_contoso_npu/libother.so",
    ),
    "the same file twice": (
        {**TWIN, "onnxruntime_ep_contoso_npu/libone.so.1": lambda _: b"same"},
        "library",
        "libone.so and onnxruntime_ep_contoso_npu/libone.so.1 are the same file",
    ),
    "another library's manifest": (
        {".manifest.json": replaced('"Contoso"', '"Fabrikam"')},
        "library",
        "is not the manifest of the library that was built",
    ),
    "no licence": ({"licenses/LICENSE": gone}, "licence", "the licence file LICENSE is not in it"),
    "licence unnamed": (
        {"/METADATA": replaced("License-File: LICENSE\n", "")},
        "licence",
        "no licence file is in it",
    ),
    "dependency": (
        {
            "/METADATA": replaced(
                "\nVersion: ", "\nRequires-Dist: onnxruntime-gpu>=1.24.4\nVersion: "
            )
        },
        "dependencies",
        "it depends on onnxruntime-gpu>=1.24.4",
    ),
    "dependency of an extra, too old": (
        {
            "/METADATA": replaced(
                "\nVersion: ", "\nRequires-Dist: onnxruntime>=1.20; extra == 'cpu'\nVersion: "
            )
        },
        "dependencies",
        "the library needs 1.24.4",
    ),
    "another name": (
        {"/_identity.py": replaced('"ContosoNpuExecutionProvider"', '"Other"')},
        "names",
        "EP_NAME is 'Other' in _identity.py, 'ContosoNpuExecutionProvider' in the library's",
    ),
    "names that cannot be read": (
        {"/_identity.py": lambda _: b"VERSION = ("},
        "names",
        "EP_NAME is None in _identity.py",
    ),
    "another distribution": (
        {"/METADATA": replaced("Name: onnxruntime-ep-contoso-npu", "Name: other")},
        "names",
        "the distribution is other",
    ),
    "a README of another": (
        {"/METADATA": replaced("ContosoNpuExecutionProvider", "OtherProvider")},
        "names",
        "the README in METADATA does not name ContosoNpuExecutionProvider",
    ),
    "another minimum": (
        {"/_identity.py": replaced('"1.24.4"', '"1.24.40"')},
        "minimum",
        "MINIMUM_ONNXRUNTIME is '1.24.40'",
    ),
    "another minimum in the README": (
        {"/METADATA": replaced("1.24.4", "1.24.40")},
        "minimum",
        "the README in METADATA does not name onnxruntime 1.24.4",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_with_a_wheel_is_named(fault: str, minimal: Project, tmp_path: Path) -> None:
    changes, label, says = FAULTS[fault]
    wrong = wrong_with(rewritten(wheel_of(minimal), tmp_path, changes), minimal)
    assert says in wrong[label]
    assert "record" not in wrong


@pytest.mark.parametrize(
    ("tag", "says"),
    [
        ("cp311-cp311-linux_x86_64", "not py3-none-PLATFORM"),
        ("py3-none-any", "not py3-none-PLATFORM"),
        ("py3-none-win_amd64", "is not for this system"),
    ],
)
def test_a_tag_that_is_not_the_platform_s_is_named(
    tag: str, says: str, minimal: Project, tmp_path: Path
) -> None:
    name = f"onnxruntime_ep_contoso_npu-0.1.0-{tag}.whl"
    assert says in wrong_with(rewritten(wheel_of(minimal), tmp_path, {}, name=name), minimal)["tag"]


def test_files_that_are_not_what_the_record_says_are_named(
    minimal: Project, tmp_path: Path
) -> None:
    changes: Mapping[str, Change] = {
        "/_identity.py": lambda data: data + b"\n",
        "/py.typed": lambda _: None,
        "onnxruntime_ep_contoso_npu/more.py": lambda _: b"pass\n",
    }
    wheel = rewritten(wheel_of(minimal), tmp_path, changes, listed=False)
    (wrong,) = wrong_with(wheel, minimal).values()
    assert "_identity.py is not what RECORD says" in wrong
    assert "RECORD lists onnxruntime_ep_contoso_npu/py.typed, which is not there" in wrong
    assert "more.py is unlisted" in wrong


def damaged(wheel: Path, to: Path) -> Path:
    data = bytearray(wheel.read_bytes())
    with zipfile.ZipFile(wheel) as found:
        largest = max(found.infolist(), key=lambda each: each.compress_size)
    middle = largest.header_offset + largest.compress_size // 2
    data[middle : middle + 16] = bytes(16)
    (to / wheel.name).write_bytes(data)
    return to / wheel.name


def cut(wheel: Path, to: Path) -> Path:
    (to / wheel.name).write_bytes(wheel.read_bytes()[:5000])
    return to / wheel.name


def outside(wheel: Path, to: Path) -> Path:
    return rewritten(wheel, to, {"../../outside.py": lambda _: b"pass\n"})


def without_metadata(wheel: Path, to: Path) -> Path:
    return rewritten(wheel, to, {"/METADATA": gone})


def without_package(wheel: Path, to: Path) -> Path:
    return rewritten(wheel, to, {"/_identity.py": gone})


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (damaged, "archive: "),
        (cut, "archive: it cannot be unpacked"),
        (outside, "archive: '../../outside.py' in it is no place in an environment"),
        (without_metadata, ".dist-info/METADATA"),
        (without_package, "archive: the packages in it are: none"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_file_that_is_no_whole_wheel_ends_the_rung(
    make: Callable[[Path, Path], Path], says: str, minimal: Project, tmp_path: Path
) -> None:
    check = packed(minimal, lambda _: make(wheel_of(minimal), tmp_path))
    assert check.outcome is Outcome.FAILED
    assert says in check.detail


def test_a_wheel_that_cannot_be_made_is_a_failed_check(minimal: Project, tmp_path: Path) -> None:
    def fails(folder: Path) -> Path:
        raise BuildError(Diagnosis("", 0, 0, "auditwheel failed"), "", "", tmp_path)

    check = packed(minimal, fails)
    assert (check.outcome, check.detail) == (Outcome.FAILED, "auditwheel failed")


def test_what_this_machine_lacks_is_no_fault_of_the_package(minimal: Project) -> None:
    def lacks(folder: Path) -> Path:
        raise MissingError("cannot install auditwheel")

    with pytest.raises(MissingError, match="cannot install auditwheel"):
        packed(minimal, lacks)


def test_the_rung_is_climbed_only_when_it_is_asked_for() -> None:
    assert set(Rung) - set(USUAL) == {Rung.PACKAGE, Rung.CONFORMANCE, Rung.FUZZ, Rung.MATRIX}


def test_a_library_alone_has_no_package() -> None:
    command = [sys.executable, "-m", "epforge", "validate", "--library", str(toy())]
    done = subprocess.run(
        [*command, "--rung", "static", "--rung", "package"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    line = next(line for line in done.stdout.splitlines() if line.startswith("package"))
    assert line.split(None, 2)[1:] == ["all", "not checked  a library alone has no package"]


def test_nothing_is_packed_after_a_lower_rung_has_failed(tmp_path: Path) -> None:
    report = validate(
        toy(),
        manifest(tmp_path / "m.json"),
        rungs=[Rung.LOAD, Rung.PACKAGE],
        runtimes=[Runtime(TOO_OLD, runtime(TOO_OLD))],
        make_wheel=lambda _: pytest.fail("a wheel is made"),
    )
    check = report.checks[-1]
    assert (check.rung, check.outcome) == (Rung.PACKAGE, Outcome.NOT_CHECKED)
    assert check.detail == "a lower rung failed"


def passes(checks: object) -> None:
    assert isinstance(checks, tuple)
    assert [(c.name, c.outcome, c.detail) for c in checks if c.outcome is not Outcome.PASSED] == []


@pytest.mark.lab
@pytest.mark.parametrize("version", ["1.24.4", "1.32.0"])
def test_the_package_of_a_project_works(version: str, minimal: Project) -> None:
    runtimes = [Runtime(version, runtime(version))]
    report = validate(
        minimal.library,
        rungs=[Rung.PACKAGE],
        runtimes=runtimes,
        make_wheel=lambda _: wheel_of(minimal),
    )
    passes(report.checks)
    assert [check.name for check in report.checks] == LINES
    assert report.runtimes == (version,)
    (install,) = (check for check in report.checks if check.name == "install")
    assert f"with onnxruntime {version}, " in install.detail
    assert install.detail.endswith("in .../päckage test/venv")


@pytest.mark.lab
def test_the_command_climbs_the_rung_and_says_what_it_knows(minimal: Project) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "epforge", "validate", minimal.root, "--rung", "package"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "ORT_TEST_VERBOSE": "1", "CONTOSO_NPU_LIBRARY": "/nowhere.so"},
    )
    assert done.returncode == 0, done.stdout
    *lines, last = done.stdout.splitlines()[1:]
    assert [line[9:22].strip() for line in lines] == LINES
    assert last.startswith("passed: 6 passed in ")
    assert "working directory: /\n" in done.stderr
    assert "p\u00e4ckage test/venv" in done.stderr


@pytest.mark.lab
@pytest.mark.parametrize("name", ["packaged", "virtual-memory", "compiled", "custom-ops"])
def test_the_packages_of_other_kinds_of_projects_work(
    name: str, project_of: Callable[..., Project], repository: Path
) -> None:
    project = project_of((repository / f"blueprints/{name}.yaml").read_text(encoding="utf-8"))
    checks = run(Packing(project.library, lambda _: wheel_of(project), [THIS]))
    passes(checks)
    (smoke,) = (check for check in checks if check.name == "smoke")
    assert {"values", "options", "wrong option", "threads"} <= {c.label for c in smoke.cases}


@pytest.mark.lab
def test_onnxruntime_may_be_a_directory(minimal: Project) -> None:
    place = runtime("1.28.0")
    passes(run(Packing(minimal.library, lambda _: wheel_of(minimal), [find_runtime(str(place))])))


NO_DEVICE = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
devices:
  - {name: npu, type: npu, match: {vendor_id: 0xB357, device_ids: [0x1001]}}
ops: [Relu]
"""


@pytest.mark.lab
def test_without_a_device_what_needs_one_is_not_checked(
    project_of: Callable[..., Project],
) -> None:
    project = project_of(NO_DEVICE)
    checks = run(Packing(project.library, lambda _: wheel_of(project), [THIS]))
    lines = {check.name: check for check in checks}
    assert not any(check.outcome.bad for check in checks), checks
    assert lines["smoke"].outcome is Outcome.NOT_CHECKED
    assert lines["smoke"].detail.endswith("no device is offered on this machine")
    assert lines["main program"].outcome is Outcome.NOT_CHECKED
    assert lines["uninstall"].outcome is Outcome.PASSED


PACKAGE = "onnxruntime_ep_contoso_npu"
BROKEN: Mapping[str, tuple[Mapping[str, Change], str, Outcome, str]] = {
    "needs onnxruntime": (
        {f"{PACKAGE}/__init__.py": lambda data: data + b"import onnxruntime\n"},
        "import",
        Outcome.FAILED,
        "import: ModuleNotFoundError: No module named 'onnxruntime'",
    ),
    "talks": (
        {
            f"{PACKAGE}/__init__.py": lambda data: (
                data + b"import sys; print('hello', file=sys.stderr)\n"
            )
        },
        "smoke",
        Outcome.FAILED,
        "stderr: hello",
    ),
    "stays registered": (
        {"/_registration.py": replaced("        _unregister(names)\n", "        pass\n")},
        "smoke",
        Outcome.FAILED,
        "unregister: 1 devices are still listed",
    ),
    "dies": (
        {
            "/_sessions.py": lambda data: (
                data + b"import os\nassert_ep_selected = lambda s: os.abort()\n"
            )
        },
        "smoke",
        Outcome.CRASHED,
        "helpers: SIGABRT",
    ),
    "has no program": (
        {"/__main__.py": lambda _: b"raise SystemExit('nothing here')\n"},
        "main program",
        Outcome.FAILED,
        "exit status 1: nothing here",
    ),
    "leaves a file": (
        {
            f"{PACKAGE}/__init__.py": lambda data: (
                data + b"open(__file__ + '.txt', 'w', encoding='utf-8').close()\n"
            )
        },
        "uninstall",
        Outcome.FAILED,
        f"site-packages/{PACKAGE}",
    ),
}


@pytest.mark.lab
@pytest.mark.parametrize("fault", BROKEN)
def test_a_package_that_does_not_work_is_told_by_its_line(
    fault: str, minimal: Project, tmp_path: Path
) -> None:
    changes, name, outcome, says = BROKEN[fault]
    wheel = rewritten(wheel_of(minimal), tmp_path, changes)
    checks = run(Packing(minimal.library, lambda _: wheel, [THIS]))
    (line,) = (check for check in checks if check.name == name)
    assert (line.outcome, says in line.detail) == (outcome, True), line.detail


@pytest.mark.lab
def test_wrong_values_are_told(project_of: Callable[..., Project], repository: Path) -> None:
    text = (repository / "blueprints/minimal.yaml").read_text(encoding="utf-8")
    kernel = "src/gen/kernels/add.cc"
    code = next(f.content for f in expanded(text).files if f.path == kernel).decode()
    assert "return Add(a, b);" in code
    changes = {kernel: code.replace("return Add(a, b);", "return Add(Add(a, b), b);")}
    project = project_of(text, changes=changes)
    checks = run(Packing(project.library, lambda _: wheel_of(project), [THIS]))
    (smoke,) = (check for check in checks if check.name == "smoke")
    wrong = {case.label for case in smoke.cases if case.outcome.bad}
    assert wrong == {"values", "options", "second session", "threads", "helpers"}, smoke
    assert "comes out instead of" in smoke.detail
