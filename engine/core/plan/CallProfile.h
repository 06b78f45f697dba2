// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time of a call goes, and what a model's nodes have to do.
#ifndef LH_CORE_PLAN_CALLPROFILE_H
#define LH_CORE_PLAN_CALLPROFILE_H

#include <cstdint>
#include <string>
#include <vector>

namespace lh {

/// A piece of an entry's code between two looks at the clock: an outermost loop
/// nest, a region that threads share, or what stands between two of those.
struct ProfiledPiece {
  bool isNest = false;
  /// Of the nodes (or places of the source) that its code comes from, the one
  /// with most in its inner loops first, without those that have a small part
  /// of it; none: nothing is known.
  std::vector<std::string> nodes;
  double share = 0; ///< of a call's time, from 0 to 1
};

/// By clocks in the code itself, in a build of their own.
struct CallProfile {
  std::vector<ProfiledPiece> pieces; ///< in the order of the code
  double seconds = 0;                ///< of a call with its clocks
};

/// What a node has to do, by the module as it was imported.
struct NodeWork {
  std::string node;
  std::string kind; ///< of its largest op: "linalg.matmul"
  /// A multiply-add is two, a quotient or a root twelve, exp and its like
  /// twenty.
  double operations = 0;
  double bytes = 0;  ///< that it has to read and write at least
  std::string dtype; ///< of what it multiplies, or computes with
};

} // namespace lh

#endif // LH_CORE_PLAN_CALLPROFILE_H
