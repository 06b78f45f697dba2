// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How golden folders lie on disk, and which file is expected of whom.
#ifndef LH_CORE_PLAN_GOLDENSTORE_H
#define LH_CORE_PLAN_GOLDENSTORE_H

#include "core/plan/Plan.h"

#include "llvm/Support/VirtualFileSystem.h"

namespace lh {

struct GoldenFiles {
  std::string folder, model;
  DataSet data;
};

/// Reads the layout of a golden folder: model.onnx or payload.mlir; inputs/
/// and outputs/ with files named `<n>-<name>` or `<name>`, .npy or .pb;
/// labels.npy; overrides in `<target>/<dtype>/`, `<target>/` and `<dtype>/`,
/// by the names of `targets` and of element types. Fails, with every error
/// located at `from`, when there is no model or no output, or a file is not
/// what the provenance.json beside it says (see checkGoldenFolder). Tensor
/// files that nothing will read are a warning.
FailureOr<GoldenFiles> findGolden(llvm::vfs::FileSystem &files,
                                  const std::string &folder,
                                  ArrayRef<StringRef> targets,
                                  const SourceSpan &from, DiagnosticSink &sink);

/// The model, inputs and outputs alone, as they are, even without outputs: for
/// making new ones.
FailureOr<GoldenFiles> locateGolden(llvm::vfs::FileSystem &files,
                                    const std::string &folder,
                                    const SourceSpan &from,
                                    DiagnosticSink &sink);

/// How the model of a golden folder is made that is to have one and doesn't, as
/// its provenance.json says; "" for all other folders.
std::string howToMakeModel(llvm::vfs::FileSystem &files, StringRef folder);

/// The tensor files of a golden's folder as (name, path): numbered ones first,
/// in the order of their numbers, then the others by name.
std::vector<std::pair<std::string, std::string>>
listTensors(llvm::vfs::FileSystem &files, StringRef folder);

/// The file that output `index` of `data.expected` is compared with, in a
/// result for `target` whose element type is `dtype`: the most specific one.
const std::string &expectedFile(const DataSet &data, size_t index,
                                StringRef target, StringRef dtype);

} // namespace lh

#endif // LH_CORE_PLAN_GOLDENSTORE_H
