<%= banner %>
"""Where compiled models go: their names, and how they get there all at once or not at all."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

FAILED = 1  # exit statuses: it was tried in vain,
WRONG_CALL = 2  # it was not tried, as the call is wrong,
MISSING = 4  # something is missing on this machine


class CompileError(Exception):
    """A model cannot be compiled.

    Args:
        message: what is wrong, one line.
        cure: what to do about it.
        status: the exit status that says so.
    """

    def __init__(self, message: str, cure: str = "", status: int = FAILED) -> None:
        super().__init__(f"{message}\n  {cure}" if cure else message)
        self.message = message
        self.cure = cure
        self.status = status


def plan_outputs(models: Sequence[Path], output: Path | None, shared: bool) -> list[Path]:
    """The path of each compiled model.

    Args:
        models: the models to compile.
        output: a folder; for a single model also a file that ends in ".onnx". By default each
            compiled model lies beside the model that it is made of.
        shared: the models share data, so that they must lie in one folder.

    Raises:
        CompileError: models or paths that do not go together.
    """
    if not models:
        raise CompileError("there is no model to compile", status=WRONG_CALL)
    for model in models:
        if not model.is_file():
            what = "is not a file" if model.exists() else "does not exist"
            raise CompileError(f"{model} {what}", status=WRONG_CALL)
    paths = _paths(models, output)
    inputs = {model.resolve() for model in models}
    seen: dict[Path, Path] = {}
    for model, path in zip(models, paths, strict=True):
        place = path.resolve()
        if place in inputs:
            raise CompileError(f"{path} would replace a model that is read", status=WRONG_CALL)
        if place in seen:
            raise CompileError(
                f"{seen[place]} and {model} would both become {path}",
                "Compile them one by one, into different folders.",
                WRONG_CALL,
            )
        seen[place] = model
    if shared and len({path.resolve().parent for path in paths}) > 1:
        raise CompileError(
            "models that share weights must lie in one folder", "Name it.", WRONG_CALL
        )
    return paths


def _paths(models: Sequence[Path], output: Path | None) -> list[Path]:
    if output is not None and output.suffix.lower() == ".onnx" and not output.is_dir():
        if len(models) > 1:
            raise CompileError(
                f"{output} is one file for {len(models)} models", "Name a folder.", WRONG_CALL
            )
        return [output.absolute()]
    return [(output or model.parent).absolute() / f"{model.stem}_ctx.onnx" for model in models]


def check_free(path: Path, force: bool) -> None:
    """Refuses a path where something is already.

    Args:
        path: where a file is to be written.
        force: files may be replaced.

    Raises:
        CompileError: it may not be written.
    """
    if path.is_dir():
        raise CompileError(f"{path} is a folder", "Choose another output.")
    if not force and os.path.lexists(path):
        raise CompileError(f"{path} exists already", "Replace it with --force.")


class Staging:
    """A folder inside an output folder in which a compilation takes place.

    What it holds in the end is moved out by `publish`; everything else vanishes with it.
    """

    def __init__(self, folder: Path, name: str) -> None:
        """Plans it.

        Args:
            folder: the output folder; made if it is not there.
            name: the name of the folder in it.
        """
        self._folder = folder
        self._made: list[Path] = []  # folders to take away again, the innermost first
        self.path = folder / name

    def __enter__(self) -> Self:
        try:
            places = [self._folder, *self._folder.parents]
            self._made = [place for place in places if not os.path.lexists(place)]
            self._folder.mkdir(parents=True, exist_ok=True)
            self.path.mkdir()
        except OSError as error:
            self._remove_folders()
            raise CompileError(
                f"cannot write into {self._folder}: {error.strerror}", "Choose another output."
            ) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        self._remove_folders()

    def publish(self, force: bool) -> list[Path]:
        """Moves all files out, models last, so that none is there before its data.

        Args:
            force: replace files.

        Returns:
            The files' new paths.

        Raises:
            CompileError: there is a file of that name already, or the files cannot be moved.
        """
        files = [path for path in sorted(self.path.rglob("*")) if path.is_file()]
        files.sort(key=lambda path: path.suffix.lower() == ".onnx")
        targets = [self._folder / path.relative_to(self.path) for path in files]
        for target in targets:
            check_free(target, force)
        try:
            for file, target in zip(files, targets, strict=True):
                target.parent.mkdir(exist_ok=True, parents=True)
                os.replace(file, target)
        except OSError as error:
            raise CompileError(f"cannot write {target}: {error.strerror}") from error
        return targets

    def _remove_folders(self) -> None:
        """Removes the output folders that were made in vain."""
        for place in self._made:
            try:
                place.rmdir()
            except FileNotFoundError:
                continue  # it could not be made
            except OSError:
                return  # it holds what was written
