// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the lengths of vectors off a target's facts.
#include "runtime/abi/VectorBits.h"

#include "core/graph/Evaluate.h"

#include "llvm/TargetParser/Triple.h"

using namespace lh;

/// Bits of a vector register when `vscale` is 1.
static int64_t granule(const TargetSpec &target) {
  return llvm::Triple(target.triple).isRISCV() ? 64 : 128;
}

/// Outer products have scalable vectors in streaming mode alone.
static bool streams(const TargetSpec &target) {
  auto fact = target.facts.find("outer_products");
  if (fact == target.facts.end())
    return false;
  const bool *flag = std::get_if<bool>(&fact->second.value);
  return flag && *flag;
}

std::string lh::textOf(const VectorBits &bits) {
  std::string least = std::to_string(bits.least);
  return bits.least == bits.most ? least
                                 : least + " to " + std::to_string(bits.most);
}

VectorBits lh::declaredVectorBits(const TargetSpec &target) {
  auto fact = target.facts.find("vscale_range");
  if (fact == target.facts.end())
    return {};
  const auto *range = std::get_if<std::vector<int64_t>>(&fact->second.value);
  if (!range || range->size() != 2)
    return {};
  return {range->front() * granule(target), range->back() * granule(target),
          streams(target)};
}

FailureOr<VectorBits>
lh::wantedVectorBits(const TargetSpec &target,
                     const std::map<std::string, Value> &sweepPoint,
                     DiagnosticSink &sink) {
  if (!target.run.vectorBytes)
    return declaredVectorBits(target);
  std::map<std::string, Value> facts = factValues(target);
  Scope scope;
  scope.target = &facts;
  scope.sweep = &sweepPoint;
  FailureOr<Value> bytes =
      evaluate(*target.run.vectorBytes, scope, sink);
  if (failed(bytes))
    return failure();
  const auto *number = std::get_if<int64_t>(&*bytes);
  if (!number)
    return sink.error(DiagKind::BackendBadTarget, target.run.vectorBytes->where,
                      "target '" + target.name +
                          "': 'vector_bytes' is not a number");
  return VectorBits{*number * 8, *number * 8, streams(target)};
}
