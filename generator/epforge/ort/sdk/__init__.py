"""The SDK: official ONNX Runtime headers to build against - find, install, check.

Headers are needed to build, never to render, and are never copied into a repository.
"""

from epforge.ort.sdk.find import ENVIRONMENT, find_sdk, install
from epforge.ort.sdk.store import Sdk, damage, installed
from epforge.ort.sdk.verify import BadSdkError, Problem, verify

__all__ = [
    "ENVIRONMENT",
    "BadSdkError",
    "Problem",
    "Sdk",
    "damage",
    "find_sdk",
    "install",
    "installed",
    "verify",
]
