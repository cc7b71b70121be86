"""Blueprints whose operators of their own are compiled, are in device memory, or are everything."""

from __future__ import annotations

import custom_ops

_OPS = """\
ops: [Relu, Add, Mul, MatMul]
custom_ops:
  - op: com.contoso::Clip
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32]}
    attributes: {lo: {type: float, default: -1.0}, hi: {type: float, default: 1.0}}
    compute: min(max(x, lo), hi)
  - op: com.contoso::GatedUnit
    inputs: {x: T, gate: T}
    outputs: {y: T}
    types: {T: [float32, float64]}
    attributes: {slope: {type: float, default: 1.0}}
    compute: x * sigmoid(slope * gate)
  - op: com.contoso::Scale
    inputs: {x: T, bias: "T?", scale: T}
    outputs: {y: T}
    types: {T: [float32, int64]}
    compute: x * scale + default(bias, 0)
"""
COMPILED = f"""\
epforge: 1
name: contoso-compiler
vendor: {{name: Contoso, pci_id: 0xB357}}
paradigm: compiled
compile:
  drop_constants: true
  also_kernels: ["com.contoso::Scale"]
  patterns: [{{name: MulGate, match: [Mul, "com.contoso::GatedUnit"]}}]
features: {{ep_context: {{embed: true, external: true}}}}
{_OPS}"""
MEMORY = f"""\
epforge: 1
name: contoso-vnpu
vendor: {{name: Contoso, pci_id: 0xB357}}
devices:
  - {{name: npu, type: npu, match: {{vendor_id: 0xB357, device_ids: [0x1001]}}, virtual: allowed}}
memory: {{default: plain}}
{_OPS}"""
#: Every type, option and kind of attribute; versions; types and shapes that no input settles.
RICH = custom_ops.text(custom_ops.RICH + custom_ops.STUB)
