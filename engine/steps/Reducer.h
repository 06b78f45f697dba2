// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a module smaller while something stays true of it.
#ifndef LH_STEPS_REDUCER_H
#define LH_STEPS_REDUCER_H

#include "steps/ModuleRunner.h"

#include "llvm/ADT/STLExtras.h"

namespace lh {

struct ReduceLimits {
  /// Values of removed operations may become arguments of their function. Not
  /// for what is compiled: an entry's arguments have meanings.
  bool addsArguments = true;
  /// Every value comes from an operation: of schedules.
  bool keepsValues = false;
  /// What is used stays as it is: of code that runs, where another pointer
  /// would be another fault.
  bool changesValues = true;
  /// Asked between probes: whether to be content with what there is.
  std::function<bool()> isEnough = [] { return false; };
};

/// Holds a module and tries smaller ones: delta debugging over operations,
/// first many at a time, then the results of functions, what is inside other
/// operations, attributes, arguments. Every candidate verifies.
class Reducer {
public:
  explicit Reducer(MlirSession &session);
  ~Reducer();

  /// Reads the module to begin with, text or bytecode.
  LogicalResult load(const std::string &path, DiagnosticSink &sink);

  /// Replaces the module by ever smaller ones of which `stillTrue` holds. It
  /// looks at the candidate through giveTo(), text() or bytecode(); it must
  /// hold of the module as it is.
  void reduce(llvm::function_ref<bool()> stillTrue,
              const ReduceLimits &limits = {});

  /// Gives `runner` a copy of the candidate; outside reduce(), of the module.
  void giveTo(ModuleRunner &runner) const;
  std::string text() const;
  std::string bytecode() const;

  /// Operations below the module, of the module that is kept.
  size_t operationCount() const;
  /// How often `stillTrue` was asked.
  size_t probeCount() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace lh

#endif // LH_STEPS_REDUCER_H
