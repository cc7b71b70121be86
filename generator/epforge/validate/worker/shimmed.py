"""The shim plugin seen from the process that has it: what it noted, and what it is to do."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import urllib.parse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class ShimCommandError(Exception):
    """The shim does not understand a command, or cannot follow it."""


@dataclass(frozen=True)
class Count:
    """How many of a kind the library made or took over, and how many it gave back."""

    created: int
    released: int

    @property
    def held(self) -> int:
        return self.created - self.released


@dataclass(frozen=True)
class Stamp:
    """The version of a struct that the library handed out, and what stood in its slots.

    Args:
        expected: the level of the runtime, or that which the library is built for if it is older.
        slots_set: slots up to that version which are not null.
        slots_bad: those of them that are no code.
        count: how many structs were just so.
    """

    struct: str
    version: int
    expected: int
    slots_set: int
    slots_bad: int
    count: int


@dataclass(frozen=True)
class Finding:
    """A breach of contract.

    Args:
        where: the callback that the library was in, or the function that it called outside of any.
        count: how often.
    """

    rule: str
    where: str
    text: str
    count: int = 1


@dataclass(frozen=True)
class Blocks:
    """What the library allocated from one place, in one of its callbacks, and did not free.

    Args:
        place: the name of the function, or the offset in the library's file.
        offset: the same as a number, for addr2line; 0 if it is not in the library.
        callback: what the runtime had called.
    """

    place: str
    offset: int
    callback: str
    count: int
    bytes: int


@dataclass(frozen=True)
class LiveBlocks:
    """What the library allocated in its callbacks and did not free.

    Args:
        lost: blocks that found no room in the table, and are not among them.
        groups: the largest.
    """

    count: int
    bytes: int
    lost: int
    groups: tuple[Blocks, ...]


@dataclass(frozen=True)
class Hardware:
    """A device that this machine does not have. Types: 0 CPU, 1 GPU, 2 NPU."""

    type: int
    vendor_id: int
    device_id: int
    vendor: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """It as a word of a command."""
        pairs = [f"{_word(key)}={_word(value)}" for key, value in self.metadata.items()]
        return ",".join(
            [str(self.type), str(self.vendor_id), str(self.device_id), _word(self.vendor), *pairs]
        )


@dataclass(frozen=True)
class Memory:
    """A made-up place for tensors. Types: 0 CPU, 1 GPU, 2 FPGA, 3 NPU. Kinds: 0 the device's own,
    5 memory of it that the host can reach."""

    type: int
    vendor_id: int
    device_id: int
    kind: int = 0

    @property
    def word(self) -> str:
        """It as a word of a command."""
        return f"{self.type}:{self.vendor_id}:{self.device_id}:{self.kind}"


@dataclass(frozen=True)
class Created:
    """What CreateEpFactories came to.

    Args:
        failed: it returned a status, which said `text`.
        count: what it said that there were.
        written: factories that it left in the array (which were released).
    """

    failed: bool
    text: str
    count: int
    written: int


@dataclass(frozen=True)
class Streams:
    """What the streams of a device come to.

    Args:
        aware: the factory says that it is aware of streams.
        memory: the device has memory of its own.
        stream: one was made; the rest says what it can do.
        refused: why none was made.
        handle: it has a native handle.
        notification: it makes notifications.
        wrong: the error of activating one, waiting for it or flushing the stream.
    """

    aware: bool
    memory: bool
    stream: bool
    refused: str = ""
    handle: bool = False
    notification: bool = False
    wrong: str = ""


@dataclass(frozen=True)
class Step:
    """Something of the log that began and did not end.

    Args:
        what: ``OrtEp.Compile``.
        outer: what it is inside of, the outermost first.
    """

    what: str
    outer: tuple[str, ...]


class Shim:
    """The shim plugin in this process. While it is held, the library stays in memory.

    Args:
        path: the shim's file, the same that the runtime registers.
    """

    def __init__(self, path: str | Path) -> None:
        self._library = ctypes.CDLL(str(path))
        self._control = self._library.EpforgeShimControl
        self._control.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
        self._control.restype = ctypes.c_int

    def close(self) -> None:
        """Lets go of the library: it may leave the memory when the runtime lets go of it, too."""
        handle, self._library._handle = self._library._handle, 0
        if sys.platform == "win32":
            ctypes.windll.kernel32.FreeLibrary(ctypes.c_void_p(handle))
        else:
            import _ctypes

            _ctypes.dlclose(handle)

    def control(self, command: str) -> Any:
        """The answer to a command. Raises ShimCommandError."""
        size = 1 << 16
        while True:
            reply = ctypes.create_string_buffer(size)
            length = self._control(command.encode(), reply, size)
            if length < size:
                break
            size = length + 4096  # it may have grown meanwhile, of commands without effect
        answer = json.loads(reply.value)
        if isinstance(answer, dict) and isinstance(answer.get("error"), str):
            raise ShimCommandError(answer["error"])
        return answer

    def about(self) -> dict[str, int]:
        """The level of the runtime, the one that the library asked for, the newest known; and what
        the last EP that was asked said about concurrent runs: 1, 0, or -1 for none asked."""
        return dict(self.control("about"))

    def counts(self) -> dict[str, Count]:
        """Handles by kind, structs of callbacks by their names."""
        return {kind: Count(**one) for kind, one in self.control("counts").items()}

    def calls(self) -> dict[str, int]:
        """Functions of the runtime that the library called, callbacks that the runtime called."""
        return dict(self.control("calls"))

    def stamps(self) -> list[Stamp]:
        return [Stamp(**one) for one in self.control("stamps")]

    def findings(self) -> list[Finding]:
        return [Finding(**one) for one in self.control("findings")]

    def reset(self) -> None:
        """Forgets calls, counts, stamps and findings."""
        self.control("reset")

    def fail(self, name: str, nth: int = 1) -> None:
        """The ``nth`` call from now of a function of the runtime ends in an error status and does
        not reach the runtime."""
        self.control(f"fail {name} {nth}")

    def fail_off(self) -> None:
        self.control("fail_off")

    def delay(self, name: str, milliseconds: int) -> None:
        """Every call from now of a function of the runtime takes so much longer; 0 for as usual."""
        self.control(f"delay {name} {milliseconds}")

    def exhaust(self, nth: int) -> None:
        """The ``nth`` operator new from now on inside the library's callbacks throws.

        Raises ShimCommandError unless the process was started with `hooks` preloaded.
        """
        self.control(f"exhaust {nth}")

    def exhaust_off(self) -> bool:
        """Ends that; was there an allocation left to fail?"""
        return bool(self.control("exhaust_off")["left"])

    def live_blocks(self) -> LiveBlocks:
        """Raises ShimCommandError unless the process was started with `hooks` preloaded."""
        said = self.control("live_blocks")
        groups = tuple(Blocks(**one) for one in said.pop("groups"))
        return LiveBlocks(**said, groups=groups)

    def create(self, how: str) -> Created:
        """CreateEpFactories called anew while the library is registered: "max0" where there is
        room for no factory, "old" by a runtime of 1.21, "null" by one without any table. A crash
        is the library's."""
        said = self.control(f"create {how}")
        return Created(bool(said["failed"]), said["text"], said["count"], said["written"])

    def can_copy(self, source: Memory, destination: Memory) -> list[bool]:
        """What the data transfer of each factory with devices says; none without one."""
        return list(self.control(f"can_copy {source.word} {destination.word}"))

    def streams(self) -> list[Streams]:
        """What the streams of each device come to."""
        return [
            Streams(
                aware=bool(one["aware"]),
                memory=bool(one["memory"]),
                stream=bool(one["stream"]),
                refused=str(one.get("refused", "")),
                handle=bool(one.get("handle")),
                notification=bool(one.get("notification")),
                wrong=str(one.get("wrong", "")),
            )
            for one in self.control("streams")
        ]

    def expect(self, level: int) -> None:
        """The library is built for that level: its stamps are not to be newer."""
        self.control(f"expect {level}")

    def pretend(self, level: int) -> None:
        """From the next registration on, the runtime is one of that level; 0 for what it is."""
        self.control(f"pretend {level}")

    def hardware(self, devices: Sequence[Hardware] | None) -> None:
        """What the library is offered; None for this machine's own devices."""
        words = ";".join(device.words for device in devices) if devices else "none"
        self.control(f"hardware {'-' if devices is None else words}")


def hooks(shim: str | Path) -> tuple[str, ...]:
    """What must be preloaded for `Shim.exhaust` and `Shim.live_blocks`; nothing where there are
    no such hooks (they are for Linux)."""
    path = Path(shim).with_name("libepforge_blocks.so")
    return (str(path),) if path.is_file() else ()


def prepare(
    target: str | Path, log: str | Path | None = None, pretend: int = 0, log_calls: bool = True
) -> None:
    """Tells the shim, before it is registered in this process, what it stands in front of.

    Args:
        target: the library.
        log: the file that gets a line for each call, before and after, and for each finding.
        pretend: the level of an older runtime to play; 0 for what the runtime is.
        log_calls: False for findings alone, which cost nothing.
    """
    values = environment(target, log, pretend, log_calls)
    for name in ("EPFORGE_SHIM_LOG", "EPFORGE_SHIM_PRETEND", "EPFORGE_SHIM_LOG_CALLS"):
        os.environ.pop(name, None)
    os.environ.update(values)


def environment(
    target: str | Path, log: str | Path | None = None, pretend: int = 0, log_calls: bool = True
) -> dict[str, str]:
    """What `prepare` sets, for another process."""
    values = {"EPFORGE_SHIM_TARGET": str(target)}
    if log is not None:
        values["EPFORGE_SHIM_LOG"] = str(log)
        values["EPFORGE_SHIM_LOG_CALLS"] = "1" if log_calls else "0"
    if pretend:
        values["EPFORGE_SHIM_PRETEND"] = str(pretend)
    return values


def under_way(log: str | Path) -> list[Step]:
    """What had begun and not ended when the log stopped, one for each thread."""
    open_steps: dict[int, list[str]] = {}
    path = Path(log)
    if not path.is_file():
        return []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue  # the last one, cut off
        steps = open_steps.setdefault(int(record["thread"]), [])
        if record["event"] == "enter":
            steps.append(str(record["what"]))
        elif record["event"] in ("leave", "failed") and steps:
            steps.pop()
    return [Step(steps[-1], tuple(steps[:-1])) for steps in open_steps.values() if steps]


def logged_findings(log: str | Path) -> list[Finding]:
    """The findings in a log, of all processes that wrote to it."""
    found: Counter[tuple[str, str, str]] = Counter()
    path = Path(log)
    lines = (
        path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    )
    for line in lines:
        if '"event": "finding"' in line:
            record = json.loads(line)
            where, _, text = str(record["text"]).partition(": ")
            found[str(record["what"]), where, text] += 1
    return [Finding(*key, count) for key, count in found.items()]


def _word(text: str) -> str:
    """Text as a word of a command: nothing in it can be mistaken."""
    return urllib.parse.quote(text, safe="")
