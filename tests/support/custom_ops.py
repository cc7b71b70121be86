"""Blueprints with operators of their own, for tests of what is made from an expression."""

from __future__ import annotations

from collections.abc import Mapping

from epforge.blueprint import parse
from epforge.names import Identifier, Safe
from epforge.ops.expression import Formal, Scope, check
from epforge.ops.expression import parse as parse_expression
from epforge.ops.model import DType
from epforge.plan.expression_cpp import Names, Printed, print_cpp
from epforge.resolve import resolve
from epforge.resolve.model import Blueprint

_HEAD = """\
epforge: 1
name: acme-npu
vendor: Acme
ort: {{min: "1.25.0"}}
ops: [Relu]
features: {{custom_op_library: {library}}}
custom_ops:
"""

#: Between them, these have all that a kernel of an expression can meet.
RICH = """\
  - op: com.acme::Bounded
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32, float64, int8, int64, uint8, uint32]}
    attributes: {low: {type: int, default: 1}, high: {type: int}}
    compute: select(x < 0, low, min(max(x, low), high))
  - op: com.acme::Gate
    inputs: {x: T, gate: T}
    outputs: {y: T}
    types: {T: [float32, float64]}
    attributes: {alpha: {type: float, default: 0.1}, hard: {type: bool, default: false}}
    compute: x * select(hard, max(0, min(1, gate * 0.2 + 0.5)), sigmoid(alpha * gate))
  - op: com.acme::Middle
    inputs: {x: T, bias: "T?", scale: T}
    outputs: {y: T, positive: bool}
    types: {T: [float32, float64]}
    compute: {y: "x * scale + default(bias, 0)", positive: "has(bias) and x > 0 or not (scale < x)"}
  - op: com.acme::Many
    version: 3
    inputs: {x: T, xs: "U*"}
    outputs: {y: U, z: T}
    types: {T: [float32, int32], U: [float32, float64]}
    compute: {y: "cast(x, U) + sum(xs) - mean(xs) * 2 + max(xs) * min(xs)", z: "x + 1"}
  - op: com.acme::Total
    inputs: {xs: "T*"}
    outputs: {y: T}
    types: {T: [float32, int16, uint8]}
    compute: sum(xs)
  - op: com.acme::Fixed
    inputs: {a: uint8, b: "int64?", c: "bool?"}
    outputs: {y: int64}
    compute: select(a >= 0 and has(c), cast(a, int64) * 3, default(b, -9223372036854775807))
  - op: com.acme::Leading
    inputs: {a: "float32?", b: float32}
    outputs: {y: float32}
    compute: select(has(a), a - b, b)
  - op: com.acme::Chosen
    inputs: {when: bool, x: T, kind: "U?"}
    outputs: {y: T}
    types: {T: [bool, int32, float64], U: [float32, int32]}
    compute: select(when and (default(kind, 1) > 0), x, x)
  - op: com.acme::Pi
    inputs: {}
    outputs: {y: float32}
    compute: "3.14159"
  - op: com.acme::Ones
    inputs: {x: T, y: T}
    outputs: {z: T}
    types: {T: [float32, int8]}
    compute: "1"
  - op: com.acme::Curves
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32, float64]}
    compute: >-
      abs(x) + acos(x / 4) + asin(x / 4) + atan(x) + ceil(x) + cos(x) + cosh(x) + erf(x) + exp(x)
      + floor(x) + log(abs(x) + 1) + pow(abs(x), 1.5) + round(x) + sigmoid(x) + sign(x) + sin(x)
      + sinh(x) + sqrt(abs(x)) + tan(x / 4) + tanh(x)
  - op: com.acme::Integers
    inputs: {x: T, y: T}
    outputs: {z: T, same: bool}
    types: {T: [int8, int32, int64]}
    compute: {z: "-abs(x) * y - sign(y) + max(x, y, 3)", same: "x == y or x == x and y != 2"}
  - op: com.acme::Odd
    inputs: {T: T, Exp: T, count: T, NAN: "T?", function: T}
    outputs: {out: T}
    types: {T: [float32]}
    attributes: {EOF: {type: float, default: 1.5}, i: {type: int, default: 2}}
    compute: exp(T) + Exp * count - default(NAN, 2) + function + EOF * i
  - op: com.acme::Cut
    inputs: {x: T}
    outputs: {y: U, z: int8}
    types: {T: [float32, float64], U: [uint64]}
    attributes: {at: {type: float, default: 2.5}}
    compute: {y: "cast(x, U)", z: "cast(x * at, int8) + cast(at, int8)"}
"""

#: A stub, with an attribute of every kind.
STUB = """\
  - op: com.acme::Stub
    inputs: {x: T, rest: "T*"}
    outputs: {y: T}
    types: {T: [float32]}
    attributes:
      names: {type: strings, default: ["a", "\\u00e9\\U0001f600\\"\\\\??/\\n"]}
      flag: {type: bool, default: true}
      value: {type: tensor}
      tiny: {type: float, default: 1.0e-60}
      least: {type: int, default: -9223372036854775808}
"""


def text(ops: str = RICH, library: str = "cpu") -> str:
    """A blueprint with those entries under ``custom_ops``."""
    return _HEAD.format(library=library) + ops


def custom(ops: str = RICH, library: str = "cpu") -> Blueprint:
    """The resolved blueprint of a project with those entries under ``custom_ops``."""
    return resolve(parse(text(ops, library)))


def printed(
    text: str,
    result: str = "T",
    inputs: Mapping[str, str] | None = None,
    types: tuple[DType, ...] = (DType.FLOAT32,),
    attributes: Mapping[str, str] | None = None,
) -> Printed:
    """An expression in C++.

    Args:
        text: the expression.
        result: its type.
        inputs: name -> type, with ``?`` or ``*`` behind it. Without: ``x`` and ``y`` of type T.
        types: what ``T`` stands for.
        attributes: name -> kind.
    """
    options = {"?": "optional", "*": "variadic"}
    formals = tuple(
        Formal(name, type_.rstrip("?*"), options.get(type_[-1], "single"))
        for name, type_ in (inputs or {"x": "T", "y": "T"}).items()
    )
    kinds = attributes or {}
    scope = Scope(formals, kinds, {"T": types})
    names = Names(
        types={
            "T": Identifier("T"),
            "float32": Safe("float"),
            "float64": Safe("double"),
            "int64": Safe("int64_t"),
            "uint8": Safe("uint8_t"),
            "bool": Safe("bool"),
        },
        dtypes={"T": types},
        inputs={formal.name: Identifier(formal.name) for formal in formals},
        attributes={name: Identifier(name) for name in kinds},
        kinds=kinds,
        flags={f.name: Identifier(f"has_{f.name}") for f in formals if f.option == "optional"},
    )
    return print_cpp(check(parse_expression(text), scope, result), names)
