"""The sound projects: small, one for each paradigm that a defect needs."""

from __future__ import annotations

from collections.abc import Mapping

_REGISTRY = """
epforge: 1
name: contoso-npu
vendor: Contoso
options:
  - {name: effort, type: int, range: [0, 3], default: 1, doc: Effort of the kernels.}
  - {name: mode, choices: [fast, exact], default: fast, dynamic: true, doc: How to compute.}
ops: [Relu, {op: Add, types: {T: [float32, int64]}}, Mul]
"""
_COMPILED = """
epforge: 1
name: contoso-compiler
vendor: {name: Contoso, pci_id: 0xB357}
paradigm: compiled
compile: {drop_constants: true}
features: {ep_context: {embed: true, external: true, share: true}}
ops: [Relu, Add, Mul]
"""
_MEMORY = """
epforge: 1
name: contoso-vnpu
version: 0.1.0
vendor: {name: Contoso, pci_id: 0xB357}
devices:
  - name: npu
    type: npu
    match: {vendor_id: 0xB357, device_ids: [0x1001]}
    virtual: allowed
    metadata: {os_driver_version: 1.0.0.0}
memory: {default: plain}
ops: [Relu, Add, Mul]
"""
_STREAMS = """
epforge: 1
name: contoso-gpu
vendor: {name: Contoso, pci_id: 0xB357}
devices:
  - name: gpu
    type: gpu
    match: {vendor_id: 0xB357, device_ids: [0x2001]}
    virtual: allowed
memory: {default: arena, host_accessible: arena, read_only: plain, streams: true}
ops: [Relu, Add, Mul]
"""

TEXTS: Mapping[str, str] = {
    "registry": _REGISTRY,
    "compiled": _COMPILED,
    "memory": _MEMORY,
    "streams": _STREAMS,
}
