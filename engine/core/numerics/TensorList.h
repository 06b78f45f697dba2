// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX's serialised SequenceProto and OptionalProto, as lists of tensors.
#ifndef LH_CORE_NUMERICS_TENSORLIST_H
#define LH_CORE_NUMERICS_TENSORLIST_H

#include "core/support/Diagnostic.h"

#include <optional>
#include <string>
#include <vector>

namespace lh {

/// The tensors of a sequence, of an optional or of an optional sequence.
struct TensorList {
  /// By the names that readTensorFile() takes: "input_0.pb[1]".
  std::vector<std::string> files;
  bool hasValue = false; ///< false for an optional without one
};

/// What the .pb file at `path` lists. Empty for a tensor, for sequences of
/// sequences, and for what can't be read: readTensorFile() says so.
std::optional<TensorList> tensorListAt(const std::string &path);

/// "a.pb" and 1 of "a.pb[1]", an element of a list; no number for other paths.
std::pair<StringRef, std::optional<size_t>> splitElement(StringRef path);

/// The TensorProto that is element `place` of the list in `bytes`, if there is
/// one.
std::optional<StringRef> listElement(StringRef bytes, size_t place);

} // namespace lh

#endif // LH_CORE_NUMERICS_TENSORLIST_H
