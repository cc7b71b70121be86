"""This machine: what epforge needs of it, and what is not as it should be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

from epforge.doctor.machine import cuda, headers, interpreter, packages, surroundings, tools
from epforge.doctor.model import Checkup, Finding


@dataclass(frozen=True)
class Machine:
    """The facts of a machine."""

    python: interpreter.Interpreter
    tools: tools.Tools
    headers: headers.Headers
    packages: packages.Packages
    cuda: cuda.Cuda
    surroundings: surroundings.Surroundings


def gather(progress: Callable[[str], None] = lambda _: None) -> Machine:
    """Looks around. Programs are started, and asked who they are; no host is asked for anything."""
    progress("looking at this machine")
    with ThreadPoolExecutor(3) as pool:
        building = pool.submit(tools.gather)
        around = pool.submit(surroundings.gather)
        installed = packages.gather()
        torch = installed.torch.cuda if installed.torch else ""
        runtime = installed.files[0].cuda if installed.files else ""
        provider = "CUDAExecutionProvider" in installed.survey.providers
        return Machine(
            python=interpreter.gather(),
            headers=headers.gather(),
            packages=installed,
            cuda=cuda.gather(torch, runtime, provider),
            tools=building.result(),
            surroundings=around.result(),
        )


def judge(found: Machine) -> Iterator[Finding]:
    """All findings, in the order of a project's life."""
    yield from interpreter.judge(found.python)
    yield from tools.judge(found.tools)
    yield from headers.judge(found.headers)
    yield from packages.judge(found.packages)
    yield from cuda.judge(found.cuda)
    yield from surroundings.judge(found.surroundings)


def examine(progress: Callable[[str], None] = lambda _: None) -> Checkup:
    """Gathers and judges."""
    found = gather(progress)
    return Checkup("machine", "", tuple(judge(found)), asdict(found))
