"""An example of every key of a blueprint, for the reference."""

from __future__ import annotations

from collections.abc import Mapping

#: What has to be there in every blueprint.
REQUIRED = {"epforge": "epforge: 1\n", "name": "name: contoso-npu\n", "vendor": "vendor: Contoso\n"}

#: By the key at the top: what is added to `REQUIRED`, or stands in its place. Keys that another one
#: needs are there, too.
EXAMPLES: Mapping[str, str] = {
    **REQUIRED,
    "names": """\
names:
  ep: ContosoExecutionProvider
  library: onnxruntime_ep_contoso
  distribution: onnxruntime-ep-contoso
""",
    "version": "version: 1.30.0\n",
    "vendor": "vendor: {name: Contoso, pci_id: 0xB357}\n",
    "license": "license: MIT\n",
    "paradigm": "paradigm: compiled\n",
    "ort": 'ort: {min: "1.26", target: "1.28"}\n',
    "runtime": """\
runtime: stub
devices: [{name: npu, type: npu, match: {vendor_id: 0xB357}}]
memory: {default: plain}
""",
    "devices": """\
devices:
  - name: npu
    type: npu
    match: {vendor_id: 0xB357, device_ids: [0x1001, 0x1002], metadata: {board: c2}}
    virtual: allowed
    metadata: {contoso_generation: "2"}
  - {name: cpu, type: cpu, ep: ContosoCpuExecutionProvider}
  - {name: gpu, type: gpu, software: allowed}
""",
    "cuda": """\
runtime: cuda
cuda: {architectures: [80, 90]}
devices: [{name: gpu, type: gpu, match: {vendor_id: 0x10DE}}]
memory: {default: arena, streams: true}
""",
    "memory": """\
devices: [{name: npu, type: npu, virtual: allowed}]
memory: {default: arena, host_accessible: plain, read_only: plain, streams: true}
""",
    "types": "types: [float32, float16]\n",
    "ops": """\
ops:
  - Relu
  - {op: Add, types: {T: [float32, int64]}, models: ">=13"}
  - {op: com.microsoft::BiasGelu, kernel: yours}
""",
    "custom_ops": """\
custom_ops:
  - op: com.contoso::Clip
    version: 2
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32, float64]}
    attributes: {lo: {type: float, default: -1.0}, hi: {type: float}}
    compute: min(max(x, lo), hi)
    grad: auto
    kernel: generated
""",
    "compile": """\
paradigm: compiled
ops: [Relu, Add, Mul, Cast]
compile:
  drop_constants: true
  max_group: 64
  also_kernels: [Cast]
  patterns: [{name: MulAdd, match: [Mul, Add]}]
""",
    "layout": "layout: NHWC\nops: [Conv, Transpose]\n",
    "options": """\
options:
  - {name: effort, type: int, range: [0, 3], default: 0, excludes: [auto], doc: Of the compiler.}
  - {name: auto, type: bool, default: false}
  - {name: log, choices: [error, info], default: error, dynamic: true}
""",
    "features": """\
ort: {target: "1.32"}
devices: [{name: npu, type: npu, virtual: allowed}]
memory: {default: arena, streams: true}
custom_ops:
  - {op: com.contoso::Twice, inputs: {x: T}, outputs: {y: T}, types: {T: [float32]}, compute: x + x}
features:
  custom_op_library: cpu
  profiler: true
  external_memory: true
  graphics_interop: true
  graph_capture: true
  resource_accounting: true
  memory_capacity: true
---
ort: {target: "1.29"}
paradigm: compiled
features:
  ep_context: {embed: true, external: true, share: true}
  weightless: external_only
""",
    "runtime_libs": "runtime_libs: [libcontoso_driver.so.2]\n",
    "system_libs": "system_libs: [libcontoso_kmd.so]\n",
    "python": 'python: {min: "3.12", native: separate, distributions: [{}, {suffix: -beta}]}\n',
    "torch": """\
custom_ops:
  - {op: com.contoso::Twice, inputs: {x: T}, outputs: {y: T}, types: {T: [float32]}, compute: x + x}
torch: {legacy: 17, dynamo: 18}
""",
    "targets": "targets: [linux-x64, windows-x64]\n",
    "overlays": """\
overlays:
  - header: house/header.txt
  - templates: house/templates
  - source: house/style
    data: {team: runtime}
""",
}


def examples(key: str) -> tuple[str, ...]:
    """The examples of a key at the top of a blueprint."""
    return tuple(EXAMPLES[key].split("---\n"))


def blueprint(example: str) -> str:
    """A whole blueprint that has an example in it."""
    there = {line.partition(":")[0] for line in example.splitlines()}
    head = {**REQUIRED, "ops": "ops: [Relu]\n"}
    return "".join(text for key, text in head.items() if key not in there) + example
