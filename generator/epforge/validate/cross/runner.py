"""What runs programs of other platforms on Linux: wine, and QEMU's user mode."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from epforge.cache import cache_dir, publish
from epforge.errors import MissingError
from epforge.validate.cross.targets import Target

_QEMU_LIBRARIES = Path("/usr/aarch64-linux-gnu/lib")
_START_S = 300.0
_WINDOWS = ("system.reg", "dosdevices/z:", "drive_c/windows/system32/ntdll.dll")
# Said by the emulators themselves, about no fault of a library.
_NOISE = re.compile(
    r"Failed to create DXGI factory\.|wine: (failed to open|configuration in|created the|could not)"
    r"|it looks like wine32 is missing|qemu: uncaught target signal|[0-9a-f]+:(err|fixme|warn):"
)
_CPU = """processor\t: {number}
BogoMIPS\t: 50.00
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x0
CPU part\t: 0xd08
CPU revision\t: 3

"""


@dataclass(frozen=True)
class Runner:
    """How to run programs of a platform.

    Args:
        command: what comes before the program.
        env: the whole environment.
        windows: the program's paths are those of Windows; this machine's are below drive Z.
    """

    command: tuple[str, ...]
    env: Mapping[str, str]
    windows: bool = False

    def path(self, path: Path) -> str:
        """A path as programs get it."""
        return "Z:" + str(path).replace("/", "\\") if self.windows else str(path)


@contextmanager
def running(target: Target, progress: Callable[[str], None]) -> Iterator[Runner]:
    """The means to run a target's programs, while the block runs.

    Raises MissingError, which names the packages to install.
    """
    if target.native:
        yield Runner((), os.environ.copy())
    elif target.runner == "wine":
        with _wine(progress) as runner:
            yield runner
    else:
        yield _qemu()


def without_noise(text: str) -> str:
    """What was written to stderr, without what the emulators say."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not _NOISE.match(line))


# ---- QEMU


def _qemu() -> Runner:
    program = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    lacking = [] if program else ["qemu-user"]
    if not (_QEMU_LIBRARIES / "libstdc++.so.6").exists():
        lacking += ["libc6-arm64-cross", "libstdc++6-arm64-cross"]
    if program is None or lacking:
        raise MissingError(
            f"libraries for linux-arm64 are run by qemu-user, which lacks: {', '.join(lacking)}",
            f"Install it: apt-get install --no-install-recommends {' '.join(lacking)} "
            "(Debian, Ubuntu)",
        )
    return Runner((program, "-L", str(_sysroot())), os.environ.copy())


def _sysroot() -> Path:
    """The directory that QEMU takes for the root where it has a file: Arm's libraries, and what
    the kernel says of an Arm processor. The runtime reads that, and falls over this machine's."""
    place = cache_dir("targets", "root-linux-arm64")
    if not _is_root(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as folder:
            stage = Path(folder) / "made"
            (stage / "proc").mkdir(parents=True)
            (stage / "lib").symlink_to(_QEMU_LIBRARIES)
            processors = range(os.cpu_count() or 1)
            text = "".join(_CPU.format(number=number) for number in processors)
            (stage / "proc/cpuinfo").write_text(text, encoding="ascii")
            publish(stage, place, _is_root)
    return place


def _is_root(place: Path) -> bool:
    return (place / "proc/cpuinfo").is_file() and (place / "lib/libc.so.6").exists()


# ---- wine


@contextmanager
def _wine(progress: Callable[[str], None]) -> Iterator[Runner]:
    """Wine with a Windows of its own in the cache. The last one that leaves stops its server."""
    import fcntl

    wine, server = shutil.which("wine"), shutil.which("wineserver")
    if wine is None or server is None:
        raise MissingError(
            "libraries for windows-x64 are run by wine, which is not on the PATH",
            "Install it: apt-get install --no-install-recommends wine wine64 (Debian, Ubuntu)",
        )
    place = cache_dir("targets", "wine")
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.with_suffix(".lock").open("a") as lock:
        if not _is_windows(place):
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _is_windows(place):
                progress("making a Windows for wine, once")
                _make_windows(wine, server, place)
        fcntl.flock(lock, fcntl.LOCK_SH)
        env = _wine_env(place)
        try:
            yield Runner((wine,), env, windows=True)
        finally:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pass  # somebody else is at work in it
            else:
                _stop(server, env)


def _wine_env(place: Path) -> dict[str, str]:
    env = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WINEARCH")}
    return {
        **env,
        "WINEPREFIX": str(place),
        "TMPDIR": str(place),  # its server's socket: one server, whoever asks, and nothing left
        "WINEARCH": "win64",
        "WINEDEBUG": "-all",
        "WINEDLLOVERRIDES": "winemenubuilder.exe=d;mscoree=d;mshtml=d;winedbg.exe=d",
    }


def _is_windows(place: Path) -> bool:
    """Is all there that programs need to start? Somebody may have deleted a part."""
    return all((place / name).exists() for name in _WINDOWS)


def _make_windows(wine: str, server: str, place: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as folder:
        stage = Path(folder) / "made"
        stage.mkdir()
        env = _wine_env(stage)
        try:
            subprocess.run(
                [wine, "wineboot", "--init"],
                env=env,
                timeout=_START_S,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            pass  # what is there is looked at below
        finally:
            _stop(server, env, "-w")
            _stop(server, env)
        if not _is_windows(stage):
            raise MissingError(
                "wine makes no Windows to run programs in",
                f"Try it: WINEPREFIX=$(mktemp -d) {wine} wineboot --init",
            )
        shutil.rmtree(place, ignore_errors=True)
        os.replace(stage, place)


def _stop(server: str, env: Mapping[str, str], how: str = "-k") -> None:
    """Ends wine's server, or (with -w) waits until it has ended by itself."""
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(
            [server, how],
            env=dict(env),
            timeout=60,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
