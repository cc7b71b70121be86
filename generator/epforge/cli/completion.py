"""The scripts by which shells complete what is typed: shown, or installed.

Those of bash and zsh are here: they put what is offered on the line as the shell quotes it, so that
a file of any name can be completed, and no name is run. typer has those of the other shells.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import typer

from epforge.errors import UsageError

INSTALL_HELP = "Install completion for the current shell."
SHOW_HELP = "Show completion for the current shell, to copy it or customize the installation."

_BASH = """\
_epforge_completion() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        [[ -n $line ]] && COMPREPLY+=("$line")
    done < <(COMP_WORDS="$(IFS=$'\\n'; printf '%s' "${COMP_WORDS[*]}")" COMP_CWORD=$COMP_CWORD \\
        _EPFORGE_COMPLETE=complete_bash "$1" 2>/dev/null)
    # Behind a directory more may come.
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace 2>/dev/null
    return 0
}

complete -o default -F _epforge_completion epforge
"""

_ZSH = """\
#compdef epforge

_epforge() {
    local tool=${(Q)words[1]} line word
    local -a typed offered described folders
    typed=("${(@Q)words[1,CURRENT]}")
    typed=("${(@qq)typed}")
    # A line each: a word, and behind a tab what it means.
    for line in "${(@f)$(_TYPER_COMPLETE_ARGS="${(j: :)typed}" _EPFORGE_COMPLETE=complete_zsh \\
        "${tool/#\\~\\//$HOME/}" 2>/dev/null)}"; do
        word=${line%%$'\\t'*}
        if [[ $word == */ ]]; then
            folders+=("$word")
        elif [[ $word != $line ]]; then
            described+=("${word//:/\\\\:}:${line#*$'\\t'}")
        elif [[ -n $word ]]; then
            offered+=("$word")
        fi
    done
    if (( $#offered + $#described + $#folders == 0 )); then
        _files
        return
    fi
    (( $#described )) && _describe epforge described
    (( $#offered )) && compadd -a offered
    # Behind a directory more may come.
    (( $#folders )) && compadd -S '' -a folders
    return 0
}

if [[ $funcstack[1] == _epforge ]]; then
    _epforge "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef _epforge epforge
fi
"""

_OWN = {"bash": _BASH, "zsh": _ZSH}
_OTHERS = ("fish", "powershell", "pwsh")


def show(context: typer.Context, option: typer.CallbackParam, wanted: bool) -> None:
    """Prints the script of the shell that called; `epforge --show-completion`.

    Raises:
        UsageError: it is none that can be completed for.
    """
    if not wanted or context.resilient_parsing:
        return
    from typer.completion import show_callback

    shell = _shell()
    if shell not in _OWN:
        show_callback(context, option, True)
    typer.echo(_OWN[shell], nl=False)
    raise typer.Exit


def install(context: typer.Context, option: typer.CallbackParam, wanted: bool) -> None:
    """Puts the script where the shell that called reads it; `epforge --install-completion`.

    Raises:
        UsageError: it is none that can be completed for.
    """
    if not wanted or context.resilient_parsing:
        return
    from typer.completion import install_callback

    shell = _shell()
    if shell not in _OWN:
        install_callback(context, option, True)
    path = _for_bash() if shell == "bash" else _for_zsh()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_OWN[shell], encoding="utf-8")
    typer.echo(f"completion for {shell} is installed in {path}; a new {shell} has it")
    raise typer.Exit


def _shell() -> str:
    from shellingham import ShellDetectionFailure, detect_shell

    try:
        shell: str = detect_shell()[0]
    except ShellDetectionFailure:
        shell = "what epforge was called from"
    if shell not in (*_OWN, *_OTHERS):
        raise UsageError(
            f"there is no completion for {shell}", "Call it from bash, zsh, fish or PowerShell."
        )
    return shell


def _for_bash() -> Path:
    path = Path.home() / ".bash_completions/epforge.sh"
    _read_by(Path.home() / ".bashrc", f"source {shlex.quote(str(path))}")
    return path


def _for_zsh() -> Path:
    home = Path(os.environ.get("ZDOTDIR") or Path.home())
    _read_by(home / ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit")
    return Path.home() / ".zfunc/_epforge"


def _read_by(file: Path, line: str) -> None:
    """Adds a line to a file that a shell reads at its start, once."""
    there = file.read_bytes() if file.exists() else b""
    if line.encode() not in there.splitlines():
        end = b"" if there.endswith(b"\n") or not there else b"\n"
        file.write_bytes(there + end + line.encode() + b"\n")
