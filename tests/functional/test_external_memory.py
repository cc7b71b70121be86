"""Memory and semaphores of other APIs: imported by an application, used by sessions and queues.

The simulated device takes files of shared memory for them; support/interop_checks.py has what must
hold.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest
from cpp_tests import NEWEST, assert_clean, instrumented, run
from interop_checks import CHECKS
from projects import Project, expanded
from runtimes import SUPPORTED, runtime
from stream_projects import COMPILED, REGISTRY, project

FEATURE = "features: {external_memory: true}\n"
#: With all that meets in a queue.
EVERYTHING = (
    REGISTRY
    + "features: {external_memory: true, graphics_interop: true, graph_capture: true, "
    + "profiler: true}\n"
)
OLDER = [pytest.param(version, marks=pytest.mark.lab) for version in SUPPORTED[:-1]]
EVERY = pytest.mark.parametrize("version", [*OLDER, NEWEST])
_PROCESS = Path(__file__).parents[1] / "support/interop_checks.py"
#: Those in which kernels run.
_OF_SESSIONS = (
    "a_session_runs_on_imported_memory",
    "a_session_between_two_values",
    "nothing_is_signalled_after_an_error",
)


def checked(project: Project, check: str, version: str) -> subprocess.CompletedProcess[str]:
    """What a process says that makes one of the checks; it ends with 0 if all is well."""
    return subprocess.run(
        [sys.executable, str(_PROCESS), str(project.library), check],
        env=project.environment(runtime(version)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture(scope="module")
def registry() -> Project:
    return project(REGISTRY + FEATURE)


@pytest.fixture(scope="module")
def groups() -> Project:
    return project(COMPILED + FEATURE)


@EVERY
@pytest.mark.parametrize("check", sorted(CHECKS))
def test_kernels(registry: Project, check: str, version: str) -> None:
    result = checked(registry, check, version)
    assert result.returncode == 0, result.stderr[-4000:]


@EVERY
@pytest.mark.parametrize("check", _OF_SESSIONS)
def test_groups(groups: Project, check: str, version: str) -> None:
    result = checked(groups, check, version)
    assert result.returncode == 0, result.stderr[-4000:]


@pytest.mark.lab
@pytest.mark.parametrize("preset", ["asan", "tsan"])
@pytest.mark.parametrize("test", ["external_test", "hooked_external_test"])
def test_the_device_under_sanitizers(test: str, preset: str) -> None:
    assert_clean(run(instrumented(EVERYTHING, preset), test))


@pytest.mark.parametrize("version", [pytest.param("1.24.4", marks=pytest.mark.lab), NEWEST])
def test_without_the_feature_there_is_no_importer(version: str) -> None:
    code = """
    import sys
    from capi import Ort, Plugin
    ort = Ort()
    plugin = Plugin(ort, sys.argv[1], "plugin.virtual")
    assert ort.interop.make("CreateExternalResourceImporterForDevice", plugin.device) == 0
    """
    without = project(REGISTRY)
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(without.library)],
        env=without.environment(runtime(version)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4000:]


@dataclass(frozen=True)
class Mutation:
    """A piece of a file that is replaced by another, and the check that notices."""

    name: str
    path: str
    before: str
    after: str
    check: str


_IMPORTER = "src/abi/resource_importer.cc"
MUTATIONS = (
    Mutation(
        "no wait is queued",
        _IMPORTER,
        "return runtime_.WaitSemaphore(semaphore, value, queue);",
        'return value == 0 ? Failed("never") : Status();',
        "a_queue_waits_for_a_semaphore",
    ),
    Mutation(
        "a signal does not wait for its queue",
        "src/device/host_runtime.cc",
        "return queues_.Push(stream, std::move(signal));",
        "return Launch(stream == nullptr ? stream : nullptr, std::move(signal));",
        "a_signal_comes_after_its_queue",
    ),
    Mutation(
        "the memory's own offset is forgotten",
        "src/abi/resource_importer.h",
        "static_cast<char*>(address_) + descriptor.offset_bytes",
        "static_cast<char*>(address_)",
        "offsets",
    ),
    Mutation(
        "a copy in place of the memory itself",
        "src/device/host_external.cc",
        "MAP_SHARED |",
        "MAP_PRIVATE |",
        "a_session_runs_on_imported_memory",
    ),
    Mutation(
        "memory goes while a queue uses it",
        "src/abi/resource_importer.cc",
        "  GuardValue([&] { order_.Settle(nullptr); });\n  runtime_.ReleaseImported(address_);",
        "  (void)order_;\n  (void)address_;",
        "memory_is_given_back_when_it_is_not_in_use",
    ),
    Mutation(
        "what does not fit is not seen",
        _IMPORTER,
        "what->offset_bytes > memory->size() || bytes",
        "bytes",
        "wrong_tensors",
    ),
    Mutation(
        "any device's semaphore will do",
        _IMPORTER,
        "handle->Release != &Delete<ImportedSemaphore> ||\n      handle->ep_device != device_",
        "handle->Release != &Delete<ImportedSemaphore>",
        "what_is_another_device_s",
    ),
)


@pytest.mark.lab
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_what_is_left_out_is_noticed(mutation: Mutation) -> None:
    sources = {file.path: file.content.decode() for file in expanded(REGISTRY + FEATURE).files}
    text = sources[mutation.path]
    assert text.count(mutation.before) == 1
    changed = text.replace(mutation.before, mutation.after)
    mutant = project(REGISTRY + FEATURE, {mutation.path: changed})
    try:
        result = checked(mutant, mutation.check, NEWEST)
    except subprocess.TimeoutExpired:
        return
    assert result.returncode != 0
