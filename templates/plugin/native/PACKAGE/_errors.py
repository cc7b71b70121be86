<%= banner %>
"""What goes wrong, as exceptions. Their texts are those of the execution provider."""


class KernelError(RuntimeError):
    """A kernel failed; the base of all exceptions of the package's own."""


class InvalidArgumentError(KernelError, ValueError):
    """An input, an attribute or a model is wrong."""


class NotSupportedError(KernelError, NotImplementedError):
    """It is legal, but beyond what the kernels do."""


class DeviceLostError(KernelError):
    """The device must be reset before it can be used again."""
