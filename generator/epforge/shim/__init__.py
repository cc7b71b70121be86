"""The shim plugin: a library that ONNX Runtime registers in place of another one.

It loads that one, hands it proxies of the runtime's tables and puts itself before its callbacks,
so it sees all that passes between the two, from Python and on any execution provider. It is
generated from the tables of the API and compiled on this machine.
"""

from epforge.shim.compile import build_shim

__all__ = ["build_shim"]
