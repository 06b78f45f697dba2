// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making new expected outputs: how good they are, and what is to be written.
#ifndef LH_CORE_PLAN_GOLDENRECORD_H
#define LH_CORE_PLAN_GOLDENRECORD_H

#include "core/numerics/Comparator.h"
#include "core/plan/GoldenStore.h"
#include "core/plan/Provenance.h"
#include "core/support/FolderUpdate.h"

namespace lh {

/// One expected output beside the one that it is to replace, and beside what
/// both should be.
struct RecordedOutput {
  std::string name; ///< in the model
  Tensor fresh;
  std::optional<Tensor> old;
  Tensor reference; ///< most often the oracle's, in float64
};

/// The errors of both against the reference, and the change between them
/// (`mismatches` counts every element that isn't the same).
struct RecordErrors {
  CompareResult fresh;
  std::optional<CompareResult> old, change;
};

/// A copy of `tensor` with every element rounded to `dtype`.
Tensor roundedTo(const Tensor &tensor, DType dtype);

RecordErrors measureRecord(const RecordedOutput &output);

/// Why the fresh output is worse than the old one, or unfit by itself; empty
/// when it is neither. Worse: its greatest or its root-mean-square error is
/// more than twice the old one's and lies beyond rounding (one representable
/// value; integers: none). Unfit: NaNs that the reference lacks, or another
/// shape.
std::string whyWorse(const RecordErrors &errors, DType dtype);

/// Where in a golden folder outputs are written: its own outputs/, or the
/// override of a target, an element type or both.
struct RecordPlace {
  std::string target = "", dtype = ""; ///< empty: for any

  bool isOverride() const { return !target.empty() || !dtype.empty(); }
  /// "" or the override's folder with a '/' after it.
  std::string prefix() const;
  std::string outputsFolder() const;
  std::string sidecar() const { return prefix() + "provenance.json"; }
  /// The folders whose files are compared with what is written here as long as
  /// it isn't there, that one first.
  std::vector<std::string> searched() const;
  /// Whether outputs of this type have no place here.
  bool excludes(DType output) const {
    return !dtype.empty() && dtypeName(output) != dtype;
  }
};

/// The tensor files at that place of a golden folder, by their paths in it:
/// those that are replaced.
std::vector<std::string> presentOutputs(llvm::vfs::FileSystem &files,
                                        StringRef folder,
                                        const RecordPlace &place);

/// The content of the .npy files for `outputs`, in order, and removals of the
/// tensor files in `present` (paths in the golden) that they replace.
FolderChanges outputChanges(ArrayRef<RecordedOutput> outputs,
                            const RecordPlace &place,
                            ArrayRef<std::string> present);

/// `<position>-<name>.npy` for each; `<position>.npy` for all where a name
/// holds what a file's can't: inputs then go by position.
std::vector<std::string> inputFileNames(ArrayRef<std::string> names);

/// Fills what follows from the outputs: dtypes and nans.
void describeOutputs(ArrayRef<RecordedOutput> outputs, Provenance &provenance);

} // namespace lh

#endif // LH_CORE_PLAN_GOLDENRECORD_H
