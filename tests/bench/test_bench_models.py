"""What a whole model takes, beside ONNX Runtime's own CPU execution provider: one thread each."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from locking import locked
from projects import built
from real_models import OCR, blueprint, ocr_model

from epforge.cache import cache_dir

pytestmark = pytest.mark.bench

_MOST = 5.0
_CODE = """
    import time
    from real_models import pictures
    path, shape = {path!r}, {shape!r}

    def session(device=None):
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        if device is None:
            return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        options.add_provider_for_devices([device], {{}})
        return ort.InferenceSession(path, options)

    x = pictures(shape)
    best = {{}}
    sessions = {{"ours": session(device), "cpu": session()}}
    for _ in range(5 if shape[2] > 48 else 60):
        for name, each in sessions.items():
            feeds = {{each.get_inputs()[0].name: x}}
            begin = time.perf_counter()
            each.run(None, feeds)
            best[name] = min(best.get(name, 1e9), time.perf_counter() - begin)
    print(json.dumps(best))
"""


@pytest.mark.parametrize("paradigm", ["kernel-registry", "compiled"])
@pytest.mark.parametrize("what", OCR)
def test_reading_text_takes_a_few_times_as_long(
    what: str, paradigm: str, report: Callable[[str], None]
) -> None:
    store = cache_dir("tests", "models")
    with locked(store.with_suffix(".lock")):
        path = ocr_model(what, store)
    shape = OCR[what][1]
    done = built(blueprint(paradigm)).python(_CODE.format(path=str(path), shape=shape))
    assert done.returncode == 0, done.stderr
    best: dict[str, float] = json.loads(done.stdout)
    ratio = best["ours"] / best["cpu"]
    report(f"{what}, {paradigm}: {best['ours']:.3f} s, {ratio:.2f} x the CPU's")
    assert ratio <= _MOST
