"""The headers from Debian's libonnxruntime-dev, by apt, without root.

apt works on lists and a cache of its own in a temporary directory, so neither the machine's lists
nor its packages change. The mirror is the one the machine uses itself; signatures are checked
against Debian's keyring as always.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from epforge.errors import MissingError
from epforge.network import unreachable
from epforge.ort.sdk.store import stage_dir

PACKAGE = "libonnxruntime-dev"
SUITES = ("sid", "experimental")
"""Where the package is; which versions they hold moves on, so apt is asked."""

_KEYRINGS = (
    "/usr/share/keyrings/debian-archive-keyring.gpg",
    "/usr/share/keyrings/debian-archive-keyring.pgp",
    "/etc/apt/keyrings/debian-archive-keyring.gpg",
)
_FALLBACK_ARCHITECTURE = "amd64"
_TIMEOUT_S = 300.0
_CURE = (
    "Fetch a release archive of ONNX Runtime (.tgz, .zip, .nupkg or .deb) and run: "
    "epforge sdk install ARCHIVE"
)


class NoDebianError(MissingError):
    """This machine cannot get the headers from Debian; the message says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"Debian's {PACKAGE} cannot be had: {reason}", _CURE)
        self.reason = reason


@dataclass(frozen=True)
class Package:
    """One version of the package that the mirror has."""

    version: str
    level: int
    architecture: str

    @property
    def release(self) -> str:
        """The upstream release: ``1.27.1``."""
        return re.split(r"[+~-]", self.version.split(":")[-1])[0]


@dataclass(frozen=True)
class Machine:
    """Where a machine keeps what this provider reads; tests give another one."""

    etc: Path = Path("/etc")
    keyrings: tuple[Path, ...] = tuple(map(Path, _KEYRINGS))


def mirror_of(machine: Machine) -> str:
    """The Debian mirror the machine is configured for.

    Raises NoDebianError when the machine is no Debian or has none.
    """
    release = _os_release(machine.etc)
    if release.get("ID") != "debian":
        name = release.get("PRETTY_NAME", "unknown")
        raise NoDebianError(f"this machine is no Debian ({name})")
    for uri in _configured(machine.etc / "apt"):
        if "security" not in uri and "debug" not in uri and "ports" not in uri:
            return uri
    raise NoDebianError(f"no Debian mirror in {machine.etc / 'apt'}")


def fetch_package(
    level: int, directory: Path, report: Callable[[str], None], machine: Machine | None = None
) -> tuple[Path, Package]:
    """Download the package whose headers are of ``level``, or the nearest newer one.

    Args:
        level: the lowest API level that will do.
        directory: where the package goes.
        report: gets a line per step.
        machine: whose configuration is read; this one's by default.

    Raises NoDebianError with the reason and a cure.
    """
    machine = machine or Machine()
    if shutil.which("apt-get") is None:
        raise NoDebianError("there is no apt-get on this machine")
    mirror = mirror_of(machine)
    keyring = next((path for path in machine.keyrings if path.is_file()), None)
    with tempfile.TemporaryDirectory(prefix="apt-", dir=stage_dir()) as temporary:
        apt = _Apt(Path(temporary), mirror, keyring)
        report(f"asking {mirror} for {PACKAGE} ({', '.join(SUITES)})")
        package: Package | None = None
        seen: tuple[Package, ...] = ()
        for architecture in dict.fromkeys((apt.native(), _FALLBACK_ARCHITECTURE)):
            seen = apt.versions(architecture)
            package = choose(seen, level)
            if package:
                break
        if package is None:
            versions = ", ".join(found.version for found in seen) or "none"
            trouble = f"; apt says: {apt.trouble}" if apt.trouble else ""
            raise NoDebianError(f"{mirror} has {versions}, needed is 1.{level} or newer{trouble}")
        report(f"downloading {PACKAGE} {package.version}")
        return apt.download(package, directory), package


def choose(packages: tuple[Package, ...], level: int) -> Package | None:
    """The package of that level, else of the next one up; None if all are older.

    Of several with one level the first counts: apt lists the newest first.
    """
    fitting = [package for package in packages if package.level >= level]
    return min(fitting, key=lambda package: package.level, default=None)


class _Apt:
    """apt with a state of its own."""

    def __init__(self, root: Path, mirror: str, keyring: Path | None) -> None:
        self.root = root
        self.mirror = mirror
        self.keyring = keyring
        self.trouble = ""
        # apt drops its privileges for downloads when it is root; the user it changes to cannot
        # enter a private cache, so it stays who it is.
        self.user = ["-o", "APT::Sandbox::User=root"] if _is_root() else []

    def native(self) -> str:
        """The architecture of this machine, as Debian calls it."""
        found = self._run("apt-config", "dump", "--format=%v%n", "APT::Architecture")
        return found.stdout.strip() or _FALLBACK_ARCHITECTURE

    def versions(self, architecture: str) -> tuple[Package, ...]:
        """What the mirror has for one architecture."""
        self._prepare(architecture)
        updated = self._apt(architecture, "apt-get", "update")
        self.trouble = _reason(updated.stderr)
        listed = self._apt(architecture, "apt-cache", "madison", PACKAGE)
        found: list[Package] = []
        for line in listed.stdout.splitlines():
            fields = [field.strip() for field in line.split("|")]
            number = re.match(r"(?:\d+:)?1\.(\d+)\b", fields[1] if len(fields) > 1 else "")
            if number:
                found.append(Package(fields[1], int(number[1]), architecture))
        return tuple(found)

    def download(self, package: Package, directory: Path) -> Path:
        """The package's file in ``directory``."""
        before = set(directory.glob("*.deb"))
        done = self._apt(
            package.architecture,
            "apt-get",
            "download",
            f"{PACKAGE}={package.version}",
            cwd=directory,
        )
        new = set(directory.glob("*.deb")) - before
        if done.returncode != 0 or len(new) != 1:
            raise NoDebianError(f"the download failed: {_reason(done.stderr)}")
        return new.pop()

    def _prepare(self, architecture: str) -> None:
        options = "target=Packages"
        if self.keyring:
            options += f" signed-by={self.keyring}"
        state = self.root / architecture
        for part in ("lists/partial", "cache/archives/partial", "trusted"):
            (state / part).mkdir(parents=True, exist_ok=True)
        lines = [f"deb [{options}] {self.mirror} {suite} main\n" for suite in SUITES]
        (state / "sources.list").write_text("".join(lines), encoding="utf-8")
        (state / "status").write_text("", encoding="utf-8")
        # Hooks of the machine (clean-up of its own cache, desktop catalogues) are not ours to run.
        hooks = ("Update::Pre-Invoke", "Update::Post-Invoke", "Update::Post-Invoke-Success")
        clear = "".join(f"#clear APT::{hook};\n" for hook in hooks)
        (state / "apt.conf").write_text(clear, encoding="utf-8")

    def _apt(
        self, architecture: str, program: str, *arguments: str, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        state = self.root / architecture
        settings = {
            "APT::Architecture": architecture,
            "APT::Architectures": architecture,
            "Dir::Etc::sourcelist": state / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferences": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null",
            "Dir::State": state,
            "Dir::State::lists": state / "lists",
            "Dir::State::status": state / "status",
            "Dir::Cache": state / "cache",
            "Acquire::Languages": "none",
            # A mirror that stands still, such as a snapshot, is fine: signatures are checked.
            "Acquire::Check-Valid-Until": "false",
            "Acquire::Retries": "0" if unreachable() else "3",
            "Acquire::http::Timeout": "30",
            "Acquire::https::Timeout": "30",
        }
        options = [f"-o{name}={value}" for name, value in settings.items()]
        config = ["-c", str(state / "apt.conf")]
        return self._run(program, *config, *options, *self.user, *arguments, cwd=cwd)

    def _run(self, *command: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
        try:
            return subprocess.run(
                command,
                cwd=cwd or self.root,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise NoDebianError(f"{command[0]} took longer than {_TIMEOUT_S:.0f} s") from None
        except OSError as error:
            raise NoDebianError(f"{command[0]}: {error.strerror}") from None


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _reason(output: str) -> str:
    """The line of apt's output that names a cause, else the last one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith(("E:", "W: Failed", "W: GPG", "Err:"))]
    return (causes[:1] or lines[-1:] or [""])[0]


def _os_release(etc: Path) -> Mapping[str, str]:
    try:
        text = (etc / "os-release").read_text(encoding="utf-8")
    except OSError:
        return {}
    return {
        name: value.strip().strip("\"'")
        for name, _, value in (line.partition("=") for line in text.splitlines())
    }


def _configured(apt: Path) -> Iterator[str]:
    """The mirrors of a machine, in the order apt reads them; broken files are passed over."""
    files = [apt / "sources.list"]
    parts = apt / "sources.list.d"
    files += sorted(parts.glob("*.list")) + sorted(parts.glob("*.sources"))
    for file in files:
        try:
            text = file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        yield from _deb822(text) if file.suffix == ".sources" else _one_line(text)


def _one_line(text: str) -> Iterator[str]:
    for line in text.splitlines():
        match = re.match(r"deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+\S+\s+(.*)", line.strip())
        if match and "main" in match[2].split():
            yield match[1]


def _deb822(text: str) -> Iterator[str]:
    for stanza in re.split(r"\n\s*\n", text):
        fields: dict[str, str] = {}
        name = ""
        for line in stanza.splitlines():
            if line.startswith("#"):
                continue
            if line[:1] in (" ", "\t"):
                fields[name] = f"{fields.get(name, '')} {line.strip()}"
            else:
                name, _, value = line.partition(":")
                name = name.strip().lower()
                fields[name] = value.strip()
        enabled = fields.get("enabled", "yes").lower() not in ("no", "false", "0")
        binary = "deb" in fields.get("types", "").split()
        if enabled and binary and "main" in fields.get("components", "").split():
            yield from fields.get("uris", "").split()
