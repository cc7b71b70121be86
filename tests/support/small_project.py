"""A project with just enough in it for `epforge build`: one library of two files, in a second."""

from __future__ import annotations

import json
from pathlib import Path

from epforge.workspace import File, Owner, Tool, publish

_CMAKE = """\
cmake_minimum_required(VERSION 3.22)
project(small LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
include(cmake/gen/ort_headers.cmake)
add_library(small MODULE src/gen/one.cc src/kernels/two.cc)
set_target_properties(small PROPERTIES OUTPUT_NAME small PREFIX "lib" SUFFIX ".so"
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
target_include_directories(small SYSTEM PRIVATE "${SMALL_ORT_INCLUDE_DIR}")
target_compile_options(small PRIVATE -Wall)
target_link_options(small PRIVATE -Wl,--no-undefined)
configure_file(src/gen/manifest.json "${PROJECT_BINARY_DIR}/libsmall.so.manifest.json" COPYONLY)
"""
_PRESETS = {
    "version": 3,
    "configurePresets": [
        {
            "name": "base",
            "hidden": True,
            "generator": "Ninja",
            "binaryDir": "${sourceDir}/build/${presetName}",
        },
        {"name": "release", "inherits": "base", "cacheVariables": {"CMAKE_BUILD_TYPE": "Release"}},
        {"name": "debug", "inherits": ["base"], "cacheVariables": {"CMAKE_BUILD_TYPE": "Debug"}},
    ],
}
FILES = {
    "CMakeLists.txt": (_CMAKE, Owner.SHARED),
    "CMakePresets.json": (json.dumps(_PRESETS), Owner.SHARED),
    "cmake/gen/ort_headers.cmake": (
        'set(SMALL_ORT_INCLUDE_DIR "" CACHE PATH "Headers")\n',
        Owner.GENERATED,
    ),
    "src/gen/manifest.json": (
        json.dumps(
            {
                "format": 1,
                "library": "small",
                "macro": "SMALL",
                "ort": {"min": "1.24.4", "target": 24},
            }
        ),
        Owner.GENERATED,
    ),
    "src/gen/one.cc": (
        '#include "onnxruntime_c_api.h"\nint Two();\nint One() { return Two() + 1; }\n',
        Owner.GENERATED,
    ),
    "src/kernels/two.cc": ("int Two() { return 2; }\n", Owner.YOURS),
}


def small_project(directory: Path) -> Path:
    """Writes the project, with its lock; returns the directory."""
    files = [
        File(path=path, content=text.encode(), owner=owner) for path, (text, owner) in FILES.items()
    ]
    publish(directory, files, tool=Tool(version="0", templates="0"), blueprint=b"")
    return directory
