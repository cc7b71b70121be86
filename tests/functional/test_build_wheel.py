"""`epforge build --wheel`: the project's script in an environment of its own, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from projects import Project
from wheels import wheel_of

from epforge.build import BuildError, BuildTimeoutError, open_project
from epforge.build.wheel import build_wheel
from epforge.errors import MissingError, UsageError
from epforge.validate.package import archive


def epforge(*args: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "epforge", *args],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env},
    )


@pytest.fixture
def project(minimal: Project, tmp_path: Path) -> Path:
    """A project that is as good as built, to be changed."""
    root = minimal.copy(tmp_path / "contoso-npu")
    library = open_project(root).library_path("release")
    library.parent.mkdir(parents=True)
    library.write_bytes(b"a library")
    return root


def script(project: Path, code: str) -> None:
    (project / "packaging/build_wheel.py").write_text(code, encoding="utf-8")


WRITES = """\
import pathlib, sys
out = pathlib.Path(sys.argv[sys.argv.index("--output_dir") + 1])
"""


def test_the_command_makes_a_wheel_beside_others(minimal: Project, tmp_path: Path) -> None:
    wheel_of(minimal)
    output = tmp_path / "out"
    output.mkdir()
    old = output / "onnxruntime_ep_contoso_npu-0.0.1-py3-none-linux_x86_64.whl"
    old.write_bytes(b"old")
    before = set(minimal.root.rglob("packaging/__pycache__"))
    options = ["--wheel", "--output", output, "--version", "0.1.0.dev7", "--json"]
    done = epforge("build", minimal.root, *options)
    assert done.returncode == 0, done.stdout
    built = json.loads(done.stdout)
    wheel = Path(built["wheel"]["path"])
    assert set(output.iterdir()) == {old, wheel}
    assert old.read_bytes() == b"old"
    assert built["library"] == str(minimal.library)
    assert built["wheel"]["size"] == wheel.stat().st_size
    assert wheel.name.startswith("onnxruntime_ep_contoso_npu-0.1.0.dev7-py3-none-")
    assert wheel.stem.endswith(built["wheel"]["tag"])
    assert archive.open_wheel(wheel).metadata["Version"] == "0.1.0.dev7"
    assert "building " in Path(built["wheel"]["log"]).read_text()
    assert set(minimal.root.rglob("packaging/__pycache__")) == before


def test_what_the_script_does_not_take_is_said_in_its_words(minimal: Project) -> None:
    wheel_of(minimal)
    done = epforge("build", minimal.root, "--wheel", "--package-name", "other", "--json")
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert (
        "packaging/build_wheel.py: 'other' is no distribution of this project" in error["message"]
    )
    assert error["log"] in error["cure"]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise SystemExit('error: no library')", "packaging/build_wheel.py: no library"),
        (
            "raise SystemExit('note: x\\nerror: a is missing\\n  looked for: b\\n')",
            "packaging/build_wheel.py: a is missing; looked for: b",
        ),
        (
            "raise SystemExit('error: auditwheel failed:\\nlong\\nerror: inside\\nlast words')",
            "packaging/build_wheel.py: auditwheel failed: last words",
        ),
        ("1 / 0", "packaging/build_wheel.py: ZeroDivisionError: division by zero"),
        ("", "the wheels that it left are: none"),
        (
            f"{WRITES}[(out / name).touch() for name in ('a.whl', 'b.whl')]",
            "the wheels that it left are: a.whl, b.whl",
        ),
    ],
)
def test_a_script_that_fails_is_quoted_and_leaves_nothing(
    code: str, says: str, project: Path, tmp_path: Path
) -> None:
    script(project, code)
    with pytest.raises(BuildError) as caught:
        build_wheel(project, output=tmp_path / "out")
    assert says in caught.value.message
    assert str(caught.value.log) in caught.value.cure
    assert list((tmp_path / "out").iterdir()) == []


def test_a_script_that_does_not_end_is_ended(project: Path, tmp_path: Path) -> None:
    script(project, "import threading\nthreading.Event().wait()\n")
    with pytest.raises(BuildTimeoutError, match="did not end within 2 s"):
        build_wheel(project, output=tmp_path / "out", timeout_s=2)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_project_without_the_script_is_to_be_regenerated(project: Path) -> None:
    (project / "packaging/build_wheel.py").unlink()
    with pytest.raises(UsageError, match=r"has no packaging/build_wheel\.py") as caught:
        build_wheel(project)
    assert f"epforge regenerate {project}" in caught.value.cure


def test_what_is_not_built_is_to_be_built(project: Path) -> None:
    with pytest.raises(UsageError, match="to make a wheel of") as caught:
        build_wheel(project, "debug")
    assert f"epforge build {project} --preset debug" in caught.value.cure


def test_an_output_that_is_a_file_is_refused(project: Path) -> None:
    with pytest.raises(UsageError, match="is not a directory"):
        build_wheel(project, output=project / "README.md")


@pytest.mark.parametrize("option", [["--output", "x"], ["--version", "1"], ["--package-name", "x"]])
def test_options_of_the_wheel_need_the_wheel(option: list[str], tmp_path: Path) -> None:
    done = epforge("build", tmp_path, *option, "--json")
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert error["message"] == f"{option[0]} is about the wheel"
    assert "--wheel" in error["cure"]


@pytest.mark.lab
def test_an_environment_that_could_not_be_made_is_made_anew_and_kept(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPFORGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    script(project, f"import contoso_tool\n{WRITES}(out / 'a-1-py3-none-any.whl').touch()")
    (project / "packaging/requirements-build-wheel.txt").write_text("contoso-tool\n")
    with pytest.raises(MissingError, match="No matching distribution found for contoso-tool") as e:
        build_wheel(project, output=tmp_path / "out")
    assert e.value.exit_status == 4
    assert not (tmp_path / "out").exists()
    monkeypatch.setenv("PIP_FIND_LINKS", str(tool(tmp_path).parent))
    said: list[str] = []
    for _ in range(2):
        result = build_wheel(project, output=tmp_path / "out", progress=said.append)
        assert (result.tag, result.size) == ("py3-none-any", 0)
    assert said == [
        "installing what makes wheels into the cache",
        "making the wheel",
        "making the wheel",
    ]


def tool(folder: Path) -> Path:
    """The wheel of what a script requires."""
    info = "contoso_tool-1.dist-info"
    wheel = folder / "contoso_tool-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("contoso_tool.py", "")
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: contoso-tool\nVersion: 1\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        names = ("contoso_tool.py", *(f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD")))
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in names))
    return wheel
