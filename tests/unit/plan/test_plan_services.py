"""Optional services: there where the blueprint asks, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from blueprints import example

from epforge.assets import assets_dir
from epforge.blueprint import load
from epforge.plan import make_plan
from epforge.render import render
from epforge.resolve import resolve
from epforge.resolve.model import Blueprint

HEAD = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
devices: [{name: npu, type: npu, match: {vendor_id: 0xB357}, virtual: allowed}]
memory: {default: plain}
ops: [Relu]
"""
PROFILER = "features: {profiler: true}\n"
OPTION = "options: [{name: effort, type: int%s}]\n"
PROFILER_FILES = {
    *(f"src/abi/profiler.{suffix}" for suffix in ("h", "cc")),
    *(
        f"src/gen/profiling/{name}.{suffix}"
        for name in ("event_sink", "recording")
        for suffix in ("h", "cc")
    ),
    "tests/cpp/profiling_test.cc",
}


def rendered(blueprint: Blueprint) -> dict[str, str]:
    return {path: file.content.decode() for path, file in render(make_plan(blueprint)).items()}


def sources(blueprint: Blueprint) -> str:
    """The plugin's C++, all of it."""
    files = rendered(blueprint)
    return "\n".join(files[path] for path in sorted(files) if path.startswith("src/"))


def test_a_profiler_adds_its_files_and_nothing_else() -> None:
    without, with_it = (rendered(example(HEAD + more)) for more in ("", PROFILER))
    assert with_it.keys() - without.keys() == PROFILER_FILES
    assert without.keys() <= with_it.keys()


@pytest.mark.parametrize(
    ("text", "members"),
    [
        (PROFILER, {"CreateProfiler"}),
        (OPTION % ", dynamic: true", {"SetDynamicOptions"}),
        (OPTION % "", set()),
        ("features: {resource_accounting: true}\n", {"GetAvailableResource"}),
        (
            'features: {memory_capacity: true}\nort: {target: "1.32"}\n',
            {"GetDeviceMemoryCapacity"},
        ),
        (
            "memory: {default: plain, streams: true}\nfeatures: {graph_capture: true}\n",
            {"ReplayGraph", "ReleaseCapturedGraph", "OnRunStart"},
        ),
        (
            "memory: {default: plain, streams: true}\nfeatures: {graph_capture: true}\n"
            'ort: {target: "1.26"}\n',
            {"ReplayGraph", "OnRunStart"},
        ),
        (
            "memory: {default: plain, streams: true}\nfeatures: {external_memory: true}\n",
            {"CreateExternalResourceImporterForDevice"},
        ),
        (
            "memory: {default: plain, streams: true}\nfeatures: {graphics_interop: true}\n",
            {"InitGraphicsInterop", "DeinitGraphicsInterop"},
        ),
        ("", set()),
    ],
)
def test_only_the_callbacks_that_are_asked_for_are_there(text: str, members: set[str]) -> None:
    head = HEAD.replace("memory: {default: plain}\n", "") if "memory:" in text else HEAD
    code = sources(example(head + text))
    every = {
        *("CreateProfiler", "SetDynamicOptions"),
        *("GetAvailableResource", "GetDeviceMemoryCapacity"),
        *("ReplayGraph", "ReleaseCapturedGraph", "OnRunStart"),
        *("InitGraphicsInterop", "DeinitGraphicsInterop"),
        "CreateExternalResourceImporterForDevice",
    }
    assert {member for member in every if f"{member} = Callback<" in code} == members


def test_the_library_of_custom_operators_has_what_its_kernels_need() -> None:
    text = """\
custom_ops:
  - {op: com.contoso::Half, inputs: {x: T}, outputs: {y: T}, types: {T: [float32]}, compute: x / 2}
"""
    files = rendered(example(HEAD + text + PROFILER))
    listed = files["cmake/gen/custom_ops.cmake"]
    assert "src/gen/profiling/event_sink.cc" in listed
    assert "src/abi/profiler.cc" not in listed


def blueprints() -> list[Path]:
    return sorted(assets_dir("blueprints").rglob("*.yaml"))


@pytest.mark.parametrize("path", blueprints(), ids=lambda path: path.name)
def test_every_execution_provider_says_that_its_runs_may_overlap(path: Path) -> None:
    """Null would mean the same to ONNX Runtime, by default; this is said, not left out."""
    files = rendered(resolve(load(path)))
    assert "IsConcurrentRunSupported = Callback<" in files["src/abi/ep.cc"]
    answer = files["src/abi/ep.h"].partition("Status ConcurrentRuns(bool* supported) {")[2]
    assert answer.lstrip().startswith("*supported = true;")
