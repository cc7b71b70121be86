"""Expressions in NumPy: what they compute, in which types, and how they look."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import custom_ops
import numpy as np
import pytest
from expressions import SCOPE, checked, numbers
from hypothesis import given, settings
from hypothesis import strategies as st

from epforge.ops.expression import Formal, Scope, check, evaluate, parse
from epforge.ops.expression.model import Node
from epforge.ops.model import DType
from epforge.plan import make_plan
from epforge.plan.expression_numpy import print_numpy
from epforge.render import render

KINDS = SCOPE.attributes
ATTRIBUTES: Mapping[str, Any] = {"alpha": 0.375, "n": 3, "flag": True}
FILE = "tests/python/custom_reference.py"


def reference_of(blueprint_ops: str) -> str:
    """The generated module for those entries of ``custom_ops``."""
    files = render(make_plan(custom_ops.custom(blueprint_ops)))
    return files[FILE].content.decode()


def module(text: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    exec(compile(text, FILE, "exec"), made)
    return made


#: Everything that a printed expression calls.
HELPERS = module(reference_of(custom_ops.RICH))


def computed(
    node: Node, given: Mapping[str, Any], types: Mapping[str, Any], present: set[str]
) -> Any:
    """What the printed expression computes."""
    code = print_numpy(node, KINDS)
    names = {**HELPERS, "i": given, "a": ATTRIBUTES, "t": types, "present": present}
    with np.errstate(all="ignore"):
        for line in code.lines:
            exec(line, names)
        return eval(code.value, names)


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    """Elements of the inputs of `SCOPE` that trees use."""
    element = st.floats(-8, 8, width=32) | st.sampled_from([math.nan, math.inf, -0.0, 0.5, 1.0])
    return {
        **{name: draw(element) for name in "xyd"},
        "m": draw(st.booleans()),
        "bias": draw(st.none() | element),
        "scale": draw(st.none() | element),
        "xs": tuple(draw(st.lists(element, min_size=1, max_size=3))),
    }


def arrays(row: Mapping[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """The elements as tensors of float64, zeros for those that were left out, and who is there."""
    given: dict[str, Any] = {}
    for name, value in row.items():
        if name == "xs":
            given[name] = [np.array([each], np.float64) for each in value]
        elif name == "m":
            given[name] = np.array([value])
        else:
            given[name] = np.array([0.0 if value is None else value])
    return given, {name for name, value in row.items() if value is not None}


@given(numbers(), rows())
@settings(max_examples=400)
def test_it_computes_what_the_expression_says(node: Node, row: dict[str, Any]) -> None:
    given_, present = arrays(row)
    result = np.asarray(computed(node, given_, {"T": np.float64}, present))
    types = {"T": DType.FLOAT64}
    wanted = float(evaluate(node, row, ATTRIBUTES, types))
    assert result.dtype == np.float64
    np.testing.assert_allclose(result.reshape(-1), [wanted], rtol=1e-9, atol=1e-9)


@given(numbers(), rows())
@settings(max_examples=200)
def test_nothing_is_ever_promoted(node: Node, row: dict[str, Any]) -> None:
    """In float32 everything is float32, but for what ``cast`` makes of float64."""
    given_, present = arrays(row)
    for name in ("x", "y", "bias", "scale"):
        given_[name] = given_[name].astype(np.float32)
    given_["xs"] = [each.astype(np.float32) for each in given_["xs"]]
    result = np.asarray(computed(node, given_, {"T": np.float32}, present))
    assert result.dtype == np.float32


@pytest.mark.parametrize(
    ("text", "type_", "values", "wanted"),
    [
        ("x + y", np.int8, (127, 1), -128),
        ("x - y", np.uint8, (0, 1), 255),
        ("x * y", np.int64, (2**62, 2), -(2**63)),
        ("-x", np.int8, (-128, 0), -128),
        ("abs(x)", np.int8, (-128, 0), -128),
        ("max(x, y, 3)", np.int8, (-5, 2), 3),
        ("sign(x)", np.int32, (-5, 0), -1),
    ],
)
def test_integers_wrap_around(text: str, type_: Any, values: tuple[int, int], wanted: int) -> None:
    dtype = DType.parse(np.dtype(type_).name)
    scope = Scope((Formal("x", "T"), Formal("y", "T")), {}, {"T": (dtype,)})
    node = check(parse(text), scope, "T")
    given_ = {name: np.array(value, type_) for name, value in zip("xy", values, strict=True)}
    result = computed(node, given_, {"T": type_}, {"x", "y"})
    assert (np.asarray(result).dtype, int(result)) == (np.dtype(type_), wanted)


@pytest.mark.parametrize(
    ("value", "type_", "wanted"),
    [
        (-2.75, "int32", -2),
        (math.nan, "int32", -(2**31)),
        (3e9, "int32", -(2**31)),
        (math.inf, "int64", -(2**63)),
        (300.0, "int8", 44),
        (-1.0, "uint8", 255),
        (1.5 * 2.0**63, "uint64", 3 * 2**62),
        (-1.0, "uint64", 2**64 - 1),
        (0.25, "bool", True),
        (math.nan, "bool", True),
    ],
)
def test_casts_are_those_of_the_kernels(value: float, type_: str, wanted: int) -> None:
    """`support/convert.h` says what becomes of a number that does not fit."""
    scope = Scope((Formal("x", "T"),), {}, {"T": (DType.FLOAT64,)})
    node = check(parse(f"cast(x, {type_})"), scope, type_)
    result = computed(node, {"x": np.array([value])}, {"T": np.float64}, {"x"})
    assert result.dtype == np.dtype(type_)
    assert result[0] == wanted


def test_a_float_attribute_is_as_narrow_as_a_node_holds_it() -> None:
    node = checked("d * cast(alpha, float64)", "float64")
    code = print_numpy(node, KINDS)
    assert 'np.float64(np.float32(a["alpha"]))' in code.value


def test_the_module_says_what_it_was_made_from() -> None:
    text = reference_of(custom_ops.RICH)
    assert "# y = x * select(hard, max(0, min(1, gate * 0.2 + 0.5)), sigmoid(alpha * gate))" in text
    assert '"com.acme::Many": ' in text


@pytest.mark.parametrize("name", ["Stub", "Total"])
def test_helpers_are_there_where_they_are_needed(name: str) -> None:
    """A stub has no formula, and a plain one needs no help."""
    ops = {
        "Stub": custom_ops.STUB,
        "Total": custom_ops.RICH[custom_ops.RICH.index("  - op: com.acme::Total") :].split(
            "  - op: com.acme::Fixed"
        )[0],
    }
    text = reference_of(ops[name])
    assert "_erf" not in text
    assert "_convert" not in text
    assert ("functools" in text) is (name == "Total")
    made = module(text)
    assert len(made["_FORMULAS"]) == (name == "Total")


def test_the_longest_names_give_clean_lines(tmp_path: Path) -> None:
    """No line is too long, and a formatter changes nothing."""
    ruff = shutil.which("ruff") or str(Path(sys.executable).with_name("ruff"))
    long = {letter: letter * 60 for letter in "abct"}
    op = f"""\
  - op: com.acme::{"O" * 60}
    inputs: {{{long["a"]}: T, {long["b"]}: "T?", {long["c"]}: "T*"}}
    outputs: {{y: T, z: bool}}
    types: {{T: [float32, float64]}}
    attributes: {{{long["t"]}: {{type: float, default: 1.0}}}}
    compute:
      y: "max({long["a"]}, default({long["b"]}, {long["t"]}), mean({long["c"]})) / ({long["a"]}
        - sigmoid({long["a"]} * {long["t"]} - 1) * erf({long["a"]})) + cast({long["t"]}, T)"
      z: "has({long["b"]}) == ({long["a"]} < {long["t"]}) or not {long["a"]} > 2 * sum({long["c"]})"
"""
    text = reference_of(op)
    code = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    assert max(map(len, code)) <= 100
    (tmp_path / "one.py").write_text(text)
    for arguments in (["check"], ["format", "--check", "--diff", "--line-length", "100"]):
        done = subprocess.run(
            [ruff, *arguments, "--no-cache", "--isolated", str(tmp_path / "one.py")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
