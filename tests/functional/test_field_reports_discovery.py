"""Public bug reports as tests: which devices are found, and what is said when they are not.

The hardware is made up: a real runtime hands the library entries that this machine does not have.
Containers with another /sys are left to whoever can make them; what they change is this list.
"""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from cpp_tests import NEWEST, ort_library, run
from projects import Project, built, expanded
from runtimes import SUPPORTED, runtime

BLUEPRINT = """\
epforge: 1
name: contoso-gpu
vendor: {name: Contoso, pci_id: 0xB357}
ops: [Mul]
devices:
  - {name: board, type: gpu, match: {vendor_id: 0xB358, metadata: {Discrete: "1"}}}
  - {name: gpu, type: gpu, match: {vendor_id: 0xB357}, virtual: allowed}
  - {name: npu, type: npu, match: {vendor_id: 0xB357, device_ids: [1, 2]}, software: allowed}
"""
#: What a driver's own look at a device may be like: it opens a file, and some throw.
PROBE = """
Status Probe(const Hardware& hardware) {
  for (const auto& [key, value] : hardware.metadata) {
    if (key == "odd") throw std::runtime_error(value + ": no PCI address");
    if (key != "node") continue;
    std::FILE* const file = std::fopen(value.c_str(), "rb");
    if (file == nullptr) return Failed(value + ": " + std::strerror(errno));
    std::fclose(file);
  }
  return Status();
}
"""
PRELUDE = """
    import json, sys
    import numpy as np
    import models
    from capi import Ort, OrtError, Plugin
    from fake_host import CPU, GPU, NPU, ROOM, FakeHost, Hardware, drop_privileges

    def say(**what):
        print(json.dumps(what))

    def devices(offered):
        return [[each.hardware, dict(each.metadata)] for each in offered]

    VENDOR, OTHER = 0xB357, 0x10DE
"""
EVERY = pytest.mark.parametrize(
    "version", [*(pytest.param(old, marks=pytest.mark.lab) for old in SUPPORTED[:-1]), NEWEST]
)


@pytest.fixture(scope="module")
def project() -> Project:
    return built(BLUEPRINT)


@pytest.fixture(scope="module")
def probing() -> Project:
    """The project with a look at each device, as its owner would write it."""
    place = "src/device/discovery.cc"
    text = next(file.content for file in expanded(BLUEPRINT).files if file.path == place).decode()
    text = text.replace("#include <cstdio>", "#include <cerrno>\n#include <cstdio>\n"
                        "#include <cstring>\n#include <stdexcept>")  # fmt: skip
    text = text.replace("\n}  // namespace\n", f"{PROBE}\n}}  // namespace\n", 1)
    start = "  *rule = nullptr;\n"
    assert text.count(start) == 1
    text = text.replace(start, f"{start}  EP_RETURN_IF_ERROR(Probe(hardware));\n")
    return built(BLUEPRINT, changes={place: text})


def asked(
    project: Project, version: str, code: str, *arguments: str | Path
) -> tuple[dict[str, Any], str]:
    """What a process says of the project's library, and its log."""
    source = textwrap.dedent(PRELUDE) + textwrap.dedent(code)
    result = subprocess.run(
        [sys.executable, "-c", source, project.library, *map(str, arguments)],
        env=project.environment(runtime(version)),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    content: dict[str, Any] = json.loads(result.stdout)
    return content, result.stderr


@EVERY
def test_fr_17_a_machine_without_the_device_is_no_error_and_is_told_once(
    project: Project, version: str
) -> None:
    """GPUs that are not on PCI were missing from the host's list, and nothing said so."""
    said, _ = asked(
        project,
        version,
        """
        host = FakeHost(Ort(), sys.argv[1])
        machines = [
            [Hardware(CPU, 0x8086)],
            [Hardware(CPU, 0x8086), Hardware(GPU, OTHER, 0x2330)],
            [Hardware(NPU, VENDOR, 3)],
            [Hardware(7, VENDOR)],
            [],
        ]
        say(found=[[devices(host.offered(each)), host.warnings()] for each in machines])
        """,
    )
    listed = ["CPU 0x8086:0x0000", "GPU 0x10DE:0x2330", "NPU 0xB357:0x0003", "type 7", "nothing"]
    for words, (offered, warnings) in zip(listed, said["found"], strict=True):
        assert offered == []
        (warning,) = warnings  # once
        assert words in warning
        for wanted in ("GPU of vendor 0xB357", "NPU of vendor 0xB357, device 0x0001 or 0x0002"):
            assert wanted in warning
        assert "vendor 0xB358, Discrete=1" in warning
        assert "ends in .virtual" in warning
        assert "ep_factory.ContosoGpuExecutionProvider.allow_software" in warning


def test_fr_17_hardware_without_metadata_is_taken_where_none_is_asked_for(
    project: Project,
) -> None:
    said, _ = asked(
        project,
        NEWEST,
        """
        host = FakeHost(Ort(), sys.argv[1])
        machine = [Hardware(CPU, 0x8086), Hardware(GPU, VENDOR), Hardware(GPU, 0xB358),
                   Hardware(GPU, 0xB358, 0, {"Discrete": "0"}),
                   Hardware(GPU, 0xB358, 0, {"LUID": "5", "Discrete": "1"})]
        say(found=devices(host.offered(machine)), log=host.warnings())
        """,
    )
    assert [place for place, _ in said["found"]] == [1, 4]
    assert said["log"] == []


@EVERY
def test_fr_17_a_virtual_device_is_there_only_when_asked_for_and_says_so(
    project: Project, version: str
) -> None:
    """In a real registration: the name decides."""
    result = project.run_python(
        f"""
        import json, onnxruntime, {project.package} as plugin
        said = []
        for virtual in (False, True):
            name = plugin.register("some", virtual=virtual)
            said.append([dict(each.device.metadata) for each in plugin.devices()])
            plugin.unregister()
        print(json.dumps(said))
        """,
        runtime=runtime(version),
    )
    assert result.returncode == 0, result.stderr
    none, one = json.loads(result.stdout)
    assert none == []
    assert [each["is_virtual"] for each in one] == ["1"]
    assert "ContosoGpuExecutionProvider] no device: found CPU" in result.stderr


def test_fr_18_a_device_that_cannot_be_looked_at_hides_no_other(probing: Project) -> None:
    """One odd entry in /sys ended the search for all others."""
    said, _ = asked(
        probing,
        NEWEST,
        """
        host = FakeHost(Ort(), sys.argv[1])
        odd = {"odd": "/sys/class/drm/card0"}
        gone = {"node": "/no/such/node"}
        both = [Hardware(GPU, VENDOR, 1, odd), Hardware(GPU, VENDOR, 2)]
        other = [Hardware(GPU, VENDOR, 1, gone), Hardware(GPU, VENDOR, 2)]
        say(odd=[devices(host.offered(both)), host.warnings()],
            gone=[devices(host.offered(other)), host.warnings()])
        """,
    )
    for name, text in (
        ("odd", "/sys/class/drm/card0: no PCI address"),
        ("gone", "/no/such/node: No such file or directory"),
    ):
        offered, warnings = said[name]
        assert [place for place, _ in offered] == [1]
        assert warnings == [f"could not look at GPU 0xB357:0x0001: {text}"]


@pytest.mark.parametrize("version", ["1.26.0", "1.32.0"])
def test_fr_19_a_host_that_lists_no_npu_is_told_of(project: Project, version: str) -> None:
    """On Linux hosts listed no NPUs at all, and plugins for them saw nothing."""
    result = project.run_python(
        f"""
        import {project.package} as plugin
        plugin.register()
        print(plugin.devices())
        """,
        runtime=runtime(version),
    )
    assert (result.returncode, result.stdout) == (0, "[]\n"), result.stderr
    (line,) = re.findall(r"no device: .*", result.stderr)
    assert "found CPU" in line
    assert "NPU of vendor 0xB357" in line
    assert not re.search(r"found.*NPU.*wanted", line)


def test_fr_20_a_look_that_is_denied_is_not_an_absent_device(
    probing: Project, tmp_path: Path
) -> None:
    """A directory that users may not list counted as one without devices."""
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents[:2]:
        parent.chmod(parent.stat().st_mode | stat.S_IXOTH)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "npu0").write_text("", encoding="utf-8")
    closed.chmod(0o000)
    said, _ = asked(
        probing,
        NEWEST,
        """
        host = FakeHost(Ort(), sys.argv[1])
        drop_privileges()
        machine = [Hardware(CPU, 0x8086), Hardware(NPU, VENDOR, 1, {"node": sys.argv[2]})]
        say(found=devices(host.offered(machine)), log=host.warnings())
        """,
        closed / "npu0",
    )
    assert said["found"] == []
    denied, none = said["log"]
    assert denied.startswith("could not look at NPU 0xB357:0x0001: ")
    assert denied.endswith(f"{closed}/npu0: Permission denied")
    assert "NPU 0xB357:0x0001 (could not look at it)" in none


def test_fr_20_the_c_plus_plus_tests_fail_without_a_device_unless_told_otherwise(
    tmp_path: Path,
) -> None:
    """The Python ones are in test_field_reports_run.py."""
    text = re.sub(r"  - \{name: (board|gpu).*\n", "", BLUEPRINT)
    macro = expanded(text).blueprint.names.macro
    library = str(ort_library(NEWEST))
    project = built(text, preset="debug", variables={f"{macro}_ORT_LIBRARY": library})
    found = run(project, "host_test", ort_library(NEWEST), project.library)
    assert found.returncode != 0
    assert "ContosoGpuExecutionProvider offers a device" in found.stdout + found.stderr
    os.environ[f"{macro}_ALLOW_NO_DEVICE"] = "1"
    try:
        told = run(project, "host_test", ort_library(NEWEST), project.library)
    finally:
        del os.environ[f"{macro}_ALLOW_NO_DEVICE"]
    assert told.returncode == 0, told.stdout + told.stderr
    assert "no device" in told.stdout


@EVERY
def test_fr_21_equal_entries_are_told_apart(project: Project, version: str) -> None:
    """A remote session listed one GPU twice, and adding it for both failed."""
    said, _ = asked(
        project,
        version,
        """
        host = FakeHost(Ort(), sys.argv[1])
        twin = Hardware(GPU, VENDOR, 1, {"LUID": "77"})
        say(found=devices(host.offered([Hardware(CPU, 0x8086), twin, twin])), log=host.warnings())
        """,
    )
    assert [place for place, _ in said["found"]] == [1, 2]
    assert [metadata["device_index"] for _, metadata in said["found"]] == ["0", "1"]
    assert said["log"] == []


def test_fr_21_one_session_takes_both_and_one_the_first() -> None:
    """The runtime itself makes the entries: two virtual devices that differ in nothing."""
    board = 'name: board, type: gpu, match: {vendor_id: 0xB358, metadata: {Discrete: "1"}}'
    twin = "name: twin, type: gpu, match: {vendor_id: 0xB357}, virtual: allowed"
    assert board in BLUEPRINT
    twins = BLUEPRINT.replace(board, twin)
    project = built(twins)
    result = project.python(
        """
        every = plugin.devices()
        assert [each.ep_metadata["device_index"] for each in every] == ["0", "1"]
        for some in (every, every[:1]):
            options = ort.SessionOptions()
            options.add_provider_for_devices(some, {})
            session = ort.InferenceSession(models.mul().SerializeToString(), options)
            assert session.get_providers().count(plugin.get_ep_name()) == 1
            session.run(None, models.feeds(models.mul()))
        print("ok")
        """
    )
    assert (result.returncode, result.stdout) == (0, "ok\n"), result.stdout + result.stderr


def test_more_hardware_than_room_is_offered_as_far_as_it_goes(project: Project) -> None:
    said, _ = asked(
        project,
        NEWEST,
        """
        host = FakeHost(Ort(), sys.argv[1], {"allow_virtual_devices": "1"})
        machine = [Hardware(GPU, VENDOR, number) for number in range(10)]
        say(found=devices(host.offered(machine)), log=host.warnings())
        """,
    )
    assert [place for place, _ in said["found"]] == list(range(8))
    left_out = ["GPU 0xB357:0x0008", "GPU 0xB357:0x0009", "GPU 0xB357:0x0000"]  # virtual at last
    assert said["log"] == [f"there is no room to offer {each}" for each in left_out]
