"""The Python package of a generated project, as somebody uses it who only installed it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from projects import Project
from test_generated_suite import OPTIONS

USER = """\
import onnxruntime  # type: ignore[import-untyped]

import onnxruntime_ep_fabrikam_gpu as ep

name: str = ep.register()
for device in ep.devices():
    metadata: dict[str, str] = dict(device.ep_metadata)
    vendor: int = device.device.vendor_id
options = ep.session_options({"label": "x"}, effort=2, auto=None, scale=1, mode="exact")
options = ep.session_options(device=ep.devices()[0], fallback=False)
options = ep.session_options(device=ep.devices()[:1])
session = onnxruntime.InferenceSession("model.onnx", options)
ep.assert_ep_selected(session, entirely=True)
choices: tuple[str, ...] = ep.OPTIONS[3].choices
"""


@pytest.fixture(scope="module")
def configured(project_of: Callable[..., Project]) -> Project:
    """A project with options of every type."""
    return project_of(OPTIONS)


def mypy(project: Project, folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    (folder / "user.py").write_text(code, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null", "user.py"],
        cwd=folder,
        env={**project.environment(), "MYPYPATH": str(project.root / "python")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_user_s_program_is_checked_strictly(configured: Project, tmp_path: Path) -> None:
    result = mypy(configured, tmp_path, USER)
    assert result.returncode == 0, result.stdout


WRONG = [
    'ep.session_options(effort="much")',
    "ep.session_options(auto=3)",
    'ep.session_options(mode="slow")',
    "ep.session_options(no_such_option=1)",
    "ep.register(3)",
    "ep.devices()[0].no_such_thing",
]


def test_wrong_calls_are_found_without_running_them(configured: Project, tmp_path: Path) -> None:
    code = "\n".join([f"import {configured.package} as ep", "", *WRONG])
    found = re.findall(r"^user\.py:(\d+): error", mypy(configured, tmp_path, code).stdout, re.M)
    assert sorted({int(line) for line in found}) == [3 + n for n in range(len(WRONG))]


def test_the_value_that_was_given_is_the_one_that_arrives(configured: Project) -> None:
    result = configured.python(
        """
        settings = plugin.session_options(
            {"label": "a b"}, effort=np.int64(3), scale=np.float32(0.5), mode="exact"
        )
        print(*(settings.get_session_config_entry(f"ep.{plugin.get_ep_name().lower()}.{name}")
                for name in ("effort", "auto", "scale", "mode", "label")), sep="|")
        for value in (True, False):
            settings = plugin.session_options(auto=value)
            print(settings.get_session_config_entry(f"ep.{plugin.get_ep_name().lower()}.auto"))
        """
    )
    assert result.stdout == "3|false|0.5|exact|a b\ntrue\nfalse\n", result.stderr


def test_two_packages_live_in_one_process(configured: Project, minimal: Project) -> None:
    environment = {**minimal.environment(), **configured.environment()}
    environment["PYTHONPATH"] += f":{minimal.root / 'python'}"
    code = f"""
import {minimal.package} as first, {configured.package} as second
import models
for each in (first, second):
    each.register()
one = models.session(models.mul(), first.devices()[0])
first.assert_ep_selected(one)
try:
    second.assert_ep_selected(one)
except AssertionError as error:
    print(error)
second.unregister()
assert first.is_available() and not second.is_available()
try:
    first.unregister()
except RuntimeError as error:
    print(error)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")
    other, alive = result.stdout.splitlines()
    assert f"not on {configured.ep}" in other
    assert f"1 session(s) of {minimal.ep}" in alive


def test_only_what_is_in_use_keeps_the_registration(minimal: Project) -> None:
    """A session of a derived class does, garbage does not, and a proxy of an object that is gone,
    which is an error to ask what it is, does not matter."""
    result = minimal.python(
        """
        import gc, weakref
        class Session(ort.InferenceSession):
            pass
        proxy = weakref.proxy(type("Gone", (), {})())
        gc.disable()
        options = plugin.session_options()
        session = Session(models.mul().SerializeToString(), options)
        try:
            plugin.unregister()
        except RuntimeError as error:
            print(error)
        circle = [session]
        circle.append(circle)
        del session, circle, device
        plugin.unregister()
        print(plugin.is_available())
        """
    )
    assert (result.returncode, result.stderr) == (0, "")
    alive, available = result.stdout.splitlines()
    assert alive.startswith("1 session(s)")
    assert available == "False"


def test_an_unknown_platform_is_told_what_is_known(minimal: Project) -> None:
    code = f"""
import os, sys
del os.environ["CONTOSO_NPU_LIBRARY"]
import {minimal.package} as plugin
sys.platform = "sunos5"
try:
    plugin.get_library_path()
except RuntimeError as error:
    print(error)
"""
    said = minimal.run_python(code).stdout
    assert "sunos5" in said
    assert "CONTOSO_NPU_LIBRARY" in said


def test_two_distributions_that_share_the_package_are_refused(
    minimal: Project, tmp_path: Path
) -> None:
    """As when the second was installed over the first."""
    names = ("onnxruntime-ep-contoso-npu-cu12", "onnxruntime-ep-contoso-npu-cu13")
    for name in names:
        place = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        place.mkdir()
        text = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        (place / "METADATA").write_text(text, encoding="utf-8")
    code = f"""
import sys
sys.path.append({str(tmp_path)!r})
import {minimal.package} as plugin
from {minimal.package} import _identity
_identity.DISTRIBUTIONS = {names!r}
plugin.register()
"""
    said = minimal.run_python(code).stderr
    assert f"RuntimeError: {names[0]} and {names[1]} are both installed" in said
    assert f"pip uninstall {names[0]} {names[1]}" in said


def test_what_is_left_of_an_onnxruntime_is_no_onnxruntime(minimal: Project, tmp_path: Path) -> None:
    """After one of two distributions was uninstalled, the folder is there and the code is not."""
    (tmp_path / "onnxruntime" / "capi").mkdir(parents=True)
    code = f"""
import sys
sys.path[:] = [{str(tmp_path)!r}, *(each for each in sys.path if "site-packages" not in each)]
import {minimal.package} as plugin
plugin.register()
"""
    said = minimal.run_python(code).stderr
    assert "ImportError" in said
    assert "only parts are left" in said
    assert "pip install" in said
