// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names a node may use: those of its graph and of the graphs around it.
#ifndef LH_COMPILER_INGRESS_ONNX_SCOPE_H
#define LH_COMPILER_INGRESS_ONNX_SCOPE_H

#include "compiler/ingress/onnx/NodeContext.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace lh {

/// The attributes a function's body may refer to.
using Attributes = llvm::StringMap<OnnxAttribute>;

class Scope {
public:
  /// The model's own graph, or a function's body: sees nothing around it.
  explicit Scope(const std::vector<OnnxOpset> &opsets,
                 const Attributes *attributes = nullptr)
      : opsets(&opsets), attributes(attributes) {}
  /// A subgraph inside `outer`.
  explicit Scope(Scope &outer)
      : opsets(outer.opsets), attributes(outer.attributes), outer(&outer) {}

  /// False when this scope has the name already.
  bool define(StringRef name, std::optional<ImportedValue> value) {
    return own.try_emplace(name, std::move(value)).second;
  }
  bool defines(StringRef name) const { return own.contains(name); }

  /// Null when nothing has that name; an empty optional is an optional input
  /// that a call left out. Values from around are copied: what is built for
  /// them here can't be used outside.
  std::optional<ImportedValue> *find(StringRef name) {
    for (auto *names : {&own, &captured})
      if (auto found = names->find(name); found != names->end())
        return &found->second;
    std::optional<ImportedValue> *around = outer ? outer->find(name) : nullptr;
    return around ? &captured.try_emplace(name, *around).first->second
                  : nullptr;
  }

  /// Results of nodes that failed: their users are not reported again.
  void poison(StringRef name) { poisoned.insert(name); }
  bool isPoisoned(StringRef name) const {
    return poisoned.contains(name) || (outer && outer->isPoisoned(name));
  }

  const std::vector<OnnxOpset> *opsets;
  const Attributes *attributes;

private:
  Scope *outer = nullptr;
  llvm::StringMap<std::optional<ImportedValue>> own, captured;
  llvm::StringSet<> poisoned;
};

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_SCOPE_H
