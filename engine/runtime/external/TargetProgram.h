// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starting a program that a target's file names.
#ifndef LH_RUNTIME_EXTERNAL_TARGETPROGRAM_H
#define LH_RUNTIME_EXTERNAL_TARGETPROGRAM_H

#include "core/manifest/Manifest.h"

namespace lh {

/// One of an external target's programs, for one start.
struct TargetProgram {
  StringRef key;              ///< "compile" or "run.command"
  ArrayRef<Expression> words; ///< as the target's file has them
  std::map<std::string, Value> sweepPoint = {};
  /// What stands for `{name}` in the words, by name.
  std::map<std::string, std::string> places = {};
  std::string folder = {}; ///< where it is started
};

/// Starts it and waits for it. That it can't be started, doesn't end with code
/// 0 or dies is an error at its first word, with the end of its standard error.
LogicalResult runTargetProgram(const TargetProgram &program,
                               const TargetSpec &target, DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_EXTERNAL_TARGETPROGRAM_H
