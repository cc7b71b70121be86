"""The shell's files: what is emitted, and what only where it is asked for."""

from __future__ import annotations

import json

import pytest
from blueprints import MINIMAL, example

from epforge.plan import make_plan, shell
from epforge.plan.model import Owner
from epforge.render import render
from epforge.resolve.model import Blueprint

MEMORY = """
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
devices:
  - name: npu
    type: npu
    match: {vendor_id: 0xB357, device_ids: [0x1001, 0x1002], metadata: {Discrete: "1"}}
    virtual: allowed
    metadata: {os_driver_version: 1.0.0.0}
memory: {default: plain}
ops: [Relu]
"""
OPTIONS = """
epforge: 1
name: contoso-npu
vendor: Contoso
ops: [Relu]
options:
  - {name: effort, type: int, range: [0, 3], default: 1, excludes: [auto], doc: Effort.}
  - {name: auto, type: bool, default: false, excludes: [effort], doc: Automatic.}
  - {name: scale, type: float, default: 2, doc: A factor.}
"""
DEVICE_MEMORY_FILES = {
    "src/abi/allocator.cc",
    "src/abi/allocator.h",
    "src/abi/data_transfer.cc",
    "src/abi/data_transfer.h",
    "src/abi/memcpy_kernels.cc",
    "src/abi/memcpy_kernels.h",
    "src/device/host_runtime.cc",
    "src/device/runtime.h",
}


def paths(blueprint: Blueprint) -> set[str]:
    return {spec.path for spec in shell.files(blueprint)}


def rendered(blueprint: Blueprint) -> dict[str, str]:
    return {path: file.content.decode() for path, file in render(make_plan(blueprint)).items()}


def code(text: str) -> str:
    """Without comments."""
    return "\n".join(line.split("//")[0] for line in text.splitlines())


def test_device_memory_adds_its_files_and_nothing_else() -> None:
    assert paths(example(MEMORY)) - paths(example()) == DEVICE_MEMORY_FILES
    assert paths(example()) <= paths(example(MEMORY))


VARIED_FILES = {
    "src/abi/memories.cc",
    "src/abi/memories.h",
    "src/gen/memory/source.h",
}
ARENA_FILES = {
    "src/gen/memory/arena.cc",
    "src/gen/memory/arena.h",
    "src/gen/memory/arena_options.cc",
    "src/gen/memory/arena_options.h",
    "src/gen/memory/nodes.h",
    "tests/cpp/arena_test.cc",
    "tests/cpp/nowhere.h",
}
ORDER_FILES = {
    "src/gen/memory/stream_order.cc",
    "src/gen/memory/stream_order.h",
    "tests/cpp/queues.h",
    "tests/cpp/kernel_call_test.cc",
    "tests/cpp/stream_order_test.cc",
}
ARENA_ORDER_FILES = {
    "src/gen/memory/arena_streams.cc",
    "tests/cpp/arena_streams_model_test.cc",
    "tests/cpp/arena_streams_test.cc",
}


@pytest.mark.parametrize(
    ("kinds", "added"),
    [
        ("default: plain, host_accessible: plain", VARIED_FILES),
        ("default: plain, read_only: plain", VARIED_FILES),
        ("default: arena", VARIED_FILES | ARENA_FILES),
        ("default: plain, read_only: arena", VARIED_FILES | ARENA_FILES),
        ("default: plain, host_accessible: arena", VARIED_FILES | ARENA_FILES),
    ],
)
def test_each_kind_of_memory_adds_its_files_and_nothing_else(kinds: str, added: set[str]) -> None:
    blueprint = example(MEMORY.replace("default: plain", kinds))
    assert paths(blueprint) - paths(example(MEMORY)) == added
    text = "".join(code(text) for path, text in rendered(blueprint).items() if "src/" in path)
    assert ("HostSource" in text) == ("host_accessible" in kinds)
    assert ("OrtReadOnlyAllocator" in text) == ("read_only" in kinds)
    assert ("class Arena " in text) == ("arena" in kinds)


def test_queues_add_their_order_and_arenas_that_follow_it() -> None:
    queues = MEMORY.replace("default: plain", "default: plain, streams: true")
    arena = queues.replace("plain,", "arena,")
    assert paths(example(queues)) & (ORDER_FILES | ARENA_ORDER_FILES) == ORDER_FILES
    assert paths(example(arena)) - paths(example(queues)) == ARENA_FILES | ARENA_ORDER_FILES


def test_a_stub_takes_the_place_of_the_simulated_device() -> None:
    stub = paths(example(MEMORY + "runtime: stub\n"))
    assert stub ^ paths(example(MEMORY)) == {
        "src/device/host_runtime.cc",
        "src/device/stub_runtime.cc",
    }


@pytest.mark.parametrize(("target", "has"), [("1.24", False), ("1.26", False), ("1.27", True)])
def test_what_is_newer_than_the_target_is_not_in_the_code(target: str, has: bool) -> None:
    text = MEMORY.replace("default: plain", "default: arena") + f'ort: {{target: "{target}"}}\n'
    files = rendered(example(text))
    assert ("GetDefaultMemoryDevice" in files["src/abi/ep.cc"]) == has
    assert ("Shrink = " in files["src/abi/allocator.cc"]) == (target != "1.24")


def test_without_device_memory_nothing_allocates() -> None:
    for path, text in rendered(example()).items():
        if path.startswith("src/abi/"):
            for word in ("Allocator ", "Memcpy", "Runtime&", "MemoryInfo"):
                assert word not in code(text), (path, word)


def test_virtual_devices_are_made_only_where_they_are_allowed() -> None:
    assert "CreateHardwareDevice" not in rendered(example())["src/abi/factory_devices.cc"]
    assert "CreateHardwareDevice" in rendered(example(MEMORY))["src/abi/factory_devices.cc"]


def test_options_have_a_parser_only_where_there_are_any() -> None:
    added = paths(example(OPTIONS)) - paths(example())
    assert added == {"src/gen/options.h", "src/gen/options.cc"}


def test_the_device_s_files_are_yours_and_the_rest_is_not() -> None:
    for spec in shell.files(example(MEMORY)):
        yours = spec.path.startswith("src/device/")
        assert (spec.owner is Owner.YOURS) == yours, spec.path


def test_the_build_list_has_every_source_once() -> None:
    blueprint = example(MEMORY)
    plan = make_plan(blueprint)
    listed = rendered(blueprint)["cmake/gen/sources.cmake"].split()
    for spec in plan.files:
        if spec.path.startswith("src/") and spec.path.endswith(".cc"):
            assert listed.count(spec.path) == 1, spec.path


def test_a_device_rule_says_what_the_blueprint_says() -> None:
    text = rendered(example(MEMORY))["src/gen/devices.h"]
    assert "{0x1001, 0x1002}" in text
    assert '{"Discrete", "1"}' in text
    assert '{"os_driver_version", "1.0.0.0"}' in text
    assert "DeviceType::kNpu" in text


def test_the_manifest_claims_one_entry_per_version() -> None:
    manifest = json.loads(rendered(example(MINIMAL))["src/gen/manifest.json"])
    assert manifest["ep"] == "ContosoNpuExecutionProvider"
    assert manifest["ort"] == {"min": "1.24.4", "target": 27}
    assert manifest["device_memory"] is False
    assert manifest["virtual"] is False
    assert manifest["device_types"] == ["cpu"]
    relu = [entry["since"] for entry in manifest["ops"] if entry["op"] == "Relu"]
    assert relu == sorted(set(relu))
    assert 14 in relu


def test_exclusions_hold_whichever_side_names_them_and_once() -> None:
    text = rendered(example(OPTIONS))["src/gen/options.cc"]
    assert text.count('return Exclusive("effort", "auto");') == 1
    assert 'Exclusive("auto"' not in text


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("effort", 'Parse(text, 0, 3, "an integer from 0 to 3", &options->effort)'),
        ("scale", 'Parse(text, -DBL_MAX, DBL_MAX, "a number", &options->scale)'),
    ],
)
def test_ranges_reach_the_parser(name: str, call: str) -> None:
    text = " ".join(rendered(example(OPTIONS))["src/gen/options.cc"].split())
    assert f'text.key == "{name}"' in text
    assert call in text


def test_the_versions_are_those_of_the_blueprint() -> None:
    text = MINIMAL + 'ort: {min: "1.26.0", target: "1.26"}\n'
    identity = rendered(example(text))["src/gen/identity.h"]
    assert "kTargetApi = 26;" in identity
    assert "kMinimumOrt = {1, 26, 0};" in identity
