// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns expressions into values once the names they use are known.
#ifndef LH_CORE_GRAPH_EVALUATE_H
#define LH_CORE_GRAPH_EVALUATE_H

#include "core/manifest/Manifest.h"

#include <set>

namespace lh {

/// The names an expression may use. A null map means that the scope does not
/// exist where the expression stands.
struct Scope {
  const std::map<std::string, Value> *params = nullptr;
  const std::map<std::string, Value> *target = nullptr;
  const std::map<std::string, Value> *caseValues = nullptr;
  const std::map<std::string, Value> *sweep = nullptr;
};

/// The value of `expression`: a literal or whole-scalar reference keeps its
/// type, mixed text becomes a string. A name that `scope` lacks is a located
/// error.
FailureOr<Value> evaluate(const Expression &expression, const Scope &scope,
                          DiagnosticSink &sink);

/// As `evaluate`, printed as text.
FailureOr<std::string> evaluateText(const Expression &expression,
                                    const Scope &scope, DiagnosticSink &sink);

/// Whether all of `conditions` hold for a target with these facts. A fact that
/// the target lacks is a located error, and the condition does not hold.
bool conditionHolds(ArrayRef<FactCondition> conditions,
                    const std::map<std::string, Value> &facts,
                    DiagnosticSink &sink);

/// The scopes that `expression` reads.
std::set<Reference::Scope> referencedScopes(const Expression &expression);

/// The target's fact `threads`; 1 where there is none.
int64_t threadsOf(const TargetSpec &target);

/// The values of a target's facts, without their places.
std::map<std::string, Value> factValues(const TargetSpec &target);

} // namespace lh

#endif // LH_CORE_GRAPH_EVALUATE_H
