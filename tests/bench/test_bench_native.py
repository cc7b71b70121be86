"""What a call of the native module costs, beside NumPy in the same run."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from acting_kernel import acting_module

pytestmark = pytest.mark.bench

_MOST = 2.0
_CODE = """
    import time

    x = np.random.default_rng(1).standard_normal(1 << 24).astype(np.float32)
    out = np.empty_like(x)
    best = {}

    def measure(name, call):
        begin = time.perf_counter()
        call()
        best[name] = min(best.get(name, 1e9), time.perf_counter() - begin)

    small = x[:4]
    for _ in range(15):
        measure("numpy", lambda: np.maximum(x, 0, out=out))
        measure("native", lambda: native.ops.relu(x, out=out))
        measure("numpy, new", lambda: np.maximum(x, 0))
        measure("native, new", lambda: native.ops.relu(x))
        measure("numpy, small", lambda: [np.maximum(small, 0) for _ in range(1000)])
        measure("native, small", lambda: [native.ops.relu(small) for _ in range(1000)])
    print(json.dumps(best))
"""


def test_a_large_relu_is_about_as_fast_as_numpy_s(report: Callable[[str], None]) -> None:
    done = acting_module().run(_CODE)
    assert done.returncode == 0, done.stderr
    best: dict[str, float] = json.loads(done.stdout)
    for kind in ("", ", new"):
        ratio = best[f"native{kind}"] / best[f"numpy{kind}"]
        report(f"Relu of 2^24 floats{kind}: {best[f'native{kind}']:.4f} s, {ratio:.2f} x NumPy")
        assert ratio <= _MOST
    small = best["native, small"] * 1000
    report(f"Relu of 4 floats: {small:.1f} us a call, NumPy {best['numpy, small'] * 1000:.1f} us")
