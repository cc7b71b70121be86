"""What ONNX Runtime offers: its C API by level, and the SDK to build against."""
