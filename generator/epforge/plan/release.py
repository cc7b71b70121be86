"""What a release tells of itself: the commits that concern what is released."""

from __future__ import annotations

from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import Blueprint
from epforge.resolve.services import Native


def files(blueprint: Blueprint) -> list[FileSpec]:
    """The release notes' script with its list of paths."""
    return [
        FileSpec(
            path="packaging/paths.txt",
            template="plugin/packaging/paths.txt",
            owner=Owner.SHARED,
            params={
                "native": blueprint.native is Native.SEPARATE,
                "torch": blueprint.torch is not None,
            },
            reason="whose commits the release notes tell",
        ),
        FileSpec(
            path="packaging/release_notes.py",
            template="plugin/packaging/release_notes.py",
            owner=Owner.GENERATED,
            params={},
            reason="lists what changed since a release",
            executable=True,
        ),
    ]
