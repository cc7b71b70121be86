"""A language model as exporters write it, small: fused operators, quantized weights, a cache.

Needs numpy, onnx and onnxruntime only: processes under test import it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from models import INT64, constant, model, node, value
from onnx import ModelProto, NodeProto, TensorProto

LAYERS = 2
HEADS, KV_HEADS, DEPTH = 4, 2, 16
WIDTH = HEADS * DEPTH
WORDS = 50
#: Positions that rotary embedding knows.
LONGEST = 32
#: The operators of the model, as a blueprint lists them.
OPS = (
    "Cast",
    "Gather",
    "Mul",
    "ReduceSum",
    "Shape",
    "SimplifiedLayerNormalization",
    "Sub",
    "com.microsoft::GroupQueryAttention",
    "com.microsoft::MatMulNBits",
    "com.microsoft::QuickGelu",
    "com.microsoft::SkipSimplifiedLayerNormalization",
)
_BLOCK = 32


class _Builder:
    def __init__(self) -> None:
        self.random = np.random.default_rng(7)
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def fused(self, op: str, inputs: list[str], outputs: list[str], **attributes: Any) -> None:
        made = node(op, inputs, outputs, domain="com.microsoft", name=outputs[0], **attributes)
        self.nodes.append(made)

    def plain(self, op: str, inputs: list[str], output: str, **attributes: Any) -> None:
        self.nodes.append(node(op, inputs, [output], name=output, **attributes))

    def product(self, x: str, k: int, n: int, y: str, bits: int = 4, zeros: bool = False) -> None:
        """y = x times random weights of so many bits."""
        blocks = k // _BLOCK
        weights = self.random.integers(0, 256, (n, blocks, _BLOCK * bits // 8), np.uint8)
        scales = self.random.uniform(0.5, 1.5, (n, blocks)) / (2 ** (bits - 2) * k**0.5)
        names = [f"{y}.weights", f"{y}.scales"]
        self.constants += [constant(names[0], weights), constant(names[1], scales.astype("f"))]
        if zeros:
            names.append(f"{y}.zeros")
            packed = self.random.integers(0, 256, (n, (blocks * bits + 7) // 8), np.uint8)
            middle = packed & 0x33 | 0x44  # from 4 to 7, near the middle
            self.constants.append(constant(names[2], middle))
        sizes = {"K": k, "N": n, "bits": bits, "block_size": _BLOCK}
        self.fused("MatMulNBits", [x, *names], [y], **sizes)

    def skip(self, total: str, more: str, name: str) -> tuple[str, str]:
        """Adds to the running sum; returns its name, and that of the sum brought to unit length."""
        inputs = [total, more, self.scale(f"{name}.scale")]
        outputs = [name, "", "", f"{name}.sum"]
        self.fused("SkipSimplifiedLayerNormalization", inputs, outputs, epsilon=1e-5)
        return f"{name}.sum", name

    def scale(self, name: str) -> str:
        self.constants.append(constant(name, self.random.uniform(0.5, 1.5, WIDTH).astype("f")))
        return name


def language_model() -> ModelProto:
    """Inputs: input_ids, attention_mask, and past_key.0 and so on; outputs: logits, present_key.0
    and so on."""
    b = _Builder()
    angles = np.outer(np.arange(LONGEST), 100.0 ** (-np.arange(DEPTH // 2) / (DEPTH // 2)))
    b.constants += [
        constant("embedding", b.random.standard_normal((WORDS, WIDTH)).astype("f")),
        constant("cos", np.cos(angles).astype("f")),
        constant("sin", np.sin(angles).astype("f")),
        constant("one", np.array([1], np.int64)),
        constant("last", np.array(1, np.int64)),
    ]
    b.plain("ReduceSum", ["attention_mask", "one"], "lengths", keepdims=0)
    b.plain("Sub", ["lengths", "one"], "lasts")
    b.plain("Cast", ["lasts"], "seqlens_k", to=TensorProto.INT32)
    b.plain("Shape", ["attention_mask"], "mask_shape")
    b.plain("Gather", ["mask_shape", "last"], "total")
    b.plain("Cast", ["total"], "total_sequence_length", to=TensorProto.INT32)

    b.plain("Gather", ["embedding", "input_ids"], "sum")
    b.plain("SimplifiedLayerNormalization", ["sum", b.scale("scale")], "normal", epsilon=1e-5)
    total, normal = "sum", "normal"
    caches = []
    for i in range(LAYERS):
        qkv = (HEADS + 2 * KV_HEADS) * DEPTH
        b.product(normal, WIDTH, qkv, f"qkv.{i}", zeros=True)
        past = [f"past_key.{i}", f"past_value.{i}"]
        present = [f"present_key.{i}", f"present_value.{i}"]
        caches += [*zip(past, present, strict=True)]
        b.fused(
            "GroupQueryAttention",
            [f"qkv.{i}", "", "", *past, "seqlens_k", "total_sequence_length", "cos", "sin"],
            [f"attention.{i}", *present],
            num_heads=HEADS,
            kv_num_heads=KV_HEADS,
            do_rotary=1,
            local_window_size=6 if i else -1,
        )
        b.product(f"attention.{i}", WIDTH, WIDTH, f"mixed.{i}")
        total, normal = b.skip(total, f"mixed.{i}", f"middle.{i}")
        b.product(normal, WIDTH, 2 * WIDTH, f"gate.{i}")
        b.product(normal, WIDTH, 2 * WIDTH, f"up.{i}")
        b.fused("QuickGelu", [f"gate.{i}"], [f"opened.{i}"], alpha=1.0)
        b.plain("Mul", [f"opened.{i}", f"up.{i}"], f"wide.{i}")
        b.product(f"wide.{i}", 2 * WIDTH, WIDTH, f"down.{i}")
        total, normal = b.skip(total, f"down.{i}", f"end.{i}")
    b.product(normal, WIDTH, WORDS, "logits", bits=8)

    cache = ["batch", KV_HEADS, "capacity", DEPTH]
    inputs = [value("input_ids", ["batch", "tokens"], INT64)]
    inputs += [value("attention_mask", ["batch", "all"], INT64)]
    inputs += [value(past, cache) for past, _ in caches]
    outputs = [value("logits", ["batch", "tokens", WORDS])]
    outputs += [value(present, cache) for _, present in caches]
    extra = [("com.microsoft", 1)]
    return model(b.nodes, inputs, outputs, b.constants, opset=21, extra=extra)


def empty_cache(batches: int, capacity: int = 0) -> dict[str, np.ndarray[Any, Any]]:
    """What stands for the past before the first token."""
    shape = (batches, KV_HEADS, capacity, DEPTH)
    names = [f"past_{kind}.{i}" for i in range(LAYERS) for kind in ("key", "value")]
    return {name: np.zeros(shape, np.float32) for name in names}
