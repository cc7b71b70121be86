"""Runs that are captured and replayed, in real sessions on the strict simulated device.

support/capture_checks.py has the checks; the mutations here say what each of them is for.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from capture_checks import CHECKS
from cpp_tests import NEWEST, assert_clean, instrumented, run
from hooked import with_hooks
from projects import Project, expanded
from runtimes import runtime

_PROGRAM = Path(__file__).parents[1] / "support" / "capture_checks.py"
_HEAD = """
epforge: 1
name: contoso-capture
vendor: {name: Contoso, pci_id: 0xB357}
devices: [{name: gpu, type: gpu, match: {vendor_id: 0xB357}, virtual: allowed}]
types: [float32, int64]
ops: [Add, Mul, Reshape, Shape]
"""
ARENA = f"""{_HEAD}
memory: {{default: arena, host_accessible: arena, streams: true}}
features: {{graph_capture: true}}
"""
#: Memory without an arena, kernels that are profiled, options that change, an older target.
PLAIN = f"""{_HEAD}
ort: {{target: "1.26"}}
memory: {{default: plain, streams: true}}
features: {{graph_capture: true, profiler: true}}
options: [{{name: depth, default: 3, dynamic: true}}]
"""
OLD = "1.24.4"
_OLDER = [pytest.param(version, marks=pytest.mark.lab) for version in ("1.26.0", "1.28.0")]
#: What is about runtimes that capture nothing.
_OF_OLD = {"older_runtimes_run_as_ever", "without_the_option_nothing_is_captured"}
_ON_NEW = sorted(CHECKS.keys() - {"older_runtimes_run_as_ever"})


@pytest.fixture(scope="module")
def arena() -> Project:
    return with_hooks(ARENA)


@pytest.fixture(scope="module")
def plain() -> Project:
    return with_hooks(PLAIN)


def _checked(
    project: Project, check: str, version: str, timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(_PROGRAM), str(project.library), check],
        env=project.environment(runtime(version)),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@pytest.mark.parametrize("version", [*_OLDER, NEWEST])
@pytest.mark.parametrize("check", _ON_NEW)
def test_arena(arena: Project, check: str, version: str) -> None:
    result = _checked(arena, check, version)
    assert result.returncode == 0, result.stderr[-4000:]


@pytest.mark.lab
@pytest.mark.parametrize("check", _ON_NEW)
def test_plain_memory(plain: Project, check: str) -> None:
    # Its target knows no release of graphs: what there is of it ends with the session.
    if check in ("release_gives_all_back", "release_while_it_runs"):
        pytest.skip("the project's target is 1.26")
    result = _checked(plain, check, NEWEST)
    assert result.returncode == 0, result.stderr[-4000:]


@pytest.mark.parametrize("check", sorted(_OF_OLD))
def test_a_runtime_that_captures_nothing(arena: Project, check: str) -> None:
    result = _checked(arena, check, OLD)
    assert result.returncode == 0, result.stderr[-4000:]


@pytest.mark.lab
@pytest.mark.parametrize("preset", ["asan", "tsan"])
def test_the_device_and_memory(preset: str) -> None:
    assert_clean(run(instrumented(ARENA, preset), "capture_test"))


@dataclass(frozen=True)
class Mutation:
    """A piece of a file that is replaced by another, and the check that notices."""

    name: str
    path: str
    before: str
    after: str
    check: str


_CAPTURE = "src/abi/graph_capture.cc"
_MEMORY = "src/gen/memory/capture_memory.cc"
#: Both signs of a run that is not whole: an error, and kernels that were not called.
_FAILED = """if (!error_.ok()) status = error_;
  }
  // ORT does not say that a run has failed, nor that the application has ended it.
  if (status.ok() && calls_ != kernels_) {"""
MUTATIONS = (
    Mutation(
        "what is captured is not done",
        _CAPTURE,
        "if (status.ok()) status = Launch(captured);",
        "",
        "a_replay_calls_no_kernel",
    ),
    Mutation(
        "the replay is not waited for",
        _CAPTURE,
        "return factory_.order().Wait(stream_);\n}\n\nStatus GraphCapture::Replay",
        "return Status();\n}\n\nStatus GraphCapture::Replay",
        "an_error_leaves_no_graph",
    ),
    Mutation(
        "a captured run has memory of the arena",
        _MEMORY,
        "if (captured != stream && capture.thread != std::this_thread::get_id()) continue;",
        "if (captured != nullptr || stream == captured) continue;",
        "release_gives_all_back",
    ),
    Mutation(
        "what is bound is given away",
        "src/abi/allocator.cc",
        "if (captures_->IsUsed(address)) return FreeLater(address);",
        "",
        "what_is_bound_is_not_given_away",
    ),
    Mutation(
        "a released graph keeps what was bound",
        _MEMORY,
        "for (const auto& [address, free] : unused) free();",
        "",
        "release_gives_all_back",
    ),
    Mutation(
        "a run that fails is captured",
        _CAPTURE,
        _FAILED,
        "}\n  if (false) {",
        "values_on_the_host_are_the_same_each_time",
    ),
    Mutation(
        "a run that is ended counts as warm",
        _CAPTURE,
        "if (calls_ == kernels_) warm_.insert(id_);",
        "warm_.insert(id_);",
        "a_run_that_is_ended_is_not_captured",
    ),
    Mutation(
        "the number of the graph is not read",
        _CAPTURE,
        "*id == number) return Status();",
        "*id == number) return *id = *id == 2 ? 1 : *id, Status();",
        "graphs_of_their_own",
    ),
    Mutation(
        "what the application has queued is not waited for",
        _CAPTURE,
        "factory_.order().SettleOutside();",
        "",
        "a_run_s_stream_is_refused",
    ),
    Mutation(
        "a stream of the run's is captured as if it were ours",
        "src/abi/kernel_adapter.cc",
        "if (capture_ != nullptr) EP_RETURN_IF_ERROR(capture_->CheckStream(stream));",
        "",
        "a_run_s_stream_is_refused",
    ),
    Mutation(
        "runs may be made at the same time",
        "src/abi/ep.h",
        "*supported = false;",
        "*supported = true;",
        "threads_of_one_session",
    ),
    Mutation(
        "others wait for a queue that is captured",
        "src/gen/memory/stream_order.cc",
        "if (found->second.is_held) return;",
        "",
        "sessions_at_once",
    ),
)


@pytest.mark.lab
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: each.name.replace(" ", "-"))
def test_what_is_missing_is_noticed(mutation: Mutation) -> None:
    files = {file.path: file.content.decode() for file in expanded(ARENA).files}
    text = files[mutation.path]
    assert text.count(mutation.before) == 1, mutation.path
    # The code is warning clean without the piece, too, where it need not be.
    changed = text.replace(mutation.before, mutation.after)
    changed = '#pragma GCC diagnostic ignored "-Wunused"\n' + changed
    mutated = with_hooks(ARENA, changes={mutation.path: changed})
    try:
        result = _checked(mutated, mutation.check, NEWEST, timeout=60)
    except subprocess.TimeoutExpired:
        return  # noticed, too: it waits for what never comes
    assert result.returncode != 0, "nobody noticed"
