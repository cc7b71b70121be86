"""How much memory the device has: what applications ask, and what ONNX Runtime divides models by.

Both come from Runtime::Capacity. A large initializer shows that what is left is measured, and not
a number that never changes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import Any

import pytest
from appended_headers import appended
from projects import Project, built, expanded
from runtimes import SUPPORTED, runtime

HEAD = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
devices: [{name: npu, type: npu, match: {vendor_id: 0xB357}, virtual: allowed}]
ops: [Mul, MatMul]
memory: {default: plain, host_accessible: plain}
"""
CAPACITY = HEAD + 'ort: {target: "1.32"}\nfeatures: {memory_capacity: true}\n'
ACCOUNTING = HEAD + "features: {resource_accounting: true}\n"
# A device with as much memory left as the environment says.
_LEFT = """\
    *total = kCapacity;
    if (const char* left = std::getenv("CONTOSO_LEFT")) {
      *available = std::strtoull(left, nullptr, 10);
      return Status();
    }
"""
# The one name that releases up to 1.32 account for.
_OWN, _ACCOUNTED = "ContosoNpuExecutionProvider", "CUDAExecutionProvider"


def said(of: Project, version: str, code: str, **environment: str) -> Any:
    """What a process on the C API prints."""
    prelude = """
    import ctypes, json, sys
    from ctypes import byref, c_uint64
    import models
    from capi import Ort, OrtError, Plugin, Table
    ort = Ort()
    plugin = Plugin(ort, sys.argv[1], "plugin.virtual")
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(prelude) + textwrap.dedent(code), of.library],
        env={**of.environment(runtime(version)), **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    return json.loads(result.stdout.splitlines()[-1])


def test_applications_can_ask_for_the_capacity() -> None:
    project = built(CAPACITY, headers=appended(32))
    answer = said(
        project,
        "1.32.0",
        """
        def capacity(kind=0, total=True, available=True):
            numbers = c_uint64(7), c_uint64(7)
            wanted = [byref(each) if want else 0
                      for each, want in zip(numbers, (total, available))]
            try:
                ort.api("EpDevice_GetMemoryCapacity", plugin.device, kind, *wanted)
            except OrtError as error:
                return str(error)
            return [each.value for each in numbers]

        out = {"before": capacity(), "total": capacity(available=False),
               "available": capacity(total=False), "shared": capacity(1)}
        session = plugin.open(models.matmul_const(2048, 1024).SerializeToString(), plugin.options())
        out["loaded"] = capacity()
        ort.api.get("ReleaseSession", session)
        out["after"] = capacity()
        print(json.dumps(out))
        """,
    )
    total, available = answer["before"]
    assert total == available == 1 << 36  # the simulated device's, and nobody uses it
    assert answer["total"] == [total, 7]
    assert answer["available"] == [7, available]
    assert "own memory" in answer["shared"]
    loaded = answer["loaded"]
    assert loaded[0] == total
    assert 8 << 20 <= available - loaded[1] < 16 << 20
    assert answer["after"] == answer["before"]


def test_older_runtimes_are_not_told() -> None:
    project = built(CAPACITY, headers=appended(32))
    code = """
    from capi import Library
    factory = Library(ort, sys.argv[1]).factory
    print(json.dumps(factory.function("GetDeviceMemoryCapacity")))
    """
    assert said(project, "1.28.0", code) is None
    assert said(project, "1.32.0", code)


@pytest.fixture(scope="module")
def accounted() -> Project:
    """With the name that is accounted for, and a device that can be made to look full."""
    sources = {file.path: file.content.decode() for file in expanded(ACCOUNTING).files}
    host = sources["src/device/host_runtime.cc"].replace("    *total = kCapacity;\n", _LEFT, 1)
    changes = {"src/device/host_runtime.cc": "#include <cstdlib>\n" + host}
    for path, text in sources.items():
        if path == "src/gen/identity.h" or path.endswith("/_identity.py"):
            changes[path] = text.replace(_OWN, _ACCOUNTED)
    assert changes["src/gen/identity.h"] != sources["src/gen/identity.h"]
    return built(ACCOUNTING, changes=changes)


PLACE = """
    settings = {"session.disable_cpu_ep_fallback": "0",
                "session.resource_cuda_partitioning_settings": SETTING}
    model = models.matmul_const(256, 256).SerializeToString()  # 256 KiB
    try:
        plugin.open(model, plugin.options({**settings, "session.disable_cpu_ep_fallback": "1"}))
        print(json.dumps("device"))
    except OrtError:
        plugin.open(model, plugin.options(settings))
        print(json.dumps("host"))
"""


@pytest.mark.parametrize(
    "version", [SUPPORTED[1], pytest.param("1.28.0", marks=pytest.mark.lab), SUPPORTED[-1]]
)
def test_the_runtime_places_only_what_fits(accounted: Project, version: str) -> None:
    """Where the session sets no limit, what is left on the device is the limit."""
    unlimited = PLACE.replace("SETTING", '","')
    assert said(accounted, version, unlimited, CONTOSO_LEFT="1000000") == "device"
    assert said(accounted, version, unlimited, CONTOSO_LEFT="100000") == "host"
    assert said(accounted, version, unlimited) == "device"
    limited = PLACE.replace("SETTING", '"100,"')  # KiB
    assert said(accounted, version, limited) == "host"


def test_what_is_left_is_measured() -> None:
    project = built(ACCOUNTING)
    code = """
    from capi import Library
    library = Library(ort, sys.argv[1])
    ep = library.make_ep(ort.api.get("EpDevice_Device", plugin.device),
                         ort.api.make("CreateSessionOptions"))
    print(json.dumps(ep.function("GetAvailableResource")))
    """
    assert said(project, "1.24.4", code) is None
    code = code.replace(
        'print(json.dumps(ep.function("GetAvailableResource")))',
        """count = (c_uint64 * 7)(*[0xFF] * 7)
    ep("GetAvailableResource", ep.address, count)
    print(json.dumps(list(count)))""",
    )
    total_bytes, left = 1, 1 << 36
    assert said(project, "1.32.0", code) == [total_bytes, left, 0, 0, 0, 0, 0]
