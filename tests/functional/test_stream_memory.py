"""Memory that queues work on: the order of queues, and arenas that follow it.

The C++ tests are compiled with what they test alone: what they say needs no runtime, and a fault
that is put in shows soon. What sessions see of it is tested with the streams themselves.
"""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from cpp_tests import assert_clean
from projects import expanded
from selection import plain

from epforge.build.toolchain import find_toolchain

BLUEPRINT = """
epforge: 1
name: contoso-queues
vendor: {name: Contoso, pci_id: 0xB357}
ops: [Relu]
devices: [{name: gpu, type: gpu, match: {vendor_id: 0xB357}, virtual: allowed}]
memory: {default: arena, streams: true}
"""
TESTS = ("stream_order_test", "arena_streams_test", "arena_streams_model_test", "arena_test")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
SANITIZERS = {
    "none": ["-O1"],
    "address": ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    "thread": ["-g", "-O1", "-fsanitize=thread"],
}
ORDER = "src/gen/memory/stream_order.cc"
ARENA = "src/gen/memory/arena.cc"
STREAMS = "src/gen/memory/arena_streams.cc"
#: By fault: where, what is there, and what somebody might have written instead.
FAULTS = {
    "an old event tells what is known now": (
        ORDER,
        "{since, UntilAt(facts, moment)}",
        "{since, facts.back().until}",
    ),
    "what a queue comes after is not passed on": (ORDER, "if (other != later)", "if (false)"),
    "what is done does not end what came before": (
        ORDER,
        "std::max(found->second.done, UntilAt(facts, moment))",
        "std::max(found->second.done, UntilAt(facts, 0))",
    ),
    "a queue goes while somebody waits for it": (
        ORDER,
        "waited_.wait(lock, [&] { return found->second.waits == 0; });",
        "",
    ),
    "a new queue has the past of its handle": (
        ORDER,
        "if (use.count++ == 0) use.done = now_;",
        "++use.count;",
    ),
    "what comes while one waits is done, too": (
        ORDER,
        "order_.MarkDone(*use_, moment_);",
        "order_.MarkDone(*use_, order_.now_);",
    ),
    "waiting for memory swallows errors": (
        ORDER,
        "if (use_->error.ok()) use_->error = std::move(status);",
        "status = Status();",
    ),
    "the future is done": (ORDER, "std::min(moment, now_));", "moment);"),
    "no queue in particular is no queue": (
        ORDER,
        "if (stream != nullptr) return DoneOf(stream);",
        "return DoneOf(stream);",
    ),
    "knowledge replaces better knowledge": (
        ORDER,
        "if (!facts.empty() && fact.until <= facts.back().until) return;",
        "",
    ),
    "freeing is not stamped": (ARENA, "block.moment = order_->Now();", "(void)order_->Now();"),
    "what is freed is taken for done": (
        ARENA,
        "if (order_->IsDone(block.group->first, block.moment)) block.group = nullptr;",
        "block.group = nullptr;",
    ),
    "neighbours forget whose they are": (
        STREAMS,
        "&&\n           other->second.group == block->second.group;",
        ";",
    ),
    "neighbours forget the later moment": (
        STREAMS,
        "left->second.moment = std::max(left->second.moment, right->second.moment);",
        "",
    ),
    "any queue takes anything": (STREAMS, "block.moment <= block.group->second.reach", "true"),
    "the host takes what queues use": (
        STREAMS,
        "stream != nullptr ? groups_.find(stream) : groups_.end()",
        "groups_.find(stream)",
    ),
    "a rest forgets whose it is": (
        STREAMS,
        "last->second.region, last->second.group,",
        "last->second.region, nullptr,",
    ),
    "neighbours of two regions are one block": (
        STREAMS,
        "while (block != blocks_.end() && block->second.region == first->second.region &&",
        "while (block != blocks_.end() &&",
    ),
    "nothing becomes free for others": (STREAMS, "done > group.done &&", "false &&"),
    "the wrong queue is waited for": (STREAMS, "Settle(busy, lock);", "Settle(nullptr, lock);"),
    "pieces of several queues are never joined": (STREAMS, "    SettleAll(lock);\n", ""),
    "growing without end": (STREAMS, "if (HasWaste(wanted, stream)) {", "if (false) {"),
    "the arena is locked while it waits": (
        STREAMS,
        "  lock.unlock();\n  order_->Settle(stream);\n  lock.lock();",
        "  order_->Settle(stream);",
    ),
}


@functools.cache
def sources() -> dict[str, str]:
    """The texts that the tests are made of, by path."""
    places = ("src/gen/memory/", "src/gen/api/", "src/device/runtime.h", "tests/cpp/")
    files = expanded(BLUEPRINT).files
    return {file.path: file.content.decode() for file in files if file.path.startswith(places)}


def compiled(root: Path, test: str, flags: Sequence[str], fault: str | None = None) -> Path:
    """The test program, with a fault put in."""
    texts = dict(sources())
    if fault is not None:
        path, old, new = FAULTS[fault]
        assert texts[path].count(old) == 1, f"{path} has changed: {old}"
        texts[path] = texts[path].replace(old, new)
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    program = root / test
    parts = [root / f"tests/cpp/{test}.cc", root / "src/gen/api/status.cc"]
    parts += sorted((root / "src/gen/memory").glob("*.cc"))
    folders = [f"-I{root / folder}" for folder in ("src", "tests/cpp")]
    compiler = [find_toolchain(None).compiler, "-std=c++17", *flags, "-pthread", *folders]
    subprocess.run([*compiler, "-o", str(program), *map(str, parts)], check=True)
    return program


def run(program: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)


def fails(program: Path) -> bool:
    try:
        return run(program).returncode != 0
    except subprocess.TimeoutExpired:
        return True  # it waits for itself


@pytest.mark.parametrize("test", plain("arena_test", "stream_order_test", of=TESTS))
@pytest.mark.parametrize(
    "sanitizer",
    ["none", *(pytest.param(name, marks=pytest.mark.lab) for name in ("address", "thread"))],
)
def test_arenas_and_the_order_of_queues(tmp_path: Path, test: str, sanitizer: str) -> None:
    assert_clean(run(compiled(tmp_path, test, [*WARNINGS, *SANITIZERS[sanitizer]])))


@pytest.mark.lab
@pytest.mark.parametrize("fault", FAULTS)
def test_the_tests_find_faults(tmp_path: Path, fault: str) -> None:
    tests = TESTS[:1] if FAULTS[fault][0] == ORDER else TESTS[1:3]
    assert any(fails(compiled(tmp_path, test, ["-O0"], fault)) for test in tests)


def test_without_queues_nothing_is_said_of_them() -> None:
    files = expanded(BLUEPRINT.replace(", streams: true", "")).files
    memory = {file.path: file.content.decode() for file in files if "/memory/" in file.path}
    assert "src/gen/memory/arena.cc" in memory
    assert not [path for path in memory if "stream" in path]
    assert not [path for path, text in memory.items() if "stream" in text.lower()]
