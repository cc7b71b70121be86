"""What happens when a wait, a fence or a copy is missing in the generated code of queues: a check
goes wrong. Each mutation takes one out."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

import pytest
from cpp_tests import NEWEST
from projects import expanded
from stream_projects import COMPILED, REGISTRY, checked, project

pytestmark = pytest.mark.lab


@dataclass(frozen=True)
class Mutation:
    """A piece of a file that is replaced by another, and the check that notices."""

    name: str
    path: str
    before: str
    after: str
    check: str
    blueprint: str = REGISTRY


_TRANSFER = "src/abi/data_transfer.cc"
_STREAM = "src/abi/sync_stream.cc"
_ADAPTER = "src/abi/kernel_adapter.cc"
_RUN = "src/gen/graph/program_run.cc"
_UNUSED = ("-Wunused-variable", "-Wunused-parameter", "-Wunused-but-set-variable")
_SYNCHRONIZED = "return stream_ != nullptr ? program_.runtime->Synchronize(stream_) : Status();"

MUTATIONS = (
    Mutation(
        "no wait for what is queued before a copy without a stream",
        _TRANSFER,
        "EP_RETURN_IF_ERROR(factory_.order().WaitForAll());",
        "",
        "a_copy_without_a_stream_waits_for_all",
    ),
    Mutation(
        "no wait for an upload",
        _TRANSFER,
        "(from_host || to_host) && !stays",
        "to_host && !stays",
        "an_upload_leaves_the_host_s_memory",
    ),
    Mutation(
        "no wait for a download",
        _TRANSFER,
        "(from_host || to_host) && !stays",
        "from_host",
        "a_download_is_there_on_return",
    ),
    Mutation(
        "no wait at the end of a batch",
        _TRANSFER,
        "const Status waited = factory_.order().Wait(stream);",
        "const Status waited;",
        "a_download_is_there_on_return",
    ),
    Mutation(
        "no wait before the host reads memory that both reach",
        _TRANSFER,
        "if (stream != nullptr) EP_RETURN_IF_ERROR(factory_.order().Wait(stream));\n    std::mem",
        "std::mem",
        "memory_that_both_reach",
    ),
    Mutation(
        "copies do not go into their stream",
        _TRANSFER,
        "return runtime.CopyOnDevice(target, source, bytes, stream);",
        "return runtime.CopyOnDevice(target, source, bytes, nullptr);",
        "an_option_s_stream_is_used",
    ),
    Mutation(
        "an event is not recorded",
        _STREAM,
        "return runtime_.Record(event_, stream_);",
        "return Status();",
        "queues_wait_for_each_other",
    ),
    Mutation(
        "a queue does not wait for another",
        _STREAM,
        "EP_RETURN_IF_ERROR(runtime_.WaitOnDevice(event_, waiting));",
        "",
        "queues_wait_for_each_other",
    ),
    Mutation(
        "the wait is put into the queue that is waited for",
        _STREAM,
        "runtime_.WaitOnDevice(event_, waiting)",
        "runtime_.WaitOnDevice(event_, stream_)",
        "queues_wait_for_each_other",
    ),
    Mutation(
        "the end of a run is not waited for",
        "src/abi/sync_stream.h",
        "Status Wait() { return order_.Wait(stream_); }",
        "Status Wait() { return Status(); }",
        "a_run_has_ended_when_it_returns",
    ),
    Mutation(
        "the application's wait is not made",
        "src/abi/ep.h",
        "return factory_.order().WaitForAll();",
        "return Status();",
        "inputs_and_results_are_waited_for",
    ),
    Mutation(
        "kernels overtake their queue",
        _ADAPTER,
        "entry_.runtime->Launch(stream,",
        "entry_.runtime->Launch(nullptr,",
        "an_option_s_stream_is_used",
    ),
    Mutation(
        "the application's stream is not used",
        "src/abi/ep.cc",
        "reinterpret_cast<Stream>(users)",
        "reinterpret_cast<Stream>(users * 0)",
        "an_option_s_stream_is_used",
    ),
    Mutation(
        "a group begins before the run that has its memory is over",
        _RUN,
        "program_.runtime->WaitOnDevice(end_, stream)",
        "Status()",
        "a_run_s_stream_is_used",
        COMPILED,
    ),
    Mutation(
        "the end of a group's run is not recorded",
        _RUN,
        "program_.runtime->Record(end_, stream)",
        "Status()",
        "a_run_s_stream_is_used",
        COMPILED,
    ),
    Mutation(
        "a value for a kernel of the host is read too early",
        _RUN,
        f"addresses_[value], bytes, stream_));\n  {_SYNCHRONIZED}",
        "addresses_[value], bytes, stream_));\n  return Status();",
        "values_that_cross_inside_a_group",
        COMPILED,
    ),
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: each.name.replace(" ", "-"))
def test_what_is_missing_is_noticed(mutation: Mutation) -> None:
    files = {file.path: file.content.decode() for file in expanded(mutation.blueprint).files}
    text = files[mutation.path]
    assert text.count(mutation.before) == 1, mutation.path
    changed = text.replace(mutation.before, mutation.after)
    # What is not used any more is no error here.
    changed = "".join(f'#pragma GCC diagnostic ignored "{each}"\n' for each in _UNUSED) + changed
    mutated = project(mutation.blueprint, {mutation.path: changed})
    try:
        result = checked(mutated, mutation.check, NEWEST, timeout=60)
    except subprocess.TimeoutExpired:
        return  # noticed, too: it waits for what never comes
    assert result.returncode != 0, "nobody noticed"
