// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a formula comes to once the names it uses are known.
#ifndef LH_CORE_GRAPH_COMPUTE_H
#define LH_CORE_GRAPH_COMPUTE_H

#include "core/graph/Evaluate.h"

namespace lh {

/// The value of `operation`. Integers have 64 bits; `/` rounds towards zero,
/// and `%` is what it leaves. `and`, `or` and `? :` look at no more operands
/// than they need. Division by zero and overflow are errors at the operator.
FailureOr<Value> compute(const Operation &operation, const Scope &scope,
                         DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_GRAPH_COMPUTE_H
