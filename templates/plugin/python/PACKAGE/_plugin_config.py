<%= banner %>
"""What is said about the plugin library in words: KEY|VALUE pairs, and the JSON file that ONNX
Runtime's own tools take."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._outputs import WRONG_CALL, CompileError

EXAMPLE = """\
{
  "ep_library_registration_name": "contoso",
  "ep_library_path": "libonnxruntime_ep_contoso.so",
  "selected_ep_name": "ContosoExecutionProvider",
  "default_ep_options": {"key": "value"}
}"""
_NAME, _PATH = "ep_library_registration_name", "ep_library_path"
_EP, _INDICES = "selected_ep_name", "selected_ep_device_indices"
_OPTIONS = "default_ep_options"
_LARGEST = 1 << 20  # bytes

_ENABLE, _EMBED = "ep.context_enable", "ep.context_embed_mode"
_SHARE, _STOP = "ep.share_ep_contexts", "ep.stop_share_ep_contexts"


@dataclass(frozen=True)
class PluginConfig:
    """A plugin library, and which of its devices to use.

    Args:
        registration: the name to register it under.
        library: its file.
        ep: use the devices of this execution provider,
        indices: or those at these places of `onnxruntime.get_ep_devices()`.
        options: the provider options.
    """

    registration: str
    library: Path
    ep: str = ""
    indices: tuple[int, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)


def read_config(path: Path) -> PluginConfig:
    """Reads a configuration file; the library's path is relative to the file.

    Raises:
        CompileError: it cannot be read or is wrong; the text says where and shows a right one.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST + 1)
    except OSError as error:
        raise CompileError(f"cannot read {path}: {error.strerror}", status=WRONG_CALL) from error
    try:
        if len(text) > _LARGEST:
            raise ValueError(f"it is larger than {_LARGEST} bytes")
        return _config(json.loads(text, object_pairs_hook=_unique), path.parent)
    except (TypeError, ValueError, RecursionError) as error:
        raise CompileError(
            f"{path} is not a plugin configuration: {error}",
            f"A right one is\n{EXAMPLE}",
            WRONG_CALL,
        ) from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key!r} is there twice")
        found[key] = value
    return found


def _config(data: Any, folder: Path) -> PluginConfig:
    if not isinstance(data, dict):
        raise TypeError("it is not an object")
    unknown = sorted(data.keys() - {_NAME, _PATH, _EP, _INDICES, _OPTIONS})
    if unknown:
        raise ValueError(f"there is no key {unknown[0]!r}")
    for key in (_NAME, _PATH):
        if key not in data:
            raise ValueError(f"{key!r} is missing")
    if (_EP in data) == (_INDICES in data):
        raise ValueError(f"exactly one of {_EP!r} and {_INDICES!r} is needed")
    return PluginConfig(
        registration=_string(data, _NAME),
        library=folder.absolute() / _string(data, _PATH),
        ep=_string(data, _EP) if _EP in data else "",
        indices=_index_list(data[_INDICES]) if _INDICES in data else (),
        options=_strings(data.get(_OPTIONS, {})),
    )


def _string(data: Mapping[str, Any], key: str) -> str:
    value = data[key]
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError(f"{key!r} is not a text with something in it")
    return value


def _index_list(value: Any) -> tuple[int, ...]:
    whole = isinstance(value, list) and all(type(each) is int and each >= 0 for each in value)
    if not whole or not value or len(set(value)) < len(value):
        raise ValueError(f"{_INDICES!r} is not a list of different numbers, at least one")
    return tuple(value)


def _strings(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise ValueError(f"{_OPTIONS!r} is not an object of texts")
    if "" in value:
        raise ValueError(f"{_OPTIONS!r} has a key that is empty")
    return value


def parse_pairs(texts: Sequence[str], flag: str) -> dict[str, str]:
    """The pairs in texts like "key|value key2|value2".

    Raises:
        CompileError: what is no pair, has an empty key, or a key that was there before.
    """
    pairs: dict[str, str] = {}
    for token in " ".join(texts).split():
        key, bar, value = token.partition("|")
        if not bar:
            raise CompileError(
                f"{flag}: {token} is not KEY|VALUE",
                f"As in {flag} 'effort|2 mode|fast'",
                WRONG_CALL,
            )
        if not key:
            raise CompileError(f"{flag}: {token} has no key", status=WRONG_CALL)
        if key in pairs:
            raise CompileError(f"{flag}: {key} is given twice", status=WRONG_CALL)
        pairs[key] = value
    return pairs


def session_entries(pairs: Mapping[str, str], embed: bool, share: bool) -> dict[str, str]:
    """The session's entries of one's own, without those that the compilation itself makes.

    Raises:
        CompileError: an entry that contradicts the compilation.
    """
    _refuse(pairs, _ENABLE, "1", "compiling is what this is about")
    _refuse(pairs, _EMBED, str(int(embed)), "say --embed, or do not")
    _refuse(pairs, _SHARE, str(int(share)), "say --share-weights, or do not")
    _refuse(pairs, _STOP, None, "the last of the models gets it")
    _refuse(pairs, "ep.context_file_path", None, "say --output")
    own = (_ENABLE, _EMBED, _SHARE)
    return {key: value for key, value in pairs.items() if key not in own}


def _refuse(pairs: Mapping[str, str], key: str, right: str | None, why: str) -> None:
    if key in pairs and pairs[key] != right:
        raise CompileError(f"{key} cannot be {pairs[key] or 'empty'}: {why}", status=WRONG_CALL)


def sharing_entries(last: bool) -> dict[str, str]:
    """The session's entries for one of several models that share data."""
    return {_SHARE: "1", **({_STOP: "1"} if last else {})}
