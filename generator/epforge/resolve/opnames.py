"""Operators as blueprints spell them: ``Relu`` or ``domain::Op``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from epforge.blueprint.diagnostic import listed, show, suggest
from epforge.blueprint.lookalikes import as_latin
from epforge.blueprint.nodes import Path
from epforge.ops import schemas
from epforge.ops.model import OpSchema
from epforge.resolve.findings import Findings

_OP = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SIGN = re.compile(r"([A-Za-z][\w-]*(?:\.[\w-]+)*)(?::|\.|/|:::|->)([A-Z]\w*)")
_DIMENSIONS = re.compile(r"[123][dD]$")  # as other frameworks tell operators apart that are one
_BETWEEN = re.compile(r"[\s,;|，、；]+")
_ONNX = ("onnx", "ai", "ai_onnx", "ai-onnx")
_DOMAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")


def split_op(text: str) -> tuple[str, str] | None:
    """Domain and operator of ``Relu`` or ``domain::Op``; None when it is neither."""
    domain, _, op = text.rpartition("::")
    if not _OP.fullmatch(op) or len(text) > 160 or (not domain and text.startswith("::")):
        return None
    if domain and not _DOMAIN.fullmatch(domain):
        return None
    return ("" if domain == "ai.onnx" else domain), op


#: Schemas of custom operators, by domain and name.
OwnSchemas = Mapping[tuple[str, str], OpSchema]


def find_schema(
    text: str, path: Path, subject: str, found: Findings, own: OwnSchemas | None = None
) -> OpSchema | None:
    """The schema of an operator as blueprints spell it; reported when there is none.

    Args:
        text: ``Relu`` or ``domain::Op``.
        path: where it is written.
        subject: what it is, for the message.
        found: where the error goes.
        own: custom operators that may be named, too.
    """
    parts = split_op(text)
    if parts is None:
        fix = _several(text, path, found) or _with_domain(as_latin(text)) or _as_known(text)
        what = f"{subject}: {show(text)} is not an operator"
        hint = f"write {fix}" if fix else ""
        found.error(path, "bad-name", what, "Relu or domain::Op", hint, fix)
        return None
    domain, op = parts
    schema = (own or {}).get((domain, op)) or schemas.find(domain, op)
    if schema is not None:
        return schema
    if domain not in schemas.domains():
        known = [name or "ai.onnx" for name in schemas.domains()]
        fix = suggest(domain, known)
        what = f"{subject}: the operators of domain {show(domain)} are not known"
        hint = f"did you mean {fix}?" if fix else "an operator of your own goes into custom_ops"
        if domain.lower() in _ONNX and schemas.find("", op) is not None:
            hint = "the domain of ONNX's own operators is left out"
            found.error(path, "unknown-domain", what, listed(known), hint, op)
            return None
        change = f"{fix}::{op}" if fix and schemas.find(fix.replace("ai.onnx", ""), op) else None
        found.error(path, "unknown-domain", what, listed(known), hint, change)
        return None
    meant = _meant(domain, op)
    what = f"{subject}: there is no operator {show(text)}"
    expected = f"an operator of ONNX up to opset {schemas.ONNX_OPSET}" if not domain else ""
    hint = f"did you mean {meant}?" if meant else "an operator of your own goes into custom_ops"
    found.error(path, "unknown-op", what, expected, hint, meant)
    return None


def _several(text: str, path: Path, found: Findings) -> str | None:
    """Operators of a list in brackets between which commas are missing."""
    parts = [part for part in _BETWEEN.split(text) if part]
    items = found.source.node(*path[:-1]) if isinstance(path[-1], int) else None
    if len(parts) < 2 or items is None or not all(map(is_known, parts)):
        return None
    return ", ".join(parts) if found.source.text.slice(items.span)[:1] == "[" else None


def _as_known(text: str) -> str | None:
    """The operator that a text is with the letters of the alphabet that it looks like."""
    latin = as_latin(text).strip()
    parts = split_op(latin) if latin != text else None
    if parts is None:
        return None
    return latin if schemas.find(*parts) else _meant(*parts)


def _with_domain(text: str) -> str | None:
    """``com.microsoft::Op`` of what has another sign between domain and operator."""
    match = _SIGN.fullmatch(text)
    if match is None or schemas.find(match[1].replace("ai.onnx", ""), match[2]) is None:
        return None
    return f"{match[1]}::{match[2]}"


def _meant(domain: str, op: str) -> str | None:
    for other in schemas.domains():
        if other != domain and schemas.find(other, op) is not None:
            return f"{other}::{op}" if other else op
    close = suggest(_DIMENSIONS.sub("", op), schemas.names(domain))
    # Relu6 is no Relu: what a number tells apart is not the same.
    if close and re.sub(r"[^0-9]", "", _DIMENSIONS.sub("", op)) != re.sub(r"[^0-9]", "", close):
        close = None
    return f"{domain}::{close}" if close and domain else close


def is_known(text: str) -> bool:
    """Is there a schema for the operator?"""
    parts = split_op(text)
    return parts is not None and schemas.find(*parts) is not None
