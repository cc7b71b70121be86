"""What a seeded defect is: a patch of a generated project, and what a validation must say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Patch:
    """An exact replacement in one file of the project.

    Args:
        old: is there exactly once.
    """

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Sign:
    """A line of the report that tells the defect: rung, check, and the place it names.

    Args:
        check: a pattern for the whole name of the check.
        place: a pattern to be found in the detail, or in that of a case behind it.
    """

    rung: str
    check: str
    place: str


@dataclass(frozen=True)
class Defect:
    """One fault as real providers have it, in an otherwise sound project.

    Args:
        name: that of the reference, or one of our own.
        title: what is wrong, in one line.
        blueprint: of `blueprints.TEXTS`.
        patches: what makes it so.
        options: of ``epforge validate``: the rungs to climb.
        signs: lines one of which must be in the report.
    """

    name: str
    title: str
    blueprint: str
    patches: tuple[Patch, ...]
    options: tuple[str, ...]
    signs: tuple[Sign, ...]

    def changes(self, files: Mapping[str, bytes]) -> dict[str, str]:
        """The contents of the files that it changes.

        Args:
            files: of the sound project.

        Raises AssertionError for a patch that does not fit any more.
        """
        texts: dict[str, str] = {}
        for patch in self.patches:
            text = texts.get(patch.file) or files[patch.file].decode()
            count = text.count(patch.old)
            assert count == 1, f"{self.name}: {patch.file} has {count} times: {patch.old}"
            texts[patch.file] = text.replace(patch.old, patch.new)
        return texts
