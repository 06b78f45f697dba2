// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder with a manifest that shows a fault alone.
#ifndef LH_INSIGHT_DEBUG_FAULTFOLDER_H
#define LH_INSIGHT_DEBUG_FAULTFOLDER_H

#include "insight/debug/Bisection.h"

namespace lh {

/// All that a folder is made from; borrowed.
struct FaultSource {
  const Fault &fault;
  Prober &prober;
  RunSetup &setup;
  const ManifestRunOptions &options;
  SourceStore &sources;
  const DriverEnv &env;
  RunObserver &observer;
};

/// Writes the module before the fault, the inputs, the expected outputs, and a
/// manifest with two pipelines: `guilty`, which fails, and `sound`, without the
/// guilty part, which passes. Runs it, and warns when it shows something else.
/// False, without a word, where the fault leaves nothing to write. Fails, with
/// an error, when the folder can't be written.
FailureOr<bool> writeFaultFolder(const FaultSource &source,
                                 const std::string &folder,
                                 DiagnosticSink &sink);

} // namespace lh

#endif // LH_INSIGHT_DEBUG_FAULTFOLDER_H
