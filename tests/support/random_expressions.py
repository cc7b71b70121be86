"""Random expressions that are right, to compare what is made of them with what they mean."""

from __future__ import annotations

import random

_UNARY = (
    *("abs", "atan", "ceil", "cos", "erf", "exp", "floor", "round", "sigmoid", "sign"),
    *("sin", "tanh"),
)
_COMPARE = ("<", "<=", ">", ">=", "==", "!=")


def random_op(name: str, chance: random.Random) -> str:
    """An entry of ``custom_ops`` named ``com.acme::NAME``, with an expression of each kind.

    Its inputs are ``x`` and ``y`` of floating-point type T, ``n`` of an integer type, an optional
    ``o`` and any number of ``vs``.
    """
    writer = _Writer(chance)
    difference = f"{writer.floats(3)} - ({writer.floats(2)} - {writer.floats(3)})"
    return (
        f"  - op: com.acme::{name}\n"
        '    inputs: {x: T, y: T, n: N, o: "T?", b: bool, vs: "T*"}\n'
        "    outputs: {f: T, g: float32, i: N, t: bool}\n"
        "    types: {T: [float32, float64], N: [int32, uint8, int8]}\n"
        "    attributes: {a: {type: float, default: 0.75}, k: {type: int, default: 3}}\n"
        f'    compute: {{f: "{difference}", g: "cast({writer.floats(3)}, float32)",'
        f' i: "{writer.integers(4)}", t: "{writer.truth(4)}"}}\n'
    )


class _Writer:
    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def floats(self, depth: int) -> str:
        """An expression of type T."""
        chance, d = self._chance, depth - 1
        if depth <= 0:
            leaves = ("x", "y", "default(o, 1.5)", "sum(vs)", "mean(vs)", "max(vs)", "min(vs)")
            return chance.choice((*leaves, "cast(n, T)", "x * a", "y - k"))
        match chance.randrange(9):
            case 0 | 1 | 2:
                return f"({self.floats(d)} {chance.choice('+-*')} {self.floats(d)})"
            case 3:
                return f"{self.floats(d)} / (abs({self.floats(0)}) + 0.5)"
            case 4:
                return f"{chance.choice(_UNARY)}({self.floats(d)})"
            case 5:
                return f"-{self.floats(0)}"
            case 6:
                return f"{chance.choice(('min', 'max'))}({self.floats(d)}, {chance.uniform(-2, 2)})"
            case 7:
                return f"select({self.truth(d)}, {self.floats(d)}, {self.floats(d)})"
            case _:
                return f"select(has(o), o + {self.floats(d)}, {chance.randrange(5)})"

    def integers(self, depth: int) -> str:
        """An expression of type N."""
        chance, d = self._chance, depth - 1
        if depth <= 0:
            return chance.choice(("n", "n + 1", "n * 2", "max(n, k)"))
        match chance.randrange(5):
            case 0 | 1:
                return f"({self.integers(d)} {chance.choice('+-*')} {self.integers(d)})"
            case 2:
                return f"{chance.choice(('abs', 'sign'))}({self.integers(d)})"
            case 3:
                return f"min({self.integers(d)}, {self.integers(d)}, 7)"
            case _:
                return f"select({self.truth(d)}, {self.integers(d)}, {chance.randrange(9)})"

    def truth(self, depth: int) -> str:
        """An expression of type bool."""
        chance, d = self._chance, depth - 1
        if depth <= 0:
            return chance.choice(("b", "has(o)", "x > 0", "n >= 0", "cast(n, bool)"))
        match chance.randrange(5):
            case 0:
                return f"({self.truth(d)} {chance.choice(('and', 'or'))} {self.truth(d)})"
            case 1:
                return f"(not {self.truth(d)})"
            case 2:
                return f"({self.floats(d)} {chance.choice(_COMPARE)} {self.floats(d)})"
            case 3:
                return f"({self.integers(d)} {chance.choice(_COMPARE)} {self.integers(d)})"
            case _:
                return f"(cast({self.floats(d)}, int64) {chance.choice(_COMPARE)} k)"
