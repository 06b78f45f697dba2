# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of golden/onnx-ops: one module per family of operators."""
