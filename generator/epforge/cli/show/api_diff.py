"""What ``epforge api diff`` prints."""

from __future__ import annotations

from collections.abc import Iterator

from epforge.cli.show.api import key_text, member_row, role_text
from epforge.ort.diff import ApiDiff, StructDiff
from epforge.ort.model import Member, Need
from epforge.verbs.wording import count


def diff_text(diff: ApiDiff) -> str:
    """The difference for people: what each level brought, then struct by struct, then keys."""
    return "\n".join(_lines(diff))


def _lines(diff: ApiDiff) -> Iterator[str]:
    members = sum(len(struct.members) for struct in diff.structs.values())
    sizes = f"{count(members, 'member')} in {count(len(diff.structs), 'struct')}"
    verb = "loses" if diff.is_loss else "gains"
    keys = count(len(diff.keys), "key")
    yield f"ONNX Runtime 1.{diff.before} -> 1.{diff.after} {verb} {sizes}, {keys}"
    for level, gains in diff.gains.items():
        yield from (f"  1.{level}: {gain}" for gain in gains)
    for struct in diff.structs.values():
        yield ""
        yield from _struct_lines(struct)
    if diff.keys:
        yield "\nKeys"
        yield from (_indented(key_text(key)) for key in diff.keys)
    if diff.deprecated:
        yield "\nKeys deprecated by then"
        yield from (_indented(key_text(key)) for key in diff.deprecated)
    if diff.corrections:
        yield "\nWhere the headers state another level"
        for row in diff.corrections:
            yield f"  {row.what}: came with 1.{row.since}, the header says 1.{row.header_says}"
            yield f"      {row.why}"


def _struct_lines(diff: StructDiff) -> Iterator[str]:
    struct = diff.struct
    whole = ", the whole struct" if diff.whole else ""
    yield f"{struct.name} ({role_text(struct)}): {count(len(diff.members), 'member')}{whole}"
    if diff.members:
        yield f"  {'slot':>4} {'since':7} {'null?':9} declaration"
    for slotted in diff.members:
        yield member_row(slotted.slot, slotted.member)
        if text := _null(slotted.member):
            yield f"       {text}"
    for changed in diff.changed:
        yield f"  {changed.slot:4} was {changed.before.signature}"
        yield f"  {'':4} is  {changed.after.signature}"


def _null(member: Member) -> str:
    """What a provider must know that leaves the member null; empty where nothing is recorded."""
    when = f"needed when {member.when}" if member.need is Need.CONDITIONAL else ""
    null = f"null: {member.when_null}" if member.when_null else ""
    return "; ".join(part for part in (when, null) if part)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
