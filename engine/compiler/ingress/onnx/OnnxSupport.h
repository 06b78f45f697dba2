// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the ONNX importer takes and what it refuses, as plain data.
#ifndef LH_COMPILER_INGRESS_ONNX_ONNXSUPPORT_H
#define LH_COMPILER_INGRESS_ONNX_ONNXSUPPORT_H

#include "core/support/Diagnostic.h"

#include <string>
#include <vector>

namespace lh {

/// One operator. `refusal` is empty for those that are imported.
struct OnnxOperator {
  std::string name;              ///< "MatMul", "com.microsoft.Gelu"
  std::vector<int64_t> versions; ///< the first opset of each form, ascending
  std::string types;             ///< of the first input
  std::string refusal;           ///< why it can't be imported
};

/// Every operator the importer knows of, by name: those of its table, by which
/// it converts, and those that it refuses for a reason of their own.
std::vector<OnnxOperator> listOnnxOperators();

/// Why `name` is refused; empty when nothing special is known.
StringRef refusalOf(StringRef name);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_ONNXSUPPORT_H
