// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A planned path as the text of a manifest.
#ifndef LH_CLI_PLANNEDMANIFEST_H
#define LH_CLI_PLANNEDMANIFEST_H

#include "compiler/session/ModelFile.h"
#include "core/graph/PathPlanner.h"

namespace lh {

struct PlannedManifest {
  std::string from, to; ///< as the user named them
  std::string target;
  IngressKind ingress = IngressKind::Mlir;
  std::string model; ///< as the manifest names it; empty: a parameter
  ModelEntry entry;
  bool isOnTensors = true; ///< as the oracle takes it
  std::string emit;        ///< a format; empty: the code is run
  PlannedPath path;
};

/// Reads as a person would write it, with what is new about the path in a
/// comment. Open sizes are given a number that divides by little.
std::string manifestText(const PlannedManifest &manifest);

} // namespace lh

#endif // LH_CLI_PLANNEDMANIFEST_H
