"""Templates compiled ahead: Python source that a wheel has beside the templates themselves.

A wheel is one for all versions of Python, so what it has is source. What installs the wheel makes
bytecode of it, as of any module. The name of such a file is a hash of all that its content depends
on: a template that was changed, another Jinja, another epforge find no file, and compile.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Iterator, MutableMapping
from importlib.machinery import SourceFileLoader
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType
from typing import Any

import jinja2

from epforge import __version__

#: Where a wheel has them; a checkout has none.
COMPILED = Path(__file__).resolve().parents[1] / "compiled"
_MAKERS = ("environment.py", "filters.py")  # of what is compiled, beside Jinja


@functools.cache
def made_by() -> str:
    """Names what compiles: this epforge and this Jinja. Every Python makes the same of them."""
    digest = hashlib.sha256()
    for text in (__version__, jinja2.__version__):
        digest.update(text.encode() + b"\0")
    for name in _MAKERS:
        digest.update(Path(__file__).with_name(name).read_bytes())
    return digest.hexdigest()


def file_name(name: str, source: str) -> str:
    """The name of the file that has a template compiled.

    Args:
        name: the template's, such as ``plugin/CMakeLists.txt``.
        source: its text.
    """
    text = "\0".join((made_by(), name, source))
    return f"t{hashlib.sha256(text.encode()).hexdigest()[:32]}.py"


def compile_all(environment: jinja2.Environment) -> Iterator[tuple[str, str]]:
    """The names and the texts of the files that a wheel has: one for each template of projects.

    Args:
        environment: what finds, loads and compiles the templates.

    Raises:
        jinja2.TemplateError: one of them is no template.
    """
    assert environment.loader is not None
    for name in environment.list_templates():
        if "__pycache__" not in name and not name.startswith("starter/"):
            source, _, _ = environment.loader.get_source(environment, name)
            yield file_name(name, source), environment.compile(source, name, raw=True)


class Loader(jinja2.FileSystemLoader):
    """Loads templates from what was compiled ahead, where there is such.

    Args:
        templates: where the templates lie.
        folder: where what was compiled lies.
    """

    def __init__(self, templates: Path, folder: Path) -> None:
        super().__init__(templates, encoding="utf-8")
        self._folder = str(folder) if folder.is_dir() else None

    def load(
        self,
        environment: jinja2.Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,
    ) -> jinja2.Template:
        if self._folder is not None:
            source, path, is_fresh = self.get_source(environment, name)
            code = _code(self._folder, environment, name, path, source)
            if code is not None:
                kind = environment.template_class
                return kind.from_code(
                    environment, code, {} if globals is None else globals, is_fresh
                )
        return super().load(environment, name, globals)


def _code(
    folder: str, environment: jinja2.Environment, name: str, path: str, source: str
) -> CodeType | None:
    """What a template was compiled to; its file is the template, for the sake of tracebacks."""
    place = os.path.join(folder, file_name(name, source))
    try:
        if os.path.exists(cache_from_source(place)):
            code = SourceFileLoader(name, place).get_code(name)
            return None if code is None else code.replace(co_filename=path)
        with open(place, encoding="utf-8") as file:
            text = file.read()
        return _kept(environment, name, path, source, text)
    except (OSError, ImportError, SyntaxError, ValueError):  # there is none, or it is damaged
        return None


def _kept(
    environment: jinja2.Environment, name: str, path: str, source: str, text: str
) -> CodeType:
    """The bytecode of a template whose installer has made none, from epforge's cache."""
    cache = environment.bytecode_cache
    if cache is None:
        return compile(text, path, "exec")
    bucket = cache.get_bucket(environment, name, path, source)
    if bucket.code is None:
        bucket.code = compile(text, path, "exec")
        cache.set_bucket(bucket)
    return bucket.code
