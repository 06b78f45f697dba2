// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instructions code needs.
#ifndef LH_RUNTIME_DEPLOY_CPUFEATURES_H
#define LH_RUNTIME_DEPLOY_CPUFEATURES_H

#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace lh {

/// Those of CpuFeatures.def that `machine` may use, in its order. They are what
/// a library looks for before its code runs.
std::vector<std::string> neededFeatures(const llvm::TargetMachine &machine);

} // namespace lh

#endif // LH_RUNTIME_DEPLOY_CPUFEATURES_H
