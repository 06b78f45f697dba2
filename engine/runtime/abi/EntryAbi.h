// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an entry function is called: the module attribute `lh.abi` as data.
#ifndef LH_RUNTIME_ABI_ENTRYABI_H
#define LH_RUNTIME_ABI_ENTRYABI_H

#include "core/numerics/SparseFormat.h"

#include <optional>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// OutParams: the caller passes a buffer per result after the arguments.
/// Returned: the callee allocates the results; the caller frees them.
enum class EntryConvention { OutParams, Returned };

enum class ArgumentRole { Input, Weight, Prepared };

/// Where the raw little-endian bytes of a weight lie.
struct WeightPlace {
  std::string file;
  uint64_t offset = 0, bytes = 0;
};

/// Of the slices along `axis`, the first holds +-2^exponent and the second
/// `sign` times the first (steps/OrderedInputs.h).
struct OrderedSlices {
  int64_t axis = 0, exponent = 0, sign = 1;
};

/// What an argument is of a sparse tensor (compiler/gaps/sparse).
struct SparsePart {
  std::string tensor; ///< its name
  SparseArray array = SparseArray::Values;
  size_t level = 0; ///< of positions and coordinates
  SparseFormat format;
};

/// A tensor the entry takes or gives; -1 is a dynamic dimension.
struct TensorSignature {
  std::string name;
  DType dtype = DType::Float32;
  std::vector<int64_t> shape;
  /// The names of its dimensions: none, or one for each, possibly empty. All
  /// that bear one name have one size.
  std::vector<std::string> symbols = {};
  /// Integers up to this magnitude make every result exact (inputs of floats).
  std::optional<int64_t> exact = {};
  /// What makes sums right in their own order alone (inputs of the sum).
  std::optional<OrderedSlices> ordered = {};
  bool isDrawn = false; ///< it depends on numbers that the model draws
  std::optional<SparsePart> sparse = {};

  bool isStatic() const;
  /// "?x3x8", "" for rank 0.
  std::string shapeText() const;
};

struct EntryArgument {
  TensorSignature tensor;
  ArgumentRole role = ArgumentRole::Input;
  WeightPlace data;         ///< weights only
  size_t preparedIndex = 0; ///< prepared only: which result of @prepare
};

struct EntryAbi {
  std::string name;
  EntryConvention convention = EntryConvention::OutParams;
  std::vector<EntryArgument> arguments;
  std::vector<TensorSignature> results;
  /// Why no integers make every result exact; "" when some do.
  std::string inexact;
  /// Why no inputs make sums right in one order alone; "" when some do.
  std::string unordered;
  /// Why NaN and infinities have no defined result; "" when they have.
  std::string undefined;

  /// The signatures of the arguments a caller supplies, in order.
  std::vector<TensorSignature> inputs() const;
  std::vector<StringRef> inputNames() const;
};

/// The entry and, when it takes prepared arguments, the function that makes
/// them from the weights.
struct ModuleAbi {
  EntryAbi entry;
  std::optional<EntryAbi> prepare;
};

/// Reads `lh.abi`, which it makes of `lh.signature` where `lh-entry-abi` hasn't
/// run. Fails with a diagnostic at `where` when the attribute is
/// absent, when it doesn't describe `entry`, or when it contradicts itself.
FailureOr<ModuleAbi> readEntryAbi(mlir::ModuleOp module, StringRef entry,
                                  const SourceSpan &where,
                                  DiagnosticSink &sink);

/// Makes `lh.abi` of functions on tensors, which return their results, for
/// whoever is given the module as it stands. Does nothing where there is one.
void noteTensorAbi(mlir::ModuleOp module);

/// "1x3x8" for a shape; -1 becomes "?".
std::string shapeText(ArrayRef<int64_t> shape);

} // namespace lh

#endif // LH_RUNTIME_ABI_ENTRYABI_H
