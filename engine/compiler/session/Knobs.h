// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Knobs of schedules: transform.tune.knob and transform.tune.alternatives.
#ifndef LH_COMPILER_SESSION_KNOBS_H
#define LH_COMPILER_SESSION_KNOBS_H

#include "core/manifest/Manifest.h"

#include "mlir/IR/Operation.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace lh {

/// Where an op's choice stands.
struct KnobPlace {
  StringRef name;      ///< the knob's
  StringRef attribute; ///< that selects
  bool isNumbered;     ///< it counts alternatives, as an index
};

/// Nothing for what is no knob, and for alternatives that a parameter of the
/// schedule selects.
std::optional<KnobPlace> knobAt(mlir::Operation *op);

/// A knob, and what it may be.
struct Knob {
  std::string name;
  std::vector<Value> values;
};

/// The knobs of a schedule file, those of one name once. Integers, flags and
/// texts of a list of options; the numbers of alternatives. None of a file that
/// can't be read, which whoever runs it reports.
std::vector<Knob> knobsIn(const std::string &file, mlir::MLIRContext &context);

} // namespace lh

#endif // LH_COMPILER_SESSION_KNOBS_H
