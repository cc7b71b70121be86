"""What of a library's facts its users will meet, in a sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from epforge.validate.inspection.hardware import VENDORS
from epforge.validate.inspection.model import Answers, Ended, Factory, Finding
from epforge.validate.model import Check

OLDER = 22  # what `Answers.older` was told to be
_UNLOADS_SINCE = 28


def of_file(lines: Sequence[Check]) -> Iterator[Finding]:
    """Of the file itself: the lines of rung `static` that failed."""
    for line in lines:
        if line.outcome.bad:
            yield Finding(line.name.replace(" ", "-"), line.detail)


def of_answers(went: Answers, name: str) -> Iterator[Finding]:
    """Of what it said when it was run.

    Args:
        name: under which it was asked.
    """
    yield from _versions(went)
    for what, ended in (("asking it directly", went.entry), ("registering it", went.registered)):
        same = ended is went.entry and ended.outcome == "refused" == went.registered.outcome
        if not same and (ended.bad or ended.outcome == "refused"):
            yield Finding("entry" if ended is went.entry else "register", f"{what}: {_of(ended)}")
    if not went.factories and went.entry.outcome == "fine":
        yield Finding("no-factory", "it registers without a factory: nobody sees a device")
    for factory in went.factories:
        yield from _factory(factory, went, name)
        yield from _strangers(factory, went)
    names = [factory.name for factory in went.factories]
    if len(set(names)) < len(names):
        yield Finding("same-names", f"two factories have the name {names[0]}")
    if went.unmapped is False and went.level >= _UNLOADS_SINCE:
        yield Finding("unload", "it stays in memory after it was unregistered")
    if went.stray:
        yield Finding("stderr", f"writes to stderr past ORT's logger: {went.stray[0][:200]}")


def _of(ended: Ended) -> str:
    return f"{ended.outcome}: {ended.detail}" if ended.detail else ended.outcome


def _versions(went: Answers) -> Iterator[Finding]:
    older = went.older
    asked = ", ".join(str(level) for level in wanted(went))
    told = f"on a runtime too old for it (1.{OLDER})"
    if older.bad:
        yield Finding("crash-when-old", f"{told} it {_of(older)}")
    elif older.outcome == "fine" and older.detail:
        yield Finding("silent-when-old", f"{told} it {older.detail}")
    elif older.outcome == "refused" and not _names_a_version(older.detail, went):
        yield Finding("vague-when-old", f"{told} it says no version: {older.detail}")
    if went.asked and not any(given for level, given in went.asked if level in wanted(went)):
        yield Finding("newer-api", f"asks for API {asked}; onnxruntime {went.runtime} has no such")


def wanted(went: Answers) -> list[int]:
    """The API levels that it asked for, each once; 1 is there in all, for the words of an error."""
    found = list(dict.fromkeys(level for level, _ in went.asked))
    return [level for level in found if level != 1] or found


def _names_a_version(text: str, went: Answers) -> bool:
    levels = {OLDER, *wanted(went)}
    return any(f"1.{level}" in text or f" {level}" in f" {text}" for level in levels)


def _factory(factory: Factory, went: Answers, name: str) -> Iterator[Finding]:
    many = f" (factory {factory.index + 1})" if len(went.factories) > 1 else ""
    if factory.name == name or (factory.name and factory.name == went.name):
        yield Finding(
            "name",
            f"its name is the one that it is registered under{many}: who looks for another finds "
            "no device",
        )
    if factory.ep is not None and factory.ep != factory.name:
        yield Finding(
            "name", f"the factory's name is {factory.name!r}, the EP's is {factory.ep!r}{many}"
        )
    devices = [each for each in went.devices if each["ep"] == factory.name]
    yield from _stamps(factory, went, many)
    for struct in factory.structs:
        if struct.lacking:
            yield Finding(
                "members", f"{struct.struct} lacks {', '.join(struct.lacking)}{many}, which ONNX "
                "Runtime calls unasked",
            )  # fmt: skip
    ep = factory.struct("OrtEp")
    if ep is not None and "IsConcurrentRunSupported" in ep.unset:
        yield Finding(
            "concurrency", f"does not say whether runs may be concurrent{many}: ONNX Runtime "
            "takes that for a yes",
        )  # fmt: skip
    for where, text in factory.errors:
        yield Finding("error", f"{where}{many}: {text}")
    wrong = {str(each["version"]) for each in devices} - {factory.version}
    if wrong and factory.version:
        yield Finding(
            "version", f"the factory says {factory.version}, its devices {', '.join(wrong)}{many}"
        )


def _strangers(factory: Factory, went: Answers) -> Iterator[Finding]:
    """Devices of a vendor's library on another vendor's hardware."""
    own = VENDORS.get(factory.vendor_id or 0)
    if own is None:
        return
    found = [
        f"{each['type']} of {VENDORS[int(each['hardware_vendor_id'])]}"
        for each in went.devices
        if each["ep"] == factory.name and VENDORS.get(int(each["hardware_vendor_id"]), own) != own
    ]
    if found:
        yield Finding("any-vendor", f"{factory.name}, of {own}, offers a device on a {found[0]}")


def _stamps(factory: Factory, went: Answers, many: str) -> Iterator[Finding]:
    stamps = {each.struct: each.stamp for each in factory.structs}
    for struct, stamp in stamps.items():
        if stamp == 0:
            yield Finding("stamp", f"{struct} has version 0{many}: newer runtimes refuse it")
        elif stamp > went.level:
            yield Finding(
                "stamp",
                f"{struct} has version {stamp}{many}, newer than this runtime ({went.level}): "
                "1.28 refuses such",
            )
    if len(set(stamps.values()) - {0}) > 1:
        text = ", ".join(f"{struct} {stamp}" for struct, stamp in stamps.items())
        yield Finding("stamp", f"its structs have different versions{many}: {text}")
