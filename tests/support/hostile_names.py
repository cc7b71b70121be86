"""Names that a compiled model may give its data, to lead a reader out of the model's folder."""

from __future__ import annotations

import os
import shutil
import socket
from dataclasses import dataclass
from pathlib import Path

GOOD = "good.bin"
#: Whoever opens one of these devices may wait, or read for ever.
_DEVICES = ("zero", "full", "random", "null", "stdin", "tty", "mem")


@dataclass(frozen=True)
class Ground:
    """Folders full of traps. The canaries are copies of the good data: opening them pays."""

    root: Path

    @property
    def folder(self) -> Path:
        """The model's own."""
        return self.root / "models"

    @property
    def canary(self) -> Path:
        return self.root / "outside" / "canary.bin"

    @property
    def twin(self) -> Path:
        """A canary in a folder whose path begins like that of the model's."""
        return self.root / "models-too" / "canary.bin"

    def lay(self, good: Path) -> None:
        """Lays the traps; ``good`` is what a well-behaved name leads to."""
        folder = self.folder
        for place in (folder / GOOD, self.canary, self.twin, self.root / "canary.bin"):
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(good, place)
        (folder / "sub").mkdir()
        (folder / "folder.bin").mkdir()
        shutil.copy(good, folder / "sub" / GOOD)
        shutil.copy(good, folder / "locked.bin")
        (folder / "locked.bin").chmod(0)
        (folder / "empty.bin").touch()
        (folder / "text.bin").write_text("not compiled data")
        with open(folder / "sparse.bin", "wb") as file:
            file.truncate(1 << 40)
        os.mkfifo(folder / "fifo.bin")
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(folder / "socket.bin"))
        links = {
            "link.bin": self.canary,
            "relative.bin": "../outside/canary.bin",
            "second.bin": "link.bin",
            "third.bin": "second.bin",
            "twin.bin": self.twin,
            "aside.bin": "../models-too/canary.bin",
            "dangling.bin": self.root / "outside" / "nothing.bin",
            "self.bin": "self.bin",
            "loop1.bin": "loop2.bin",
            "loop2.bin": "loop1.bin",
            "outside": self.root / "outside",
            "up": "..",
            "top": "/",
            "sub/outside": "../../outside",
            "sub/canary.bin": "../../outside/canary.bin",
            "process": "/proc/self/root",
            "files": "/proc/self/fd",
            "here": "/proc/self/cwd",
            "inner.bin": GOOD,
            "sub/back": "..",
            **{f"{name}.bin": f"/dev/{name}" for name in _DEVICES},
        }
        for name, target in links.items():
            (folder / name).symlink_to(target)


#: Names that lead to data in the folder, whatever they look like.
HARMLESS = (
    GOOD.encode(),
    b"sub/good.bin",
    b"inner.bin",
    b"sub/back/good.bin",
    b"sub/back/sub/good.bin",
    b"sub/back/" * 20 + b"good.bin",
    b"up/models/good.bin",
)
#: The data is there, but a process without root's rights cannot read it.
LOCKED = b"locked.bin"


def names(ground: Ground) -> list[bytes]:
    """All of them, each once, the harmless ones included."""
    canary = str(ground.canary)
    inside = str(ground.folder / GOOD)
    texts = [
        *_absolute(canary, inside),
        *_upwards(canary),
        *_untidy(),
        *_of_windows(canary),
        *_encoded(),
        *_for_shells(canary),
        *_linked(canary),
    ]
    found = [*HARMLESS, LOCKED, *(text.encode() for text in texts), *_control(), *_unicode()]
    return list(dict.fromkeys(found))


def _absolute(canary: str, inside: str) -> list[str]:
    return [
        *(canary, f"/{canary}", f"//{canary}", f"/.{canary}", f"{canary}/"),
        *(inside, f"/{inside}", "/", "//", "/.", "/..", "/../.."),
        *("/etc/passwd", "/proc/self/environ", "/dev/zero", "/dev/stdin", "/proc/self/fd/0"),
    ]


def _upwards(canary: str) -> list[str]:
    near = "outside/canary.bin"
    return [
        *("../" * depth + canary.lstrip("/") for depth in range(1, 13)),
        *(f"../{near}", f"./../{near}", f"sub/../../{near}", f"sub/../sub/../../{near}"),
        *("../canary.bin", "../models-too/canary.bin", "../models/good.bin"),
        *("..", "../", "../.", "./..", "../..", "sub/..", "sub/../good.bin", "sub/../sub/good.bin"),
        *("good.bin/..", "good.bin/../good.bin", f"good.bin/../../{near}", f"nothing/../../{near}"),
        *(f"outside/../{near}", "outside/../good.bin", "../" * 5000 + canary.lstrip("/")),
        *("...", f".../{near}", f"..../{near}", f"....//{near}", f"..;/{near}", f".. /{near}"),
        *(f" ../{near}", f"../{near} ", f"../{near}.", f"..\u00a0/{near}", f".\u200b./{near}"),
    ]


def _untidy() -> list[str]:
    return [
        *("", ".", "./", "./good.bin", "././good.bin", "sub/./good.bin", "sub//good.bin"),
        *(".//good.bin", "good.bin/", "good.bin//", "good.bin/.", "sub", "sub/", "folder.bin"),
        *("good.bin.", "good.bin ", " good.bin", "good.bin...", "GOOD.BIN", "sub/good.bin/"),
        *("empty.bin", "text.bin", "sparse.bin", "fifo.bin", "socket.bin", "nothing.bin"),
        *("canary.bin", "models/good.bin"),  # as seen from where the process works, or from above
        *("a" * 255, "a" * 256, "a" * 4096, "a" * (1 << 20), "ä" * 127, "ä" * 128),
        *("a/" * 3000 + "a", "sub/" * 1000 + GOOD, "sub/back/" * 60 + GOOD),
    ]


def _of_windows(canary: str) -> list[str]:
    return [
        *("..\\outside\\canary.bin", "sub\\good.bin", "\\good.bin", "good.bin\\", "..\\"),
        *(f"C:{canary}", "C:\\Windows\\win.ini", "C:good.bin", "c:/windows/win.ini", "z:"),
        *("\\\\server\\share\\good.bin", "//server/share/good.bin", "\\\\?\\C:\\good.bin"),
        *("\\\\.\\PhysicalDrive0", "\\??\\C:\\good.bin", "good.bin:stream", "good.bin::$DATA"),
        *("CON", "NUL", "nul.bin", "COM1", "LPT1", "AUX", "/\\outside", "..\\/outside/canary.bin"),
    ]


def _encoded() -> list[str]:
    near = "outside/canary.bin"
    return [
        *(f"%2e%2e/{near}", f"..%2f{near}", f"%2e%2e%2f{near}", f"%252e%252e/{near}"),
        *(f"..%c0%af{near}", f"%u002e%u002e/{near}", "good.bin%00", "%00", "good%2ebin"),
        *(f"&#46;&#46;/{near}", "=2E=2E/outside", "good.bin?version=1", "good.bin#fragment"),
    ]


def _for_shells(canary: str) -> list[str]:
    urls = ("file://", "file://localhost", "file:", "FILE://", "jar:file:", "http://127.0.0.1")
    return [
        *(f"{url}{canary}" for url in urls),
        *("data:,good", "smb://server/share/good.bin", "ftp://127.0.0.1/good.bin"),
        *("~", "~/good.bin", "~root/good.bin", "$HOME/good.bin", "${PWD}/../outside/canary.bin"),
        *("%HOME%/good.bin", f"$(cat {canary})", f"`cat {canary}`", f"|cat {canary}"),
        *(f"good.bin;cat {canary}", f"good.bin&&cat {canary}", "*", "?ood.bin", "good.*", "*.bin"),
        *("-", "--help", "@good.bin", "'good.bin'", '"good.bin"', "{good,nothing}.bin"),
    ]


def _linked(canary: str) -> list[str]:
    below = canary.lstrip("/")
    return [
        *("link.bin", "link.bin/", "relative.bin", "second.bin", "third.bin", "twin.bin"),
        *("aside.bin", "dangling.bin", "self.bin", "loop1.bin", "loop2.bin", "self.bin/good.bin"),
        *("outside", "outside/", "outside/canary.bin", "sub/outside/canary.bin", "sub/canary.bin"),
        *("up", "up/canary.bin", "up/outside/canary.bin", "up/models-too/canary.bin"),
        *("up/models/outside/canary.bin", "sub/back/link.bin", "sub/back/outside/canary.bin"),
        *("top", f"top/{below}", "top/etc/passwd", f"process/{below}", "files/0", "files/1"),
        *("here/canary.bin", "up/models/up/outside/canary.bin", "sub/back/up/canary.bin"),
        *(f"{name}.bin" for name in _DEVICES),
    ]


def _control() -> list[bytes]:
    codes = [*range(0x20), 0x7F]
    return [
        *(b"go" + bytes([code]) + b"od.bin" for code in codes),
        *(b"\0", b"\0good.bin", b"good.bin\0", b"good.bin\0/../../outside/canary.bin"),
        *(b"../outside/canary.bin\0", b"../outside/canary.bin\0good.bin", b"good.bin\n", b"\r\n"),
    ]


def _unicode() -> list[bytes]:
    near = "outside/canary.bin"
    texts = [
        *(f"\u2025/{near}", f"\u2024\u2024/{near}", f"\uff0e\uff0e/{near}", f"\u3002\u3002/{near}"),
        *("..\u2215outside\u2215canary.bin", "..\u2044outside\u2044canary.bin"),
        *("..\uff0foutside\uff0fcanary.bin", "..\u29f8outside", "..\uff3coutside\uff3ccanary.bin"),
        *("\u202enib.doog", "\u202e../outside", "\ufeffgood.bin", "good\u200b.bin", "\uffff.bin"),
        *("g\u043e\u043ed.bin", "good.bin\u0301", "\U0001f4a3.bin"),
    ]
    raw = [
        *(b"..\xc0\xafoutside\xc0\xafcanary.bin", b"\xc0\xae\xc0\xae/outside/canary.bin"),
        *(b"\xff\xfe", b"good\x80.bin", b"\xed\xa0\x80.bin", b"\xf4\x90\x80\x80.bin", b"\xe2\x80"),
        *(b"good.bin\xc3", b"../outside/canary.bin\xff"),
    ]
    return [*(text.encode() for text in texts), *raw]
