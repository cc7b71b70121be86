"""Names in the PyTorch package: Python has words that ONNX has not, and each is taken once."""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Sequence

from epforge.names import Identifier, Name
from epforge.resolve.services import CustomOp

# Names in the generated files that parameters would hide.
_FILE = (
    "Any Attribute Final Formal OPERATOR Operator Sequence Shape Tensor any bool broadcast copied "
    "ctx dict finished first float formats getattr grad gradients inputs int json len list names "
    "ops output register result results self shape shapes single str summed super torch tuple "
    "types whole yours"
)
# Attributes of torch.nn.Module (2.13) without an underscore before them.
_MODULE = (
    "T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda "
    "double dump_patches eval extra_repr float forward get_buffer get_extra_state get_parameter "
    "get_submodule half ipu load_state_dict modules mtia named_buffers named_children "
    "named_modules named_parameters parameters register_backward_hook register_buffer "
    "register_forward_hook register_forward_pre_hook register_full_backward_hook "
    "register_full_backward_pre_hook register_load_state_dict_post_hook register_module "
    "register_parameter register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ "
    "set_extra_state set_submodule share_memory state_dict to to_empty train training type xpu "
    "zero_grad"
)
_TAKEN = frozenset((*_FILE.split(), *_MODULE.split()))
_WIDTH = 100
_DIGITS = re.compile(r"(\d+)")
# Modules and functions of the package itself.
_PACKAGE = frozenset({"export", "modules", "onnx_dynamo", "onnx_legacy", "ops", "yours"})


def parameter(name: str) -> Identifier:
    """The Python name of an input, output or attribute."""
    taken = keyword.iskeyword(name) or name in _TAKEN or name.startswith("_")
    return Identifier(f"{name}_" if taken else name)


def functions(ops: Sequence[CustomOp]) -> list[Identifier]:
    """The names of the operators in ``torch.ops``: that of the operator alone where it is free."""
    short = [Name.parse(op.op).snake for op in ops]
    count = Counter(short)
    return [
        _free(name if count[name] == 1 else Name.parse(f"{op.domain} {op.op}").snake)
        for op, name in zip(ops, short, strict=True)
    ]


def module(function: Identifier) -> Identifier:
    """The name of the class for the operator of that name."""
    return Name.parse(function).camel


def order(name: str) -> tuple[int, list[int | str]]:
    """The key that sorts names as ruff does: constants, classes, everything else; 2 before 10."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    parts = [part for part in _DIGITS.split(name) if part]
    return kind, [int(part) if part.isdigit() else part for part in parts]


def import_lines(start: str, names: Sequence[str]) -> list[str]:
    """An import statement, as ruff has it."""
    whole = f"{start}{', '.join(names)}"
    if len(whole) <= _WIDTH:
        return [whole]
    return [f"{start}(", *(f"    {name}," for name in names), ")"]


def _free(name: Identifier) -> Identifier:
    taken = keyword.iskeyword(name) or name in _PACKAGE or name in _TAKEN
    # No underscore at the end: PyTorch takes that for an operator that changes its input.
    return Identifier(f"{name}_op") if taken else name
