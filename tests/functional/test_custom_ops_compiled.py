"""Custom operators where groups of nodes are compiled, and where the device has its own memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from fresh import complaints, every_runtime, ok
from own_blueprints import COMPILED, MEMORY
from projects import Project, built

OWN = """
import own_ops, onnx
library = plugin.get_custom_ops_library_path()
made = own_ops.neighbours()

def right(one):
    for length in (1, 7, 0, 3):
        inputs = models.feeds(made, length, length)
        models.close(one.run(None, inputs), [own_ops.neighbours_of(inputs["X"])])
"""


@pytest.fixture(scope="module")
def compiling() -> Project:
    return built(COMPILED)


@pytest.fixture(scope="module")
def in_memory() -> Project:
    return built(MEMORY)


@every_runtime
def test_they_are_compiled_with_their_neighbours(compiling: Project, version: str | None) -> None:
    said = ok(
        compiling,
        OWN
        + """
one = own_ops.session(made, device, level=2)
assert models.parts(one, ep) == [["Add", "Clip", "GatedUnit", "Mul", "Relu"]]
assert own_ops.shapes(one) == [["N", 4]]
right(one)
right(own_ops.session(made, library=library, level=2))
""",
        version,
    )
    assert complaints(said) == []


@every_runtime
def test_between_what_the_device_does_not_take(compiling: Project, version: str | None) -> None:
    """The group is divided, and a kernel of its own is taken where a group is not."""
    ok(
        compiling,
        OWN
        + """
node = models.node
cut = models.model(
    [
        node("Clip", ["X"], ["a"], name="c0", domain=own_ops.DOMAIN),
        node("Sin", ["a"], ["b"], name="s0"),
        node("Scale", ["b", "", "X"], ["c"], name="k0", domain=own_ops.DOMAIN),
        node("Cos", ["c"], ["d"], name="s1"),
        node("Mul", ["d", "X"], ["e"], name="m0"),
        node("GatedUnit", ["e", "X"], ["Y"], name="g0", domain=own_ops.DOMAIN),
    ],
    [models.value("X", ["N", 4])],
    [models.value("Y", ["N", 4])],
    extra=[(own_ops.DOMAIN, 1)],
)
one = own_ops.session(cut, device, fallback=True)
assert models.parts(one, ep) == [["Clip"], ["GatedUnit", "Mul"], ["Scale"]], models.parts(one, ep)
x = models.feeds(cut, 5)["X"]
wanted = own_ops.gated_of(np.cos(np.sin(own_ops.clip_of(x)) * x) * x, x)
models.close(one.run(None, {"X": x}), [wanted])
""",
        version,
    )


@every_runtime
@pytest.mark.parametrize("embed", [False, True], ids=["external", "embedded"])
def test_compiled_models_load_again(
    compiling: Project, version: str | None, embed: bool, tmp_path: Path
) -> None:
    """Written in one process, loaded in another one."""
    ok(
        compiling,
        OWN
        + """
onnx.save(made, folder / "own.onnx")
right(models.write(folder / "own.onnx", device, folder / "own_ctx.onnx", embed=embed))
assert len(models.contexts(folder / "own_ctx.onnx")) == 1
""",
        version,
        folder=tmp_path,
        embed=embed,
    )
    assert bool(list(tmp_path.glob("*.bin"))) is not embed
    ok(
        compiling,
        OWN
        + """
one = models.session(folder / "own_ctx.onnx", device)
assert models.taken(one, ep) == ["EPContext"]
right(one)
""",
        version,
        folder=tmp_path,
    )


@every_runtime
def test_types_that_do_not_agree_are_left_out_of_groups(
    compiling: Project, version: str | None
) -> None:
    """The kernel on the CPU refuses them by name."""
    ok(
        compiling,
        OWN
        + """
mixed = own_ops.call("Scale", ((3,), np.float32), None, ((3,), np.int64))
text = own_ops.fails(mixed, device, fallback=True)
assert "com.contoso::Scale node 'own'" in text, text
mixed = own_ops.call("GatedUnit", ((3,), np.float32), ((3,), np.float64))
text = own_ops.fails(mixed, device, fallback=True)
assert "com.contoso::GatedUnit node 'own'" in text, text
text = own_ops.fails(own_ops.clip(dtype=np.float64), device, fallback=True)
assert "(Clip) in node (own)" in text, text
""",
        version,
    )


@every_runtime
def test_on_a_device_with_memory_of_its_own(in_memory: Project, version: str | None) -> None:
    said = ok(
        in_memory,
        OWN
        + """
one = own_ops.session(made, device, level=2)
assert models.taken(one, ep) == ["Add", "Clip", "GatedUnit", "Mul", "Relu"]
right(one)
for there in (True, False):
    bias = ((3,), np.float32) if there else None
    scaled = own_ops.call("Scale", (("N", 3), np.float32), bias, ((1,), np.float32))
    inputs = models.feeds(scaled, 4)
    wanted = own_ops.scale_of(inputs["x0"], inputs.get("x1"), inputs["x2"])
    models.close(own_ops.session(scaled, device).run(None, inputs), [wanted])
right(own_ops.session(made, library=library))
""",
        version,
    )
    assert complaints(said) == []


@every_runtime
def test_across_the_border_of_the_device(in_memory: Project, version: str | None) -> None:
    """What the device computes goes to the CPU and back."""
    ok(
        in_memory,
        OWN
        + """
node = models.node
cut = models.model(
    [
        node("Clip", ["X"], ["a"], name="c0", domain=own_ops.DOMAIN),
        node("Sin", ["a"], ["b"], name="s0"),
        node("GatedUnit", ["b", "X"], ["Y"], name="g0", domain=own_ops.DOMAIN),
    ],
    [models.value("X", ["N", 4])],
    [models.value("Y", ["N", 4])],
    extra=[(own_ops.DOMAIN, 1)],
)
one = own_ops.session(cut, device, fallback=True)
assert {"Clip", "GatedUnit"} <= set(models.taken(one, ep))
x = models.feeds(cut, 5)["X"]
models.close(one.run(None, {"X": x}), [own_ops.gated_of(np.sin(own_ops.clip_of(x)), x)])
""",
        version,
    )
