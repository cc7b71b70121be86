"""Parts of the workers that need no library: what is wrong with what, and in which words."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import Fail

from epforge.validate.worker import graphs, hostile, press, writing
from epforge.validate.worker.case import Cases, NotCheckedError, refusal, refused
from epforge.validate.worker.hostlog import Log, complaints, in_runtime
from epforge.validate.worker.records import Records, parse

WRAPPED = (
    "[ONNXRuntimeError] : 1 : FAIL : /a/b.cc:1 F() [ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : "
)


def failing(text: str) -> Any:
    def fail() -> None:
        raise Fail(text)

    return fail


# ---- cases ----


def test_cases_are_run_once_and_recorded_whatever_they_raise(tmp_path: Path) -> None:
    def open_() -> str:
        raise NotCheckedError("no such thing")

    def broken() -> str:
        raise Fail(f"{WRAPPED}it is broken")

    with Records(tmp_path / "records") as records:
        cases = Cases({"skip": ["done"]}, records)
        for label, check in {
            "done": open_,
            "right": lambda: "",
            "wrong": lambda: "3, expected 4",
            "open": open_,
            "broken": broken,
        }.items():
            cases.run(label, check)
    found = [r for r in parse((tmp_path / "records").read_text()) if r["record"] == "case"]
    assert [(r["label"], r["outcome"], r["detail"]) for r in found] == [
        ("right", "passed", ""),
        ("wrong", "failed", "3, expected 4"),
        ("open", "not checked", "no such thing"),
        ("broken", "failed", "it is broken"),
    ]


def test_a_refusal_is_judged_by_its_words() -> None:
    assert refused(failing("no file /x/y")) == ""
    assert refused(failing("no file /x/y"), "/x/y") == ""
    assert "refused without naming the key: no file" in refused(failing("no file"), "the key")
    assert refused(lambda: None) == "not refused"
    assert refused(lambda: None, accepted="taken") == "taken"


def test_only_the_runtime_can_refuse() -> None:
    with pytest.raises(KeyError):
        refused(lambda: {}["x"])
    with pytest.raises(NotCheckedError):
        refused(lambda: (_ for _ in ()).throw(NotCheckedError("x")))
    assert refusal(RuntimeError(f"{WRAPPED}toy sleeps")) == "toy sleeps"


# ---- the log ----

LINE = "\x1b[1;31m2026-11-29 20:18:31.1 [{}:onnxruntime:, {}:285 GetCapability] {}\x1b[m"


def test_complaints_are_warnings_of_the_runtime_that_the_cpu_does_not_cause() -> None:
    lines = [
        LINE.format("E", "host.cc", "set nodes that cannot be fused together"),
        LINE.format("W", "host.cc", "Initializer W1 appears in graph inputs"),
        LINE.format("W", "host.cc", "Some nodes were not assigned to the preferred providers"),
        LINE.format("I", "host.cc", "fine"),
        LINE.format("W", "toy.c", "the library's own"),
        "no log line",
    ]
    usual = [LINE.format("W", "host.cc", "Initializer W2 appears in graph inputs")]
    found = complaints(lines, usual, lambda source: source == "host.cc")
    assert found == ["set nodes that cannot be fused together"]


def test_the_runtimes_sources_are_told_from_others() -> None:
    assert in_runtime("graph_partitioner.cc")
    assert not in_runtime("toy_ep.c")


def test_the_log_is_read_from_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "stderr"
    path.write_text("before\n")
    log = Log(str(path))
    mark = log.mark()
    path.write_text("before\nafter\n\xff".encode("latin-1").decode("latin-1"))
    assert log.since(mark)[0] == "after"


# ---- results ----


class Session:
    """Gives back what it is told to, or does something to its input."""

    def __init__(self, *results: Any) -> None:
        self._results = itertools.cycle(results)
        self.kept: list[Any] = []

    def run(self, names: None, feeds: Mapping[str, Any]) -> list[Any]:
        result = next(self._results)
        if isinstance(result, str) and result == "in place":
            feeds["X"][0] = 7
            return [feeds["X"] * 0]
        if isinstance(result, str):
            self.kept[0][0] += 1
            return [np.zeros(2, np.float32)]
        self.kept.append(result)
        return [result]


def zeros() -> Any:
    return np.zeros(2, np.float32)


@pytest.mark.parametrize(
    ("results", "says"),
    [
        ([zeros()], ""),
        ([np.ones(2, np.float32)], "run 1 with X[2]: output[0] is 1, expected 0"),
        ([None], "output 0 is never computed"),
        (["in place"], "run 1 changes its input X"),
        ([zeros(), "scribble"], "a later run changes the result of run 1"),
    ],
)
def test_results_must_be_right_and_stay_so(results: list[Any], says: str) -> None:
    feeds = [{"X": np.ones(2, np.float32)}] * 2
    wrong = graphs.run_all(Session(*results), feeds, [[zeros()]] * 2)
    assert says in wrong if says else wrong == ""


# ---- damage ----


def test_damage_is_of_all_kinds_and_the_same_every_time() -> None:
    content = bytes(range(256)) * 8
    once, again = dict(hostile.damaged(content, 40)), dict(hostile.damaged(content, 40))
    assert once == again
    assert content not in once.values()
    assert sum("flipped" in label for label in once) > 35
    assert once["cut off after 0 bytes"] == b""
    for label, data in once.items():
        if "flipped" in label:
            assert sum(bin(a ^ b).count("1") for a, b in zip(content, data, strict=True)) == 1


@pytest.mark.parametrize("size", [1, 2, 8, 17])
def test_little_data_can_be_damaged_too(size: int) -> None:
    found = dict(hostile.damaged(bytes(size), 4))
    assert all(len(data) <= size + 8 for data in found.values())


# ---- compiled models ----

GOOD: dict[str, Any] = {
    "source": b"ToyEp",
    "ep_sdk_version": b"1",
    "embed_mode": 0,
    "main_context": 1,
    "ep_cache_context": b"m.bin",
}


def node(name: str, **attributes: Any) -> onnx.NodeProto:
    return onnx.helper.make_node(
        "EPContext", ["X"], [name], name=name, domain="com.microsoft", **attributes
    )


def model(*nodes: onnx.NodeProto, typed: bool = True) -> onnx.ModelProto:
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes,
        "g",
        [value("X", 1, [2])],
        [value(nodes[-1].output[0], 1, [2])],
        value_info=[value(n.output[0], 1, [2]) for n in nodes[:-1]] if typed else [],
    )
    imports = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("com.microsoft", 1)]
    return onnx.helper.make_model(graph, opset_imports=imports, ir_version=9)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, ""),
        ({"source": b"Other"}, "source is 'Other', expected 'ToyEp'"),
        ({"ep_sdk_version": b""}, "ep_sdk_version is empty"),
        ({"embed_mode": 1}, "embed_mode is 1"),
        ({"ep_cache_context": b""}, "ep_cache_context is empty"),
        ({"ep_cache_context": b"/m.bin"}, "no plain file name"),
        ({"ep_cache_context": b"../m.bin"}, "no plain file name"),
        ({"ep_cache_context": b"sub/m.bin"}, "no plain file name"),
        ({"ep_cache_context": b"sub\\m.bin"}, "no plain file name"),
        ({"ep_cache_context": b"other.bin"}, "which is not there"),
        ({"main_context": 0, "ep_cache_context": b""}, "no node has main_context=1"),
    ],
)
def test_nodes_are_judged_by_their_attributes(
    change: dict[str, Any], says: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.onnx"
    (tmp_path / "m.bin").touch()
    onnx.save(model(node("a", **{**GOOD, **change})), path)
    stand_in: Any = SimpleNamespace(ep="ToyEp", strict=True, made=lambda mode, way: path)
    wrong = writing._nodes(stand_in, "external", "options")
    assert says in wrong if says else wrong == ""


def test_the_checker_and_types_are_heeded(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(model(node("a"), node("b")), path)
    assert writing._checked(path) == ""
    onnx.save(model(node("a"), node("b"), typed=False), path)
    assert "the value a has no type" in writing._checked(path)
    twice = model(node("a"), node("a"))
    onnx.save(twice, path)
    assert "single static assignment" in writing._checked(path)
    twice.ir_version = 99
    onnx.save(twice, path)
    with pytest.raises(NotCheckedError, match="IR version 99"):
        writing._checked(path)


def test_what_is_not_there_cannot_be_judged(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="no compiled model"):
        press.present(tmp_path / "m.onnx")
    (tmp_path / "m.onnx").touch()
    with pytest.raises(NotCheckedError, match="one file beside"):
        press.blob_of(tmp_path / "m.onnx")


def test_only_the_attribute_is_edited(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(model(node("a", **GOOD), node("b", **GOOD)), path)
    changed = onnx.load_from_string(press.edited(path, "source", b"Other"))
    found = [attributes for _, attributes in press.context_nodes(changed)]
    assert found == [{**GOOD, "source": b"Other"}] * 2


def test_what_happens_to_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a").write_text("x")
    before = press.snapshot(tmp_path)
    assert press.changed(before, press.snapshot(tmp_path)) == ""
    (tmp_path / "sub" / "a").write_text("y")
    assert press.changed(before, press.snapshot(tmp_path)) == "changed: sub/a"
    (tmp_path / "sub" / "b").touch()
    assert press.changed(before, press.snapshot(tmp_path)) == "new: sub/b"
    (tmp_path / "sub" / "b").unlink()
    (tmp_path / "sub" / "a").unlink()
    assert press.changed(before, press.snapshot(tmp_path)) == "gone: sub/a"
