"""The part of a project that compiles: graphs, their executables, and compiled models."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import Blueprint, Paradigm

#: First API level with callbacks for the data of compiled models, and with the choice among them.
_CALLBACKS_SINCE = 28

# In src/gen/graph: file by file, why it is there. None of them knows ONNX Runtime.
_GRAPH = {
    "graph.h": "a group of nodes to compile",
    "executable.h": "what a compiler makes of a group; the hook",
    "partition.h": "divides a graph into groups",
    "partition.cc": "divides a graph into groups",
    "graph_node.h": "a group's node as kernels read it",
    "graph_node.cc": "a group's node as kernels read it",
    "program.h": "an executable that calls the kernels",
    "program.cc": "an executable that calls the kernels",
    "bytes.h": "bounded reading and writing of bytes",
    "quotient.h": "a graph whose nodes are contracted",
    "quotient.cc": "a graph whose nodes are contracted",
    "program_check.h": "checks a graph before it is run",
    "program_check.cc": "checks a graph before it is run",
    "program_plan.h": "which values share memory",
    "program_plan.cc": "which values share memory",
    "program_codec.h": "a graph as bytes",
    "program_codec.cc": "a graph as bytes",
    "program_run.h": "a run of a program",
    "program_run.cc": "a run of a program",
    "buffers.h": "memory that grows",
}
_PATTERNS = {
    "patterns.h": "finds the patterns of the blueprint",
    "patterns.cc": "finds the patterns of the blueprint",
}
_BLOB = {
    "blob.h": "the format of compiled data",
    "blob.cc": "the format of compiled data",
    "checksum.h": "a checksum of compiled data",
    "checksum.cc": "a checksum of compiled data",
}

# Beside each pair NAME.{h,cc} in src/abi: why it is there.
_ABI = {
    "claim": "which nodes to take, and in which groups",
    "compute_info": "an executable as ORT runs it",
    "graph_reader": "ORT's graph as ours",
    "links": "the edges of ORT's graph",
}
_ABI_CONTEXTS = {
    "compatibility": "does a compiled model fit a device",
    "context_blob": "the data of a compiled model: who made it, what is in it",
    "context_file": "reads and writes the files of compiled models, safely",
    "context_node": "EPContext nodes and their attributes",
    "context_reader": "loads EPContext nodes",
    "context_settings": "what a session wants of compiled models",
    "context_writer": "writes EPContext nodes and their data",
    "contexts": "EPContext nodes of a session",
    "inner_graphs": "what a compiled model would lack for inner graphs",
}
_ABI_SHARE = {"share_group": "sessions that share one file"}
_ABI_CALLBACKS = {"context_data": "data of compiled models by the application's callbacks"}


def switches(blueprint: Blueprint) -> Mapping[str, object]:
    """What the templates of the shell ask: which of the parts here a project has."""
    features = blueprint.features
    compiling = blueprint.compile
    newer = blueprint.ort.target >= _CALLBACKS_SINCE
    return {
        "compiled": blueprint.compiles,
        "registry": blueprint.has_registry,
        "contexts": blueprint.has_contexts,
        "embed": features.embed,
        "external": features.external,
        "share": features.share,
        "weightless": features.weightless.value,
        "drop_constants": compiling is not None and compiling.drop_constants,
        "max_group": compiling.max_group if compiling is not None else 0,
        "also_kernels": compiling is not None and bool(compiling.also_kernels),
        "patterns": [
            {"name": pattern.name, "ops": pattern.match}
            for pattern in (compiling.patterns if compiling is not None else ())
        ],
        "target": blueprint.ort.target,
        # Callbacks stand in for files: where data is only embedded, none would be called.
        "data_callbacks": features.external and newer,
        "select_candidate": blueprint.has_contexts and newer,
    }


def files(blueprint: Blueprint, params: Mapping[str, object]) -> list[FileSpec]:
    """The files; none for a project whose nodes are claimed one by one.

    Args:
        blueprint: the blueprint.
        params: what the templates are given.
    """
    if blueprint.paradigm is Paradigm.KERNEL_REGISTRY:
        return []
    graph = dict(_GRAPH)
    pairs = dict(_ABI)
    if params["patterns"]:
        graph |= _PATTERNS
    if blueprint.has_contexts:
        graph |= _BLOB
        pairs |= _ABI_CONTEXTS
    if blueprint.features.share:
        pairs |= _ABI_SHARE
    if params["data_callbacks"]:
        pairs |= _ABI_CALLBACKS
    reasons = {f"gen/graph/{name}": reason for name, reason in graph.items()}
    for name, reason in pairs.items():
        reasons |= {f"abi/{name}.h": reason, f"abi/{name}.cc": reason}
    hook = "graph/compile.cc"
    return [
        *(
            FileSpec(f"src/{path}", f"plugin/src/{path}", Owner.GENERATED, params, reason)
            for path, reason in reasons.items()
        ),
        FileSpec(f"src/{hook}", f"plugin/src/{hook}", Owner.YOURS, params, "the compile hook"),
    ]
