"""The shell of a project: what stands between ORT's C structs and the kernels, and its build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from epforge.names import Safe
from epforge.ops.model import DType
from epforge.plan import (
    compiled,
    control_flow,
    custom_ops,
    devices,
    kernels,
    layout,
    memory,
    option_views,
    packing,
    services,
    targets,
    test_variant,
)
from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import (
    Blueprint,
    KernelSource,
    OptionType,
    VirtualPolicy,
)

# Beside each pair NAME.{h,cc} in src/abi: why it is there.
_ABI = {
    "bridge": "ORT's statuses and tensors as ours",
    "ep": "the execution provider of a session: claims nodes",
    "factory": "devices, sessions, and what outlives them",
    "node_reader": "nodes and their attributes",
}
_ABI_HEADERS = {
    "api": "ORT's tables and the level in use; how structs are stamped",
    "export": "marks what a library exports",
    "guard": "no exception crosses into ORT",
    "handles": "owners of ORT's objects",
    "kernel_exec": "what a kernel may use while it computes, out of ORT",
    "logger": "ORT's log",
    "negotiate": "which runtime this is, and whether it is new enough",
}
_ABI_KERNELS = {"kernel_adapter": "a kernel as ORT calls it"}
_ABI_REGISTRY = {"kernel_registry": "the kernel table as ORT's registry"}


def files(blueprint: Blueprint) -> list[FileSpec]:
    """The shell's files. The build list covers the kernels' sources too."""
    sources = [
        *_abi(blueprint),
        *_identity(blueprint),
        *devices.files(blueprint),
        *memory.files(blueprint),
        *compiled.files(blueprint, _params(blueprint)),
        *custom_ops.files(blueprint, _params(blueprint)),
        *control_flow.files(blueprint, _params(blueprint)),
        *services.files(blueprint, _params(blueprint)),
    ]
    built = [*sources, *kernels.files(blueprint)]
    return [
        *sources,
        *_exports(),
        *_build(blueprint, built),
        *_tests(blueprint),
        *test_variant.files(blueprint, _params(blueprint)),
    ]


def manifest(blueprint: Blueprint) -> Mapping[str, object]:
    """What the library claims, for validation and for the project's tests."""
    names = blueprint.names
    return {
        "format": 1,
        "library": names.library,
        "macro": names.macro,
        "ep": names.ep,
        "eps": list(blueprint.providers),
        "version": str(blueprint.version),
        "vendor": blueprint.vendor.name,
        "vendor_id": blueprint.vendor.pci_id,
        "ort": {"min": blueprint.ort.minimum_text, "target": blueprint.ort.target},
        "paradigm": blueprint.paradigm.value,
        "ep_context": {
            "embed": blueprint.features.embed,
            "external": blueprint.features.external,
            "share": blueprint.features.share,
        },
        "weightless": blueprint.features.weightless.value,
        "device_memory": blueprint.memory.on_device,
        **memory.claims(blueprint),
        **_cuda_claim(blueprint),
        **layout.claims(blueprint),
        "virtual": _virtual(blueprint),
        "device_types": list(dict.fromkeys(device.type.value for device in blueprint.devices)),
        "options": [option_views.claim(option) for option in blueprint.provider_options],
        "ops": [
            {
                "domain": op.domain,
                "op": op.op,
                "since": version.schema.since,
                "ready": op.kernel is KernelSource.GENERATED,
                "types": {
                    constraint: [dtype.text for dtype in dtypes]
                    for constraint, dtypes in version.types.items()
                },
            }
            for op in blueprint.claimed
            for version in op.versions
        ],
        "custom_ops": custom_ops.claims(blueprint),
        "custom_op_library": blueprint.custom_library,
    }


def _cuda_claim(blueprint: Blueprint) -> Mapping[str, object]:
    """What the manifest says of device code; nothing where there is none."""
    if blueprint.cuda is None:
        return {}
    return {"cuda": {"architectures": list(blueprint.cuda.architectures)}}


def _generated(path: str, params: Mapping[str, object], reason: str) -> FileSpec:
    return FileSpec(path, f"plugin/{path}", Owner.GENERATED, params, reason)


def _params(blueprint: Blueprint) -> Mapping[str, object]:
    """What decides which parts of the shell there are."""
    return {
        **compiled.switches(blueprint),
        **devices.switches(blueprint),
        **control_flow.switches(blueprint),
        **custom_ops.switches(blueprint),
        **packing.switches(blueprint),
        **memory.switches(blueprint),
        **services.switches(blueprint),
        **test_variant.switches(blueprint),
        "library": blueprint.names.library,
        "options": bool(blueprint.provider_options),
    }


def _abi(blueprint: Blueprint) -> list[FileSpec]:
    params = _params(blueprint)
    pairs = dict(_ABI)
    if blueprint.has_registry or blueprint.custom_ops:
        pairs |= _ABI_KERNELS
    if blueprint.has_registry:
        pairs |= _ABI_REGISTRY
    pairs |= memory.abi_pairs(blueprint)
    pairs |= services.abi_pairs(blueprint)
    headers = {**_ABI_HEADERS, **services.abi_headers(blueprint)}
    reasons = {f"{name}.h": reason for name, reason in headers.items()}
    reasons["entry.cc"] = "the two functions that the library exports"
    reasons["factory_devices.cc"] = "the devices that are offered"
    for name, reason in pairs.items():
        reasons |= {f"{name}.h": reason, f"{name}.cc": reason}
    return [_generated(f"src/abi/{name}", params, reason) for name, reason in reasons.items()]


def _identity(blueprint: Blueprint) -> list[FileSpec]:
    names = blueprint.names
    identity = {
        "project": names.name.kebab,
        "ep": names.ep,
        "vendor": blueprint.vendor.name,
        "vendor_id": Safe(f"0x{blueprint.vendor.pci_id:04X}"),
        "version": str(blueprint.version),
        "option_prefix": devices.option_prefix(names.ep),
        **devices.identities(blueprint),
        "target": blueprint.ort.target,
        "minimum": blueprint.ort.minimum,
    }
    options = [option_views.view(option) for option in blueprint.provider_options]
    types = {option.type for option in blueprint.provider_options}
    kinds = {kind.value: kind in types for kind in OptionType}
    table = {"options": options, "dynamic_options": services.has_dynamic_options(blueprint)}
    parser = {**table, "kinds": kinds, "exclusions": option_views.exclusions(blueprint, options)}
    parser |= {"several": len(blueprint.providers) > 1}
    specs = [
        _generated("src/gen/identity.h", identity, "names, versions, numbers"),
        _generated("src/gen/devices.h", devices.rules(blueprint), "which hardware is ours"),
        _generated("src/gen/manifest.json", {"manifest": manifest(blueprint)}, "what it claims"),
    ]
    if options:
        specs += [
            _generated("src/gen/options.h", table, "the provider options"),
            _generated("src/gen/options.cc", parser, "the parser of the provider options"),
        ]
    return specs


def _virtual(blueprint: Blueprint) -> bool:
    return any(device.virtual is VirtualPolicy.ALLOWED for device in blueprint.devices)


def _exports() -> list[FileSpec]:
    reasons = {
        "plugin.def": "the exported functions, for Windows",
        "plugin.lds": "the exported functions, for Linux",
        "plugin.exp": "the exported functions, for macOS",
    }
    return [_generated(f"exports/{name}", {}, reason) for name, reason in reasons.items()]


def _build(blueprint: Blueprint, compiled: Sequence[FileSpec]) -> list[FileSpec]:
    names = blueprint.names
    sources = sorted(
        spec.path
        for spec in compiled
        if spec.path.startswith("src/")
        and spec.path.endswith((".cc", ".cu"))
        and not custom_ops.is_library_only(blueprint, spec.path)
    )
    shared = {
        "project": names.namespace,
        "version": Safe(blueprint.version.cmake),
        "library": names.library,
        "macro": names.macro,
        "target": blueprint.ort.target,
    }
    modules = {
        "ort_headers": "finds ORT's headers",
        "exports": "what the library exports, per platform",
        "warnings": "the warnings that the code is clean of",
        "sanitizers": "address, undefined behaviour, threads",
        "sources": "what is compiled",
    }
    params = {**shared, "sources": sources}
    if blueprint.cuda is not None:
        modules["cuda"] = "finds nvcc, and compiles device code"
        params["architectures"] = sorted(blueprint.cuda.architectures)
    return [
        FileSpec(
            "CMakeLists.txt",
            "plugin/CMakeLists.txt",
            Owner.SHARED,
            {
                **shared,
                "custom_library": blueprint.custom_library is not None,
                **test_variant.switches(blueprint),
                "cuda": blueprint.cuda is not None,
            },
            "builds the library",
        ),
        FileSpec(
            "CMakePresets.json",
            "plugin/CMakePresets.json",
            Owner.SHARED,
            {"macro": names.macro, "targets": targets.presets(blueprint)},
            "release, debug and sanitizer builds, and one for each target",
        ),
        *(
            _generated(f"cmake/gen/{name}.cmake", params, reason)
            for name, reason in modules.items()
        ),
    ]


def _tests(blueprint: Blueprint) -> list[FileSpec]:
    params = {
        **_params(blueprint),
        "library": blueprint.names.library,
        "macro": blueprint.names.macro,
        "options": [option_views.view(option) for option in blueprint.provider_options],
        "trial": _trial(blueprint),
    }
    reasons = {
        "CMakeLists.txt": "builds and lists the C++ tests",
        "entry_test.cc": "versions and bad calls, against a made-up runtime",
        "host_test.cc": "the library in a real runtime, from C++",
        "host.h": "a small host for plugin libraries",
        "host.cc": "a small host for plugin libraries",
    }
    reasons |= services.tests(blueprint)
    if blueprint.custom_ops:
        reasons["custom_ops_test.cc"] = "custom operators, against a made-up runtime"
        reasons["custom_ops_harness.h"] = "the made-up runtime for custom operators"
    if blueprint.compiles:
        reasons["graph_test.cc"] = "partitions of graphs"
        reasons["program_test.cc"] = "graphs that are computed, saved and restored"
        reasons["graph_harness.h"] = "makes and runs graphs without ONNX Runtime"
    if blueprint.memory.has_arena:
        reasons["arena_test.cc"] = "arenas, against a model of them"
        reasons["nowhere.h"] = "memory that nobody has"
    if blueprint.memory.streams:
        reasons["kernel_call_test.cc"] = "calls of kernels that wait for their turn"
        reasons["stream_order_test.cc"] = "the order of queues, against a model of it"
        reasons["queues.h"] = "a model of queues"
        if blueprint.memory.has_arena:
            reasons["arena_streams_test.cc"] = "arenas of queues, case by case"
            reasons["arena_streams_model_test.cc"] = "arenas of queues, against a model of both"
    if blueprint.has_contexts:
        reasons["blob_test.cc"] = "the format of compiled data"
        reasons["compatibility_test.cc"] = "which compiled models fit which hardware"
    return [_generated(f"tests/cpp/{name}", params, reason) for name, reason in reasons.items()]


def _trial(blueprint: Blueprint) -> Mapping[str, object] | None:
    """An op that works element by element on floats, for tests to run; None if there is none."""
    for op in blueprint.ops:
        newest = op.versions[-1]
        inputs = newest.schema.inputs
        kinds = {parameter.type_str for parameter in (*inputs, *newest.schema.outputs)}
        if (
            op.kernel is KernelSource.GENERATED
            and op.row is not None
            and op.row.family in ("binary", "unary")
            and len(kinds) == 1
            and DType.FLOAT32 in newest.types.get(kinds.pop(), ())
        ):
            return {
                "domain": op.domain,
                "op": op.op,
                "opset": newest.schema.since,
                "inputs": len(inputs),
            }
    return None
