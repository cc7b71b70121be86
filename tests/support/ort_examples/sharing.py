"""ep_weight_sharing_ctx_gen, which is a program: models that are compiled to share one file."""

from __future__ import annotations

import numpy as np
from models import attribute, constant, contexts, model, node, value
from onnx import ModelProto

from ort_examples.harness import NO_FALLBACK, Place, example, of, same, save

_COUNT = 4096


def _model(factor: float) -> ModelProto:
    """Y = X * W * factor: W is the same in every model."""
    return model(
        [
            node("Mul", ["X", "W"], ["m"], name="mul_0"),
            node("Mul", ["m", "factor"], ["Y"], name="mul_1"),
        ],
        [value("X", [_COUNT])],
        [value("Y", [_COUNT])],
        [
            constant("W", np.arange(_COUNT, dtype=np.float32)),
            constant("factor", np.float32(factor)),
        ],
    )


@of("ep_weight_sharing_ctx_gen")
def several_models_share_a_file(place: Place) -> None:
    """The context on, not embedded, shared; the last one stops sharing, and the file is written."""
    with example(place) as it:
        factors, outputs = (2, 3, 5), []
        for factor in factors:
            source = save(_model(factor), place.folder / f"model_{factor}.onnx")
            outputs.append(place.folder / f"model_{factor}_ctx.onnx")
            config = {
                "ep.context_enable": "1",
                "ep.context_file_path": str(outputs[-1]),
                "ep.context_embed_mode": "0",
                "ep.share_ep_contexts": "1",
                **({"ep.stop_share_ep_contexts": "1"} if factor == factors[-1] else {}),
            }
            it.close(it.session(source, it.options(config)))
        files = [path for path in place.folder.iterdir() if path.suffix == ".bin"]
        assert len(files) == 1, files
        assert 4 * _COUNT < files[0].stat().st_size < 2 * 4 * _COUNT  # the weights are there once
        names = {
            attribute(each, "ep_cache_context").decode()
            for path in outputs
            for each in contexts(path)
        }
        assert names == {files[0].name}
        config = {
            **NO_FALLBACK,
            "ep.share_ep_contexts": "1",
            "session.disable_model_compile": "1",
        }
        x = np.ones(_COUNT, np.float32)
        sessions = [it.session(path, it.options(config)) for path in outputs]
        for factor, session in zip(factors, sessions, strict=True):
            same(it.run(session, {"X": x}, "Y")[0], factor * np.arange(_COUNT))
