// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What form a module is in, counted on the IR itself; plain data.
#ifndef LH_CORE_GRAPH_MODULEFORM_H
#define LH_CORE_GRAPH_MODULEFORM_H

#include "core/support/Diagnostic.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace lh {

/// Something that a module holds: how often, and where it comes first.
struct FormItem {
  int64_t count = 0;
  SourceSpan where;
  std::string names; ///< of the model's nodes there: "'conv1'"; may be empty
};

/// The form of a module, or of the kernels in it.
struct FormPart {
  std::map<std::string, FormItem> dialects, ops; ///< of operations
  /// Of values: "tensor", "memref", "vector", "scalable-vector".
  std::map<std::string, FormItem> types;
  std::optional<FormItem> dynamicShape; ///< values whose shape isn't static
  int64_t largestVector = 0; ///< elements of the largest of fixed length
  FormItem largestVectorAt;
  std::optional<FormItem> allocaInLoop;
  /// What public functions take and return: "tensors", "memrefs", "pointers".
  std::map<std::string, FormItem> boundary;
};

struct ModuleForm {
  FormPart payload; ///< without what nested gpu.modules hold
  FormPart kernels; ///< what nested gpu.modules hold, and these themselves
};

} // namespace lh

#endif // LH_CORE_GRAPH_MODULEFORM_H
