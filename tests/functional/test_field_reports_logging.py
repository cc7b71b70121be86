"""Public bug reports as tests: who writes to which log, and when there is none.

FR 66. What is logged goes to standard error, where a child process's is read.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
from projects import Project, built, expanded
from runtimes import SUPPORTED, runtime

BLUEPRINT = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
ops: [Mul]
"""
STUB = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
devices: [{name: npu, type: npu, match: {vendor_id: 0xB357}, virtual: allowed}]
runtime: stub
memory: {default: arena}
ops: [Mul]
"""
CLAIMED = "takes 1 of 1 nodes"  # of the execution provider, for information
IN_COMPUTE = "a kernel speaks"
IN_DESTRUCTOR = "a destructor speaks"
EVERY = pytest.mark.parametrize(
    "version",
    [
        SUPPORTED[0],
        *(pytest.param(each, marks=pytest.mark.lab) for each in SUPPORTED[1:-1]),
        SUPPORTED[-1],
    ],
)
PRELUDE = """
    import sys
    import numpy as np
    import models
    from capi import Library, Ort, Plugin

    def opened(plugin, name, severity):
        options = plugin.options()
        plugin.ort.api("SetSessionLogId", options, name)
        plugin.ort.api("SetSessionLogSeverityLevel", options, severity)
        return plugin.open(models.mul().SerializeToString(), options)

    def run(plugin, session):
        feeds = {name: np.ones((3, 2), np.float32) for name in "AB"}
        plugin.run(session, feeds, "C")
"""
VERBOSE, INFO, WARNING, ERROR = 0, 1, 2, 3


def log(of: Project, version: str, code: str, **values: int) -> list[str]:
    """What a process has written to the log: a line each."""
    lines = [f"{name} = {value}" for name, value in values.items()]
    source = "\n".join([textwrap.dedent(PRELUDE), *lines, textwrap.dedent(code)])
    result = subprocess.run(
        [sys.executable, "-c", source, of.library],
        env=of.environment(runtime(version)),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    return result.stderr.splitlines()


@pytest.fixture(scope="module")
def talkative() -> Project:
    """An execution provider that logs in Compute and in its destructor, too."""
    sources = {file.path: file.content.decode() for file in expanded(BLUEPRINT).files}
    header, adapter = sources["src/abi/ep.h"], sources["src/abi/kernel_adapter.cc"]
    accessor = "  Factory& factory() const noexcept"
    # In 1.24 a session's log ends before its execution provider does: nothing of ours may do this.
    destructor = f'  ~Ep() {{ if (api().level > 24) logger_.Info("{IN_DESTRUCTOR}"); }}\n'
    compute = "Status KernelAdapter::Execute(OrtKernelContext* context) {\n"
    speak = f"""\
  const OrtLogger* sink = nullptr;
  EP_ORT(api(), ort->KernelContext_GetLogger(context, &sink));
  Logger(api(), sink).Info("{IN_COMPUTE}");
"""
    assert accessor in header
    assert compute in adapter
    changes = {
        "src/abi/ep.h": header.replace(accessor, destructor + accessor, 1),
        "src/abi/kernel_adapter.cc": '#include "abi/logger.h"\n'
        + adapter.replace(compute, compute + speak, 1),
    }
    return built(BLUEPRINT, changes=changes)


@EVERY
def test_fr_66_a_session_s_messages_follow_its_own_level(talkative: Project, version: str) -> None:
    """Kernels used the process's log, so that a session's level had no effect."""
    code = """
    plugin = Plugin(Ort(environment), sys.argv[1])
    sessions = {name: opened(plugin, name, level) for name, level in
                (("first-session", first), ("second-session", second))}
    for session in sessions.values():
        run(plugin, session)
        run(plugin, session)
    for session in sessions.values():
        plugin.ort.api.get("ReleaseSession", session)
    """
    # The level of the environment, and of one session, and of the other.
    for levels in ((ERROR, VERBOSE, ERROR), (VERBOSE, ERROR, INFO), (WARNING, WARNING, ERROR)):
        names = ("environment", "first", "second")
        lines = log(talkative, version, code, **dict(zip(names, levels, strict=True)))
        for name, level in (("first-session", levels[1]), ("second-session", levels[2])):
            said = [line for line in lines if name in line]
            ended = int(version != "1.24.4")
            for text, times in ((CLAIMED, 1), (IN_COMPUTE, 2), (IN_DESTRUCTOR, ended)):
                found = [line for line in said if text in line]
                assert len(found) == (times if level <= INFO else 0), (levels, name, text, said)
                assert all(":" in line and "ContosoNpuExecutionProvider" in line for line in found)
        # Nobody else has written them: not the environment, whatever its level is.
        of_sessions = [
            line for line in lines if "first-session" in line or "second-session" in line
        ]
        for text in (CLAIMED, IN_COMPUTE, IN_DESTRUCTOR):
            everywhere = sum(text in line for line in lines)
            assert everywhere == sum(text in line for line in of_sessions)


@EVERY
def test_fr_66_the_factory_s_messages_follow_the_environment(version: str) -> None:
    stub = built(STUB)
    code = """
    ort = Ort(environment)
    ort.api("RegisterExecutionProviderLibrary", ort.env, "plugin.virtual", sys.argv[1])
    ort.api("UnregisterExecutionProviderLibrary", ort.env, "plugin.virtual")
    """
    for level in (WARNING, ERROR):
        lines = log(stub, version, code, environment=level)
        found = [line for line in lines if "offers no device" in line]
        assert len(found) == (1 if level <= WARNING else 0), lines


@EVERY
def test_fr_66_without_a_log_there_is_no_message_and_no_crash(
    talkative: Project, version: str
) -> None:
    """A library was loaded before there was a logger, and logged through a null pointer."""
    code = """
    ort = Ort(0)
    library = Library(ort, sys.argv[1])  # gives no logger
    factory = library.factory
    options = ort.api.make("CreateSessionOptions")
    for device in ort.hardware()[:1] * has_devices:
        ep = library.make_ep(device, options)  # neither does this
        factory.get("ReleaseEp", factory.address, ep.address)
    from ctypes import byref, c_size_t, c_void_p
    devices, count = (c_void_p * 8)(), c_size_t()
    hardware = (c_void_p * 1)(ort.hardware()[0])
    factory("GetSupportedDevices", factory.address, hardware, 0, devices, 8, byref(count))
    print("released", file=sys.stderr) if not library.code.ReleaseEpFactory(
        c_void_p(factory.address)) else None
    """
    for project, has_devices in ((talkative, 1), (built(STUB), 0)):
        lines = log(project, version, code, has_devices=has_devices)
        assert "released" in lines
        spoken = ("offers no device", IN_DESTRUCTOR, "no device: found")
        assert not [line for line in lines if any(text in line for text in spoken)]
