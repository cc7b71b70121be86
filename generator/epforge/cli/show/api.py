"""What ``epforge api show`` and ``keys`` print."""

from __future__ import annotations

from epforge.ort.model import ApiLevel, Key, Member, Need, Struct

_SHORT_NEED = {
    Need.REQUIRED: "required",
    Need.CRASHES: "required!",
    Need.CONDITIONAL: "if ...",
    Need.OPTIONAL: "optional",
    Need.UNKNOWN: "",
}
_LONG_NEED = {
    Need.REQUIRED: "yes",
    Need.CRASHES: "yes in practice, though the API does not say so",
    Need.CONDITIONAL: "under a condition",
    Need.OPTIONAL: "no",
    Need.UNKNOWN: "",
}


def since_text(since: int, exact: bool) -> str:
    """``1.24``, or ``<=1.24`` where an earlier level may have it."""
    return f"1.{since}" if exact else f"<=1.{since}"


def overview(level: ApiLevel) -> str:
    """A level: what it brought, and its structs."""
    lines = [f"ONNX Runtime {level.release} ({level.source})"]
    lines += [f"  new: {gain}" for gain in level.gains]
    lines.append(f"\n  {'struct':32} {'members':>7}  {'since':7} role")
    for struct in level.structs.values():
        first = min(struct.members, key=lambda member: member.since)
        since = since_text(first.since, first.since_exact)
        lines.append(f"  {struct.name:32} {len(struct.members):7}  {since:7} {role_text(struct)}")
    return "\n".join(lines)


def role_text(struct: Struct) -> str:
    """Who fills the struct."""
    texts = {"implements": "you implement", "calls": "you call", "passes": "plain values"}
    return texts[struct.role]


def struct_text(struct: Struct, level: ApiLevel) -> str:
    """A struct with its members."""
    head = f"{struct.name} at {level.release}: {len(struct.members)} members, {role_text(struct)}"
    lines = [head, f"  {'slot':>4} {'since':7} {'null?':9} declaration"]
    lines += [member_row(slot, member) for slot, member in enumerate(struct.members)]
    return "\n".join(lines)


def member_row(slot: int, member: Member) -> str:
    """A member as a line of the table of its struct."""
    since = since_text(member.since, member.since_exact)
    doubt = "" if member.confidence == "header" else f"   [{member.confidence}]"
    return f"  {slot:4} {since:7} {_SHORT_NEED[member.need]:9} {member.signature}{doubt}"


def member_text(struct: Struct, member: Member) -> str:
    """A member with all that is known about it."""
    since = since_text(member.since, member.since_exact)
    lines = [
        f"{struct.name}.{member.name}: slot {struct.slot(member.name)}, since {since}",
        f"  {member.signature}",
        f"  known from: {member.source} ({member.confidence})",
    ]
    need = f"when {member.when}" if member.when else _LONG_NEED[member.need]
    facts = (("needed", need), ("if null", member.when_null), ("note", member.note))
    lines += [f"  {label}: {text}" for label, text in facts if text]
    if member.fact_source:
        lines.append(f"  facts from: {member.fact_source}")
    return "\n".join(lines)


def key_text(key: Key) -> str:
    """A key, and what is to be known of it."""
    until = f", deprecated since 1.{key.until}" if key.until else ""
    head = f"{key.key}  ({key.scope}, since {since_text(key.since, key.exact)}{until})"
    return f"{head}\n    {key.note}" if key.note else head
