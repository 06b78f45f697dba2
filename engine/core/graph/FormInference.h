// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A contract from what a bubble was seen to take and to give.
#ifndef LH_CORE_GRAPH_FORMINFERENCE_H
#define LH_CORE_GRAPH_FORMINFERENCE_H

#include "core/graph/ModuleForm.h"
#include "core/manifest/Manifest.h"

namespace lh {

/// A module before and after a bubble.
struct FormObservation {
  ModuleForm before, after;
};

/// What all of `observations` have in common: more may be allowed than was
/// seen, and less may hold than always did. There must be at least one.
BubbleFile inferContract(ArrayRef<FormObservation> observations);

/// The contract as lines of a bubble file.
std::string contractYaml(const BubbleFile &contract);

} // namespace lh

#endif // LH_CORE_GRAPH_FORMINFERENCE_H
