"""Who owns a handle: what the headers say in prose, as data.

An out parameter ``OrtX**`` of a function hands its caller a handle to release, except where it is
listed here. Headers of ONNX Runtime 1.27; the tests hold the list against the table.
"""

from __future__ import annotations

BORROWED = frozenset({
    "OrtApi.GetAllocatorWithDefaultOptions",
    "OrtApi.KernelContext_GetOutput",
    "OrtApi.KernelContext_GetSyncStream",
    "OrtApi.KernelContext_GetPreallocatedOutput",
    "OrtApi.CreateSharedAllocator",
    "OrtApi.GetSharedAllocator",
    "OrtApi.ShapeInferContext_GetInputTypeShape",
    "OrtApi.Run",
    "OrtApi.RunAsync",
})  # fmt: skip
"""What comes out stays the runtime's, or is too much to follow (outputs of a session)."""

TAKEN = {
    ("OrtModelEditorApi.AddInitializerToGraph", "tensor"): "kTakes",
    ("OrtModelEditorApi.AddNodeToGraph", "node"): "kTakes",
    ("OrtModelEditorApi.AddGraphToModel", "graph"): "kTakes",
    ("OrtModelEditorApi.SetGraphInputs", "inputs"): "kTakesEach",
    ("OrtModelEditorApi.SetGraphOutputs", "outputs"): "kTakesEach",
}
"""Arguments that belong to the runtime after success, and the shim's word for it."""

GIVEN = frozenset({("OrtModelEditorApi.CreateNode", "attributes")})
"""Arrays ``OrtX**`` that go in. Headers say that what is in them is copied; releases up to 1.32
take it over and leave nulls in its place, which the shim sees."""

YIELDED = frozenset({
    ("OrtEpFactory.CreateEp", "ep"),
    ("OrtEpFactory.CreateSyncStreamForDevice", "stream"),
    ("OrtSyncStreamImpl.CreateNotification", "notification"),
})  # fmt: skip
"""What a callback that succeeds must not leave null; the headers let the others do so."""

OPEN = frozenset({"OrtStatus", "OrtKeyValuePairs", "OrtValue", "OrtAllocator", "OrtKernelImpl"})
"""Handles that a library can also get in a way that no function of a table stands for: from a
callback of the runtime's own, as outputs of a session."""

PURE = frozenset({
    "OrtStatus",
    "OrtKeyValuePairs",
    "OrtMemoryInfo",
    "OrtTypeInfo",
    "OrtTensorTypeAndShapeInfo",
    "OrtKernelDef",
    "OrtKernelDefBuilder",
    "OrtOpSchema",
    "OrtOpAttr",
    "OrtEpDevice",
    "OrtHardwareDevice",
    "OrtModelMetadata",
    "OrtExternalInitializerInfo",
})  # fmt: skip
"""Handles that hold nothing but data: to release one a little later has no effect."""
