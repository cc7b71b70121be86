"""An empty Debian 12 with nothing but Python, in a directory of its own: what a new user has.

Made by debootstrap from the mirror that apt is configured for here, once, and kept as an archive.
Programs in it run as a user who may write to a home directory and nowhere else.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from locking import locked

from epforge.cache import cache_dir
from epforge.ort.sdk.debian import Machine, NoDebianError, mirror_of

PACKAGES = ("python3", "python3-venv", "ca-certificates")
_USER = 1000
_HOME = Path("home/alice")
_USER_ENTRIES = {
    "etc/passwd": f"alice:x:{_USER}:{_USER}:Alice:/{_HOME}:/bin/bash\n",
    "etc/group": f"alice:x:{_USER}:\n",
}
# How pip, apt and all that fetches something is told where to fetch it from.
_NETWORK_FILES = (
    *("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/xdg/pip", "/etc/apt/apt.conf.d"),
    *("/etc/apt/sources.list", "/etc/apt/sources.list.d", "/etc/ssl/certs/ca-certificates.crt"),
)
_NETWORK_VARIABLES = ("pip_", "http_proxy", "https_proxy", "no_proxy", "ssl_cert_")
_UNSEEN = ("proc", "sys", "dev")
_ENTER = """\
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
exec chroot --userspec="$2" --groups= "$1" bash -euo pipefail -c "$3"
"""


@dataclass(frozen=True)
class EmptyMachine:
    """A machine.

    Args:
        root: its root directory.
    """

    root: Path

    @property
    def home(self) -> Path:
        """The user's home directory, seen from outside."""
        return self.root / _HOME

    def run(
        self, line: str, cwd: str = f"/{_HOME}", *, root: bool = False, network: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Runs a line of a shell in it.

        Args:
            cwd: where, seen from inside.
            root: as root, to change the machine.
            network: whether there is one.
        """
        who = "0:0" if root else f"{_USER}:{_USER}"
        spaces = ["--mount", "--pid", "--fork", "--kill-child", *([] if network else ["--net"])]
        inside = f"cd {shlex.quote(cwd)} && {line}"
        return subprocess.run(
            ["unshare", *spaces, "sh", "-euc", _ENTER, "sh", str(self.root), who, inside],
            env=_variables("/root" if root else f"/{_HOME}"),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=3600,
        )

    def listing(self) -> dict[str, tuple[int, int]]:
        """Every file of the machine but the kernel's, with its size and time."""
        found = {}
        for folder, folders, files in os.walk(self.root):
            if Path(folder) == self.root:
                folders[:] = [name for name in folders if name not in _UNSEEN]
            for name in files:
                path = Path(folder, name)
                stat = path.lstat()
                found[f"/{path.relative_to(self.root)}"] = (stat.st_size, stat.st_mtime_ns)
            found[f"/{Path(folder).relative_to(self.root)}/"] = (0, 0)
        return found

    def adopt(self, path: Path) -> None:
        """Gives the user what was put into the home directory from outside."""
        subprocess.run(["chown", "-R", f"{_USER}:{_USER}", str(path)], check=True)


@contextmanager
def empty_machine(folder: Path) -> Iterator[EmptyMachine]:
    """Such a machine in a directory, gone at the end. Skips the test where none can be made."""
    root = folder / "machine"
    archive = _archive()
    root.mkdir(parents=True)
    try:
        subprocess.run(["tar", "-xf", archive, "-C", root, "--numeric-owner"], check=True)
        for name in _NETWORK_FILES:
            _copy(Path(name), root / name.lstrip("/"))
        for name, entry in _USER_ENTRIES.items():
            with (root / name).open("a", encoding="utf-8") as file:
                file.write(entry)
        machine = EmptyMachine(root)
        machine.home.mkdir(parents=True)
        own = Path.home() / ".config/pip"
        if own.is_dir():
            _copy(own, machine.home / ".config/pip")
            _copy(own, root / "root/.config/pip")
        machine.adopt(machine.home)
        yield machine
    finally:
        shutil.rmtree(root)


def _archive() -> Path:
    if os.geteuid() != 0:
        pytest.skip("an empty machine is made by root alone")
    if shutil.which("apt-get") is None or shutil.which("unshare") is None:
        pytest.skip("an empty machine is made by apt and unshare")
    try:
        mirror = mirror_of(Machine())
    except NoDebianError as error:
        pytest.skip(error.message)
    archive = cache_dir("tests", "debian-12-python.tar")
    with locked(archive):
        if not archive.is_file():
            stage = archive.with_suffix(".stage")
            shutil.rmtree(stage, ignore_errors=True)
            stage.mkdir(parents=True)
            _bootstrap(stage, mirror)
            whole = stage / "whole.tar"
            subprocess.run(
                ["tar", "-cf", whole, "-C", stage / "root", "--exclude=./dev/*", "."], check=True
            )
            whole.rename(archive)
            shutil.rmtree(stage)
    return archive


def _bootstrap(stage: Path, mirror: str) -> None:
    """Debian's own way to a system in a directory; the program is fetched, not installed."""
    subprocess.run(["apt-get", "-qq", "update"], check=True)
    subprocess.run(["apt-get", "-qq", "download", "debootstrap"], cwd=stage, check=True)
    package = next(stage.glob("debootstrap_*.deb"))
    subprocess.run(["dpkg-deb", "-x", package, stage / "tool"], check=True)
    subprocess.run(
        [
            *(str(stage / "tool/usr/sbin/debootstrap"), "--variant=minbase"),
            *(f"--include={','.join(PACKAGES)}", "bookworm", str(stage / "root"), mirror),
        ],
        env={**os.environ, "DEBOOTSTRAP_DIR": str(stage / "tool/usr/share/debootstrap")},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    for left in (stage / "root/var/cache/apt/archives").glob("*.deb"):
        left.unlink()


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    elif source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def _variables(home: str) -> Mapping[str, str]:
    """A user's environment as a login makes it, and where to fetch things from."""
    passed = {k: v for k, v in os.environ.items() if k.lower().startswith(_NETWORK_VARIABLES)}
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return {**passed, "HOME": home, "PATH": path, "LANG": "C.UTF-8", "TERM": "dumb"}
