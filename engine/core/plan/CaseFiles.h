// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How ONNX backend tests lie on disk.
#ifndef LH_CORE_PLAN_CASEFILES_H
#define LH_CORE_PLAN_CASEFILES_H

#include "core/plan/Plan.h"

#include "llvm/Support/VirtualFileSystem.h"

namespace lh {

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

#endif // LH_CORE_PLAN_CASEFILES_H
