"""The wheel of a project: what is in it, what it says of itself, and what refuses to be one."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import wheel_script
from packaging.version import InvalidVersion, Version
from projects import Project
from wheel_script import made_wheel, metadata_of, recorded, refusal

VERSIONS = (
    *("1", "1.0", "1.2.3", "01.02", "v1.0", "1!2.3", "0!1", "1.0a1", "1.0-alpha.1", "1.0.beta2"),
    *("1.0b", "1.0c1", "1.0rc1", "1.0-rc.1", "1.0.pre3", "1.0-preview_4", "1.0.post1", "1.0-1"),
    *("1.0.rev2", "1.0-r3", "1.0.dev4", "1.0dev", "1.0-dev.5", "1.0a1.post2.dev3", "1.0+cu12"),
    *("1.0+Cu.12-1_a", "1.0+007", "1.0.0-rc.1+build.5", "1.0RC1", "1.2.3.dev20260101", " 1.0 "),
    *("x", "1.x", "1.0-", "1.0+", "1.0-beta-gamma", "1..0", "1.0-rc.1.2", ".1", "1.0+a..b", "1!"),
    *("1.0a1b2", "1.0\u0661", "v", "1,0", "1.0;x", "@version@", "", "1.0 1", "1.0.dev1.post2"),
)


@pytest.fixture(scope="module")
def wheel(minimal: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the smallest project."""
    return made_wheel(minimal, tmp_path_factory.mktemp("dist"))


def tool(*command: str | Path) -> str:
    """What a checking tool says of a wheel that it finds nothing wrong with."""
    done = subprocess.run(
        [sys.executable, "-m", *map(str, command)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def script(project: Path, code: str) -> str:
    """What code prints that uses the modules beside the wheel script."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=project / "packaging",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def test_the_wheel_is_for_every_python_on_this_platform(wheel: Path) -> None:
    assert re.fullmatch(r".*-py3-none-manylinux_[0-9_]+_x86_64\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/WHEEL"))
        assert "Root-Is-Purelib: false" in archive.read(name).decode()
    assert "manylinux_" in tool("auditwheel", "show", wheel)


def test_the_checkers_find_nothing(wheel: Path) -> None:
    tool("twine", "check", "--strict", wheel)
    tool("check_wheel_contents", wheel)


def test_no_runtime_is_a_dependency(wheel: Path, minimal: Project) -> None:
    metadata = metadata_of(wheel)
    required = metadata.get_all("Requires-Dist", [])
    assert required
    assert all("extra ==" in each for each in required)
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata.get_all("License-File") == ["LICENSE"]
    assert f"\n{minimal.manifest['ort']['min']} and newer" in metadata.get_payload()
    assert not re.search(r"\]\((?!https://)", metadata.get_payload())


def test_the_library_and_what_it_claims_are_in_the_package(wheel: Path, minimal: Project) -> None:
    files = recorded(wheel)
    with zipfile.ZipFile(wheel) as archive:
        for path in (
            minimal.library,
            minimal.library.with_name(minimal.library.name + ".manifest.json"),
        ):
            assert f"{minimal.package}/{path.name}" in files
            assert archive.read(f"{minimal.package}/{path.name}") == path.read_bytes()
    assert [name for name in files if re.search(r"\.so", name) and ".json" not in name] == [
        f"{minimal.package}/{minimal.library.name}"
    ]
    assert "dist-info/licenses/LICENSE" in files


def test_the_same_files_give_the_same_wheel(wheel: Path, minimal: Project, tmp_path: Path) -> None:
    copy = minimal.copy(tmp_path / "copy of it")
    shutil.copytree(minimal.library.parent, tmp_path / "build", ignore=lambda *_: ["CMakeFiles"])
    for path in copy.rglob("*"):
        path.touch()
    done = wheel_script.run_script(
        *(copy, "--binary_dir", tmp_path / "build", "--output_dir", tmp_path / "dist")
    )
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.splitlines()[-1]).read_bytes() == wheel.read_bytes()
    assert [path.name for path in (tmp_path / "dist").iterdir()] == [wheel.name]


def test_pip_gives_the_same_metadata_and_the_same_files(
    wheel: Path, minimal: Project, tmp_path: Path
) -> None:
    code = (
        "import sys; from scikit_build_core.build import prepare_metadata_for_build_wheel as p; "
        "p(sys.argv[1])"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=minimal.root, check=True, timeout=60
    )
    (made,) = tmp_path.glob("*.dist-info/METADATA")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("/METADATA"))
        assert made.read_bytes() == archive.read(name)
    installed = tmp_path / "installed"
    subprocess.run(
        [
            *("cmake", "--install", str(minimal.library.parent), "--component", "python"),
            *("--prefix", str(installed)),
        ],
        check=True,
        capture_output=True,
    )
    package = minimal.root / "python" / minimal.package
    sources = {path.name for path in package.iterdir() if path.is_file()}
    binaries = {path.name for path in (installed / minimal.package).iterdir()}
    inside = {name.split("/", 1)[1] for name in recorded(wheel) if name.startswith(minimal.package)}
    assert inside == sources | binaries


def test_pip_takes_the_library_of_custom_operators_too(
    project_of: Callable[..., Project], repository: Path, tmp_path: Path
) -> None:
    project = project_of((repository / "blueprints/custom-ops.yaml").read_text(encoding="utf-8"))
    assert project.custom_ops_library is not None
    subprocess.run(
        [
            *("cmake", "--install", str(project.library.parent), "--component", "python"),
            *("--prefix", str(tmp_path)),
        ],
        check=True,
        capture_output=True,
    )
    listed = "import json, wheel_settings as s; print(json.dumps(s.BINARIES['linux']))"
    taken = json.loads(script(project.root, listed))
    assert project.custom_ops_library.name in taken
    assert {path.name for path in (tmp_path / project.package).iterdir()} == set(taken)


@pytest.mark.lab
def test_pip_wheel_gives_the_same_metadata_and_the_same_files(
    wheel: Path, minimal: Project, tmp_path: Path
) -> None:
    copy = minimal.copy(tmp_path / "copy")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"),
            *("--wheel-dir", str(tmp_path / "dist"), str(copy)),
        ],
        check=True,
        capture_output=True,
    )
    (other,) = (tmp_path / "dist").iterdir()
    assert recorded(other) == recorded(wheel)
    assert str(metadata_of(other)) == str(metadata_of(wheel))
    assert other.name.endswith("-py3-none-linux_x86_64.whl")


@pytest.mark.lab
def test_pip_without_headers_says_what_to_do(minimal: Project, tmp_path: Path) -> None:
    copy = minimal.copy(tmp_path / "copy")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", str(copy)],
        cwd=tmp_path,
        env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "headers of ONNX Runtime" in said
    assert "-C cmake.define.CONTOSO_NPU_ORT_INCLUDE_DIR=DIR" in said


def test_the_wheel_is_versioned_on_purpose_or_like_the_library(
    minimal: Project, tmp_path: Path
) -> None:
    done = wheel_script.run_script(
        *(minimal.root, "--binary_dir", minimal.library.parent, "--output_dir", tmp_path),
        *("--version", "1.0.0-rc.1"),
    )
    assert (
        "note: the wheel has version 1.0.0rc1, as was asked for; the library 0.1.0" in done.stdout
    )
    assert metadata_of(Path(done.stdout.splitlines()[-1]))["Version"] == "1.0.0rc1"
    copy = minimal.copy(tmp_path / "copy")
    path = copy / "pyproject.toml"
    path.write_text(path.read_text().replace('version = "0.1.0"', 'version = "0.2.0"'))
    said = refusal(copy, "--binary_dir", minimal.library.parent, "--output_dir", tmp_path)
    assert "pyproject.toml has version 0.2.0, the library 0.1.0" in said


def test_versions_are_read_and_written_as_pep_440_says(minimal: Project) -> None:
    read = f"[wheel_metadata.normal_version(text) for text in {VERSIONS!r}]"
    code = f"import json, wheel_metadata; print(json.dumps({read}))"
    expected: list[str | None] = []
    for text in VERSIONS:
        try:
            expected.append(str(Version(text)))
        except InvalidVersion:
            expected.append(None)
    assert None in expected
    assert json.loads(script(minimal.root, code)) == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--version", "next"), "'next' is no version that Python packages can have"),
        (("--package_name", "numpy"), "'numpy' is no distribution of this project: onnxruntime-ep"),
        (("--platform_tag", "linux_aarch64"), "libonnxruntime_ep_contoso_npu.so is for x86_64"),
        (("--platform_tag", "amiga"), "'amiga' is no platform tag"),
        (("--platform_tag", "win_amd64"), "has no onnxruntime_ep_contoso_npu.dll"),
        (("--platform_tag", "manylinux_2_28_x86_64", "--no_repair"), "leave out --no_repair"),
        (("--platform_tag", "manylinux_2_17_x86_64"), "auditwheel failed"),
        (("--size_limit", "0.01"), "more than the limit of 0.01 MB"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_nothing(
    minimal: Project, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    out = tmp_path / "dist"
    binaries = minimal.library.parent
    said = refusal(minimal.root, "--binary_dir", binaries, "--output_dir", out, *arguments)
    assert words in said
    assert not out.exists()


def test_what_is_looked_for_is_said(minimal: Project, tmp_path: Path) -> None:
    (tmp_path / "libother.so.1").touch()
    done = wheel_script.run_script(minimal.root, "--binary_dir", tmp_path)
    assert f"looked for in {tmp_path}: {minimal.library.name}, " in done.stdout
    assert "libraries there: libother.so.1" in done.stdout
    assert f"has no {minimal.library.name}, " in done.stderr


def test_a_library_among_the_python_files_is_refused(minimal: Project, tmp_path: Path) -> None:
    copy = minimal.copy(tmp_path / "copy")
    stray = copy / "python" / minimal.package / "libold.so.3"
    stray.touch()
    said = refusal(copy, "--binary_dir", minimal.library.parent)
    assert f"{stray} lies among the Python files" in said


def test_a_library_of_other_sources_is_refused(minimal: Project, tmp_path: Path) -> None:
    copy = minimal.copy(tmp_path / "copy")
    path = copy / "src/gen/manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": "0.1.1"}))
    said = refusal(copy, "--binary_dir", minimal.library.parent)
    assert "was built from other sources" in said


def test_a_description_of_another_minimum_is_refused(minimal: Project, tmp_path: Path) -> None:
    copy = minimal.copy(tmp_path / "copy")
    path = copy / "packaging/README.pypi.md"
    path.write_text(path.read_text().replace("1.24.4", "1.30.0"))
    said = refusal(copy, "--binary_dir", minimal.library.parent)
    assert "does not name ONNX Runtime 1.24.4, the oldest that the library loads into" in said


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("version = @version@", 'version = "1"', "nothing takes the value of @version@"),
        ("version = @version@", "version = @versoin@", "the variable @versoin@ has no value"),
    ],
)
def test_the_template_and_its_variables_fit(
    minimal: Project, tmp_path: Path, old: str, new: str, words: str
) -> None:
    copy = minimal.copy(tmp_path / "copy")
    path = copy / "packaging/pyproject.toml.in"
    path.write_text(path.read_text().replace(old, new))
    assert words in refusal(copy, "--binary_dir", minimal.library.parent)


@pytest.mark.lab
def test_what_the_owner_adds_to_the_metadata_is_in_the_wheel(
    minimal: Project, tmp_path: Path
) -> None:
    copy = minimal.copy(tmp_path / "copy")
    path = copy / "pyproject.toml"
    added = (
        'keywords = ["a \\"b\\"", "\\u007f"]\n'
        'urls = { "The home of it" = "https://example.com/" }\n'
    )
    path.write_text(path.read_text().replace("dependencies = []\n", f"dependencies = []\n{added}"))
    done = wheel_script.run_script(
        *(copy, "--binary_dir", minimal.library.parent, "--output_dir", tmp_path, "--no_repair")
    )
    metadata = metadata_of(Path(done.stdout.splitlines()[-1]))
    assert metadata["Project-URL"] == "The home of it, https://example.com/"
    assert metadata["Keywords"].startswith('a "b",')


def test_a_runtime_among_the_dependencies_is_refused(minimal: Project, tmp_path: Path) -> None:
    copy = minimal.copy(tmp_path / "copy")
    path = copy / "pyproject.toml"
    text = path.read_text().replace("dependencies = []", 'dependencies = ["onnxruntime-gpu>=1.24"]')
    path.write_text(text)
    said = refusal(
        *(copy, "--binary_dir", minimal.library.parent, "--output_dir", tmp_path, "--no_repair")
    )
    assert "onnxruntime-gpu>=1.24 is a dependency" in said


def test_without_the_tools_it_says_how_to_get_them(minimal: Project, tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    done = subprocess.run(
        [
            *(tmp_path / "bare/bin/python", minimal.root / "packaging/build_wheel.py"),
            *("--binary_dir", minimal.library.parent, "--output_dir", tmp_path),
        ],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 1
    assert "bare/bin/python has no build, scikit_build_core, auditwheel, " in done.stderr
    assert ": python -m pip install -r packaging/requirements-build-wheel.txt" in done.stderr
    assert "--no_repair" in done.stderr


def _pe(machine: int) -> bytes:
    return b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x40) + struct.pack("<4sH", b"PE", machine)


def _mach_o(cpu: int, major: int, minor: int) -> bytes:
    header = struct.pack("<8I", 0xFEEDFACF, cpu, 0, 6, 1, 24, 0, 0)
    return header + struct.pack("<6I", 0x32, 24, 1, major << 16 | minor << 8, 0, 0)


@pytest.mark.parametrize(
    ("tag", "name", "content", "made", "wrong"),
    [
        ("win_amd64", "{}.dll", _pe(0x8664), "win_amd64", "win_arm64"),
        pytest.param(
            "macosx_13_0_arm64",
            "lib{}.dylib",
            _mach_o(0x0100000C, 13, 0),
            "macosx_13_0_arm64",
            "macosx_12_0_arm64",
            marks=pytest.mark.lab,
        ),
    ],
)
def test_a_library_of_another_platform_gets_its_tag(
    minimal: Project,
    tmp_path: Path,
    tag: str,
    name: str,
    content: bytes,
    made: str,
    wrong: str,
) -> None:
    file = name.format(minimal.manifest["library"])
    (tmp_path / file).write_bytes(content)
    (tmp_path / f"{file}.manifest.json").write_text(json.dumps(minimal.manifest))
    arguments = ("--binary_dir", tmp_path, "--output_dir", tmp_path / "dist", "--platform_tag")
    done = wheel_script.run_script(minimal.root, *arguments, tag)
    assert done.returncode == 0, done.stderr
    wheel = Path(done.stdout.splitlines()[-1])
    assert wheel.name.endswith(f"-py3-none-{made}.whl")
    assert f"{minimal.package}/{file}" in recorded(wheel)
    assert f"--platform_tag {wrong}: " in refusal(minimal.root, *arguments, wrong)
