"""The reader of compiled models: it sees what onnx sees, and no bytes can hurt it."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Any

import onnx
import pytest
from compiling_code import module
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

wire = module("_wire")
TEXT = st.text(max_size=12)


def context(**attributes: Any) -> onnx.NodeProto:
    return helper.make_node("EPContext", ["x"], ["y"], domain="com.microsoft", **attributes)


@st.composite
def contexts(draw: st.DrawFn) -> onnx.NodeProto:
    given_attributes = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "source": TEXT,
                "notes": TEXT,
                "ep_cache_context": st.one_of(TEXT, st.binary(max_size=40)),
                "embed_mode": st.sampled_from([0, 1]),
                "main_context": st.sampled_from([0, 1]),
                "max_size": st.integers(-(2**63), 2**63 - 1),
                "scale": st.floats(width=32),
                "list": st.lists(st.integers(-5, 5), min_size=1, max_size=3),
            },
        )
    )
    return context(**given_attributes)


@st.composite
def nodes(draw: st.DrawFn, depth: int = 3) -> onnx.NodeProto:
    kind = draw(st.sampled_from(["plain", "context", "other domain", "nested"]))
    if kind == "context":
        return draw(contexts())
    if kind == "other domain":
        return helper.make_node("EPContext", ["x"], ["y"], domain=draw(TEXT.filter(bool)))
    if kind == "nested" and depth:
        body = [
            helper.make_graph(draw(st.lists(nodes(depth - 1), max_size=3)), "g", [], [])
            for _ in range(2)
        ]
        return helper.make_node("If", ["c"], ["y"], then_branch=body[0], else_branch=body[1])
    return helper.make_node(draw(TEXT), ["x"], ["y"], name=draw(TEXT), axis=draw(st.integers(0, 3)))


@st.composite
def models(draw: st.DrawFn) -> onnx.ModelProto:
    weight = helper.make_tensor("w", TensorProto.FLOAT, [3], [1.0, 2.0, 3.0])
    graph = helper.make_graph(draw(st.lists(nodes(), max_size=6)), draw(TEXT), [], [], [weight])
    return helper.make_model(graph, producer_name=draw(TEXT))


def walk(graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """All nodes, as onnx sees them."""
    found = []
    for node in graph.node:
        found.append(node)
        if (node.domain, node.op_type) != ("com.microsoft", "EPContext"):
            for attribute in node.attribute:
                for inner in (
                    *([attribute.g] if attribute.HasField("g") else []),
                    *attribute.graphs,
                ):
                    found += walk(inner)
    return found


@given(models())
def test_it_sees_what_onnx_sees(model: onnx.ModelProto) -> None:
    found = wire.parse_model(model.SerializeToString())
    every = walk(model.graph)
    mine = [node for node in every if (node.domain, node.op_type) == ("com.microsoft", "EPContext")]
    assert found.others == len(every) - len(mine)
    assert len(found.contexts) == len(mine)
    for got, node in zip(found.contexts, mine, strict=True):
        wanted = {each.name: helper.get_attribute_value(each) for each in node.attribute}
        assert got.source == wanted.get("source", b"").decode()
        assert got.notes == wanted.get("notes", b"").decode()
        assert got.embedded == bool(wanted.get("embed_mode", 1))
        if got.embedded:
            assert got.file == ""
        else:
            assert got.file == wanted.get("ep_cache_context", b"").decode("utf-8", "replace")


@given(models(), st.data())
def test_a_cut_or_changed_model_is_read_or_refused(
    model: onnx.ModelProto, data: st.DataObject
) -> None:
    content = bytearray(model.SerializeToString())
    for _ in range(data.draw(st.integers(0, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.integers(0, len(content)))]
    with contextlib.suppress(wire.ModelFormatError):
        wire.parse_model(bytes(content))


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    with contextlib.suppress(wire.ModelFormatError):
        wire.parse_model(content)


@given(models())
def test_every_cut_through_the_graph_is_refused(model: onnx.ModelProto) -> None:
    content = helper.make_model(model.graph).SerializeToString()
    head = content.index(model.graph.SerializeToString())
    for length in range(1, min(len(content), head + 40)):
        if length <= head:
            with pytest.raises(wire.ModelFormatError):
                wire.parse_model(content[:length])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no graph"),
        (b"hello, this is a text", "at byte"),
        (b"\x08\x07", "no graph"),
        (b"\x00", "without a number"),
        (b"\x3b", "unknown kind"),  # a group
        (b"\x3a\x05ab", "cut off"),
        (b"\x3a" + b"\xff" * 9 + b"\x01", "cut off"),  # 2^64 - 1 bytes of graph
        (b"\x3a" + b"\x80" * 20, "does not end"),
        (b"\x3a\x80", "does not end"),
        (b"\x3a\x00\x0d\x01", "cut off"),
    ],
)
def test_what_is_wrong_is_said(content: bytes, says: str) -> None:
    with pytest.raises(wire.ModelFormatError, match=says):
        wire.parse_model(content)


def nested(depth: int) -> bytes:
    """Graphs in graphs, made by hand: onnx itself refuses to write them."""

    def field(number: int, content: bytes) -> bytes:
        size, length = b"", len(content)
        while length >= 0x80:
            size, length = size + bytes([length & 0x7F | 0x80]), length >> 7
        return bytes([number << 3 | 2]) + size + bytes([length]) + content

    graph = b""
    for _ in range(depth):
        graph = field(1, field(5, field(6, graph)))  # node, attribute, graph
    return field(7, graph)


def test_nesting_has_a_limit() -> None:
    assert wire.parse_model(nested(31)).others == 31
    with pytest.raises(wire.ModelFormatError, match="nested more than 32 deep"):
        wire.parse_model(nested(32))
    with pytest.raises(wire.ModelFormatError, match="nested more than 32 deep"):
        wire.parse_model(nested(3000))


def test_a_file_is_read_without_its_weights(tmp_path: Path) -> None:
    """The reader looks at what it needs: a gigabyte in the way costs no time and no memory."""
    import tracemalloc

    path = tmp_path / "large.onnx"
    graph = helper.make_graph(
        [context(source="E", embed_mode=0, ep_cache_context="b.bin")], "g", [], []
    )
    content = helper.make_model(graph).SerializeToString()
    size = 1 << 30
    with path.open("wb") as file:
        file.write(
            b"\x32" + bytes([size & 0x7F | 0x80, 0x80, 0x80, 0x80, size >> 28])
        )  # doc_string
        file.seek(size, 1)
        file.write(content)
    tracemalloc.start()
    start = time.process_time()
    found = wire.read_model(path)
    assert time.process_time() - start < 1
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    assert found.contexts == [wire.ContextNode("E", "", False, "b.bin")]


def test_a_long_text_is_left_out() -> None:
    graph = helper.make_graph([context(source="E", notes="x" * (1 << 17))], "g", [], [])
    assert wire.parse_model(helper.make_model(graph).SerializeToString()).contexts[0].notes == ""


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.onnx").touch()
    with pytest.raises(wire.ModelFormatError, match="empty"):
        wire.read_model(tmp_path / "empty.onnx")
