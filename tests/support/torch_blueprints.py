"""Blueprints of projects with a PyTorch package, and stubs of theirs that somebody has written."""

from __future__ import annotations

_HEAD = """\
epforge: 1
name: acme-npu
vendor: Acme
ort: {min: "1.25.0"}
ops: [Relu]
custom_ops:
"""

#: What PyTorch makes of it is not obvious: names that Python or PyTorch has, two domains, several
#: outputs, fixed types, operators that need not be given any tensor, attributes of every kind.
EDGES = """\
  - op: com.acme::Blend
    version: 3
    inputs: {x: T, bias: "T?", xs: "T*"}
    outputs: {y: T, above: bool}
    types: {T: [float32, float64]}
    attributes: {k: {type: int, default: 2}, flag: {type: bool, default: true}, a: {type: float}}
    compute:
      y: select(has(bias), x * bias, x) * k + mean(xs) + select(flag, a, 0) * sum(xs) / 3
      above: "x > max(a, 0.25)"
  - op: com.acme::Whole
    inputs: {a: I, b: I}
    outputs: {y: I}
    types: {I: [int8, int32, int64, uint8, uint16]}
    attributes: {n: {type: int, default: 3}}
    compute: max(a * 2, b + n) - select(a == b, 1, 0)
  - op: com.acme::Narrow
    inputs: {x: T, mask: bool, self: float32}
    outputs: {y: float32, z: T}
    types: {T: [float32, float64]}
    compute: {y: "select(mask, cast(x, float32), self)", z: "pow(abs(x) + 1, cast(self, T)) + x"}
  - op: com.acme::Least
    inputs: {scale: "T?", xs: "T*"}
    outputs: {y: T}
    types: {T: [float32]}
    compute: min(xs) * default(scale, 1)
    grad: stub
  - op: com.other::Least
    inputs: {x: float32}
    outputs: {y: float32}
    compute: x
    grad: none
  - op: com.other::Constant
    inputs: {x: float64}
    outputs: {y: float32, z: int64}
    attributes: {k: {type: int, default: 4}, v: {type: float, default: 0.1}}
    compute: {y: v, z: k}
  - op: com.acme::Either
    inputs: {a: "float32?", b: "float32?"}
    outputs: {y: float32}
    compute: default(a, 1) + select(has(b) and default(a, 2) > 0, b, 0.5)
  - op: com.acme::Table
    inputs: {x: T, extra: "T?"}
    outputs: {y: T, n: int64}
    types: {T: [float32, int32]}
    attributes:
      table: {type: tensor}
      names: {type: strings, default: [a, "b c"]}
      axes: {type: ints, default: [0]}
      ws: {type: floats, default: [0.5, 1.5]}
      mode: {type: string, default: fast}
      need: {type: strings}
      on: {type: bool, default: false}
      eps: {type: float, default: 0.1}
  - op: com.acme::PairSum
    inputs: {x: T}
    outputs: {y: T}
    types: {T: [float32]}
    attributes: {axis: {type: int, default: -1}}
  - op: com.acme::Words
    inputs: {s: string}
    outputs: {n: int64}
"""

#: Bodies of the functions in ``torch/*/yours``, by module and function.
WRITTEN: dict[str, dict[str, str]] = {
    "pair_sum": {
        "forward": "    return x.sum(dim=axis, keepdim=True)\n",
        "output_shape": "    shape = list(x)\n    shape[axis] = 1\n    return shape\n",
        "backward": "    return (grad_y.expand(x.shape),)\n",
    },
    "table": {
        "forward": (
            "    count = x.new_full((len(need),), len(names_), dtype=torch.int64)\n"
            "    return x * table.sum().to(x.dtype), count\n"
        ),
        "output_shape": "    return x, (len(need),)\n",
        "backward": "    return grad_y * table.sum(), None\n",
    },
    "com_acme_least": {
        "backward": (
            "    least = xs[0]\n"
            "    for each in xs[1:]:\n"
            "        least = each.minimum(least)\n"
            "    grad = grad_y if scale is None else grad_y * scale\n"
            "    of_xs = [(grad * (each == least)).sum_to_size(each.shape) for each in xs]\n"
            "    of_scale = None if scale is None else (grad_y * least).sum_to_size(scale.shape)\n"
            "    return of_scale, of_xs\n"
        ),
    },
}

#: The stub of `blueprints/custom-ops.yaml`, as `pair_sum` has it in C++.
PAIR_SUM = {
    "forward": (
        "    pairs = x.movedim(axis, -1).unflatten(-1, (-1, 2))\n"
        "    return pairs.sum(dim=-1).movedim(-1, axis)\n"
    ),
    "output_shape": "    shape = list(x)\n    shape[axis] //= 2\n    return shape\n",
    "backward": "    return (grad_y.repeat_interleave(2, dim=axis),)\n",
}


def torch_project(ops: str) -> str:
    """The blueprint of a project with those entries under ``custom_ops``."""
    return f"{_HEAD}{ops}torch: {{legacy: 17, dynamo: 18}}\n"
