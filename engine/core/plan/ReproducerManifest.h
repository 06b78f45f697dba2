// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A manifest that does one bubble of a plan, and nothing else.
#ifndef LH_CORE_PLAN_REPRODUCERMANIFEST_H
#define LH_CORE_PLAN_REPRODUCERMANIFEST_H

#include "core/plan/Plan.h"

namespace lh {

/// What a reproducer's manifest says besides its steps. Paths are as they are
/// to be written.
struct ReproducerParts {
  std::string name, summary;
  /// The module to begin with; empty: the first step imports it.
  std::string input;
  /// A golden folder with the data set of the run; empty: none.
  std::string golden;
  std::vector<std::string> dialects = {}; ///< files of IRDL
};

/// The text of a manifest that imports `parts.input` and does `steps` in turn.
/// A run follows its compilation; together they are one `execute:`. All values
/// are in place: it has no parameters, and copies of bubble files' contracts.
std::string reproducerManifest(const ReproducerParts &parts,
                               ArrayRef<Step> steps);

/// A bubble that does `action`, whose values are all in place.
BubbleDecl bubbleDoing(const StepAction &action, const std::string &name);

/// A bubble's name as a top-level one: "tile/inner" becomes "tile-inner".
std::string plainBubbleName(StringRef bubble);

} // namespace lh

#endif // LH_CORE_PLAN_REPRODUCERMANIFEST_H
