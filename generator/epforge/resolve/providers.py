"""Which execution provider of the library offers a device."""

from __future__ import annotations

from epforge.blueprint.diagnostic import show
from epforge.blueprint.nodes import Path
from epforge.blueprint.shape import DeviceShape
from epforge.names import Identifier
from epforge.resolve.findings import Findings
from epforge.resolve.model import Names
from epforge.resolve.naming import provider_name

#: What ONNX Runtime has room for: factories of one library, and devices of one factory.
MAX_PROVIDERS = 4
MAX_DEVICES = 8


def resolve_providers(
    shapes: tuple[DeviceShape, ...], names: Names, found: Findings
) -> tuple[Identifier, ...]:
    """Per device, the execution provider that offers it."""
    providers = tuple(
        _provider(shape, ("devices", index, "ep"), names, found)
        for index, shape in enumerate(shapes)
    )
    _check_names(providers, names, found)
    _check_virtual(shapes, providers, found)
    if shapes and names.ep not in providers and not found.source.incomplete("devices"):
        what = f"devices: {names.ep}, the library's own execution provider, offers no device"
        hint = f"add 'names: {{ep: {providers[0]}}}', or leave 'ep' out at a device"
        found.error(("devices", 0, "ep"), "no-device", what, "", hint)
    return providers


def _provider(shape: DeviceShape, path: Path, names: Names, found: Findings) -> Identifier:
    if shape.ep is None:
        return names.ep
    return provider_name(shape.ep, path, f"device {shape.name}, ep", names.ep, found)


def _check_names(providers: tuple[Identifier, ...], names: Names, found: Findings) -> None:
    distinct = dict.fromkeys((names.ep, *providers))
    for index, provider in enumerate(providers):
        path: Path = ("devices", index, "ep")
        like = next(each for each in distinct if each.lower() == provider.lower())
        if like != provider:
            what = f"ep: {show(provider)} and {show(like)} have the same options: {_prefix(like)}*"
            hint = f"write {like}, or another name"
            found.error(path, "name-collision", what, "names that differ in more than case", hint)
    for provider in list(distinct)[MAX_PROVIDERS:]:
        index = providers.index(provider)
        what = (
            f"ep: {provider} is one too many: ONNX Runtime has room for {MAX_PROVIDERS}"
            " execution providers of one library"
        )
        hint = "let another one offer the device, or make a second project"
        found.error(("devices", index, "ep"), "too-many", what, f"at most {MAX_PROVIDERS}", hint)


def _check_virtual(
    shapes: tuple[DeviceShape, ...], providers: tuple[Identifier, ...], found: Findings
) -> None:
    """Virtual devices are all there at once; of hardware nobody knows how much there will be."""
    count: dict[str, int] = {}
    for index, (shape, provider) in enumerate(zip(shapes, providers, strict=True)):
        count[provider] = count.get(provider, 0) + (shape.virtual == "allowed")
        if shape.virtual == "allowed" and count[provider] > MAX_DEVICES:
            what = (
                f"device {shape.name} is one too many: {provider} offers {count[provider]} virtual"
                f" devices at once, and ONNX Runtime has room for {MAX_DEVICES}"
            )
            hint = "write 'virtual: never', or let another execution provider offer it"
            path: Path = ("devices", index, "virtual")
            found.error(path, "too-many", what, f"at most {MAX_DEVICES}", hint)


def _prefix(provider: str) -> str:
    return f"ep.{provider.lower()}."
