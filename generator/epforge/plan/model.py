"""The plan: which files a project consists of, from which template, owned by whom, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Owner(StrEnum):
    """Who may change a file. `workspace` has its own copy of these three words."""

    GENERATED = "generated"  # replaced on regeneration
    SHARED = "shared"  # merged
    YOURS = "yours"  # written once


@dataclass(frozen=True)
class FileSpec:
    """One file of the generated project.

    Args:
        path: where it goes, relative to the project, with forward slashes.
        template: which template makes it, relative to the templates directory.
        owner: who may change it afterwards.
        params: ready values for the template; a template computes nothing.
        reason: why the file is there, one short clause.
        executable: whether the file's mode has the x bits.
    """

    path: str
    template: str
    owner: Owner
    params: Mapping[str, object]
    reason: str
    executable: bool = False


@dataclass(frozen=True)
class Plan:
    """All files, sorted by path; no two with the same path."""

    files: tuple[FileSpec, ...]
