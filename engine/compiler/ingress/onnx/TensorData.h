// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a tensor's bytes lie, after all checks, and constants made of them.
#ifndef LH_COMPILER_INGRESS_ONNX_TENSORDATA_H
#define LH_COMPILER_INGRESS_ONNX_TENSORDATA_H

#include "compiler/ingress/onnx/OnnxModel.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace lh {

/// A checked tensor: its type is supported, its dimensions are not negative,
/// and exactly `bytes` bytes of it lie in `file` at `offset` or at `data`. The
/// types of four and two bits are packed there.
struct TensorData {
  DType dtype = DType::Float32;
  std::vector<int64_t> shape;
  std::string file; ///< empty: only `data` (decoded from typed fields)
  int64_t offset = 0;
  int64_t bytes = 0;
  int64_t count = 0;          ///< of elements
  const char *data = nullptr; ///< null for external data

  int64_t elementCount() const { return count; }
};

/// Checks `tensor` of `model`; external data must lie inside the model's
/// folder and inside its file.
FailureOr<TensorData> locateTensor(const OnnxModel &model,
                                   const OnnxTensor &tensor, StringRef name,
                                   DiagnosticSink &sink);

/// A constant with a copy of the elements; reads an external file.
FailureOr<mlir::DenseElementsAttr> constantOf(const OnnxModel &model,
                                              const TensorData &data,
                                              mlir::MLIRContext *context,
                                              DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_TENSORDATA_H
