// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long the vectors are that a target's code is for.
#ifndef LH_RUNTIME_ABI_VECTORBITS_H
#define LH_RUNTIME_ABI_VECTORBITS_H

#include "core/manifest/Manifest.h"

namespace lh {

/// Lengths of scalable vectors in bits; {0, 0}: the code has none.
struct VectorBits {
  int64_t least = 0, most = 0;
  bool streaming = false; ///< whether they are those of streaming mode (SME)
};

/// "256", or "128 to 2048".
std::string textOf(const VectorBits &bits);

/// What the target's code is for, by its fact `vscale_range`.
VectorBits declaredVectorBits(const TargetSpec &target);

/// What the machine must have at one point of the sweep: `run.vector_bytes`.
FailureOr<VectorBits>
wantedVectorBits(const TargetSpec &target,
                 const std::map<std::string, Value> &sweepPoint,
                 DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_ABI_VECTORBITS_H
