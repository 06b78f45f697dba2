"""The cases of golden/onnx-ops: one module per family of operators."""
