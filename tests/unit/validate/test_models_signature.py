"""A node beside the schema of its op: every way not to fit has a reason of its own."""

from __future__ import annotations

import onnx
import pytest
from custom_offers import findings, library, model, op, the_finding

from epforge.validate.models import Severity

RIGHT = "y = com.contoso.MyClip(x)"


@pytest.mark.parametrize(
    ("body", "code", "says"),
    [
        ("y = com.contoso.MyClip()", "wrong-inputs", "has no inputs, the op has 1 to 2: x, b?"),
        ("y = com.contoso.MyClip(x, x, x)", "wrong-inputs", "has 3 inputs, the op has 1 to 2"),
        ("y, z = com.contoso.MyClip(x)", "wrong-outputs", "has 2 outputs, the op has 1: y"),
        ('y = com.contoso.MyClip("", x)', "missing-input", "leaves out the input x"),
        (
            "y = com.contoso.MyClip <low = 1> (x)",
            "wrong-attribute",
            "has the attribute low as int, the op takes it as float",
        ),
        (
            "y = com.contoso.MyClip <lo = 1.0> (x)",
            "unknown-attribute",
            "has an attribute lo, which the op does not know: it has low",
        ),
        (
            "y = com.contoso.MyClip(i)",
            "unsupported-type",
            "has int32 as the input x, the op is there for float32, float64",
        ),
        (
            "y = com.contoso.MyClip(x, d)",
            "mixed-types",
            "has float32 as the input x and float64 as the input b",
        ),
    ],
)
def test_a_node_that_does_not_fit_its_op(body: str, code: str, says: str) -> None:
    found = the_finding(model(body), library())
    assert found.code == code
    assert found.message.startswith(f"com.contoso::MyClip {says}")
    # ONNX Runtime passes over attributes that nobody asks for.
    assert (found.severity is Severity.WARNING) == (code == "unknown-attribute")


def test_a_required_attribute_and_what_stands_in_its_place() -> None:
    required = op(attributes=[{"name": "low", "type": "float", "default": None, "required": True}])
    found = the_finding(model("y = com.contoso.MyClip <lo = 1.0> (x)"), library(required))
    assert found.code == "missing-attribute"
    assert "lacks the attribute low" in found.message
    assert "the node has lo" in found.hint
    kind = the_finding(model("y = com.contoso.MyClip <low = 1> (x)"), library(required))
    assert (kind.code, kind.severity) == ("wrong-attribute", Severity.ERROR)


def test_a_bool_is_an_int_to_onnx() -> None:
    flag = op(attributes=[{"name": "low", "type": "bool", "default": True, "required": False}])
    assert findings(model("y = com.contoso.MyClip <low = 1> (x)"), library(flag)) == ()


def test_types_that_follow_from_the_inputs_are_known() -> None:
    body = "z = Cast <to = 6> (x) w = Relu(z) y = com.contoso.MyClip(w)"
    assert the_finding(model(body), library()).code == "unsupported-type"


def test_types_are_inferred_past_a_domain_that_is_not_imported() -> None:
    body = "z = com.contoso.MyClip(i) w = com.other.Op(z) y = Relu(w)"
    assert {each.code for each in findings(model(body), library())} == {
        "unsupported-type",
        "domain-not-imported",
    }


def test_types_that_cannot_be_told_are_no_error() -> None:
    body = "z = com.contoso.MyClip(x) y = com.contoso.MyGate(z)"
    assert findings(model(body), library(op(), op("MyGate", types={"T": ["int32"]}))) == ()


def test_the_declared_type_of_an_output_has_to_follow() -> None:
    made = model(RIGHT)
    made.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.DOUBLE
    assert the_finding(made, library()).code == "mixed-types"


def test_variadic_inputs() -> None:
    several = op(inputs=[{"name": "xs", "type": "T", "option": "variadic"}])
    assert findings(model("y = com.contoso.MyClip(x, x, x)"), library(several)) == ()
    assert the_finding(model("y = com.contoso.MyClip()"), library(several)).code == "wrong-inputs"
    assert the_finding(model("y = com.contoso.MyClip(x, x, d)"), library(several)).code == (
        "mixed-types"
    )


def test_a_fixed_element_type() -> None:
    fixed = op(inputs=[{"name": "x", "type": "int64", "option": "single"}])
    assert "for int64" in the_finding(model(RIGHT), library(fixed)).message
