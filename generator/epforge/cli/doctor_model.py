"""``epforge doctor MODEL``: what it lacks, who takes its nodes, whose work is compiled in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from epforge.cli.show.progress import progress
from epforge.errors import ExitStatus, UsageError

if TYPE_CHECKING:
    from epforge.doctor.placement.model import Placement
    from epforge.doctor.reading import Compiled
    from epforge.validate.manifest import Manifest
    from epforge.validate.models import Diagnosis, Offer
    from epforge.validate.models.facts import ModelFacts
    from epforge.validate.process import Limits
    from epforge.validate.survey import Survey

_PROJECT_MANIFEST = "src/gen/manifest.json"
_LOCK = "epforge.lock"
_PARENTS = 6  # above a library, in which its project is


@dataclass(frozen=True)
class Source:
    """Whose taking of nodes is asked about.

    Args:
        name: a library, project or blueprint, for people.
        manifest: what it claims; None where it does not say.
        plugins: the libraries to ask; none to go by the claims.
        where: what tells ``epforge add`` where to add; empty if nothing.
    """

    name: str
    manifest: Manifest | None
    plugins: tuple[Path, ...] = ()
    where: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """Everything that was found about a model."""

    model: Path
    diagnosis: Diagnosis
    offers: tuple[Offer, ...]
    placement: Placement
    compiled: tuple[Compiled, ...]
    facts: ModelFacts
    runtime: Survey

    @property
    def status(self) -> ExitStatus:
        placed = self.placement
        fine = self.diagnosis.fine and not placed.refused and not placed.unregistered
        return ExitStatus.OK if fine else ExitStatus.CHECK_FAILED

    def to_json(self) -> dict[str, Any]:
        """For programs; the keys are stable."""
        facts = self.facts
        return {
            "format": 1,
            "about": "model",
            "model": str(self.model),
            "exit_status": int(self.status),
            **self.diagnosis.to_json(),
            "unknown": [offer.file for offer in self.offers if not offer.known],
            "untyped": self.diagnosis.untyped,
            "header": {
                "ir": facts.ir,
                "imports": [{"domain": d, "version": version} for d, version in facts.imports],
                "producer": facts.producer,
            },
            "runtime": {
                "version": self.runtime.version,
                "ir": self.runtime.ir,
                "opset": self.runtime.opset,
            },
            "placement": self.placement.to_json(),
            "compiled": [each.to_json() for each in self.compiled],
        }


def examine(
    model: Path,
    libraries: Sequence[Path],
    projects: Sequence[Path],
    *,
    ask: bool,
    time_limit: float,
    as_json: bool,
) -> ExitStatus:
    """Looks at a model and prints what was found.

    Args:
        ask: load libraries, and ask them.
        time_limit: seconds without progress until a process hangs.
    """
    from epforge.cli.show.prognosis import lines
    from epforge.validate.process import Limits
    from epforge.verbs.wording import printable

    with progress(quiet=as_json) as show:
        found = _examined(model, libraries, projects, ask, Limits(stall_s=time_limit), show)
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
    else:
        for line in lines(found):
            typer.echo(printable(line))
    return found.status


def _examined(
    model: Path,
    libraries: Sequence[Path],
    projects: Sequence[Path],
    asking: bool,
    limits: Limits,
    show: Callable[[str], None],
) -> Result:
    from dataclasses import replace

    from epforge.doctor.reading import compiled, judge_compiled, judge_header
    from epforge.validate.models import judge, library_offer, read_model
    from epforge.validate.survey import survey

    facts = read_model(model, limits, everything=True, numbered=True)
    given = [library_offer(path) for path in libraries]
    offers = (*given, *(offer for path in projects for offer in _project_offers(path)))
    diagnosis = judge(facts.foreign, offers)
    runtime = survey()
    source = _source(libraries, given, projects, asking)
    placement = _placement(model, facts, source, given, libraries, limits, show)
    made = compiled(
        facts, model.absolute().parent, _libraries(source, placement), placement.verdicts
    )
    more = (*judge_header(facts, runtime), *judge_compiled(made, model))
    diagnosis = replace(diagnosis, findings=(*more, *diagnosis.findings))
    return Result(model, diagnosis, offers, placement, made, facts, runtime)


def _placement(
    model: Path,
    facts: ModelFacts,
    source: Source | None,
    given: Sequence[Offer],
    libraries: Sequence[Path],
    limits: Limits,
    show: Callable[[str], None],
) -> Placement:
    from dataclasses import replace

    from epforge.doctor import placement
    from epforge.doctor.placement.asking import ask
    from epforge.validate.static import Kind

    nodes = facts.nodes
    if source is None:
        return placement.could_be(nodes, str(model))
    if not source.plugins:
        if source.manifest is None:
            return placement.Placement(placement.How.CLAIMS, source.name)
        return placement.by_claims(nodes, source.manifest, source.name, source.where)
    show(f"asking {source.name}")
    pairs = zip(given, libraries, strict=True)
    custom = [path for offer, path in pairs if offer.kind is Kind.CUSTOM_OPS]
    asked = ask(model, facts, source.plugins, custom, limits)
    found = placement.divided(nodes, asked, source.manifest, source.name, source.where)
    if asked.takers or source.manifest is None:
        return found
    claimed = placement.by_claims(nodes, source.manifest, source.name, source.where)
    return replace(found, how=claimed.how, groups=claimed.groups, eps=claimed.eps)


def _source(
    libraries: Sequence[Path], given: Sequence[Offer], projects: Sequence[Path], asking: bool
) -> Source | None:
    """Whose taking is asked about: the libraries', else the first project's; None for nobody's."""
    from epforge.validate import manifest as manifests
    from epforge.validate.static import Kind

    pairs = zip(libraries, given, strict=True)
    plugins = tuple(path for path, offer in pairs if offer.kind is Kind.PLUGIN_EP)
    if plugins:
        places = [manifests.beside(path) for path in plugins]
        manifest = next((manifests.load(place) for place in places if place.is_file()), None)
        names = ", ".join(path.name for path in plugins)
        where = _project_of(plugins[0]) or (("--project", str(projects[0])) if projects else ())
        return Source(names, manifest, plugins if asking else (), where)
    return _of_project(projects[0], asking) if projects else None


def _project_of(library: Path) -> tuple[str, ...]:
    for folder in library.absolute().parents[:_PARENTS]:
        if (folder / _LOCK).is_file():
            return ("--project", str(folder))
    return ()


def _of_project(path: Path, asking: bool) -> Source:
    from epforge.validate import manifest as manifests
    from epforge.validate.models import read_manifest
    from epforge.verbs.validate import library_of

    if not path.is_dir():
        return Source(str(path), manifests.read(_claims(path), path), (), ("--file", str(path)))
    where = ("--project", str(path))
    place = path / _PROJECT_MANIFEST
    manifest = manifests.read(read_manifest(place), place)
    try:
        library = library_of(path, "release")
    except UsageError:  # it is not built: its claims have to do
        return Source(str(path), manifest, (), where)
    return Source(str(path), manifest, (library,) if asking else (), where)


def _claims(blueprint: Path) -> Mapping[str, Any]:
    from epforge.plan import shell
    from epforge.verbs.change.project import read

    return shell.manifest(read(blueprint)[1])


def _project_offers(path: Path) -> tuple[Offer, ...]:
    """What could be registered of a project's directory, or of a blueprint."""
    from epforge.validate.models import project_offers, read_manifest

    if path.is_dir():
        manifest = path / _PROJECT_MANIFEST
        if not manifest.is_file():
            raise UsageError(
                f"{path}: not a project that epforge made", "Make one: epforge scaffold"
            )
        return project_offers(read_manifest(manifest), str(manifest))
    return project_offers(_claims(path), str(path))


def _libraries(source: Source | None, placement: Placement) -> list[tuple[str, str]]:
    """(execution provider, library) of what is given, and of what is installed here."""
    found: list[tuple[str, str]] = []
    if source is not None:
        own = source.manifest.eps if source.manifest else ()
        found += [(ep, source.name) for ep in (*own, *placement.eps)]
    return [*found, *_installed()]


def _installed() -> Iterator[tuple[str, str]]:
    """The plugin EPs among this Python's packages, by the manifests that lie beside them."""
    from epforge.doctor.installed import plugins

    for each in plugins():
        yield each.ep, each.library
