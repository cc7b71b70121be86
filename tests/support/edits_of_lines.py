"""Edits of lines: far from what epforge changes, beside it, and in the same place."""

from __future__ import annotations

from edit_model import (
    ATTRIBUTES,
    CI,
    CMAKE,
    COMPLEX,
    COMPLEX_H,
    IGNORE,
    OWN_CI_STEP,
    OWN_OPTION,
    PRESETS,
    PYPROJECT,
    README,
    Edit,
    Kind,
)
from edit_steps import (
    Append,
    Put,
    after,
    before,
)

_COMPLEX_SHAPES = """\
Status InferShapes(const ComMicrosoftComplexMulAttrs&, Inputs inputs, Shapes& shapes) {
  const Shape& shape = inputs[0].shape;
  if (shape.empty() || shape.back() != 2 || inputs[1].shape != shape) {
    return InvalidArgument("com.microsoft::ComplexMul: not two tensors of complex numbers");
  }
  shapes[0] = shape;
  return Status();
}
"""
_COMPLEX_BODY = """\
Status Compute(const ComMicrosoftComplexMulAttrs&, Inputs inputs, Outputs outputs, Exec&) {
  const float* a = inputs[0].data<float>();
  const float* b = inputs[1].data<float>();
  float* c = outputs[0].data<float>();
  for (int64_t i = 0; i + 1 < outputs[0].size(); i += 2) {
    c[i] = std::fma(a[i], b[i], -a[i + 1] * b[i + 1]);
    c[i + 1] = std::fma(a[i], b[i + 1], a[i + 1] * b[i]);
  }
  return Status();
}
"""
_STUB_SHAPES = """\
Status InferShapes(const ComMicrosoftComplexMulAttrs&, Inputs, Shapes&) {
  return NotImplemented("com.microsoft::ComplexMul: InferShapes is not written yet");
}
"""
_STUB_BODY = """\
Status Compute(const ComMicrosoftComplexMulAttrs&, Inputs, Outputs, Exec&) {
  return NotImplemented("com.microsoft::ComplexMul: Compute is not written yet");
}
"""
_READY = "kReadyComMicrosoftComplexMul"
_OWN_PRESET = '    {"name": "contoso", "inherits": "release", "displayName": "Contoso\'s board"},\n'

FAR = (
    Edit(
        "an option in CMake",
        Kind.FAR,
        CMAKE,
        (after(CMAKE, "set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)", f"\n{OWN_OPTION}\n"),),
        (OWN_OPTION,),
    ),
    Edit(
        "a target in CMake",
        Kind.FAR,
        CMAKE,
        (after(CMAKE, "ep_restrict_exports(plugin)", "\nadd_custom_target(contoso_upload)\n"),),
        ("add_custom_target(contoso_upload)",),
    ),
    Edit(
        "a section of the README",
        Kind.FAR,
        README,
        (before(README, "## Use\n", "## Contoso's boards\n\nBoard 7 is in the lab.\n\n"),),
        ("## Contoso's boards", "Board 7 is in the lab."),
    ),
    Edit(
        "a sentence of the README, reworded",
        Kind.FAR,
        README,
        (
            Put(
                README,
                "prints which library is used, the",
                "tells Contoso's support the library, the",
            ),
        ),
        (
            "`python -m onnxruntime_ep_contoso_npu` tells Contoso's support the library, the "
            "versions, the devices and the options; `--json` is for",
        ),
    ),
    Edit(
        "a step of the workflow",
        Kind.FAR,
        CI,
        (before(CI, "      - name: C++ tests\n", OWN_CI_STEP),),
        ("      - name: Contoso's licence check", "        run: ./tools/licences"),
    ),
    Edit(
        "an author in pyproject",
        Kind.FAR,
        PYPROJECT,
        (Put(PYPROJECT, '{ name = "Contoso" }', '{ name = "Contoso" }, { name = "Mara Lind" }'),),
        ('authors = [{ name = "Contoso" }, { name = "Mara Lind" }]',),
    ),
    Edit(
        "a preset",
        Kind.FAR,
        PRESETS,
        (before(PRESETS, '    {\n      "name": "asan",\n', _OWN_PRESET),),
        (_OWN_PRESET.rstrip("\n"),),
    ),
    Edit(
        "a pattern on top of .gitignore",
        Kind.FAR,
        IGNORE,
        (before(IGNORE, "/build/\n", "/contoso-measurements/\n"),),
        ("/contoso-measurements/",),
    ),
    Edit(
        "a paragraph of the README, deleted",
        Kind.FAR,
        README,
        (
            Put(
                README,
                "Without `session.disable_cpu_ep_fallback=1`, ONNX Runtime computes on the CPU "
                "whatever a library does not take, and\n",
                "",
            ),
        ),
        gone=(
            "Without `session.disable_cpu_ep_fallback=1`, ONNX Runtime computes on the CPU "
            "whatever a library does not take, and",
        ),
    ),
    Edit(
        "a kernel, written",
        Kind.FAR,
        COMPLEX,
        (
            Put(COMPLEX_H, f"{_READY} = false", f"{_READY} = true"),
            Put(COMPLEX, '_mul.h"\n', '_mul.h"\n\n#include <cmath>\n'),
            Put(COMPLEX, _STUB_SHAPES, _COMPLEX_SHAPES),
            Put(COMPLEX, _STUB_BODY, _COMPLEX_BODY),
        ),
        (
            f"inline constexpr bool {_READY} = true;",
            *filter(str.strip, (_COMPLEX_SHAPES + _COMPLEX_BODY).splitlines()),
        ),
    ),
)

ADJACENT = (
    Edit(
        "a line below the list of operators",
        Kind.ADJACENT,
        README,
        (after(README, "Softmax, com.microsoft::ComplexMul.", "Contoso tests them on board 7.\n"),),
        ("Contoso tests them on board 7.",),
    ),
    Edit(
        "the line above the number of operators",
        Kind.ADJACENT,
        README,
        (Put(README, "A plugin execution provider for", "Contoso's execution provider for"),),
        (
            "Contoso's execution provider for [ONNX Runtime](https://onnxruntime.ai) "
            "by Contoso: one shared library that",
        ),
    ),
    Edit(
        "a variable below the headers' version",
        Kind.ADJACENT,
        CI,
        (after(CI, '  ORT_HEADERS: "1.24.0"', "  CONTOSO_MIRROR: internal\n"),),
        ("  CONTOSO_MIRROR: internal",),
    ),
    Edit(
        "a line above the newest features",
        Kind.ADJACENT,
        README,
        (before(README, "* Loads into ONNX Runtime", "* Made in Contoso's lab.\n"),),
        ("* Made in Contoso's lab.",),
    ),
    Edit(
        "a device below the devices",
        Kind.ADJACENT,
        README,
        (after(README, "device 0x1001; also as a virtual device", "* Contoso's board 9: no\n"),),
        ("* Contoso's board 9: no",),
    ),
    Edit(
        "the row below an option",
        Kind.ADJACENT,
        README,
        (Put(README, "Log every run. |", "Log every run; Contoso's support asks for it. |"),),
        ("| `trace` | bool | `false` |  | Log every run; Contoso's support asks for it. |",),
    ),
    Edit(
        "a policy below CMake's version",
        Kind.ADJACENT,
        CMAKE,
        (after(CMAKE, "(VERSION 3.22)", "set(CMAKE_COLOR_DIAGNOSTICS ON)  # Contoso\n"),),
        ("set(CMAKE_COLOR_DIAGNOSTICS ON)  # Contoso",),
    ),
    Edit(
        "the line below a kind of file",
        Kind.ADJACENT,
        ATTRIBUTES,
        (Put(ATTRIBUTES, "src/abi/** linguist-generated", "src/abi/** -diff"),),
        ("src/abi/** -diff",),
    ),
    Edit(
        "a line below the build's requirements",
        Kind.ADJACENT,
        PYPROJECT,
        (after(PYPROJECT, 'requires = ["scikit-build-core>=1.0"]', "# Contoso has no other.\n"),),
        ("# Contoso has no other.",),
    ),
    Edit(
        "a setting below a description",
        Kind.ADJACENT,
        PRESETS,
        (after(PRESETS, '"What is shipped",', '      "installDir": "/opt/contoso",\n'),),
        ('      "installDir": "/opt/contoso",',),
    ),
)

SAME_LINE = (
    Edit(
        "the list of operators",
        Kind.SAME_LINE,
        README,
        (Put(README, "Softmax, com.microsoft::ComplexMul.", "Softmax, and Contoso's ComplexMul."),),
        ("Add, Relu, Softmax, and Contoso's ComplexMul.",),
    ),
    Edit(
        "the newest features",
        Kind.SAME_LINE,
        README,
        (Put(README, "uses features up to 1.24.", "uses what Contoso needs of 1.24."),),
        (
            "* Loads into ONNX Runtime 1.24.4 and newer 1.x releases; uses what Contoso needs of "
            "1.24.",
        ),
    ),
    Edit(
        "the headers' version",
        Kind.SAME_LINE,
        CI,
        (Put(CI, 'ORT_HEADERS: "1.24.0"', 'ORT_HEADERS: "1.24.3"  # Contoso'),),
        ('  ORT_HEADERS: "1.24.3"  # Contoso',),
    ),
    Edit(
        "a device",
        Kind.SAME_LINE,
        README,
        (Put(README, "* `npu`: type npu", "* `npu`: Contoso's, type npu"),),
        ("* `npu`: Contoso's, type npu, vendor 0xb357, device 0x1001; also as a virtual device",),
    ),
    Edit(
        "an option",
        Kind.SAME_LINE,
        README,
        (Put(README, "| Effort of the compiler. |", "| Effort of Contoso's compiler. |"),),
        ("| `effort` | int | `0` | 0 to 3 | Effort of Contoso's compiler. |",),
    ),
    Edit(
        "CMake's version",
        Kind.SAME_LINE,
        CMAKE,
        (Put(CMAKE, "(VERSION 3.22)", "(VERSION 3.24)  # Contoso"),),
        ("cmake_minimum_required(VERSION 3.24)  # Contoso",),
    ),
    Edit(
        "the build's requirements",
        Kind.SAME_LINE,
        PYPROJECT,
        (Put(PYPROJECT, '["scikit-build-core>=1.0"]', '["scikit-build-core==1.1.2"]  # Contoso'),),
        ('requires = ["scikit-build-core==1.1.2"]  # Contoso',),
    ),
    Edit(
        "the end of .gitignore",
        Kind.SAME_LINE,
        IGNORE,
        (Append(IGNORE, "/contoso-dumps/\n"),),
        ("/contoso-dumps/",),
    ),
)
