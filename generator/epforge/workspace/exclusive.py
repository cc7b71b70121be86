"""One command at a time in a project.

The lock is the kernel's: it goes with the process that holds it, however that ends, and leaves
nothing behind. On POSIX it is a `flock` of the project's directory itself, so no file of ours
appears there. Windows has no locks of directories; there it is a byte of a file in epforge's
cache, named by the project's path, so commands of different users do not see each other.

Some network file systems know no such locks, or none of directories. There a command goes on
without: publishing still leaves a whole tree after a crash, and refuses files that changed after it
read them, but two commands at the same moment may leave the files of either.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from epforge.cache import cache_dir
from epforge.errors import EpforgeError, ExitStatus

_POLL = 0.05  # seconds between two looks at a lock that is held
_TAKEN = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}
# Linux emulates flock on NFS by locks of bytes, which a directory cannot have: EBADF.
_UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL, errno.EBADF}

#: The directories that the running command holds already.
_held: ContextVar[frozenset[Path]] = ContextVar("held", default=frozenset())


class BusyError(EpforgeError):
    """Another command works in the project, and has not ended in time; nothing has changed.

    The status is that of what the machine does not allow now: there is nothing for the owner to
    decide, and the same call may succeed later.
    """

    exit_status = ExitStatus.MISSING

    def __init__(self, directory: Path, holder: int | None, waited: float) -> None:
        super().__init__(
            f"another epforge works in {directory}{_named(holder)}; waited for {waited:g} s",
            "Wait until it has ended, or end it, then try again.",
        )


@contextmanager
def exclusive(
    directory: Path, wait: float = 60.0, notify: Callable[[str], None] = lambda text: None
) -> Iterator[None]:
    """Holds the project in ``directory`` for this command; others that write there wait.

    A command that holds it already may ask again: the inner call does nothing.

    Args:
        directory: the project; it exists.
        wait: seconds to wait for another command.
        notify: called once with a sentence when there is somebody to wait for.

    Raises:
        BusyError: another command still holds it after ``wait`` seconds.
        OSError: the directory cannot be opened.
    """
    root = directory.resolve()
    if root in _held.get():
        yield
        return
    handle = _acquire(root, wait, notify)
    token = _held.set(_held.get() | {root})
    try:
        yield
    finally:
        _held.reset(token)
        os.close(handle)  # and the lock with it


def _acquire(root: Path, wait: float, notify: Callable[[str], None]) -> int:
    """An open descriptor that has the lock, where locks are to be had."""
    deadline = time.monotonic() + wait
    is_told = False
    while True:
        handle = _open(root)
        try:
            if _try(handle):
                return handle
            if not is_told:
                is_told = True
                notify(f"another epforge works in {root}{_named(_holder(handle))}; waiting")
            if time.monotonic() >= deadline:
                raise BusyError(root, _holder(handle), wait)
            time.sleep(_POLL)
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # it is opened anew: the directory may be another by now


def _try(handle: int) -> bool:
    """Takes the lock if nobody has it. True as well where there are no locks."""
    try:
        _lock(handle)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        if error.errno not in _UNSUPPORTED:
            raise
    return True


def _named(pid: int | None) -> str:
    return "" if pid is None else f" (pid {pid})"


if sys.platform == "win32":
    import msvcrt

    _PLACE = 1 << 30  # of the locked byte, which nobody else can read: far behind the text

    def _open(root: Path) -> int:
        name = hashlib.sha256(os.path.normcase(root).encode()).hexdigest()[:32]
        place = cache_dir("locks", name)
        place.parent.mkdir(parents=True, exist_ok=True)
        return os.open(place, os.O_RDWR | os.O_CREAT | os.O_BINARY | os.O_NOINHERIT, 0o666)

    def _lock(handle: int) -> None:
        os.lseek(handle, _PLACE, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, str(os.getpid()).encode())

    def _holder(handle: int) -> int | None:
        os.lseek(handle, 0, os.SEEK_SET)
        with contextlib.suppress(ValueError):
            return int(os.read(handle, 20))
        return None

else:
    import fcntl

    def _open(root: Path) -> int:
        return os.open(root, os.O_RDONLY | os.O_DIRECTORY)

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _holder(handle: int) -> int | None:
        """Who has the lock, where the kernel tells; it does not across containers."""
        status = os.fstat(handle)
        device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
        with contextlib.suppress(OSError, ValueError, IndexError):
            for row in Path("/proc/locks").read_text(encoding="ascii").splitlines():
                fields = row.split()  # 1: FLOCK ADVISORY WRITE 123 08:01:456 0 EOF
                if fields[1] == "FLOCK" and fields[5] == f"{device}:{status.st_ino}":
                    return int(fields[4]) or None
        return None
