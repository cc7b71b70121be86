"""Profiles: what kernels do lies within ORT's own events, complete, and only where asked for.

FR 65. Sessions run in processes of their own, which hand the profiles over as they were written.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from cpp_tests import assert_clean, instrumented, run
from projects import Project, built
from runtimes import SUPPORTED, runtime

REGISTRY = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
ops: [Mul, Add, Relu]
features: {profiler: true}
custom_ops:
  - op: com.contoso::Half
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32]}
    compute: x * 0.5
"""
COMPILED = REGISTRY.replace("ops:", "paradigm: compiled\nops:", 1)
MEMORY = REGISTRY.replace(
    "ops:",
    "devices: [{name: npu, type: npu, match: {vendor_id: 0xB357}, virtual: allowed}]\n"
    "memory: {default: plain}\nops:",
    1,
)
PROFILED = [version for version in SUPPORTED if version != "1.24.4"]
RUNS = 100
THREADS = 3

SESSION = """
    import tempfile
    import threading
    from concurrent.futures import ThreadPoolExecutor

    def options(**more):
        made = ort.SessionOptions()
        made.add_provider_for_devices([device], {})
        made.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        for name, value in more.items():
            setattr(made, name, value)
        return made

    def profiled(model, runs, threads=1, **more):
        folder = tempfile.mkdtemp()
        made = options(enable_profiling=True, profile_file_prefix=folder + "/profile", **more)
        session = ort.InferenceSession(model.SerializeToString(), made, enable_fallback=0)
        inputs = models.feeds(model)
        together = threading.Barrier(threads)

        def share(index):
            together.wait()
            for _ in range(index, runs, threads):
                session.run(None, inputs)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(share, range(threads)))
        return json.load(open(session.end_profiling()))
"""

PER_RUN = """
    import json, os, sys, tempfile
    from concurrent.futures import ThreadPoolExecutor
    import numpy as np
    import models
    from capi import Ort, Plugin

    ort = Ort()
    plugin = Plugin(ort, sys.argv[1])
    model, folder = models.chain(), tempfile.mkdtemp()
    feeds = {"X": np.ones((2, 4), np.float32)}
    settings = {"session.disable_cpu_ep_fallback": "0"}
    session = plugin.open(model.SerializeToString(), plugin.options(settings))

    def go(index):
        profile = index % 2 == 0  # the others must leave no trace in anybody's profile
        options = ort.api.make("CreateRunOptions")
        if profile:
            ort.api("RunOptionsEnableProfiling", options, f"{folder}/run{index:03}")
        plugin.run(session, feeds, "Y", options)
        return profile

    with ThreadPoolExecutor(int(sys.argv[3])) as pool:
        asked = list(pool.map(go, range(int(sys.argv[2]))))
    files = [open(os.path.join(folder, name)).read() for name in sorted(os.listdir(folder))]
    print(json.dumps({"asked": sum(asked), "files": [json.loads(each) for each in files]}))
"""

Event = Mapping[str, Any]


@pytest.fixture(scope="module")
def registry() -> Project:
    return built(REGISTRY)


def said(of: Project, code: str, version: str) -> Any:
    """What a process on the Python package prints."""
    result = of.python(textwrap.dedent(SESSION) + textwrap.dedent(code), runtime=runtime(version))
    assert result.returncode == 0, result.stderr[-4000:]
    return json.loads(result.stdout.splitlines()[-1])


def run_process(of: Project, code: str, version: str, *arguments: str) -> dict[str, Any]:
    """What a process on the C API prints."""
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(of.library), *arguments],
        env=of.environment(runtime(version)),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    content: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return content


def ours(events: Sequence[Event], ep: str) -> list[Event]:
    return [e for e in events if e["cat"] == "Kernel" and e["args"].get("provider") == ep]


def hosts(events: Sequence[Event], ep: str) -> list[Event]:
    """ORT's events about the nodes that the execution provider has."""
    return [e for e in events if e["cat"] == "Node" and e["args"].get("provider") == ep]


def check(events: Sequence[Event], ep: str) -> list[Event]:
    """Each of ORT's events has one of ours, which lies inside it and says the same. Returns ours,
    in that order."""
    left = ours(events, ep)
    found = []
    for host in hosts(events, ep):
        inner = [e for e in left if inside(e, host)]
        assert len(inner) == 1, (host, inner)
        left.remove(inner[0])
        found.append(inner[0])
    assert left == [], "events without a parent"
    return found


def inside(event: Event, host: Event) -> bool:
    begin, end = host["ts"], host["ts"] + host["dur"]
    arguments = event["args"]
    return (
        (event["pid"], event["tid"]) == (host["pid"], host["tid"])
        and begin <= event["ts"]
        and event["ts"] + event["dur"] <= end
        and arguments["parent_name"] == host["name"] == f"{arguments['node_name']}_kernel_time"
        and event["name"] == arguments["op_name"] == host["args"]["op_name"]
    )


@pytest.mark.parametrize("version", PROFILED)
def test_fr_65_a_session_s_profile_is_complete(registry: Project, version: str) -> None:
    """Events lay microseconds outside the event that they belong to."""
    code = f"print(json.dumps(profiled(models.chain(), {RUNS}, {THREADS})))"
    found = check(said(registry, code, version), registry.ep)
    names = Counter((e["args"]["node_name"], e["args"]["op_name"]) for e in found)
    assert names == {("m0", "Mul"): RUNS, ("m1", "Mul"): RUNS}
    assert len({e["tid"] for e in found}) == THREADS


@pytest.mark.parametrize("version", PROFILED)
def test_fr_65_a_run_s_profile_is_of_that_run(registry: Project, version: str) -> None:
    result = run_process(registry, PER_RUN, version, str(2 * RUNS), str(THREADS))
    assert result["asked"] == len(result["files"]) == RUNS
    for events in result["files"]:
        found = check(events, registry.ep)
        assert [e["args"]["node_name"] for e in found] == ["m0", "m1"]
        assert len({e["tid"] for e in found}) == 1


@pytest.mark.parametrize("version", [PROFILED[0], PROFILED[-1]])
def test_a_compiled_group_has_one_event(version: str) -> None:
    project = built(COMPILED)
    events = said(project, "print(json.dumps(profiled(models.chain(), 20, 3)))", version)
    found = check(events, project.ep)
    groups = Counter((e["args"]["node_name"], e["name"]) for e in found)
    assert len(groups) == 2
    assert set(groups.values()) == {20}
    assert all(node and op for node, op in groups)


@pytest.mark.parametrize("version", [PROFILED[0], PROFILED[-1]])
@pytest.mark.parametrize("streams", [False, True])
def test_the_copies_to_and_from_the_device_have_events(version: str, streams: bool) -> None:
    """With streams an event says when the work was queued."""
    project = built(MEMORY.replace("plain", "plain, streams: true") if streams else MEMORY)
    events = said(project, "print(json.dumps(profiled(models.chain(), 10, 1)))", version)
    names = Counter(e["name"] for e in check(events, project.ep))
    assert names["Mul"] == 20
    assert names["MemcpyFromHost"] >= 10
    assert names["MemcpyToHost"] >= 10


def test_kernels_in_inner_graphs_and_on_the_runtime_s_threads(registry: Project) -> None:
    """Nested events on one thread, and the parallel executor's threads."""
    code = """
    parallel = dict(execution_mode=ort.ExecutionMode.ORT_PARALLEL, inter_op_num_threads=3)
    print(json.dumps([profiled(models.nested_loops(), 3),
                      profiled(models.diamond(), 40, 2, **parallel)]))
    """
    for events in said(registry, code, PROFILED[-1]):
        assert check(events, registry.ep)


def test_a_custom_operator_has_events_on_the_device(registry: Project) -> None:
    code = """
    half = models.model([models.node("Half", ["X"], ["Y"], name="h0", domain="com.contoso")],
                        [models.value("X", [4])], [models.value("Y", [4])],
                        extra=[("com.contoso", 1)])
    print(json.dumps(profiled(half, 2)))
    """
    found = check(said(registry, code, PROFILED[-1]), registry.ep)
    assert [e["args"]["op_name"] for e in found] == ["Half"] * 2


@pytest.mark.parametrize("version", [PROFILED[0], PROFILED[-1]])
def test_profiles_at_the_same_time_are_kept_apart(registry: Project, version: str) -> None:
    """Two sessions that are profiled and one that is not, on the same threads; one goes on when its
    profile is at its end, another is closed with its profile open."""
    code = """
    def session(model, **more):
        made = options(profile_file_prefix=tempfile.mkdtemp() + "/p", **more)
        return ort.InferenceSession(model.SerializeToString(), made, enable_fallback=0)

    first, other = (session(each, enable_profiling=True) for each in
                    (models.chain(), models.add_mul_add()))
    quiet, open_ended = session(models.chain()), session(models.mul(), enable_profiling=True)
    feeds = {name: models.feeds(of) for name, of in
             (("chain", models.chain()), ("add", models.add_mul_add()), ("mul", models.mul()))}

    def go(_):
        first.run(None, feeds["chain"])
        quiet.run(None, feeds["chain"])
        other.run(None, feeds["add"])
        open_ended.run(None, feeds["mul"])

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(go, range(30)))
        one = json.load(open(first.end_profiling()))
        list(pool.map(go, range(10)))
    two = json.load(open(other.end_profiling()))
    del open_ended
    print(json.dumps([one, two]))
    """
    one, two = said(registry, code, version)
    assert len(check(one, registry.ep)) == 2 * 30
    assert Counter(e["name"] for e in check(two, registry.ep)) == {"Add": 80, "Mul": 40}


def test_a_kernel_that_fails_has_an_event_too(registry: Project) -> None:
    code = """
    made = options(enable_profiling=True, profile_file_prefix=tempfile.mkdtemp() + "/p")
    model = models.model([models.node("Add", ["A", "B"], ["C"], name="a0")],
                         [models.value("A", ["n"]), models.value("B", ["m"])],
                         [models.value("C", ["k"])])
    session = ort.InferenceSession(model.SerializeToString(), made, enable_fallback=0)
    good, bad = ({"A": np.ones(2, np.float32), "B": np.ones(length, np.float32)}
                 for length in (2, 3))
    for feeds in (good, bad, good):
        try:
            session.run(None, feeds)
        except Exception as error:
            assert "broadcast" in str(error), error
    print(json.dumps(json.load(open(session.end_profiling()))))
    """
    events = said(registry, code, PROFILED[-1])
    assert len(ours(events, registry.ep)) in (2, 3)  # whether a failed node has one is ORT's choice
    check(events, registry.ep)


def test_without_profiling_and_on_older_runtimes_there_is_nothing(registry: Project) -> None:
    code = "print(json.dumps(profiled(models.chain(), 4)))"
    events = said(registry, code, "1.24.4")
    assert len(hosts(events, registry.ep)) == 8
    assert ours(events, registry.ep) == []


@pytest.mark.lab
@pytest.mark.parametrize("preset", ["asan", "tsan"])
def test_events_stay_within_their_parents_whatever_the_clocks_say(preset: str) -> None:
    """The generated C++ test: clocks that disagree, threads, events that never end."""
    assert_clean(run(instrumented(REGISTRY, preset), "profiling_test"))
