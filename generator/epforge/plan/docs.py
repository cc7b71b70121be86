"""What the project tells people: its README."""

from __future__ import annotations

from epforge.names import Identifier, Safe
from epforge.plan import memory, native, python_options, samples
from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import (
    Blueprint,
    Device,
    Op,
    Option,
    OptionType,
    VirtualPolicy,
)
from epforge.resolve.services import (
    CustomKernel,
    CustomLibrary,
    CustomOp,
    CustomParameter,
    Native,
)

_NAMED_OPS = 12  # more than these are counted, not listed


def files(blueprint: Blueprint) -> list[FileSpec]:
    """The README."""
    return [_readme(blueprint)]


def _torch_package(blueprint: Blueprint) -> Identifier | None:
    """The name of the PyTorch package; None where there is none."""
    if blueprint.torch is None:
        return None
    from epforge.plan import torch

    return torch.package_name(blueprint) if torch.files(blueprint) else None


def _native_distribution(blueprint: Blueprint) -> str | None:
    """The name of the distribution with the kernels for NumPy; None where there is none."""
    if blueprint.native is not Native.SEPARATE:
        return None
    return native.distribution_name(blueprint)


def _readme(blueprint: Blueprint) -> FileSpec:
    names = blueprint.names
    library_file = f"lib{names.library}.so"
    custom_library = blueprint.custom_library
    dynamic = [option.name for option in blueprint.provider_options if option.dynamic]
    virtual = any(device.virtual is VirtualPolicy.ALLOWED for device in blueprint.devices)
    return FileSpec(
        path="README.md",
        template="plugin/README.md",
        owner=Owner.SHARED,
        params={
            "ep": names.ep,
            "ep_name": str(names.ep),
            "ep_lower": str(names.ep).lower(),
            "macro": names.macro,
            "package": names.package,
            "package_name": str(names.package),
            "vendor": blueprint.vendor.name,
            "library_file": library_file,
            "built_library": f"build/release/{library_file}",
            "registration": samples.registration_name(blueprint),
            "op_count": len(blueprint.claimed),
            "op_names": _op_names(blueprint),
            "stubs": ", ".join(op.label for op in blueprint.ops if _is_stub(op)),
            "ort_minimum": Safe(blueprint.ort.minimum_text),
            "target": blueprint.ort.target,
            "virtual": virtual,
            **memory.switches(blueprint),
            "devices": [_device(device, blueprint) for device in blueprint.devices],
            "options": [_option(option) for option in blueprint.provider_options],
            "keyword": python_options.first_keyword(blueprint),
            "dynamic": dynamic,
            "dynamic_names": ", ".join(dynamic),
            "custom_ops": [_custom_op(op) for op in blueprint.custom_ops],
            "custom_library": custom_library and f"lib{custom_library}.so",
            "cuda_library": blueprint.features.custom_op_library is CustomLibrary.CUDA,
            "torch": _torch_package(blueprint),
            "native": _native_distribution(blueprint),
            "compiled": blueprint.compiles,
            "contexts": blueprint.has_contexts,
            "share": blueprint.features.share,
            "external": blueprint.features.external,
            "embed": blueprint.features.embed,
            "blob": f"MODEL_ctx.{str(names.ep).lower()}.bin",
        },
        reason="how to build, test and use the project",
    )


def _op_names(blueprint: Blueprint) -> str:
    if len(blueprint.claimed) > _NAMED_OPS:
        return ""
    return ", ".join(op.label for op in blueprint.claimed)


def _is_stub(op: Op) -> bool:
    """Does its kernel start empty? Whose it is does not count: ejecting leaves the README be."""
    return op.row is None


def _device(device: Device, blueprint: Blueprint) -> dict[str, str | Identifier]:
    match = device.match
    parts = []
    if match.vendor_id is not None:
        parts.append(f"vendor {match.vendor_id:#06x}")
    if match.device_ids:
        parts.append("device " + " or ".join(f"{number:#06x}" for number in match.device_ids))
    parts += [f"{key} {value}" for key, value in sorted(match.metadata.items())]
    virtual = device.virtual is VirtualPolicy.ALLOWED
    return {
        "name": device.name,
        "type": device.type.value,
        "match": ", " + ", ".join(parts) if parts else ", of any vendor",
        "virtual": "; also as a virtual device" if virtual else "",
        "software": f"ep_factory.{device.ep}.allow_software" if device.software else "",
        "ep": str(device.ep) if len(blueprint.providers) > 1 else "",
    }


def _custom_op(op: CustomOp) -> dict[str, str]:
    def formals(parameters: tuple[CustomParameter, ...]) -> str:
        return ", ".join(f"{p.name}: {p.spelling}" for p in parameters)

    types = "; ".join(f"{name}: {', '.join(d.text for d in t)}" for name, t in op.types.items())
    texts = {name: expression.text for name, expression in (op.compute or {}).items()}
    formula = "; ".join(f"{name} = {text}" for name, text in texts.items())
    elsewhere = op.kernel is CustomKernel.ELSEWHERE
    return {
        "name": op.label,
        "inputs": formals(op.inputs),
        "outputs": formals(op.outputs),
        "types": types,
        "formula": formula,
        "note": "in another library; only its schema is here"
        if elsewhere
        else ""
        if formula
        else "yours to write",
    }


def _option(option: Option) -> dict[str, str]:
    default = str(option.default)
    return {
        "name": option.name,
        "type": option.type.value,
        "default": default.lower() if option.type is OptionType.BOOL else default,
        "legal": _values(option),
        "doc": option.doc,
    }


def _values(option: Option) -> str:
    parts = []
    if option.choices:
        parts.append(", ".join(option.choices))
    if option.minimum is not None and option.maximum is not None:
        parts.append(f"{option.minimum} to {option.maximum}")
    elif option.minimum is not None:
        parts.append(f"at least {option.minimum}")
    elif option.maximum is not None:
        parts.append(f"at most {option.maximum}")
    if option.excludes:
        parts.append("not together with " + ", ".join(option.excludes))
    return "; ".join(parts)
