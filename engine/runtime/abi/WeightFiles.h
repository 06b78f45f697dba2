// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights as memory: their files mapped read-only.
#ifndef LH_RUNTIME_ABI_WEIGHTFILES_H
#define LH_RUNTIME_ABI_WEIGHTFILES_H

#include "runtime/abi/EntryAbi.h"

#include <map>

namespace lh {

/// Maps each weight file once and hands out addresses in it, or in an aligned
/// copy where the file doesn't put the bytes on the alignment asked for.
/// Addresses live as long as this object.
class WeightFiles {
public:
  WeightFiles() = default;
  WeightFiles(const WeightFiles &) = delete;
  WeightFiles &operator=(const WeightFiles &) = delete;
  ~WeightFiles();

  /// The bytes of `weight` on a multiple of `alignment`. Fails with a
  /// diagnostic when the file can't be read, is too short, or its range isn't
  /// as long as the tensor.
  FailureOr<const std::byte *> bind(const EntryArgument &weight,
                                    size_t alignment, const SourceSpan &where,
                                    DiagnosticSink &sink);

  size_t copiedBytes() const;

private:
  struct Mapping {
    const std::byte *begin = nullptr;
    uint64_t size = 0;
  };
  FailureOr<Mapping> map(const EntryArgument &weight, const SourceSpan &where,
                         DiagnosticSink &sink);

  std::map<std::string, Mapping> mappings;
  std::vector<Tensor> copies;
};

} // namespace lh

#endif // LH_RUNTIME_ABI_WEIGHTFILES_H
