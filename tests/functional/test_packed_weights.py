"""Constant inputs that a kernel packs once, for all calls: with ONNX Runtime's help or without."""

from __future__ import annotations

import pytest
from fresh import every_runtime, ok
from projects import Project, built, expanded
from runtimes import runtime

BLUEPRINT = """
epforge: 1
name: contoso-packing
vendor: Contoso
ops: [Add, Conv, Gemm, MatMul, Relu, Softmax]
"""

#: Packed and constant, constant but not packed, and fed: one model of each, and what they make.
_WAYS = """
from models import FLOAT, constant, model, node, value

random = np.random.default_rng(7)
def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)

def ways(op, x, weights, **attributes):
    names = ["W", "B"][: len(weights)]
    made = node(op, ["X", *names], ["Y"], **attributes)
    outputs = [value("Y", [None] * x.ndim)]
    fed = model([made], [value(n, a.shape) for n, a in zip(["X", *names], [x, *weights])], outputs)
    kept = model([made], [value("X", x.shape)], outputs, map(constant, names, weights))
    return kept, fed, {"X": x}, dict(zip(["X", *names], [x, *weights]))

UNPACKED = {"session.disable_prepacking": "1"}
CASES = [
    ways("MatMul", floats(3, 40), [floats(40, 33)]),
    ways("MatMul", floats(2, 3, 150), [floats(150, 17)]),
    ways("MatMul", floats(2, 5, 6), [floats(2, 6, 20)]),  # a stack of matrices is not packed
    ways("Gemm", floats(7, 20), [floats(20, 18), floats(18)], alpha=0.5, beta=2.0),
    ways("Gemm", floats(20, 7), [floats(18, 20), floats(18)], transA=1, transB=1),
    ways("Gemm", floats(7, 20), [floats(2, 20)], transB=1),  # too narrow
    ways("Conv", floats(2, 6, 9, 9), [floats(10, 3, 3, 3), floats(10)], group=2),
    ways("Conv", floats(1, 30, 20), [floats(9, 30, 5)], strides=[2]),
    ways("Conv", floats(1, 4, 9, 9), [floats(4, 1, 3, 3)], group=4),  # depthwise
]
"""


@pytest.fixture(scope="module")
def packing() -> Project:
    return built(BLUEPRINT)


@pytest.fixture(scope="module")
def telling() -> Project:
    """A library that shows what was packed: by twice the result. It says where shared data lies."""
    files = {file.path: file.content.decode() for file in expanded(BLUEPRINT).files}
    return built(
        BLUEPRINT,
        changes=dict(
            _replaced(files, path, *words)
            for path, *words in (
                ("src/gen/kernels/mat_mul.cc", "(matrix, T{1}, sizes", "(matrix, T{2}, sizes"),
                (
                    "src/abi/kernel_adapter.cc",
                    "found->second.tensor.packed = packed[0];",
                    "found->second.tensor.packed = packed[0];"
                    ' std::fprintf(stderr, "shared at %p\\n", packed[0]);',
                ),
            )
        ),
    )


def _replaced(files: dict[str, str], path: str, old: str, new: str) -> tuple[str, str]:
    assert files[path].count(old) == 1
    text = files[path].replace(old, new)
    return path, text.replace("\n\n", "\n\n#include <cstdio>\n", 1) if "printf" in new else text


@every_runtime
def test_packing_changes_no_bit(packing: Project, version: str | None) -> None:
    ok(
        packing,
        _WAYS
        + """
for kept, fed, x, inputs in CASES:
    (wanted,) = models.session(fed, device).run(None, inputs)
    models.close([wanted], models.reference(fed, inputs))
    for config in ({}, UNPACKED):
        session = models.session(kept, device, config=config)
        for _ in range(2):
            (found,) = session.run(None, x)
            assert np.array_equal(found, wanted), kept
    # A second session has the same constants, and outlives the first.
    other = models.session(kept, device)
    del session
    assert np.array_equal(other.run(None, x)[0], wanted), kept
""",
        version,
    )


@every_runtime
def test_onnxruntime_lets_kernels_pack_constants_and_nothing_else(
    telling: Project, version: str | None
) -> None:
    ok(
        telling,
        _WAYS
        + """
kept, fed, x, inputs = CASES[0]
wanted = models.reference(fed, inputs)[0]
models.close(models.session(kept, device).run(None, x), [2 * wanted])
models.close(models.session(kept, device, config=UNPACKED).run(None, x), [wanted])
models.close(models.session(fed, device).run(None, inputs), [wanted])
""",
        version,
    )


@every_runtime
def test_sessions_offer_what_they_pack_to_be_shared(telling: Project, version: str | None) -> None:
    """An application of the C API gives two sessions one initializer and one container. ONNX
    Runtime is offered what each of them packs, and owns it; up to now it lets sessions share what
    kernels of its own CPU execution provider pack, and no other. The second outlives the first."""
    done = telling.run_python(
        f"""
        import ctypes, models, numpy as np
        from capi import Ort, Plugin
        ort = Ort()
        plugin = Plugin(ort, {str(telling.library)!r}, "plugin.virtual")
        api = ort.api
        made = models.matmul_const(64, 32)
        content = made.SerializeToString()
        weights = models.numpy_helper.to_array(made.graph.initializer[0]).copy()
        place = api.make("CreateCpuMemoryInfo", 0, 0)
        shape = (ctypes.c_int64 * 2)(*weights.shape)
        shared = api.make("CreateTensorWithDataAsOrtValue", place, weights.ctypes.data,
                          weights.nbytes, shape, 2, 1)
        container = api.make("CreatePrepackedWeightsContainer")
        x = np.random.default_rng(1).standard_normal((3, 64)).astype(np.float32)

        def open_session():
            options = plugin.options()
            api("AddInitializer", options, "W", shared)
            session = api.make("CreateSessionFromArrayWithPrepackedWeightsContainer", ort.env,
                               content, len(content), options, container)
            return session, options

        first, second = open_session(), open_session()
        one = plugin.run(first[0], {{"X": x}}, "Y")
        plugin.close(*first)
        two = plugin.run(second[0], {{"X": x}}, "Y")
        plugin.close(*second)
        models.close([one, two], [2 * (x @ weights)] * 2)
        api.get("ReleasePrepackedWeightsContainer", container)
        api.get("ReleaseValue", shared)
        print("the end")
        """,
        runtime=runtime(version) if version else None,
    )
    assert (done.returncode, done.stdout) == (0, "the end\n"), done.stdout + done.stderr
    assert done.stderr.count("shared at 0x") == 2
