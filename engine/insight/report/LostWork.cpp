// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of a model's work got slow, by its nodes.
#include "insight/report/LostWork.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

static constexpr double mostUnknown = 0.1, lostBelow = 0.5;

/// Operations per second of the loops that compute `node`; nothing where no
/// code is known to.
static std::optional<double> speedOf(StringRef node,
                                     const ProfiledResult &profile) {
  const ProfiledNode *owner = nullptr;
  for (const ProfiledNode &candidate : profile.nodes)
    if (candidate.node == node && candidate.nests > 0)
      owner = &candidate;
  for (const ProfiledNode &candidate : profile.nodes)
    if (!owner && llvm::is_contained(candidate.with, node))
      owner = &candidate;
  if (!owner || owner->seconds <= 0 || owner->operations <= 0)
    return std::nullopt;
  return owner->operations / owner->seconds;
}

std::optional<double> lh::lostWork(ArrayRef<NodeWork> nodes,
                                   const ProfiledResult &before,
                                   const ProfiledResult &now) {
  double all = 0, unknown = 0, lost = 0;
  for (const NodeWork &work : nodes) {
    all += work.operations;
    std::optional<double> had = speedOf(work.node, before);
    std::optional<double> has = speedOf(work.node, now);
    if (!had || !has)
      unknown += work.operations;
    else if (*has < lostBelow * *had)
      lost += work.operations;
  }
  if (all <= 0 || unknown > mostUnknown * all)
    return std::nullopt;
  return lost / all;
}
