"""Public bug reports as tests: what an execution provider is called, and whether it is there."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fresh import every_runtime, ok
from projects import Project

_LAB = pytest.mark.lab
PROJECTS = pytest.mark.parametrize(
    "project",
    ["minimal", *(pytest.param(each, marks=_LAB) for each in ("compiled", "device_memory"))],
)


def _names(python: str) -> str:
    nodes = list(ast.walk(ast.parse(python)))
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    return " ".join([*names, *(node.attr for node in nodes if isinstance(node, ast.Attribute))])


def _blocks(markdown: str) -> str:
    return " ".join(re.findall(r"^```(.*?)^```", markdown, re.M | re.S))


#: What of a file is code, by the end of its name.
_CODE: dict[str, Callable[[str], str]] = {
    ".py": _names,
    ".md": _blocks,
    **dict.fromkeys((".cc", ".h", ".cs"), lambda text: re.sub(r"//.*", "", text)),
}


@every_runtime
@PROJECTS
def test_fr_23_whether_it_is_available_is_told_by_its_devices(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """People took a list that has no plugins in it for the proof that registering had failed."""
    ok(
        request.getfixturevalue(project),
        """
        device = None
        assert plugin.is_available() is True
        release = tuple(map(int, ort.__version__.split(".")[:2]))
        assert (ep in ort.get_available_providers()) == (release >= (1, 26))
        plugin.unregister()
        assert plugin.is_available() is False
        assert plugin.register(name) == name
        assert plugin.is_available() is True
        plugin.unregister()
        if name.endswith(".virtual"):  # registered, and yet no device to run on
            plugin.register()
            assert plugin.is_available() is False
        """,
        version,
    )


@pytest.mark.parametrize(
    "project", ["minimal", *(pytest.param(each, marks=_LAB) for each in ("compiled", "custom_ops"))]
)
def test_fr_23_no_code_asks_the_list_of_what_is_built_in(
    project: str, request: pytest.FixtureRequest
) -> None:
    root: Path = request.getfixturevalue(project).root
    paths = [path for path in root.rglob("*") if path.suffix in _CODE and "build" not in path.parts]
    assert {path.suffix for path in paths} >= {".py", ".cc", ".h", ".md"}
    for path in paths:
        code = _CODE[path.suffix](path.read_text(encoding="utf-8"))
        assert "get_available_providers" not in code, path
        assert "GetAvailableProviders" not in code, path


def test_fr_23_the_readme_says_why(minimal: Project) -> None:
    words = " ".join((minimal.root / "README.md").read_text(encoding="utf-8").split())
    assert (
        "`onnxruntime.get_available_providers()` names what ONNX Runtime was built with, and "
        "plugins only from 1.26 on: whether this one works, only the devices tell, "
        "`ep.devices()` or `ep.is_available()`."
    ) in words


@every_runtime
@PROJECTS
def test_fr_25_one_name_under_any_registration(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """The registration's name, the execution provider's and a short one were mixed up."""
    chosen: Project = request.getfixturevalue(project)
    ok(
        chosen,
        """
        from onnxruntime.capi import onnxruntime_pybind11_state as state

        device = None
        plugin.unregister()
        name = plugin.register("anything-42", virtual=manifest["virtual"])
        assert name == "anything-42" + ".virtual" * manifest["virtual"]
        (device,) = plugin.devices()
        session = models.session(models.mul(), device)
        assert device.ep_name == plugin.get_ep_name() == ep
        assert plugin.get_ep_names() == manifest["eps"] == [ep]
        assert session.get_providers()[0] == ep
        assert models.taken(session, ep) == ["Mul"]
        assert "anything-42" not in str(session.get_provider_options())
        if hasattr(state, "get_registered_ep_kernel_defs"):  # since 1.26
            kernels = state.get_registered_ep_kernel_defs(ep)
            assert {kernel.provider for kernel in kernels} == ({ep} if kernel_registry else set())
        """,
        version,
        manifest=chosen.manifest,
        kernel_registry=project != "compiled",
    )


@every_runtime
@PROJECTS
def test_fr_25_factory_and_execution_provider_have_it(
    project: str, version: str | None, request: pytest.FixtureRequest
) -> None:
    """Asked by what the runtime itself asks with."""
    ok(
        request.getfixturevalue(project),
        """
        import ctypes
        from capi import Library, Ort, Plugin

        api = Ort()
        registered = Plugin(api, plugin.get_library_path(), "anything-42.virtual")
        library = Library(api, plugin.get_library_path())
        factory = library.factory
        name = factory.get("GetName", factory.address)
        assert ctypes.string_at(name).decode() == registered.ep == ep
        made = library.make_ep(
            api.api.get("EpDevice_Device", registered.device), registered.options()
        )
        assert ctypes.string_at(made.get("GetName", made.address)).decode() == ep
        """,
        version,
    )


@every_runtime
def test_fr_25_compiled_models_have_it(compiled: Project, version: str | None) -> None:
    ok(
        compiled,
        """
        device = None
        plugin.unregister()
        plugin.register("anything-42")
        made = models.compiled(models.add_mul_add(), plugin.devices()[0])
        nodes = models.contexts(made)
        assert nodes
        assert {models.attribute(each, "source") for each in nodes} == {ep.encode()}
        metadata = {each.key: each.value for each in made.metadata_props}
        keys = [key for key in metadata if key.startswith("ep_compatibility_info.")]
        assert keys == [f"ep_compatibility_info.{ep}"], metadata
        models.session(made, plugin.devices()[0])
        """,
        version,
    )


def checked(text: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """What is said about a blueprint."""
    blueprint = tmp_path / "named.yaml"
    blueprint.write_text(
        f"epforge: 1\nname: contoso-npu\nvendor: Contoso\nops: [Relu]\n{text}\n", encoding="utf-8"
    )
    return subprocess.run(
        [sys.executable, "-m", "epforge", "check", str(blueprint)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_fr_25_a_name_without_the_usual_suffix_is_a_warning(tmp_path: Path) -> None:
    result = checked("names: {ep: ContosoNpu}", tmp_path)
    assert result.returncode == 0, result.stderr
    said = " ".join((result.stdout + result.stderr).split())
    assert "named.yaml:5:13: warning" in said
    assert "ContosoNpuExecutionProvider" in said


@pytest.mark.parametrize("taken", ["CPUExecutionProvider", "cudaexecutionprovider"])
def test_fr_25_a_name_that_is_built_in_is_an_error(taken: str, tmp_path: Path) -> None:
    result = checked(f"names: {{ep: {taken}}}", tmp_path)
    assert result.returncode == 2, result.stdout
    said = " ".join((result.stdout + result.stderr).split())
    assert "named.yaml:5:13: error" in said
    assert taken in said
    assert f"My{taken}" in said
