"""epforge: from a YAML blueprint to a complete ONNX Runtime plugin execution provider."""

__version__ = "0.1.0"
