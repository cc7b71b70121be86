"""Prints a checked expression as PyTorch: short statements, and the value they end in.

A printed part is a tensor, or a Python number that stands for the same number at every element.
Python numbers take the type of the tensor that they meet; where none is near (two numbers in one
function call, a branch of ``if``), a tensor without dimensions of the right type is made of them.
So nothing ever changes type.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from epforge.ops.expression.guards import guarded
from epforge.ops.expression.model import (
    BOOL,
    Arithmetic,
    Attribute,
    Call,
    Cast,
    Comparison,
    Count,
    Default,
    Fold,
    Has,
    Input,
    Logical,
    Negate,
    Node,
    Not,
    Number,
    Select,
)

_ROOM = 76  # characters for the operands of an expression together
_INDENT = "    "

# How tightly Python binds, loosest first.
_CHOICE, _OR, _AND, _NOT, _COMPARED, _BIT_OR, _BIT_AND, _SUM, _PRODUCT, _UNARY, _ATOM = range(11)
_ARITHMETIC = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_FOLDS = {"sum": "total", "mean": "mean", "min": "smallest", "max": "largest"}


@dataclass(frozen=True)
class Names:
    """What an expression's parts are called in the generated function.

    Args:
        inputs: of the operator -> the Python name.
        attributes: of the operator -> the Python name.
        like: an expression for a tensor that is there on every call, and its type.
        dtypes: per type variable an expression for its `torch.dtype`.
    """

    inputs: Mapping[str, str]
    attributes: Mapping[str, str]
    like: tuple[str, str]
    dtypes: Mapping[str, str]

    def dtype(self, type_: str) -> str:
        """An expression for the `torch.dtype` of a type variable or an element type."""
        return self.dtypes.get(type_, f"torch.{type_}")


@dataclass(frozen=True)
class Code:
    """A printed expression.

    Args:
        lines: statements to execute first, indented from the left margin.
        value: an expression of one line.
        tensor: it is a tensor, not a Python number.
        fresh: it is never one of the inputs, nor a part of one.
    """

    lines: tuple[str, ...]
    value: str
    tensor: bool
    fresh: bool


def print_torch(node: Node, names: Names) -> Code:
    """``node``, a checked expression, as PyTorch.

    Every tensor in it has the type of its node; integers stay integers. It may call functions of
    the package's module ``_numbers``.
    """
    printer = _Printer(names, node)
    part = printer.whole(node)
    return Code(
        lines=tuple(printer.lines),
        value=part.text,
        tensor=part.tensor,
        fresh=part.fresh,
    )


def inputs_of(node: Node) -> set[str]:
    """The names of the inputs that the expression asks for a value, or whether they are there."""
    asking = Input | Default | Fold | Has | Count
    return {part.name for part in walk(node) if isinstance(part, asking)}


def attributes_of(node: Node) -> set[str]:
    """The names of the attributes in the expression."""
    return {part.name for part in walk(node) if isinstance(part, Attribute)}


def walk(node: Node) -> Iterator[Node]:
    """The node and everything in it."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += _children(part)


def _children(node: Node) -> list[Node]:
    found: list[Node] = []
    for item in fields(node):
        value = getattr(node, item.name)
        parts = value if isinstance(value, tuple) else (value,)
        found += [part for part in parts if isinstance(part, Node)]
    return found


@dataclass(frozen=True)
class _Part:
    text: str
    binding: int
    tensor: bool
    fresh: bool = True

    def within(self, binding: int) -> str:
        """The text, as an operand of what binds like this."""
        return self.text if self.binding >= binding else f"({self.text})"


class _Printer:
    def __init__(self, names: Names, root: Node) -> None:
        self._names = names
        self.lines: list[str] = []
        self._depth = 0
        self._known: dict[Node, _Part] = {}
        self._taken = {*names.inputs.values(), *names.attributes.values()}
        self._count = 0
        self._present: frozenset[str] = frozenset()  # optional inputs that are there for sure
        self._shared = _shared(root)

    def shown(self, node: Node) -> _Part:
        """The part, as it can stand in a statement of its own."""
        known = self._known.get(node)
        if known is not None:
            return known
        part = self._print(node)
        if node in self._shared and part.tensor:
            if not part.text.isidentifier():
                part = self._bound(part)
            self._known[node] = part
        return part

    def whole(self, node: Node) -> _Part:
        """The expression; a name for it if it is long."""
        return self._short(self.shown(node), 1)

    def _operand(self, node: Node, count: int = 1) -> _Part:
        """The part, as it can stand within another one, as one of so many."""
        return self._short(self.shown(node), count)

    def _short(self, part: _Part, count: int) -> _Part:
        return self._bound(part) if len(part.text) > _ROOM // count else part

    def _tensor(self, node: Node) -> _Part:
        return self._lifted(self._operand(node), node.type)

    def _lifted(self, part: _Part, type_: str) -> _Part:
        """The part as a tensor."""
        if part.tensor:
            return part
        like, own = self._names.like
        dtype = "" if type_ == own else f", dtype={self._names.dtype(type_)}"
        return _Part(f"{like}.new_full((), {part.text}{dtype})", _ATOM, True)

    def _bound(self, part: _Part) -> _Part:
        name = self._fresh_name()
        self._line(f"{name} = {part.text}")
        return _Part(name, _ATOM, part.tensor, part.fresh)

    def _fresh_name(self) -> str:
        while True:
            self._count += 1
            name = f"v{self._count}"
            if name not in self._taken:
                return name

    def _line(self, text: str) -> None:
        self.lines.append(f"{_INDENT * self._depth}{text}")

    def _call(self, helper: str, argument: str) -> _Part:
        return _Part(f"_numbers.{helper}({argument})", _ATOM, True)

    def _print(self, node: Node) -> _Part:
        match node:
            case Number(value=value):
                return _Part(repr(value), _UNARY if value < 0 else _ATOM, False)
            case Input(name=name):
                return _Part(self._names.inputs[name], _ATOM, True, fresh=False)
            case Attribute(name=name):
                return _Part(self._names.attributes[name], _ATOM, False)
            case Negate(operand=operand):
                part = self._operand(operand)
                return _Part(f"-{part.within(_ATOM)}", _UNARY, part.tensor)
            case Not(operand=Has(name=name)):
                return _Part(f"{self._names.inputs[name]} is None", _COMPARED, False)
            case Not(operand=operand):
                part = self._operand(operand)
                if part.tensor:
                    return _Part(f"~{part.within(_UNARY)}", _UNARY, True)
                return _Part(f"not {part.within(_NOT)}", _NOT, False)
            case Arithmetic():
                return self._arithmetic(node)
            case Comparison(op=op, left=left, right=right):
                return self._comparison(op, self._operand(left, 2), self._operand(right, 2))
            case Logical(op="and", left=Has(name=name), right=right) if name in self._present:
                return self.shown(right)
            case Logical(op="and", left=left, right=Has(name=name)) if name in self._present:
                return self.shown(left)
            case Logical(op=op, left=left, right=right):
                return self._logical(op, self._operand(left, 2), self._operand(right, 2))
            case Call():
                return self._function(node)
            case Select(condition=condition, then=then, otherwise=otherwise):
                return self._select(node, condition, then, otherwise)
            case Cast(operand=operand):
                part = self._tensor(operand)
                dtype = self._names.dtype(node.type)
                return _Part(f"{part.within(_ATOM)}.to({dtype})", _ATOM, True, fresh=False)
            case Has(name=name):
                return _Part(f"{self._names.inputs[name]} is not None", _COMPARED, False)
            case Default(name=name, otherwise=otherwise):
                present = Has(name, type=BOOL)
                return self._branches(present, Input(name, type=node.type), otherwise)
            case Fold(function=function, name=name):
                part = self._call(_FOLDS[function], self._names.inputs[name])
                return _Part(part.text, _ATOM, True, fresh=False)  # of one tensor: that tensor
            case Count(name=name):
                return _Part(f"len({self._names.inputs[name]})", _ATOM, False)
            case _:
                raise TypeError(f"{type(node).__name__} cannot be printed")

    def _arithmetic(self, node: Arithmetic) -> _Part:
        left, right = self._operand(node.left, 2), self._operand(node.right, 2)
        if node.op == "/" and not left.tensor:
            # Python raises where it divides by zero, and a number divided by a tensor is rounded
            # twice in PyTorch.
            left = self._lifted(left, node.left.type)
        binding = _ARITHMETIC[node.op]
        text = f"{left.within(binding)} {node.op} {right.within(binding + 1)}"
        return _Part(text, binding, left.tensor or right.tensor)

    def _comparison(self, op: str, left: _Part, right: _Part) -> _Part:
        if right.tensor and not left.tensor:
            left, right, op = right, left, _MIRRORED[op]
        if left.tensor and left.text == right.text:  # a question for NaN; linters frown at x == x
            name = _COMPARISONS[op]
            return _Part(f"torch.{name}({left.text}, {right.text})", _ATOM, True)
        text = f"{left.within(_BIT_OR)} {op} {right.within(_BIT_OR)}"
        return _Part(text, _COMPARED, left.tensor or right.tensor)

    def _logical(self, op: str, left: _Part, right: _Part) -> _Part:
        if not left.tensor and not right.tensor:
            binding = _AND if op == "and" else _OR
            return _Part(f"{left.within(binding)} {op} {right.within(binding + 1)}", binding, False)
        if not left.tensor:
            left, right = right, left
        sign, binding = ("&", _BIT_AND) if op == "and" else ("|", _BIT_OR)
        text = f"{left.within(binding)} {sign} {right.within(binding + 1)}"
        return _Part(text, binding, True)

    def _function(self, node: Call) -> _Part:
        if node.function in ("min", "max"):
            return self._extreme(node)
        if node.function == "sign":
            return self._call("sign", self._tensor(node.arguments[0]).text)
        count = len(node.arguments)
        parts = [self._operand(argument, count) for argument in node.arguments]
        if not any(part.tensor for part in parts):
            parts[0] = self._lifted(parts[0], node.arguments[0].type)
        text = ", ".join(part.text for part in parts)
        return _Part(f"torch.{node.function}({text})", _ATOM, True)

    def _extreme(self, node: Call) -> _Part:
        """min, max: NaN where an argument is."""
        function, bound = ("minimum", "max") if node.function == "min" else ("maximum", "min")
        result = self._operand(node.arguments[0], 2)
        for argument in node.arguments[1:]:
            part = self._operand(argument, 2)
            if not result.tensor and not part.tensor:
                result = self._lifted(result, node.type)
            if not result.tensor:
                result, part = part, result
            result = self._short(result, 2)
            if part.tensor:
                text = f"torch.{function}({result.text}, {part.text})"
            else:
                text = f"torch.clamp({result.text}, {bound}={part.text})"
            result = _Part(text, _ATOM, True)
        return result

    def _select(self, node: Select, condition: Node, then: Node, otherwise: Node) -> _Part:
        if not self._is_tensor(condition):
            return self._branches(condition, then, otherwise)
        for branch, outcome in ((then, True), (otherwise, False)):
            sure = guarded(condition, outcome) - self._present
            asked = sorted(sure & {part.name for part in walk(branch) if isinstance(part, Input)})
            if asked:  # both branches are computed: not this one, unless its input is there
                present = Has(asked[0], type=BOOL)
                other = otherwise if outcome else then
                return self._branches(present, node, other)
        chosen = self._operand(condition, 3)
        first, second = self._operand(then, 3), self._operand(otherwise, 3)
        if not first.tensor and not second.tensor:
            first = self._lifted(first, node.type)
        return _Part(f"torch.where({chosen.text}, {first.text}, {second.text})", _ATOM, True)

    def _branches(self, condition: Node, then: Node, otherwise: Node) -> _Part:
        """A choice that is the same for all elements. Only the branch taken is computed: the
        other one may use an input that is not there."""
        chosen = self._operand(condition, 3)
        tensor = self._is_tensor(then) or self._is_tensor(otherwise)
        if not tensor:
            first, second = self._operand(then, 3), self._operand(otherwise, 3)
            text = f"{first.within(_OR)} if {chosen.text} else {second.within(_CHOICE)}"
            return _Part(text, _CHOICE, False)
        name = self._fresh_name()
        fresh = True
        for outcome, branch in ((True, then), (False, otherwise)):
            self._line(f"if {chosen.text}:" if outcome else "else:")
            outer, present = dict(self._known), self._present
            self._present |= guarded(condition, outcome)
            self._depth += 1
            part = self.shown(branch)
            part = self._lifted(part, branch.type)
            self._line(f"{name} = {part.text}")
            self._depth -= 1
            self._known, self._present = outer, present
            fresh &= part.fresh
        return _Part(name, _ATOM, True, fresh)

    def _is_tensor(self, node: Node) -> bool:
        """Is it printed as a tensor?"""
        match node:
            case Number() | Attribute() | Has() | Count():
                return False
            case Input() | Default() | Fold() | Call() | Cast():
                return True
            case Arithmetic(op="/"):
                return True
            case _:
                return any(map(self._is_tensor, _children(node)))


def _shared(root: Node) -> set[Node]:
    """The parts that stand in more than one place and are worth a name."""
    uses = Counter([root])
    waiting = [root]
    while waiting:
        for child in _children(waiting.pop()):
            uses[child] += 1
            if uses[child] == 1:
                waiting.append(child)
    return {part for part, count in uses.items() if count > 1 and _is_worth_a_name(part)}


def _is_worth_a_name(node: Node) -> bool:
    match node:
        case Number() | Input() | Attribute() | Has() | Count():
            return False
        case Negate(operand=operand):
            return _is_worth_a_name(operand)
        case _:
            return True
