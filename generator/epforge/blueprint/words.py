"""The words that a blueprint has to choose from."""

from __future__ import annotations

PARADIGMS = ("kernel-registry", "compiled", "virtual")
RUNTIMES = ("host", "cuda", "stub")
DEVICE_TYPES = ("cpu", "gpu", "npu")
VIRTUAL = ("never", "allowed")
SOFTWARE = ("never", "allowed")
MEMORY_KINDS = ("none", "plain", "arena")
OPTION_TYPES = ("int", "float", "bool", "string", "enum")
KERNELS = ("generated", "yours")
LAYOUTS = ("NCHW", "NHWC")
WEIGHTLESS = ("none", "external_only", "all")
NATIVE = ("none", "separate")
GRADS = ("auto", "stub", "none")
CUSTOM_KERNELS = ("generated", "yours", "elsewhere")
CUSTOM_LIBRARIES = ("none", "cpu", "cuda")
TARGETS = ("linux-x64", "linux-arm64", "windows-x64", "macos-arm64")
ATTRIBUTE_TYPES = ("int", "float", "string", "bool", "ints", "floats", "strings", "tensor")
TYPES = (
    "float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64",
    "uint8", "uint16", "uint32", "uint64", "bool", "string",
    "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "float8e8m0",
    "float4e2m1", "int4", "uint4", "int2", "uint2",
)  # fmt: skip
