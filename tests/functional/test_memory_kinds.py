"""Kinds of memory: arenas, host-accessible and read-only memory, devices told apart.

What applications see of allocators is reached by the C API, in processes of their own. FR 49 to 52
as far as they are about memory; those about streams want streams.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from cpp_tests import NEWEST, assert_clean, instrumented, ort_library, run
from projects import Project, built, expanded
from runtimes import SUPPORTED, runtime

HEAD = (
    "epforge: 1\nname: contoso-twins\nvendor: {name: Contoso, pci_id: 0xB357}\nops: [Relu, Mul]\n"
)
ONE = "devices: [{name: gpu, type: gpu, match: {vendor_id: 0xB357}, virtual: allowed}]\n"
#: Two devices that nothing but their place in the list tells apart.
TWINS = f"""{HEAD}
devices:
  - {{name: left, type: npu, match: {{vendor_id: 0xB357, device_ids: [1]}}, virtual: allowed}}
  - {{name: right, type: npu, match: {{vendor_id: 0xB357, device_ids: [1]}}, virtual: allowed}}
memory: {{default: arena, host_accessible: plain, read_only: arena}}
"""
STUB = f"{HEAD}{ONE}runtime: stub\nmemory: {{default: arena, host_accessible: plain}}\n"
KEYS = {
    *("Limit", "InUse", "TotalAllocated", "MaxInUse", "NumAllocs", "NumReserves"),
    *("NumArenaExtensions", "NumArenaShrinkages", "MaxAllocSize"),
}
PRELUDE = """
    import json, sys
    import numpy as np
    import models
    from allocators import *
    from capi import Library, Ort, OrtError, Plugin
    ort = Ort(severity=2)
    plugin = Plugin(ort, sys.argv[1], "plugin.virtual")
    device = Device(plugin)
    mul = models.mul()
    feeds = {each.name: np.full((3, 2), 2, np.float32) for each in mul.graph.input}

    def error(call, *arguments):
        try:
            call(*arguments)
        except OrtError as refused:
            return str(refused)
        return None

    def session():
        return plugin.open(mul.SerializeToString(), plugin.options())

    def runs(opened, options=0):
        result = plugin.run(opened, feeds, mul.graph.output[0].name, options)
        assert (result == 4).all(), result

    def say(**what):
        print(json.dumps(what))
"""
#: Of a project with queues, what runs without ONNX Runtime.
_PROGRAMS = (
    *("arena_test", "arena_streams_test", "arena_streams_model_test", "stream_order_test"),
    *("device_test", "device_errors_test", "kernel_call_test", "entry_test"),
)
EVERY = pytest.mark.parametrize(
    "version", [*(pytest.param(old, marks=pytest.mark.lab) for old in SUPPORTED[:-1]), NEWEST]
)


def asked(project: Project, version: str, code: str) -> tuple[dict[str, Any], str]:
    """What a process says of the project's library, and its log."""
    source = textwrap.dedent(PRELUDE) + textwrap.dedent(code)
    result = subprocess.run(
        [sys.executable, "-c", source, project.library],
        env=project.environment(runtime(version)),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    content: dict[str, Any] = json.loads(result.stdout)
    return content, result.stderr


@pytest.fixture(scope="module")
def twins() -> Project:
    return built(TWINS)


@EVERY
def test_an_arena_counts_under_the_runtime_s_names(strict_gpu: Project, version: str) -> None:
    said, log = asked(
        strict_gpu,
        version,
        """
        shared = device.shared()
        begin = statistics(shared)
        first, none, second = (allocate(shared, size) for size in (1000, 0, 300))
        used = statistics(shared)
        for address in (first, first, 12345, 0):  # twice, never, and nothing
            free(shared, address)
        after = statistics(shared)
        again = allocate(shared, 1024)
        vast = [allocate(shared, 1 << 62), allocate(shared, (1 << 64) - 1)]
        apart = shared.get("Reserve", shared.address, 5000)
        reserved = statistics(shared)
        free(shared, apart)
        say(begin=begin, used=used, after=after, reserved=reserved, end=statistics(shared),
            addresses=[first, none, second, again, *vast])
        """,
    )
    first, none, second, again, *vast = said["addresses"]
    assert set(said["begin"]) == KEYS
    assert said["begin"] == {**dict.fromkeys(KEYS, 0), "Limit": -1}
    assert 0 not in (first, second)
    assert first % 256 == second % 256 == 0
    assert (none, vast, again) == (0, [0, 0], first)
    used = said["used"]
    assert (used["InUse"], used["NumAllocs"], used["NumArenaExtensions"]) == (1536, 2, 1)
    assert (used["MaxInUse"], used["MaxAllocSize"]) == (1536, 1024)
    assert used["TotalAllocated"] >= 1536
    assert said["after"]["InUse"] == 512
    assert log.count("an address that is not allocated") == 2
    reserved = said["reserved"]
    assert (reserved["NumReserves"], reserved["NumArenaExtensions"]) == (1, 1)
    assert reserved["TotalAllocated"] == used["TotalAllocated"] + 5120
    assert said["end"]["TotalAllocated"] == used["TotalAllocated"]
    assert said["end"]["MaxAllocSize"] == 5120


@EVERY
@pytest.mark.parametrize("order", ["[0, 1, 2]", "[2, 1, 0]", "[1, 0, 2]"])
def test_sessions_share_the_arena_of_a_device(
    strict_gpu: Project, version: str, order: str
) -> None:
    said, _ = asked(
        strict_gpu,
        version,
        f"""
        sessions = [session() for _ in range(3)]
        counts = []
        for opened in sessions:
            runs(opened)
            counts.append(statistics(device.shared())["NumAllocs"])
        # A session's own view may have an entry of the runtime's beside ours.
        same = [statistics(device.shared()).items() <= statistics(device.of_session(each)).items()
                for each in sessions]
        for index in {order}:
            ort.api.get("ReleaseSession", sessions[index])
        end = statistics(device.shared())
        runs(session())
        say(counts=counts, same=same, end=end)
        """,
    )
    assert said["counts"] == sorted(set(said["counts"]))
    assert said["counts"][0] > 0
    assert said["same"] == [True] * 3
    assert said["end"]["InUse"] == 0
    assert said["end"]["NumArenaExtensions"] == 1


@EVERY
def test_options_make_an_arena_or_are_refused(strict_gpu: Project, version: str) -> None:
    said, log = asked(
        strict_gpu,
        version,
        """
        limits = {"arena.max_mem": "65536", "arena.extend_strategy": "1"}
        limited = device.configure(DEFAULT, limits)
        opened = session()
        runs(opened)
        shared = statistics(device.of_session(opened))
        full = allocate(limited, 65536 + 1)
        some = statistics(limited)
        free(limited, allocate(limited, 4000))
        other = statistics(device.configure(HOST_ACCESSIBLE, {"somebody.else": "1"}))
        say(shared=shared, some=some, other=other, full=full, errors=[
            error(device.configure, DEFAULT, {"arena.max_men": "1"}),
            error(device.configure, HOST_ACCESSIBLE, {"arena.max_mem": "much"}),
        ])
        """,
    )
    assert said["shared"]["Limit"] == said["some"]["Limit"] == 65536
    assert said["shared"]["NumAllocs"] > 0
    assert said["full"] == 0
    assert "would pass the arena's limit of 65536" in log
    assert said["other"]["Limit"] == -1
    unknown, bad = said["errors"]
    assert "'arena.max_men' is no option of an arena" in unknown
    assert "arena.max_mem: 'much' is not a number" in bad


@EVERY
def test_plain_memory_has_no_options_and_counts_nothing(twins: Project, version: str) -> None:
    """ONNX Runtime asks for statistics without looking whether there are any."""
    said, _ = asked(
        twins,
        version,
        """
        plain = device.shared(HOST_ACCESSIBLE)
        address = allocate(plain, 100)
        free(plain, address)
        say(statistics=statistics(plain), address=address, none=allocate(plain, 0),
            error=error(device.configure, HOST_ACCESSIBLE, {"arena.max_mem": "1"}))
        """,
    )
    assert said["statistics"] == {}
    assert said["address"] != 0
    assert said["none"] == 0
    assert "arena.max_mem': this memory does not come from an arena" in said["error"]


@EVERY
def test_statistics_of_the_simplest_memory_are_none(device_memory: Project, version: str) -> None:
    said, _ = asked(device_memory, version, "say(statistics=statistics(device.shared()))")
    assert said == {"statistics": {}}


@EVERY
def test_what_nobody_uses_is_given_back(strict_gpu: Project, version: str) -> None:
    said, _ = asked(
        strict_gpu,
        version,
        """
        shared = device.shared()
        opened = session()
        runs(opened)
        kept = allocate(shared, 3 << 20)
        before = statistics(shared)
        if ort.level >= 25:
            options = ort.api.make("CreateRunOptions")
            entry = ("memory.enable_memory_arena_shrinkage", "gpu:0")
            ort.api("AddRunConfigEntry", options, *entry)
            runs(opened, options)
        say(level=ort.level, before=before, after=statistics(shared))
        """,
    )
    before, after = said["before"], said["after"]
    assert before["NumArenaExtensions"] == 2
    if said["level"] < 25:
        return
    assert after["NumArenaShrinkages"] >= 1
    assert after["InUse"] == 3 << 20
    assert after["TotalAllocated"] < before["TotalAllocated"]


@EVERY
def test_fr_49_memory_infos_are_of_the_two_modern_types(twins: Project, version: str) -> None:
    said, _ = asked(
        twins,
        version,
        """
        import ctypes
        def describe(info):
            name, number = ctypes.c_void_p(), ctypes.c_int(-1)
            ort.api("MemoryInfoGetName", info, ctypes.byref(name))
            ort.api("MemoryInfoGetId", info, ctypes.byref(number))
            return [ctypes.string_at(name.value).decode(), number.value,
                    ort.api.get("MemoryInfoGetDeviceMemType", info) & 0xFFFFFFFF,
                    ort.api.get("MemoryInfoGetVendorId", info) & 0xFFFFFFFF]
        every = [Device(plugin, each) for each in devices(ort, plugin.ep)]
        infos = [describe(each.info(kind)) for each in every for kind in (DEFAULT, HOST_ACCESSIBLE)]
        runs(session())
        say(infos=infos)
        """,
    )
    kinds = [info[1:] for info in said["infos"]]
    assert kinds == [[0, 0, 0xB357], [0, 5, 0xB357], [1, 0, 0xB357], [1, 5, 0xB357]]
    assert {info[0] for info in said["infos"]} == {twins.ep}


@EVERY
def test_fr_50_an_allocator_or_an_error(twins: Project, version: str) -> None:
    said, _ = asked(
        twins,
        version,
        """
        every = [Device(plugin, each) for each in devices(ort, plugin.ep)]
        kinds = (DEFAULT, HOST_ACCESSIBLE)
        shared = [each.shared(kind).address for each in every for kind in kinds]
        made = [each.configure(kind, {}).address for each in every for kind in kinds]
        from ctypes import byref, c_void_p
        library = Library(ort, sys.argv[1])
        strange = [
            ort.api.make("CreateMemoryInfo_V2", plugin.ep, *arguments)
            for arguments in ((0, 0, 0, 0, 0, 0), (2, 0xB357, 7, 0, 0, 0), (2, 0xB357, 0, 5, 0, 2))
        ]
        answers = []
        for info in (*strange, 0):
            allocator = c_void_p(1)
            factory = library.factory
            arguments = (factory.address, info, 0, byref(allocator))
            answers.append([error(factory, "CreateAllocator", *arguments), allocator.value])
        say(shared=shared, made=made, answers=answers)
        """,
    )
    assert all(said["shared"])
    assert all(said["made"])
    for text, allocator in said["answers"]:
        assert "not the memory of a device of ours" in text
        assert allocator is None


@EVERY
@pytest.mark.parametrize("order", ["[0]", "[1]", "[0, 1]", "[1, 0]"])
def test_fr_52_the_first_device_of_a_session_is_its_default(
    twins: Project, version: str, order: str
) -> None:
    said, log = asked(
        twins,
        version,
        f"""
        chosen = {order}
        every = devices(ort, plugin.ep)
        given = options(ort, [every[index] for index in chosen])
        refused = error(plugin.open, mul.SerializeToString(), given)
        if refused:
            say(chosen=chosen, refused=refused)
            sys.exit()
        opened = plugin.open(mul.SerializeToString(), given)
        runs(opened)
        from ctypes import byref, c_int, c_size_t, c_void_p
        infos = (c_void_p * 2)()
        ort.api("SessionGetMemoryInfoForInputs", opened, infos, 2)
        number = c_int(-1)
        ort.api("MemoryInfoGetId", infos[0], byref(number))
        counts = [statistics(Device(plugin, each).shared())["NumAllocs"] for each in every]
        say(chosen=chosen, number=number.value, counts=counts, devices=len(every))
        """,
    )
    first, *others = said["chosen"]
    if others and version in ("1.24.4", "1.26.0"):  # they cannot be told of a default
        assert "expected all OrtEpDevice instances to use the same" in said["refused"]
        return
    assert "refused" not in said
    assert said["devices"] == 2
    assert said["number"] == first
    assert said["counts"][first] > 0
    assert said["counts"][1 - first] == 0
    assert ("uses the first of the 2 devices given" in log) == bool(others)


@EVERY
@pytest.mark.parametrize("kind", ["none", "plain", "arena"])
def test_initializers_have_memory_of_their_own(kind: str, version: str) -> None:
    """Seen from the runtime behind `src/device/runtime.h`, which belongs to the project's owner."""
    memory = f"memory: {{default: arena, read_only: {kind}}}\n"
    text = f"{HEAD}{ONE}{memory}"
    path = "src/device/host_runtime.cc"
    source = next(file.content for file in expanded(text).files if file.path == path).decode()
    mark = "      *address = device_ + offset;\n"
    assert source.count(mark) == 1
    log = '      std::fprintf(stderr, "device takes %zu\\n", bytes);\n'
    changed = source.replace(mark, mark + log).replace(
        "#include <cstring>", "#include <cstdio>\n#include <cstring>"
    )
    project = built(text, changes={path: changed})
    _, log = asked(
        project,
        version,
        """
        weight = models.constant("w", np.full((3, 2), 2, np.float32))
        model = models.model([models.node("Mul", ["a", "w"], ["y"])], [models.value("a", [3, 2])],
                             [models.value("y", [3, 2])], [weight])
        opened = plugin.open(model.SerializeToString(), plugin.options())
        runs_on = {"a": np.full((3, 2), 2, np.float32)}
        assert (plugin.run(opened, runs_on, "y") == 4).all()
        say(counts=statistics(device.shared()))
        """,
    )
    takes = [int(size) for size in re.findall(r"^device takes (\d+)$", log, re.M)]
    region = 1 << 20  # the first one of an arena
    expected = {"none": [region], "plain": [24, region], "arena": [region, region]}
    assert sorted(takes) == expected[kind]


@pytest.mark.lab
def test_no_errors_of_memory_and_no_races(repository: Path) -> None:
    text = (repository / "blueprints/strict-gpu.yaml").read_text(encoding="utf-8")
    for preset in ("asan", "tsan"):
        project = instrumented(text, preset)
        for test in _PROGRAMS:
            assert_clean(run(project, test))
        assert_clean(run(project, "host_test", ort_library(NEWEST), project.library))


@EVERY
def test_a_stub_loads_and_offers_no_device(version: str) -> None:
    project = built(STUB)
    result = project.python("print(device, plugin.devices())", runtime=runtime(version))
    assert (result.returncode, result.stdout) == (0, "None []\n"), result.stderr
    assert "offers no device: StubRuntime::Open is not written yet" in result.stderr
    assert "src/device/stub_runtime.cc" in result.stderr


@pytest.mark.lab
def test_a_stub_that_is_written_is_a_device() -> None:
    simulated = {file.path: file for file in expanded(STUB.replace("stub", "host")).files}
    written = simulated["src/device/host_runtime.cc"].content.decode()
    project = built(STUB, changes={"src/device/stub_runtime.cc": written})
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project.root,
        env=project.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, (result.stdout + result.stderr)[-6000:]
