// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a library has a model's weights.
#ifndef LH_RUNTIME_DEPLOY_LIBRARYWEIGHTS_H
#define LH_RUNTIME_DEPLOY_LIBRARYWEIGHTS_H

#include "runtime/abi/EntryAbi.h"

#include <map>

namespace lh {

/// The weights that a module's functions take, each once.
class LibraryWeights {
public:
  explicit LibraryWeights(const ModuleAbi &abi);

  ArrayRef<const EntryArgument *> all() const { return weights; }
  /// The position of an argument's weight in all().
  size_t indexOf(const EntryArgument &argument) const;
  uint64_t bytes() const;

  /// Where each stands in a file of weights, and where that ends.
  std::vector<uint64_t> offsets() const { return layOut().first; }
  uint64_t fileBytes() const { return layOut().second; }

  /// Assembly that defines symbolOf() each, with its bytes.
  std::string assembly(StringRef library) const;
  /// Of the weight at this position.
  static std::string symbolOf(StringRef library, size_t index);

  /// Writes the file: its header, then each weight. Returns the hash that is in
  /// the header. Fails with a diagnostic at `where`.
  FailureOr<uint64_t> writeFile(StringRef path, const SourceSpan &where,
                                DiagnosticSink &sink) const;
  /// Fails with a diagnostic when a file can't be read, or has changed since
  /// the import.
  LogicalResult check(const SourceSpan &where, DiagnosticSink &sink) const;

private:
  /// What makes two arguments one weight.
  using Key = std::tuple<std::string, uint64_t, DType, std::vector<int64_t>>;
  static Key keyOf(const EntryArgument &argument);
  std::pair<std::vector<uint64_t>, uint64_t> layOut() const;

  std::vector<const EntryArgument *> weights;
  std::map<Key, size_t> positions;
};

} // namespace lh

#endif // LH_RUNTIME_DEPLOY_LIBRARYWEIGHTS_H
