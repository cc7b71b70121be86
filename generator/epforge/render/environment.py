"""The Jinja environment: delimiters that leave C++ alone, and no raw interpolation of text."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.sandbox import SandboxedEnvironment

from epforge.cache import cache_dir
from epforge.names import Safe
from epforge.render import compiled
from epforge.render.filters import FILTERS, printed


class _Generator(CodeGenerator):
    """Generates macros whose result is `Safe`: everything in it has been checked already."""

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        self.write("environment.checked(")
        super().macro_def(macro_ref, frame)
        self.write(")")


class _Environment(jinja2.Environment):
    code_generator_class = _Generator

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        template = super()._parse(source, name, filename)
        for output in template.find_all(nodes.Output):
            output.nodes = [part for node in output.nodes for part in self._parts(node)]
        for call in template.find_all(nodes.Call):
            call.args = [self._literal(argument) for argument in call.args]
            for pair in call.kwargs:
                pair.value = self._literal(pair.value)
        for assign in template.find_all(nodes.Assign):
            if isinstance(assign.node, nodes.Expr):
                assign.node = self._literal(assign.node)
        for row in template.find_all(nodes.List):
            row.items = [self._literal(item) for item in row.items]
        for group in template.find_all(nodes.Tuple):
            group.items = [self._literal(item) for item in group.items]
        return template

    def _parts(self, node: nodes.Expr) -> list[nodes.Expr]:
        """The pieces of a printed expression; ``a ~ b`` prints two."""
        if isinstance(node, nodes.Concat):
            return [part for child in node.nodes for part in self._parts(child)]
        return [self._literal(node)]

    def _literal(self, node: nodes.Expr) -> nodes.Expr:
        """Marks a string that stands in the template as `Safe`."""
        if isinstance(node, nodes.Const) and type(node.value) is str:
            node = nodes.Filter(node, "literal", [], [], None, None, lineno=node.lineno)
            node.set_environment(self)
        elif isinstance(node, nodes.CondExpr):
            node.expr1 = self._literal(node.expr1)
            if node.expr2 is not None:
                node.expr2 = self._literal(node.expr2)
        return node

    @staticmethod
    def checked(macro: Callable[..., str]) -> Callable[..., Safe]:
        """Wraps a macro; compiled templates call this where they define one."""
        return lambda *args, **kwargs: Safe(macro(*args, **kwargs))


class _Guarded(SandboxedEnvironment, _Environment):
    """For templates that are not epforge's own: they reach nothing but what they are given."""


class _BytecodeCache(jinja2.BytecodeCache):
    """Compiled templates on disk. It never gets in the way: what cannot be kept is made again."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            with open(self._directory / bucket.key, "rb") as file:
                bucket.load_bytecode(file)
        except OSError:
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        from epforge.render.store import write_quietly

        write_quietly(self._directory / bucket.key, bucket.bytecode_to_string())


def _key() -> str:
    """Names everything that the compiled form depends on, beside the template's own text.

    The caller's files are not among it: a template is known by the hash of its source.
    """
    text = f"{compiled.made_by()} {platform.python_version()}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def make_environment(
    templates: Path,
    overrides: Sequence[jinja2.BaseLoader] = (),
    ahead: Path = compiled.COMPILED,
) -> jinja2.Environment:
    """An environment that loads from ``overrides`` and, what they do not have, ``templates``.

    ``<%= x %>`` prints, ``<% if %>`` controls, ``<%# note %>`` is dropped. A literal in a printed
    expression is the template's own text; any other plain ``str`` is an error. With overrides all
    templates are sandboxed.

    Args:
        templates: where epforge's own lie.
        overrides: what loads others in their place.
        ahead: where templates lie that were compiled ahead; the sandbox uses none.
    """
    own = jinja2.FileSystemLoader(templates, encoding="utf-8")
    kind: type[jinja2.Environment] = _Guarded
    cached = "guarded"
    if not overrides:
        own, kind, cached = compiled.Loader(templates, ahead), _Environment, "templates"
    environment = kind(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<%=",
        variable_end_string="%>",
        comment_start_string="<%#",
        comment_end_string="%>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        newline_sequence="\n",
        undefined=jinja2.StrictUndefined,
        finalize=printed,
        autoescape=False,
        auto_reload=False,
        cache_size=-1,
        loader=jinja2.ChoiceLoader([*overrides, own]) if overrides else own,
        bytecode_cache=_BytecodeCache(cache_dir(cached, _key())),
    )
    filters: dict[str, Callable[..., Any]] = {**FILTERS, "literal": Safe}
    environment.filters.update(filters)
    return environment
