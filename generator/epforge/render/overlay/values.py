"""What a template of an overlay is told about the project. The names are stable."""

from __future__ import annotations

from typing import Any

from epforge.resolve.model import Blueprint


def values(blueprint: Blueprint) -> dict[str, Any]:
    """Plain texts and lists; a template sees them as ``epforge``, as in ``epforge.names.ep``."""
    names = blueprint.names
    return {
        "name": names.name.kebab,
        "names": {
            "ep": str(names.ep),
            "library": str(names.library),
            "distribution": names.distribution,
            "package": str(names.package),
            "namespace": str(names.namespace),
            "macro": str(names.macro),
        },
        "vendor": blueprint.vendor.name,
        "version": str(blueprint.version),
        "license": blueprint.license,
        "paradigm": blueprint.paradigm.value,
        "runtime": blueprint.runtime.value,
        "ort_min": blueprint.ort.minimum_text,
        "ort_target": f"1.{blueprint.ort.target}",
        "devices": [str(device.name) for device in blueprint.devices],
        "ops": [op.label for op in blueprint.claimed],
    }
