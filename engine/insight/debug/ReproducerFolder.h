// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the folder that repeats a step.
#ifndef LH_INSIGHT_DEBUG_REPRODUCERFOLDER_H
#define LH_INSIGHT_DEBUG_REPRODUCERFOLDER_H

#include "core/plan/Plan.h"
#include "insight/debug/Reproducer.h"

namespace lh {

/// What goes into a reproducer's folder.
struct ReproducerContents {
  Reproducer record;
  /// The failing step; a run with its compilation before it.
  std::vector<Step> steps;
  /// The module that the first of them gets, as text or bytecode; empty: it
  /// imports one.
  std::string input;
  bool isBytecode = false;
  std::vector<std::string> dialects; ///< the plan's files of IRDL
};

/// Writes manifest.yaml, failure.json, README.md, the input, and copies of the
/// files that the steps read: schedules with their libraries, patterns,
/// dialects, check files, the target, and the tensors of a run. Models are named
/// where they are.
LogicalResult writeReproducer(const ReproducerContents &contents,
                              StringRef folder, DiagnosticSink &sink);

} // namespace lh

#endif // LH_INSIGHT_DEBUG_REPRODUCERFOLDER_H
