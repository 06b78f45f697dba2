// How golden folders and ONNX backend tests lie on disk.
#ifndef LH_PLAN_CASEFILES_H
#define LH_PLAN_CASEFILES_H

#include "plan/Plan.h"

#include "llvm/Support/VirtualFileSystem.h"

namespace lh {

struct GoldenFiles {
  std::string model;
  DataSet data;
};

/// Reads the layout of a golden folder: model.onnx or payload.mlir,
/// inputs/*.npy and outputs/*.npy named `<n>-<name>.npy` or `<name>.npy`,
/// labels.npy and provenance.json if there. Errors are located at `from`: no
/// model, no outputs, or a model that is not the one in provenance.json.
FailureOr<GoldenFiles> findGolden(llvm::vfs::FileSystem &files,
                                  const std::string &folder,
                                  const SourceSpan &from, DiagnosticSink &sink);

/// The folders with a model.onnx that `pattern` matches: itself, its
/// subfolders, or what it matches as a glob. None is an error.
FailureOr<std::vector<std::string>> findOnnxTests(llvm::vfs::FileSystem &files,
                                                  const std::string &pattern,
                                                  const SourceSpan &from,
                                                  DiagnosticSink &sink);

/// test_data_set_N/{input,output}_N.pb, in numeric order.
FailureOr<std::vector<DataSet>> findOnnxDataSets(llvm::vfs::FileSystem &files,
                                                 const std::string &folder,
                                                 const SourceSpan &from,
                                                 DiagnosticSink &sink);

} // namespace lh

#endif // LH_PLAN_CASEFILES_H
