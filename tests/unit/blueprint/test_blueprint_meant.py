"""Kinds of mistakes, and what `check --fix` makes of them; what only the author knows stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from broken_blueprints.run import run_here

TOP = "epforge: 1\nname: contoso-npu\nvendor: Contoso\n"
OPS = "ops: [Relu]\n"
NPU = "devices: [{name: npu, type: npu, virtual: allowed}]\n"
OWN = """custom_ops:
  - op: com.contoso::Scale
    inputs: {x: T, s: T}
    outputs: {y: T}
    types: {T: [float32]}
    compute: """


def after_fixes(text: str, tmp_path: Path) -> str:
    path = tmp_path / "b.yaml"
    path.write_bytes(text.encode())
    run_here(["check", path.name, "--fix", "--json"], tmp_path)
    return path.read_bytes().decode()


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        # Characters that look alike, and signs of other languages
        ("ops: [\u0421lip, Add]\n", "ops: [Clip, Add]\n"),
        ("ops: [Rel\u200bu]\n", "ops: [Relu]\n"),
        ("ops\uff1a[Relu]\n", "ops: [Relu]\n"),
        ("ops: \uff3bRelu\uff0cAdd\uff3d\n", "ops: [Relu, Add]\n"),
        ("ops:\n* Relu\n* Add\n", "ops:\n- Relu\n- Add\n"),
        ("ops:\n  \u2022 Relu\n  \u2022 Add\n", "ops:\n  - Relu\n  - Add\n"),
        ("ops:\n  -Relu\n  -Add\n", "ops:\n  - Relu\n  - Add\n"),
        ("license => MIT\n" + OPS, "license: MIT\n" + OPS),
        ("license:\tMIT\n" + OPS, "license: MIT\n" + OPS),
        # Lists and mappings
        (OPS + 'runtime_libs: "liba.so; libb.so"\n', OPS + "runtime_libs: [liba.so, libb.so]\n"),
        ("ops: '[Relu, Add]'\n", "ops: [Relu, Add]\n"),
        ("ops: {Relu: true, Add: yes}\n", "ops: [Relu, Add]\n"),
        ("ops:\n  Relu\n  - Add\n", "ops:\n  - Relu\n  - Add\n"),
        (
            OPS + "targets: all\n",
            OPS + "targets: [linux-x64, linux-arm64, windows-x64, macos-arm64]\n",
        ),
        (OPS + "targets: [x86_64-pc-windows-msvc]\n", OPS + "targets: [windows-x64]\n"),
        (OPS + "options: {effort: 0}\n", OPS + "options: [{name: effort, default: 0}]\n"),
        (OPS + 'ort: ">=1.25"\n', OPS + 'ort: {min: "1.25"}\n'),
        (OPS + "features: {profiler: {enabled: true}}\n", OPS + "features: {profiler: true}\n"),
        (
            OPS + "devices:\n  - name: npu\n  - type: npu\n",
            OPS + "devices:\n  - name: npu\n    type: npu\n",
        ),
        # Keys that stand elsewhere
        (OPS + "ort_min: 1.25\nort_target: 1.28\n", OPS + "ort: {min: 1.25, target: 1.28}\n"),
        ("project:\n  # all of it\n  ops: [Relu]\n", "# all of it\n" + OPS),
        ("SPDX-License-Identifier: MIT\n" + OPS, "license: MIT\n" + OPS),
        # Merges, and keys that are written twice
        (
            "x-option: &o {type: int, default: 0}\n" + OPS + "options: [{<<: *o, name: a}]\n",
            OPS + "options: [{type: int, default: 0, name: a}]\n",
        ),
        ("ops:\n  - Relu\nops:\n  - Add\n", "ops:\n  - Relu\n  - Add\n"),
        (OPS + "ort: {min: 1.25}\nort: {target: 1.28}\n", OPS + "ort: {min: 1.25, target: 1.28}\n"),
        # Values
        (OPS + "license: MIT/Apache-2.0\n", OPS + "license: MIT OR Apache-2.0\n"),
        (OPS + "names: {library: libacme-ep.so}\n", OPS + "names: {library: acme_ep}\n"),
        (OPS + "names: {ep: acme-npu}\n", OPS + "names: {ep: AcmeNpuExecutionProvider}\n"),
        (OWN + "y = x * s\n", OWN + "x * s\n"),
        (OWN + "x > 0.5f ? x : s\n", OWN + '"select(x > 0.5, x, s)"\n'),
    ],
)
def test_what_is_meant_is_written(wrong: str, right: str, tmp_path: Path) -> None:
    assert after_fixes(TOP + wrong, tmp_path) == TOP + right


@pytest.mark.parametrize(
    "text",
    [
        OPS + "targets: [linux-x86]\n",
        OPS + "targets: [linux]\n",
        OPS + "targets: [macos-x64]\n",
        OPS + "license: MIT/Ours\n",
        OPS + 'python: {min: "3.11-3.13"}\n',
        OPS + 'ort: "1.27"\n',
        OPS + "version: {{ version }}\n",
        OPS + "types: [float32]\ntypes: [int64]\n",
        OPS + "ort: {min: 1.25}\nort: {min: 1.26}\n",
        OPS + "names: {ep: <yours>}\n",
        "ops: {Relu: true, Add: false}\n",
        "ops:\n  Relu: true  # the first\n  Add: true\n",
    ],
)
def test_what_only_the_author_knows_stays(text: str, tmp_path: Path) -> None:
    assert after_fixes(TOP + text, tmp_path) == TOP + text


def test_a_sign_that_hides_a_value_is_no_end_of_it(tmp_path: Path) -> None:
    text = "epforge: 1\nname: contoso-npu\nvendor: {name: Contoso, pci_id: #B357}\n" + OPS
    assert after_fixes(text, tmp_path) == text.replace("#B357", "0xB357")


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (TOP + OPS + "...\nlicense: MIT\n", [(5, 1)]),
        (TOP + "ops = \n  - Relu\n  - Add\n  - Mul\n  - Sub\n", [(4, 1)]),
        (TOP + "ops:,\n  - Relu\n", [(4, 1)]),
        (" " + TOP + OPS, [(1, 2)]),
        (
            TOP + OPS + "options:\n  - name: a\n    type: int\n    name: b\n    type: int\n",
            [(8, 5)],
        ),
    ],
)
def test_slips_are_told_in_their_own_line(
    text: str, places: list[tuple[int, int]], tmp_path: Path
) -> None:
    (tmp_path / "b.yaml").write_text(text)
    answer = json.loads(run_here(["check", "b.yaml", "--json"], tmp_path))
    begins = [each["range"]["start"] for each in answer["diagnostics"]]
    assert [(begin["line"], begin["column"]) for begin in begins] == places
