// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module to work on: writes the inputs of steps to files and runs them.
#ifndef LH_TESTS_COMPILER_IRTEST_H
#define LH_TESTS_COMPILER_IRTEST_H

#include "../TestFolder.h"

#include "steps/ModuleRunner.h"

namespace lh {

class IrWorkbench {
public:
  explicit IrWorkbench(ModuleRunnerOptions options = {})
      : runner(session, std::move(options)) {}

  /// A file of this test's own; gone after it.
  std::string write(StringRef name, StringRef contents) {
    return folder.write(name, contents);
  }

  static Step passesStep(StringRef pipeline);
  Step scheduleStep(StringRef mlir, StringRef entry,
                    std::vector<BoundParameter> parameters = {});

  StepOutcome import(StringRef mlir);
  /// The same of a module without mistakes.
  mlir::ModuleOp imported(StringRef mlir);
  StepOutcome passes(StringRef pipeline);
  /// Runs `entry` of a schedule whose module body is `sequences`.
  StepOutcome schedule(StringRef sequences, StringRef entry,
                       std::vector<BoundParameter> parameters = {});
  /// Chooses the strategy for all linalg ops.
  StepOutcome choose(StringRef strategy);

  /// The module as printed; empty without one.
  std::string text();

  MlirSession session;
  ModuleRunner runner;

private:
  TestFolder folder;
  unsigned schedules = 0; ///< each gets its own file
};

/// The sequences wrapped in the module that named sequences need; the body
/// starts in line 2.
std::string scheduleModule(StringRef sequences);

BoundParameter parameter(StringRef name, Value value);

/// The module that `passes` make of `payload`.
std::string after(StringRef passes, StringRef payload);

/// One-shot bufferization as the library's bubbles run it.
constexpr llvm::StringLiteral bufferize =
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map}";

/// How often `needle` occurs.
size_t countOf(StringRef text, StringRef needle);

} // namespace lh

#endif // LH_TESTS_COMPILER_IRTEST_H
