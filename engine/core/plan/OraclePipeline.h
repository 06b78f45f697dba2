// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle's fixed lowerings; they share no bubble with any user's pipeline.
#ifndef LH_CORE_PLAN_ORACLEPIPELINE_H
#define LH_CORE_PLAN_ORACLEPIPELINE_H

#include "core/manifest/Manifest.h"

namespace lh {

/// What the oracle computes of an imported module, by plain loops.
enum class OracleKind {
  Values, ///< the results in f64
  Bounds, ///< these, and for result N how far it may be off, as "N#bound"
  Plain   ///< the results in the model's own types, for their error's size
};

/// Appended to a result's name by lh-error-bounds.
inline constexpr StringRef boundSuffix = "#bound";

/// Appended by lh-expose-scores, and followed by the axis.
inline constexpr StringRef scoresSuffix = "#scores";
/// Likewise, of selections; followed by "boxes", "scores" or "rules".
inline constexpr StringRef selectsSuffix = "#selects-";

/// What an implementation may do, which widens the bounds (docs/numerics.md).
struct BoundOptions {
  NumericsDecl numerics; ///< of the tested path and its target
  bool flushToZero = false;
  bool proof = false;
};

/// Passes from an imported module to the LLVM dialect.
std::string oraclePipeline(OracleKind kind, const BoundOptions &options);

} // namespace lh

#endif // LH_CORE_PLAN_ORACLEPIPELINE_H
