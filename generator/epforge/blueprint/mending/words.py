"""What people write for a word of the format: other spellings, other programs' names for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pydantic import BaseModel

from epforge.blueprint.diagnostic import suggest
from epforge.blueprint.lookalikes import as_latin
from epforge.blueprint.mending.platforms import platform
from epforge.blueprint.words import (
    ATTRIBUTE_TYPES,
    CUSTOM_KERNELS,
    CUSTOM_LIBRARIES,
    GRADS,
    KERNELS,
    MEMORY_KINDS,
    NATIVE,
    OPTION_TYPES,
    PARADIGMS,
    RUNTIMES,
    SOFTWARE,
    TARGETS,
    TYPES,
    WEIGHTLESS,
)

_TRUE = ("true", "yes", "on", "y", "1")
_FALSE = ("false", "no", "off", "n", "0")


def _all(**words: str) -> dict[str, str]:
    """Per word that is meant, those that are written for it; turned round."""
    return {each: meant for meant, text in words.items() for each in text.split()}


def _flags(true: str = "", false: str = "none") -> dict[str, str]:
    yes = dict.fromkeys(_TRUE, true) if true else {}
    return {**yes, **dict.fromkeys(_FALSE, false)}


_TYPES = _all(
    float32="float single f32 fp32",
    float64="double f64 fp64",
    float16="half f16 fp16",
    bfloat16="bf16 bfloat",
    int8="i8",
    int16="i16 short",
    int32="i32 integer32",
    int64="i64 long longlong integer64",
    uint8="u8 byte ubyte",
    uint16="u16 ushort",
    uint32="u32",
    uint64="u64 ulong",
    bool="boolean",
    string="str",
    float8e4m3fn="fp8e4m3 fp8e4m3fn float8e4m3",
    float8e5m2="fp8e5m2",
)
_ALLOWED = {**_flags("allowed", "never"), **_all(allowed="always allow enabled", never="disabled")}
_KERNELS = _all(yours="own custom mine user manual", generated="auto generate default")

_CHOICES: Mapping[tuple[str, ...], Mapping[str, str]] = {
    TYPES: _TYPES,
    OPTION_TYPES: _all(
        int="integer int32 int64 long",
        float="double real float32 float64",
        bool="boolean flag",
        string="str text path",
        enum="choice choices enumeration",
    ),
    ATTRIBUTE_TYPES: _all(
        int="integer int32 int64 long",
        float="double real float32 float64",
        bool="boolean",
        string="str text",
    ),
    SOFTWARE: _ALLOWED,
    MEMORY_KINDS: _flags(),
    WEIGHTLESS: _flags(),
    NATIVE: _flags("separate"),
    GRADS: _flags("auto"),
    CUSTOM_LIBRARIES: _flags("cpu"),
    KERNELS: _KERNELS,
    CUSTOM_KERNELS: _KERNELS,
    PARADIGMS: {
        "kernel": "kernel-registry",
        "kernels": "kernel-registry",
        "registry": "kernel-registry",
        "compile": "compiled",
        "compiler": "compiled",
        "compiling": "compiled",
        "compilation": "compiled",
    },
    RUNTIMES: _all(host="cpu simulated", cuda="gpu nvidia"),
}

#: Keys of other tools and of everyday speech, per shape: each means the same, and has the same
#: values.
_KEYS: Mapping[str, Mapping[str, str]] = {
    "BlueprintShape": _all(
        ops="operators operator op kernels",
        custom_ops="custom_operators own_ops",
        options="provider_options ep_options settings",
        types="dtypes dtype datatypes data_types element_types",
        targets="platforms platform",
        ort="onnxruntime onnx_runtime runtime_version ort_version",
        devices="hardware",
        overlays="templates style",
        runtime_libs="libs libraries shared_libs",
        license="spdx license_id",
        vendor="manufacturer company",
    ),
    "OrtShape": _all(min="minimum oldest min_version from", target="api version api_version"),
    "PythonShape": _all(min="minimum requires requires_python version min_version"),
    "VendorShape": _all(pci_id="vendor_id id pci pci_vendor_id vid", name="vendor"),
    "DeviceShape": _all(type="kind device_type", name="id", ep="execution_provider provider"),
    "MatchShape": _all(vendor_id="vendor pci_id vid", device_ids="device_id devices ids pci_ids"),
    "OpShape": _all(
        op="name operator op_type",
        models="opset opsets opset_version",
        types="dtypes dtype datatypes data_types type",
    ),
    "CustomOpShape": _all(
        op="name operator op_type",
        version="since since_version opset",
        attributes="attrs attrib",
        compute="expression formula expr",
        grad="gradient backward",
        types="type_constraints constraints dtypes",
    ),
    "CustomAttributeShape": _all(type="kind dtype", default="value default_value"),
    "OptionShape": _all(
        name="key",
        doc="description help desc docs comment",
        choices="values enum allowed options",
        default="value default_value",
        type="kind dtype",
    ),
    "PatternShape": _all(match="ops chain operators"),
    "MemoryShape": _all(
        default="device kind type",
        host_accessible="pinned host shared",
        read_only="readonly initializers constants",
        streams="stream async",
    ),
    "CompileShape": _all(max_group="max_nodes max_group_size", also_kernels="kernels"),
    "FeaturesShape": _all(
        profiler="profiling",
        graph_capture="cuda_graph capture",
        ep_context="context epcontext compiled_models",
    ),
    "CudaShape": _all(architectures="archs arch compute_capabilities sm"),
    "OverlayShape": _all(source="path template", data="answers"),
}


# Words of keys that tell nothing of what the value is.
_SAYS_NOTHING = frozenset(
    [
        "spdx",
        "identifier",
        "project",
        "package",
        "my",
        "the",
        "list",
        "config",
        "configuration",
        "settings",
        "section",
    ]
)


def folded(word: str) -> str:
    """A word without case and without what stands between its parts."""
    return re.sub(r"[\W_]+", "", as_latin(word)).casefold()


def choice(text: str, words: tuple[str, ...]) -> str | None:
    """The word of a choice that a text most likely means; None where that cannot be told."""
    text = as_latin(text)
    bare = text.strip().casefold()
    plain = _bare_type(bare) if words == TYPES else bare
    if words == TARGETS:
        meant, is_sure = platform(bare)
        if is_sure:
            return meant
    known = {folded(word): word for word in words}
    for spelling in (plain, folded(plain)):
        if spelling in known:
            return known[spelling]
        meant = _CHOICES.get(words, {}).get(spelling)
        if meant is not None:
            return meant
    return suggest(text, words)


def _bare_type(text: str) -> str:
    """``float32`` of ``np.float32``, ``tensor(float)`` and their like."""
    inner = re.fullmatch(r"tensor\((\w+)\)", text)
    return (
        inner[1]
        if inner
        else re.sub(r"^(np|numpy|torch|tf|onnx\.tensorproto|tensorproto)\.", "", text)
    )


def key(text: str, shape: str, known: Iterable[str]) -> str | None:
    """The key of a shape that a text most likely means; None where that cannot be told."""
    keys = tuple(known)
    by_fold = {folded(each): each for each in keys}
    bare = folded(text)
    for spelling in (bare, bare.removesuffix("s"), f"{bare}s"):
        if spelling in by_fold:
            return by_fold[spelling]
    others = {folded(each): meant for each, meant in _KEYS.get(shape, {}).items()}
    if others.get(bare) in keys:
        return others[bare]
    parts = [part for part in re.split(r"[\W_]+", as_latin(text)) if part]
    telling = [part for part in parts if part.casefold() not in _SAYS_NOTHING]
    if telling and len(telling) < len(parts):
        return key("_".join(telling), shape, keys)
    close = suggest(bare, by_fold)
    return by_fold[close] if close else None


def qualified(text: str, section: str, shape: type[BaseModel]) -> str | None:
    """The key of a table that a text names together with the table: ``ort_min``, ``ep_name``."""
    bare, own = folded(text), folded(section)
    keys = {folded(each): each for each in shape.model_fields}
    others = {folded(each): key for each, key in _KEYS.get(shape.__name__, {}).items()}
    for name in (own, own.removesuffix("s")) if own else ():
        for rest in (bare.removeprefix(name), bare.removesuffix(name)):
            if rest and rest != bare and (keys | others).get(rest):
                return keys.get(rest) or others[rest]
    return None


def exactly(text: str, section: str, shape: type[BaseModel]) -> str | None:
    """The key of a table that a text is but for case and for what stands between its parts."""
    return {folded(each): each for each in shape.model_fields}.get(folded(text))
