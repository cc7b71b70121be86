"""What a file is, by its own bytes: format, architecture, names it exports and needs.

ELF, PE and Mach-O are read by lief; everything else is told apart by its first bytes. lief parses
foreign bytes in native code, so `validate` calls `read` in a process of its own.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

_MACHINES = {
    "X86_64": "x86_64",
    "AMD64": "x86_64",
    "AARCH64": "aarch64",
    "ARM64": "aarch64",
    "I386": "x86",
    "X86": "x86",
    "ARM": "arm",
    "S390": "s390x",
    "RISCV": "riscv",
}
_UNDEFINED, _ABSOLUTE = 0, 0xFFF1  # section indices of ELF; version names are absolute
_SEEN = ("DEFAULT", "PROTECTED")  # visibilities that other libraries can bind to
# Versions that are words: marks of what a linker did, and the release that understands it.
_MARKERS = {"GLIBC_ABI_DT_RELR": ("GLIBC", "2.36"), "GLIBC_ABI_GNU2_TLS": ("GLIBC", "2.42")}
_C_RUNTIMES = ("ucrtbase", "api-ms-win-crt", "msvcrt", "vcruntime", "msvcp")  # of Windows
_MACH_O = {
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"\xca\xfe\xba\xbf",
}


@dataclass(frozen=True)
class Binary:
    """The facts of one file.

    Args:
        format: "elf", "pe", "mach-o", "archive", "text", "empty", "directory" or "unknown".
        machine: the processor it is for, "x86_64", "aarch64", ...; empty when unknown.
        shared: is it a shared library (and not a program or an object file)?
        damage: why the file cannot be what it says, or empty.
        exports: names that other code can bind to.
        unique: the exports with unique linkage, which keep a library in memory for good.
        imports: names that others must provide.
        needed: libraries it asks the loader for.
        search: directories it tells the loader to look in.
        floors: the oldest system it runs on, one line for each thing that is asked of it:
            "GLIBC 2.34", "GLIBCXX 3.4.30", "macOS 11.0", "Windows 6.0", "ucrt".
        soname: what it calls itself; empty where it does not say.
        remark: what a text file or an archive is in particular: "a Git LFS pointer".
        made_by: the compilers that say so in it.
    """

    format: str
    machine: str = ""
    shared: bool = False
    damage: str = ""
    exports: tuple[str, ...] = ()
    unique: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    floors: tuple[str, ...] = ()
    soname: str = ""
    remark: str = ""
    made_by: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Binary:
        given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
        return cls(**given)

    @property
    def sanitizers(self) -> tuple[str, ...]:
        """The sanitizer runtimes it was built for: "asan", "tsan", "ubsan"."""
        return tuple(
            n for n in ("asan", "tsan", "ubsan") if any(f"lib{n}." in x for x in self.needed)
        )


def host_machine() -> str:
    """This machine's processor, spelled as in `Binary.machine`."""
    machine = platform.machine()
    return _MACHINES.get(machine.upper(), machine.lower())


def read(path: Path) -> Binary:
    """The facts of the file at ``path``, whatever it is.

    Raises OSError when it cannot be read at all.
    """
    if path.is_dir():
        return Binary("directory")
    with path.open("rb") as file:
        head = file.read(4096)
    if not head:
        return Binary("empty")
    if head.startswith(b"\x7fELF"):
        return _elf(path)
    if head.startswith(b"MZ"):
        return _pe(path)
    if head[:4] in _MACH_O:
        return _mach_o(path)
    if head.startswith(b"!<arch>\n"):
        return Binary("archive", remark="a static library")
    if head.startswith((b"PK\x03\x04", b"\x1f\x8b")):
        return Binary("archive")
    return Binary("text", remark=_remark(head)) if _is_text(head) else Binary("unknown")


def _remark(head: bytes) -> str:
    """What a text file is that is often found in a library's place."""
    start = head.lstrip()[:64].lower()
    if start.startswith(b"version https://git-lfs"):
        return "a Git LFS pointer"
    if start.startswith((b"<!doctype html", b"<html")):
        return "an HTML page"
    if start.startswith(b"#!"):
        return "a script"
    return "a linker script" if b"INPUT" in head or b"GROUP" in head else ""


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    try:
        head[: head.rfind(b"\n") + 1 or len(head)].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _elf(path: Path) -> Binary:
    damage = _elf_damage(path)
    if damage:
        return Binary("elf", damage=damage)
    import lief

    elf = lief.ELF.parse(str(path))
    if elf is None:
        return Binary("elf", damage="it cannot be parsed")
    symbols = [symbol for symbol in elf.dynamic_symbols if symbol.name]
    # Told by section, not by lief's `exported` and `imported`: those pass over untyped symbols.
    defined = [s for s in symbols if s.shndx not in (_UNDEFINED, _ABSOLUTE)]
    exported = [s for s in defined if _word(s.binding) != "LOCAL" and _word(s.visibility) in _SEEN]
    tags = lief.ELF.DynamicEntry.TAG
    search: list[str] = []
    for entry in (elf.get(tags.RPATH), elf.get(tags.RUNPATH)):
        if isinstance(entry, (lief.ELF.DynamicEntryRpath, lief.ELF.DynamicEntryRunPath)):
            search += [str(part) for part in entry.paths if part]
    soname = _soname(elf)
    # A library may also be run, as glibc's is; a program has no name that others ask for.
    library = bool(soname) or not elf.has_interpreter
    return Binary(
        format="elf",
        machine=_machine(elf.header.machine_type),
        shared=elf.header.file_type == lief.ELF.Header.FILE_TYPE.DYN and library,
        exports=tuple(sorted(str(s.name) for s in exported)),
        unique=tuple(sorted(str(s.name) for s in exported if _word(s.binding) == "GNU_UNIQUE")),
        imports=tuple(sorted(str(s.name) for s in symbols if s.shndx == _UNDEFINED)),
        needed=tuple(map(str, elf.libraries)),
        search=tuple(search),
        floors=_needed_versions(elf),
        soname=soname,
        made_by=_comments(elf),
    )


def _needed_versions(elf: Any) -> tuple[str, ...]:
    """The highest version of each set of symbols that the file asks its libraries for."""
    highest: dict[str, tuple[int, ...]] = {}
    for requirement in elf.symbols_version_requirement:
        for version in requirement.get_auxiliary_symbols():
            name, _, number = str(version.name).rpartition("_")
            name, number = _MARKERS.get(str(version.name), (name, number))
            parts = number.split(".")
            if name and all(part.isdigit() for part in parts):
                found = tuple(map(int, parts))
                highest[name] = max(highest.get(name, ()), found)
    return tuple(f"{name} {'.'.join(map(str, highest[name]))}" for name in sorted(highest))


def _soname(elf: Any) -> str:
    import lief

    entry = elf.get(lief.ELF.DynamicEntry.TAG.SONAME)
    return str(entry.name) if isinstance(entry, lief.ELF.DynamicSharedObject) else ""


def _comments(elf: Any) -> tuple[str, ...]:
    """What compilers have written in the section for comments: each once, bounded."""
    section = elf.get_section(".comment")
    texts = bytes(section.content[:4096]).split(b"\0") if section else []
    words = [" ".join(text.decode("utf-8", "replace").split())[:120] for text in texts]
    return tuple(dict.fromkeys(filter(None, words)))[:8]


def _elf_damage(path: Path) -> str:
    """Why an ELF file is not whole: what its headers describe lies beyond its end."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(64)
        if len(head) < 64 or head[4] not in (1, 2) or head[5] not in (1, 2):
            return "its header is cut off"
        wide, order = head[4] == 2, "<" if head[5] == 1 else ">"
        if wide:
            phoff, shoff = struct.unpack_from(order + "QQ", head, 32)
            phsize, phnum, shsize, shnum = struct.unpack_from(order + "HHHH", head, 54)
        else:
            phoff, shoff = struct.unpack_from(order + "II", head, 28)
            phsize, phnum, shsize, shnum = struct.unpack_from(order + "HHHH", head, 42)
        ends = [phoff + phsize * phnum, shoff + shsize * shnum]
        file.seek(min(phoff, size))
        table = file.read(phsize * phnum)
        for index in range(len(table) // phsize if phsize >= (56 if wide else 32) else 0):
            at = index * phsize
            if wide:
                offset, _, _, length = struct.unpack_from(order + "QQQQ", table, at + 8)
            else:
                offset, _, _, length = struct.unpack_from(order + "IIII", table, at + 4)
            ends.append(offset + length)
    if max(ends) > size:
        return f"it ends after {size} bytes, its headers describe {max(ends)}"
    return ""


def _pe(path: Path) -> Binary:
    import lief

    pe = lief.PE.parse(str(path))
    if pe is None:
        return Binary("pe", damage="it cannot be parsed")
    exports = pe.get_export()
    return Binary(
        format="pe",
        machine=_machine(pe.header.machine),
        shared=pe.header.has_characteristic(lief.PE.Header.CHARACTERISTICS.DLL),
        exports=tuple(sorted(str(entry.name) for entry in exports.entries)) if exports else (),
        imports=tuple(
            sorted(str(e.name) for library in pe.imports for e in library.entries if e.name)
        ),
        needed=tuple(str(library.name) for library in pe.imports),
        floors=_windows(pe),
        soname=str(exports.name) if exports else "",
    )


def _windows(pe: Any) -> tuple[str, ...]:
    header = pe.optional_header
    version = f"Windows {header.major_subsystem_version}.{header.minor_subsystem_version}"
    names = [str(library.name).lower() for library in pe.imports]
    found = [word for word in _C_RUNTIMES if any(name.startswith(word) for name in names)]
    words = ("ucrt" if word in ("ucrtbase", "api-ms-win-crt") else word for word in found)
    return tuple(dict.fromkeys((version, *words)))


def _mach_o(path: Path) -> Binary:
    import lief

    fat = lief.MachO.parse(str(path))
    slices = list(fat) if fat is not None else []
    if not slices:
        return Binary("mach-o", damage="it cannot be parsed")
    host = host_machine()
    machines = [_machine(one.header.cpu_type) for one in slices]
    one = slices[machines.index(host)] if host in machines else slices[0]
    facts = Binary(
        format="mach-o",
        machine=_machine(one.header.cpu_type),
        shared=one.header.file_type
        in (lief.MachO.Header.FILE_TYPE.DYLIB, lief.MachO.Header.FILE_TYPE.BUNDLE),
        exports=tuple(sorted(_plain(s.name) for s in one.exported_symbols)),
        imports=tuple(sorted(_plain(s.name) for s in one.imported_symbols)),
        needed=tuple(
            str(library.name)
            for library in one.libraries
            if library.command != lief.MachO.LoadCommand.TYPE.ID_DYLIB  # what it calls itself
        ),
    )
    own = [
        str(library.name)
        for library in one.libraries
        if library.command == lief.MachO.LoadCommand.TYPE.ID_DYLIB
    ]
    return replace(
        facts,
        search=tuple(str(entry.path) for entry in one.rpaths),
        floors=_macos(one),
        soname=own[0] if own else "",
    )


def _macos(one: Any) -> tuple[str, ...]:
    if one.has_build_version:
        version = one.build_version.minos
    elif one.has_version_min:
        version = one.version_min.version
    else:
        return ()
    return (f"macOS {'.'.join(map(str, version[:2]))}",)


def _plain(name: object) -> str:
    return str(name).removeprefix("_")


def _word(value: object) -> str:
    return str(value).rsplit(".", 1)[-1]


def _machine(value: object) -> str:
    word = _word(value)
    return _MACHINES.get(word, word.lower())
