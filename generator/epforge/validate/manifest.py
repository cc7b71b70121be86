"""The manifest beside a library: what it claims to be and to compute."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from epforge.errors import UsageError

FORMAT = 1


@dataclass(frozen=True)
class OpClaim:
    """One since-version of an op, with the element types it is implemented for.

    Args:
        domain: "" is ai.onnx.
        types: per type constraint of the schema, ONNX spellings: ("float32", "int64").
        ready: a claim that is not ready is a stub and must not be taken.
    """

    domain: str
    op: str
    since: int
    types: Mapping[str, tuple[str, ...]]
    ready: bool = True

    @property
    def name(self) -> str:
        """Relu, or com.microsoft::BiasGelu."""
        return f"{self.domain}::{self.op}" if self.domain else self.op


@dataclass(frozen=True)
class CustomParameter:
    """An input or output of a custom op.

    Args:
        type: one of the op's type variables, or an element type: "T", "float32".
        option: "single", "optional" or "variadic".
    """

    name: str
    type: str
    option: str = "single"


@dataclass(frozen=True)
class CustomAttribute:
    """An attribute of a custom op.

    Args:
        type: int, float, string, bool, ints, floats, strings or tensor.
        default: None for one that nodes must have.
    """

    name: str
    type: str
    default: object = None


@dataclass(frozen=True)
class CustomOpClaim:
    """A custom op that a library has the schema of.

    Args:
        types: per type variable, ONNX spellings.
        kernel: "generated", "yours" or "elsewhere" (another library computes it).
    """

    domain: str
    op: str
    version: int
    inputs: tuple[CustomParameter, ...]
    outputs: tuple[CustomParameter, ...]
    types: Mapping[str, tuple[str, ...]]
    attributes: tuple[CustomAttribute, ...]
    kernel: str

    @property
    def name(self) -> str:
        """com.contoso::Clip."""
        return f"{self.domain}::{self.op}"

    def job(self) -> dict[str, object]:
        """The schema, for a worker."""
        return asdict(self)


@dataclass(frozen=True)
class EpContext:
    """Which compiled models a library says it writes.

    Args:
        embed: with the compiled data inside.
        external: with the compiled data in a file beside them.
        share: several with one such file.
    """

    embed: bool = False
    external: bool = False
    share: bool = False

    @property
    def any(self) -> bool:
        return self.embed or self.external or self.share


@dataclass(frozen=True)
class OptionClaim:
    """A provider option.

    Args:
        type: int, float, bool, string or enum.
        minimum, maximum: None without a bound.
        dynamic: it may be changed while a session lives.
    """

    name: str
    type: str
    default: object
    minimum: float | None = None
    maximum: float | None = None
    dynamic: bool = False


@dataclass(frozen=True)
class Manifest:
    """What a library says of itself.

    Args:
        ep: name of its execution provider, of several the first.
        minimum: oldest onnxruntime it loads in, (1, 24, 4).
        virtual: a device is offered only under a registration name ending in ``.virtual``.
        eps: names of all of them.
        device_types: hardware types of the devices it may offer: "cpu", "gpu", "npu".
        paradigm: "kernel-registry", "compiled" or "virtual".
        custom_op_library: stem of the file that has the custom ops alone; empty without one.
        converted: ops of ONNX whose nodes ONNX Runtime converts to the layout that is preferred.
        options: the provider options; None if it does not say.
        target: the API level that it is built for; 0 if it does not say.
    """

    path: Path
    ep: str
    vendor: str
    version: str
    minimum: tuple[int, ...]
    virtual: bool
    device_memory: bool
    device_types: tuple[str, ...]
    ops: tuple[OpClaim, ...]
    eps: tuple[str, ...] = ()
    paradigm: str = "kernel-registry"
    ep_context: EpContext = EpContext()
    custom_ops: tuple[CustomOpClaim, ...] = ()
    custom_op_library: str = ""
    converted: frozenset[str] = frozenset()
    options: tuple[OptionClaim, ...] | None = None
    target: int = 0

    def custom_op(self, domain: str, op: str) -> CustomOpClaim | None:
        """The custom op of that name."""
        return next(
            (each for each in self.custom_ops if (each.domain, each.op) == (domain, op)), None
        )

    def custom_ops_beside(self, library: Path) -> Path | None:
        """The library that has the custom ops alone, if it lies beside ``library``."""
        prefix = "" if library.suffix == ".dll" else "lib"
        place = library.with_name(f"{prefix}{self.custom_op_library}{library.suffix}")
        return place if self.custom_op_library and place.is_file() else None


def beside(library: Path) -> Path:
    """Where the manifest of ``library`` lies."""
    return library.with_name(library.name + ".manifest.json")


def load(path: Path) -> Manifest:
    """Reads a manifest.

    Raises UsageError, naming the file and the key, for one that cannot be read.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot read the manifest: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UsageError(
            f"{path}: not a manifest of format {FORMAT}",
            "build the library again with this epforge, or leave --manifest away",
        )
    return read(data, path)


def read(data: Mapping[str, Any], path: Path) -> Manifest:
    """A manifest of its data.

    Args:
        path: what it is of, for errors.

    Raises UsageError, naming the key, for one that is malformed.
    """
    try:
        return Manifest(
            path=path,
            ep=str(data["ep"]),
            eps=tuple(map(str, data.get("eps", [data["ep"]]))),
            vendor=str(data["vendor"]),
            version=str(data["version"]),
            minimum=version_tuple(str(data["ort"]["min"])),
            virtual=bool(data.get("virtual", False)),
            device_memory=bool(data.get("device_memory", False)),
            device_types=tuple(map(str, data.get("device_types", ()))),
            ops=tuple(_claim(item) for item in data["ops"]),
            paradigm=str(data.get("paradigm", "kernel-registry")),
            ep_context=_ep_context(data.get("ep_context", {})),
            custom_ops=tuple(_custom(item) for item in data.get("custom_ops") or ()),
            custom_op_library=str(data.get("custom_op_library") or ""),
            converted=frozenset(map(str, data.get("layout", {}).get("ops", ()))),
            options=_options(data.get("options")),
            target=int(data["ort"].get("target", 0)),
        )
    except KeyError as error:
        raise UsageError(f"{path}: the manifest lacks the key {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{path}: the manifest is malformed: {error}") from error


def _options(items: Sequence[Mapping[str, Any]] | None) -> tuple[OptionClaim, ...] | None:
    if items is None:
        return None
    return tuple(
        OptionClaim(
            name=str(item["name"]),
            type=str(item["type"]),
            default=item["default"],
            minimum=item.get("minimum"),
            maximum=item.get("maximum"),
            dynamic=bool(item.get("dynamic", False)),
        )
        for item in items
    )


def _ep_context(item: object) -> EpContext:
    if not isinstance(item, dict) or not all(isinstance(value, bool) for value in item.values()):
        raise TypeError("ep_context is not a mapping of embed, external and share to booleans")
    return EpContext(**{key: item.get(key, False) for key in ("embed", "external", "share")})


def _custom(item: Mapping[str, Any]) -> CustomOpClaim:
    return CustomOpClaim(
        domain=str(item["domain"]),
        op=str(item["op"]),
        version=int(str(item["version"])),
        inputs=tuple(map(_parameter, item["inputs"])),
        outputs=tuple(map(_parameter, item["outputs"])),
        types=_types(item),
        attributes=tuple(
            CustomAttribute(str(each["name"]), str(each["type"]), each.get("default"))
            for each in item.get("attributes", ())
        ),
        kernel=str(item.get("kernel", "generated")),
    )


def _parameter(item: Mapping[str, object]) -> CustomParameter:
    return CustomParameter(str(item["name"]), str(item["type"]), str(item.get("option", "single")))


def _types(item: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    types = item["types"]
    if not isinstance(types, dict):
        raise TypeError(f"types of {item['op']} is not a mapping")
    return {str(key): tuple(map(str, value)) for key, value in types.items()}


def _claim(item: Mapping[str, object]) -> OpClaim:
    return OpClaim(
        domain=str(item["domain"]),
        op=str(item["op"]),
        since=int(str(item["since"])),
        types=_types(item),
        ready=bool(item.get("ready", True)),
    )


def version_tuple(text: str) -> tuple[int, ...]:
    """The leading numbers of a version: (1, 32, 0) for ``1.32.0`` and for ``1.32.0.dev1``."""
    numbers: list[int] = []
    for part in text.split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    if not numbers:
        raise ValueError(f"{text!r} is not a version")
    return tuple(numbers)
