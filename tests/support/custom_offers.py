"""Manifests with custom ops, and models that use them, for the tests of the doctor."""

from __future__ import annotations

from typing import Any

from onnx import parser

from epforge.validate.models import Finding, Offer, judge, offer
from epforge.validate.static import Kind
from epforge.validate.worker.model import Reader, inferred

DOMAIN = "com.contoso"
LIBRARY = "libcontoso_npu_custom_ops.so"
PLUGIN = "libonnxruntime_ep_contoso_npu.so"
EP = "ContosoNpuExecutionProvider"


def op(name: str = "MyClip", **changes: Any) -> dict[str, Any]:
    """A custom op of a manifest: (x: T, b: T?) -> T, with an attribute that has a default."""
    usual = {
        "domain": DOMAIN,
        "op": name,
        "version": 1,
        "inputs": [
            {"name": "x", "type": "T", "option": "single"},
            {"name": "b", "type": "T", "option": "optional"},
        ],
        "outputs": [{"name": "y", "type": "T"}],
        "types": {"T": ["float32", "float64"]},
        "attributes": [{"name": "low", "type": "float", "default": -1.0, "required": False}],
        "kernel": "generated",
        "compute": {"y": "x"},
    }
    return {**usual, **changes}


def manifest(*ops: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A manifest whose project makes both a plugin EP and a custom-op library."""
    usual = {
        "format": 1,
        "library": "onnxruntime_ep_contoso_npu",
        "ep": EP,
        "vendor": "Contoso",
        "version": "0.1.0",
        "ort": {"min": "1.24.4", "target": 27},
        "ops": [],
        "custom_ops": list(ops) or [op()],
        "custom_op_library": "contoso_npu_custom_ops",
    }
    return {**usual, **changes}


def library(*ops: dict[str, Any], file: str = LIBRARY) -> Offer:
    """A custom-op library that is registered."""
    return offer(manifest(*ops), Kind.CUSTOM_OPS, file, "manifest", given=True)


def plugin(*ops: dict[str, Any], file: str = PLUGIN, ep: str = EP) -> Offer:
    """A plugin EP that is registered."""
    return offer(manifest(*ops, ep=ep), Kind.PLUGIN_EP, file, "manifest", given=True)


def model(body: str, version: int | None = 1, functions: str = "", opset: int = 17) -> Any:
    """A model of float32 x, float64 d, int32 i and bool c with an output y that has no type."""
    custom = "" if version is None else f', "{DOMAIN}": {version}'
    return parser.parse_model(
        f'<ir_version: 8, opset_import: ["": {opset}{custom}]> '
        f"g (float[2] x, double[2] d, int32[2] i, bool c) => (y) {{ {body} }} {functions}"
    )


def findings(made: Any, *offers: Offer) -> tuple[Finding, ...]:
    """What is wrong with a model, given libraries."""
    return judge(Reader(inferred(made)).facts(), offers).findings


def the_finding(made: Any, *offers: Offer) -> Finding:
    """The one thing that is wrong."""
    found = findings(made, *offers)
    assert len(found) == 1, found
    assert found[0].hint
    assert "\n" not in found[0].message + found[0].hint
    return found[0]
