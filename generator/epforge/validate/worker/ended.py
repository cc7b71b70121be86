"""The end of a program that does the work of a worker."""

from __future__ import annotations


class EndedError(BaseException):
    """The program ended before its time. No error of the runtime's, so nothing that handles those
    may take it for one.

    Args:
        returncode: of the program; a Windows exception code where it fell.
        at_exit: everything was done before.
    """

    def __init__(self, returncode: int, at_exit: bool) -> None:
        super().__init__(f"ended with {returncode}")
        self.returncode = returncode
        self.at_exit = at_exit
