"""`epforge build --wheel` of a project with kernels for NumPy: two wheels, or why there is none."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from projects import Project
from wheels import Change, gone, replaced, rewritten, wheel_of

from epforge.build import BuildError, open_project
from epforge.build.native_wheel import build_native_wheel, has_native
from epforge.errors import UsageError
from epforge.validate import THIS, Check, Outcome
from epforge.validate.package import Packing, archive, native, run

ANY = re.compile("__init__.py")
PACKAGE = "onnxruntime_ep_fabrikam_ml_native"


def epforge(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "epforge", *args], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="session")
def packaged(project_of: Callable[..., Project], repository: Path) -> Project:
    """A project with kernels for NumPy, built."""
    return project_of((repository / "blueprints/packaged.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def native_wheel(packaged: Project) -> Path:
    """Its second wheel."""
    return build_native_wheel(packaged.root, output=packaged.root.parent / "wheels").wheel


def as_built(project: Project, to: Path) -> Path:
    """A copy that is as good as built."""
    root = project.copy(to)
    library = open_project(root).library_path("release")
    library.parent.mkdir(parents=True)
    library.write_bytes(b"a library")
    return root


def test_a_project_without_such_kernels_is_told_how_to_get_them(
    minimal: Project, tmp_path: Path
) -> None:
    root = as_built(minimal, tmp_path / "project")
    assert not has_native(root)
    with pytest.raises(UsageError, match="has no kernels for NumPy") as caught:
        build_native_wheel(root)
    assert "native: separate" in caught.value.cure


def test_tools_that_lack_nanobind_are_to_be_regenerated(minimal: Project, tmp_path: Path) -> None:
    root = as_built(minimal, tmp_path / "project")
    (root / "native").mkdir()
    (root / "native/pyproject.toml").touch()
    with pytest.raises(UsageError, match="does not list nanobind") as caught:
        build_native_wheel(root)
    assert f"epforge regenerate {root}" in caught.value.cure


@pytest.mark.lab
def test_one_command_makes_both_wheels_of_one_version(packaged: Project, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = epforge(
        *("build", packaged.root, "--wheel", "--output", out, "--version", "0.2.0-rc.1", "--json")
    )
    assert done.returncode == 0, done.stdout
    built = json.loads(done.stdout)
    made = [Path(built[key]["path"]) for key in ("wheel", "native_wheel")]
    assert sorted(out.iterdir()) == sorted(made)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tags = "cp312-abi3" if sys.version_info >= (3, 12) else f"{python}-{python}"
    assert built["native_wheel"]["tag"].startswith(f"{tags}-manylinux_")
    versions = [archive.read_wheel(each, ANY).metadata["Version"] for each in made]
    assert versions == ["0.2.0rc1", "0.2.0rc1"]
    assert not (packaged.root / "native/build").exists()


@pytest.mark.lab
def test_for_another_platform_there_is_one_wheel_and_a_note(
    packaged: Project, tmp_path: Path
) -> None:
    command = ("build", packaged.root, "--target", "windows-x64", "--wheel", "--output", tmp_path)
    done = epforge(*command)
    assert done.returncode == 0, done.stderr
    assert "note: the kernels for NumPy are not built for windows-x64: " in done.stderr
    (wheel,) = tmp_path.iterdir()
    assert wheel.name.endswith("-py3-none-win_amd64.whl")
    assert json.loads(epforge(*command, "--json").stdout)["native_wheel"] is None


@pytest.mark.lab
def test_what_does_not_compile_is_told_by_its_place(packaged: Project, tmp_path: Path) -> None:
    root = as_built(packaged, tmp_path / "project")
    source = root / "native/src/module.cc"
    source.write_text(source.read_text() + "\nint broken = missing;\n")
    with pytest.raises(BuildError) as caught:
        build_native_wheel(root, output=tmp_path / "out")
    assert caught.value.file == "native/src/module.cc"
    assert "missing" in caught.value.message
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.lab
def test_what_was_compiled_is_kept(packaged: Project, native_wheel: Path, tmp_path: Path) -> None:
    again = build_native_wheel(packaged.root, output=tmp_path)
    assert again.wheel.name == native_wheel.name
    assert "Building CXX" not in again.log.read_text(encoding="utf-8")


@pytest.mark.lab
def test_the_rung_has_a_line_for_the_second_wheel(packaged: Project, native_wheel: Path) -> None:
    checks = climbed(packaged, native_wheel)
    assert [(c.name, c.outcome, c.detail) for c in checks if c.outcome is not Outcome.PASSED] == []
    assert [check.name for check in checks][-3:] == ["main program", "native", "uninstall"]
    (line,) = (check for check in checks if check.name == "native")
    assert line.detail.endswith(": Add computes the right values")


TWICE = b"""
_run = run
def run(*args, **more):
    return _run(*args, **more) * 2
"""
WRONG: Mapping[str, tuple[Mapping[str, Change], str]] = {
    "needs onnxruntime": (
        {f"{PACKAGE}/__init__.py": lambda data: data + b"import onnxruntime\n"},
        "import: ModuleNotFoundError: import of onnxruntime halted",
    ),
    "wrong values": ({f"{PACKAGE}/_call.py": lambda data: data + TWICE}, "value: "),
    "leaves a file": (
        {
            f"{PACKAGE}/__init__.py": lambda data: (
                data + b"open(__file__ + '.x', 'w', encoding='utf-8').close()\n"
            )
        },
        "uninstall: it leaves ",
    ),
}


@pytest.mark.lab
@pytest.mark.parametrize("fault", WRONG)
def test_a_second_wheel_that_does_not_work_is_told(
    fault: str, packaged: Project, native_wheel: Path, tmp_path: Path
) -> None:
    changes, says = WRONG[fault]
    checks = climbed(packaged, rewritten(native_wheel, tmp_path, changes))
    bad = {check.name: check.detail for check in checks if check.outcome.bad}
    assert list(bad) == ["native"]
    assert says in bad["native"]


def climbed(project: Project, wheel: Path) -> tuple[Check, ...]:
    return run(
        Packing(project.library, lambda _: wheel_of(project), [THIS], make_native=lambda _: wheel)
    )


def toy_wheel(folder: Path) -> Path:
    """A wheel as it should be, but for what is in the module."""
    name, tag = "contoso_native", "cp311-cp311-manylinux_2_28_x86_64"
    info = f"{name}-1.0.dist-info"
    files = {
        f"{name}/_native.cpython-311-x86_64-linux-gnu.so": "module",
        f"{info}/METADATA": "Metadata-Version: 2.4\nName: contoso-native\nVersion: 1.0\n"
        "License-File: LICENSE\nRequires-Dist: numpy\n"
        'Requires-Dist: onnxruntime; extra == "test"\n',
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n",
        f"{info}/licenses/LICENSE": "licence",
        f"{info}/RECORD": "",
    }
    path = folder / f"{name}-1.0-{tag}.whl"
    with zipfile.ZipFile(path, "w") as written:
        for place, text in files.items():
            written.writestr(place, text)
    return path


@pytest.mark.parametrize(
    ("changes", "name", "says"),
    [
        ({}, None, {}),
        ({}, "contoso_native-1.0-py3-none-any.whl", {"tag": "neither cpXY-cpXY-PLATFORM nor"}),
        ({}, "contoso_native-1.0-cp311-abi3-linux_x86_64.whl", {"tag": "neither cpXY"}),
        (
            {"/WHEEL": replaced("Tag: cp311-cp311", "Tag: cp312-abi3")},
            None,
            {"tag": "and WHEEL in it cp312-abi3-"},
        ),
        (
            {"/WHEEL": replaced("Purelib: false", "Purelib: true")},
            None,
            {"purelib": "Root-Is-Purelib is true"},
        ),
        (
            {"/METADATA": replaced("; extra", "; python_version")},
            None,
            {"dependencies": "it depends on onnxruntime; python_version"},
        ),
        (
            {"/METADATA": replaced("Version: 1.0", "Version: 1.1")},
            None,
            {"version": "it is 1.1, the main wheel 1.0"},
        ),
        ({"/licenses/LICENSE": gone}, None, {"licence": "LICENSE is not in it"}),
    ],
)
def test_what_is_wrong_with_a_second_wheel_is_named(
    changes: Mapping[str, Change], name: str | None, says: Mapping[str, str], tmp_path: Path
) -> None:
    (tmp_path / "new").mkdir()
    first = toy_wheel(tmp_path)
    main = archive.read_wheel(first, re.compile(r"_native\..*"))
    wheel = rewritten(first, tmp_path / "new", changes, name=name)
    found = native.make_and_inspect(lambda _: wheel, tmp_path, main)
    assert isinstance(found, native.NativeWheel)
    wrong = {case.label: case.detail for case in found.cases if case.outcome.bad}
    assert wrong.keys() >= says.keys()
    assert all(text in wrong[label] for label, text in says.items())
    assert bool(wrong) == bool(says)


def test_what_is_no_such_wheel_is_a_failed_line(minimal: Project, tmp_path: Path) -> None:
    main = archive.open_wheel(wheel_of(minimal))
    found = native.make_and_inspect(lambda _: wheel_of(minimal), tmp_path, main)
    assert isinstance(found, Check)
    assert (found.name, found.outcome) == ("native", Outcome.FAILED)
    assert "the packages in it are: none" in found.detail
