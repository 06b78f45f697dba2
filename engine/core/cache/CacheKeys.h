// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the result of each step of a plan depends on.
#ifndef LH_CORE_CACHE_CACHEKEYS_H
#define LH_CORE_CACHE_CACHEKEYS_H

#include "core/plan/Plan.h"
#include "core/support/PortablePaths.h"

#include <functional>

namespace lh {

/// One thing that a step's result depends on: "parameter 'k_unroll'", "4".
struct KeyPart {
  std::string name, value;

  bool operator==(const KeyPart &other) const {
    return name == other.name && value == other.value;
  }
};

/// All that one step's result depends on besides what its parent's does.
struct StepKey {
  /// Of the parent's key and of `parts`; empty when nothing can tell that the
  /// result would be the same again.
  std::string key;
  std::string parent; ///< the parent's key; empty at a root
  std::string place;  ///< the bubbles from the root on: "import tile lower"
  std::vector<KeyPart> parts;
};

/// What steps depend on beyond the plan.
struct KeyContext {
  /// The engine's build, plugins, options: what every result depends on.
  std::vector<KeyPart> engine;
  /// Names files and folders in keys.
  PortablePaths paths;
  /// Where hashes of models and weights are remembered; empty: nowhere.
  std::string hashFolder;
  /// They are computed all the same.
  bool paranoid = false;
  /// The files besides itself that an ONNX model takes tensors from.
  std::function<std::vector<std::string>(const std::string &model)>
      filesOfModel;
  /// What a target's code depends on beyond its target file.
  std::function<std::string(const TargetSpec &)> codeFacts;
};

/// The keys of a plan's steps, by step. Steps that run code have none, nor has
/// anything from an external tool on.
std::vector<StepKey> keysOf(const Plan &plan, const KeyContext &context);

} // namespace lh

#endif // LH_CORE_CACHE_CACHEKEYS_H
