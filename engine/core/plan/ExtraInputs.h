// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--input x=...`: a user's own inputs in place of the cases'.
#ifndef LH_CORE_PLAN_EXTRAINPUTS_H
#define LH_CORE_PLAN_EXTRAINPUTS_H

#include "core/plan/Cases.h"

namespace lh {

/// Puts `inputs` (`x=@file.npy` or `x=1x8x8xf32=normal`) into every data set
/// of `cases`, by name, or by position where files have no names. Expected
/// outputs and labels no longer hold and are dropped. Fails after reporting
/// every input that is malformed, lacks its file, or fits nothing.
LogicalResult replaceInputs(ArrayRef<std::string> inputs,
                            llvm::vfs::FileSystem &files,
                            std::vector<ExpandedCase> &cases,
                            DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_PLAN_EXTRAINPUTS_H
