"""What a blueprint will become, before anything of it is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from epforge.plan import make_plan
from epforge.resolve.model import Blueprint, KernelSource


@dataclass(frozen=True)
class Preview:
    """The project of a blueprint.

    Args:
        ep: the name of the execution provider.
        files: paths by their owner: generated, shared, yours.
        kernels: operators that come with a kernel.
        stubs: operators whose kernels are to be written; not offered before that.
    """

    ep: str
    files: Mapping[str, tuple[str, ...]]
    kernels: tuple[str, ...]
    stubs: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """All files, sorted."""
        return tuple(sorted(path for paths in self.files.values() for path in paths))


def preview(blueprint: Blueprint) -> Preview:
    """What becomes of a blueprint; overlays are not among it."""
    files: dict[str, list[str]] = {}
    for spec in make_plan(blueprint).files:
        files.setdefault(spec.owner.value, []).append(spec.path)
    stubs = [op.label for op in blueprint.ops if op.kernel is KernelSource.YOURS]
    return Preview(
        ep=blueprint.names.ep,
        files={owner: tuple(paths) for owner, paths in sorted(files.items())},
        kernels=tuple(op.label for op in blueprint.claimed if op.label not in stubs),
        stubs=tuple(stubs),
    )
