"""Templates and plan belong together: none is forgotten, none decides what the plan decides."""

import re
from pathlib import Path

import pytest
from blueprints import example

from epforge.assets import assets_dir
from epforge.ops import families
from epforge.plan import make_plan
from epforge.render import render

ROOT = assets_dir("templates")

# Between them, these ask for everything that can be generated.
ROWS = ", ".join(f"{row.domain}::{row.op}" if row.domain else row.op for row in families.rows())
FULL = f"""\
epforge: 1
name: contoso-npu
vendor: {{name: Contoso, pci_id: 0xB357}}
devices: [{{name: npu, type: npu, virtual: allowed}}]
memory: {{default: plain}}
ops: [{ROWS}, {{op: ImageDecoder, kernel: yours, types: {{T1: [uint8], T2: [uint8]}}}}]
options: [{{name: effort, type: int, range: [0, 3], default: 0}}]
license: MIT
"""
COMPILED = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
paradigm: virtual
ort: {target: "1.32"}
compile: {drop_constants: true, also_kernels: [Cast], patterns: [{name: MulAdd, match: [Mul, Add]}]}
features: {ep_context: {embed: true, external: true, share: true}, weightless: all}
ops: [Add, Relu]
options: [{name: effort, type: int, range: [0, 3], default: 0}]
"""
CUSTOM = """\
epforge: 1
name: contoso-npu
vendor: Contoso
ops: [Relu]
features: {custom_op_library: cuda}
custom_ops:
  - op: com.contoso::Many
    inputs: {x: T, bias: "T?", xs: "T*"}
    outputs: {y: T, z: bool}
    types: {T: [float32, uint8]}
    attributes: {low: {type: int, default: 2}}
    compute: {y: "max(x, low) + sum(xs)", z: "has(bias) and cast(x, uint8) > 0"}
  - {op: com.contoso::Stub, inputs: {x: T}, outputs: {y: T}, types: {T: [float32]}}
torch: {legacy: 17, dynamo: 18}
"""
MEMORY = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
runtime: stub
devices: [{name: npu, type: npu, virtual: allowed}]
memory: {default: arena, host_accessible: arena, read_only: plain}
ops: [Relu]
"""
CUDA = f"""\
epforge: 1
name: contoso-npu
vendor: {{name: Contoso, pci_id: 0xB357}}
runtime: cuda
devices: [{{name: gpu, type: gpu}}]
memory: {{default: arena, host_accessible: plain, streams: true}}
features: {{graph_capture: true, external_memory: true}}
ops: [{ROWS}, {{op: ImageDecoder, kernel: yours, types: {{T1: [uint8], T2: [uint8]}}}}]
"""
QUEUES = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
devices: [{name: gpu, type: gpu, virtual: allowed}]
memory: {default: arena, streams: true}
features: {profiler: true, graph_capture: true, external_memory: true, graphics_interop: true}
options: [{name: effort, type: int, dynamic: true}]
ops: [Relu]
"""
MINIMAL = "{epforge: 1, name: contoso-npu, vendor: Contoso, ops: [Relu]}\n"
LAYOUT = """\
epforge: 1
name: contoso-npu
vendor: Contoso
layout: NHWC
ops: [Conv, Transpose, If, Loop, Scan]
"""
PACKAGED = """\
epforge: 1
name: contoso-npu
vendor: {name: Contoso, pci_id: 0xB357}
ops: [Relu, MatMul]
options:
  - {name: effort, type: int, range: [0, 3], default: 0}
  - {name: mode, type: enum, choices: [exact, fast], default: exact}
  - {name: scale, type: float, default: 1.5}
  - {name: trace, type: bool, default: false}
  - {name: label, type: string, default: ""}
runtime_libs: [libacme_rt.so]
system_libs: [libacme_driver.so.1]
python: {native: separate, distributions: [{suffix: ""}, {suffix: -cu13}]}
targets: [linux-x64, windows-x64]
"""
HALVES = """\
epforge: 1
name: contoso-npu
vendor: Contoso
types: [float32, float16, bfloat16, float8e4m3fn, int4]
ops: [BitCast, Cast, Gemm, Pad, Relu]
"""
TEXTS = (MINIMAL, FULL, COMPILED, CUSTOM, MEMORY, CUDA, QUEUES, LAYOUT, PACKAGED, HALVES)
REFERENCE = re.compile(r"<%-?\s*(?:include|import|from|extends)\s+['\"]([^'\"]+)")


def templates() -> list[Path]:
    return [
        path
        for path in sorted(ROOT.rglob("*"))
        if path.is_file() and path.relative_to(ROOT).parts[0] in ("plugin", "kernels")
    ]


def test_every_template_is_used() -> None:
    used = {spec.template for text in TEXTS for spec in make_plan(example(text)).files}
    for path in templates():
        used.update(REFERENCE.findall(path.read_text(encoding="utf-8")))
    assert {path.relative_to(ROOT).as_posix() for path in templates()} <= used


def test_no_template_asks_for_the_paradigm() -> None:
    for path in templates():
        assert not re.search(r"<%[^%]*\bparadigm\s*==", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("text", TEXTS)
def test_everything_renders_clean(text: str) -> None:
    for path, file in render(make_plan(example(text))).items():
        content = file.content.decode("utf-8")
        if path == "blueprint.yaml":
            continue
        assert not re.search(r"<%|%>|\r|[ \t]\n", content), path
        assert content == "" or content.endswith("\n"), path
        assert not content.endswith("\n\n"), path


def test_no_vendor_but_ours_shows_in_the_output() -> None:
    text = "{epforge: 1, name: fabrikam-gpu, vendor: Fabrikam, ops: [Relu]}\n"
    for path, file in render(make_plan(example(text))).items():
        assert "contoso" not in path.lower()
        assert b"contoso" not in file.content.lower(), path
