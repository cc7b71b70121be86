"""The shim's sources, in memory."""

from __future__ import annotations

from pathlib import Path

from epforge.assets import assets_dir
from epforge.render.clang import format_all
from epforge.render.environment import make_environment
from epforge.shim.view import View

_STYLE = "BasedOnStyle: Google\nStandard: c++17\nColumnLimit: 100\n"


def templates_dir() -> Path:
    """Where the shim's templates are."""
    return assets_dir("templates") / "shim"


def render_shim() -> dict[str, str]:
    """The shim's sources by file name, formatted."""
    environment = make_environment(templates_dir())
    view = View()
    texts = {
        path.name: environment.get_template(path.name).render(
            {
                name: getattr(view, name)
                for name in (
                    *("oldest", "newest", "opaque", "enums", "callbacks", "structs", "tables"),
                    *("callback_structs", "functions", "most_params", "entries", "kinds"),
                    *("getters", "hooks"),
                )
            }
        )
        for path in sorted(templates_dir().iterdir())
        if path.suffix in (".cc", ".h")
    }
    return format_all(texts, _STYLE)
