"""What every project has whatever it computes: its blueprint, its licence, its dotfiles."""

from __future__ import annotations

from epforge.plan.model import FileSpec, Owner
from epforge.resolve.model import Blueprint

_APACHE = "Apache-2.0"


def files(blueprint: Blueprint) -> list[FileSpec]:
    """The files beside the code. Templates of dotfiles are named ``dot.x``: as dotfiles they
    would rule the directory of the templates."""
    full = blueprint.license == _APACHE
    return [
        FileSpec(
            path="blueprint.yaml",
            template="",
            owner=Owner.YOURS,
            params={"content": blueprint.text.encode()},
            reason="the blueprint that the project is made from",
        ),
        FileSpec(
            path="LICENSE",
            template=f"plugin/licenses/{_APACHE}.txt" if full else "plugin/licenses/notice.txt",
            owner=Owner.YOURS,
            params={} if full else {"license": blueprint.license},
            reason=f"license: {blueprint.license}",
        ),
        FileSpec(
            path=".clang-format",
            template="plugin/dot.clang-format",
            owner=Owner.SHARED,
            params={},
            reason="the style that the C++ files are in",
        ),
        FileSpec(
            path=".gitattributes",
            template="plugin/dot.gitattributes",
            owner=Owner.SHARED,
            params={},
            reason="the same line ends everywhere; generated files folded in reviews",
        ),
        FileSpec(
            path=".gitignore",
            template="plugin/dot.gitignore",
            owner=Owner.SHARED,
            params={},
            reason="keeps what a build leaves out of the repository",
        ),
    ]
