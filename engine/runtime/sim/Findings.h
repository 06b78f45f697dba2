// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a simulation found wrong.
#ifndef LH_RUNTIME_SIM_FINDINGS_H
#define LH_RUNTIME_SIM_FINDINGS_H

#include "runtime/sim/Launch.h"

namespace lh {

struct SimSite;
struct SimThread;

struct SimFinding {
  DiagKind kind;
  std::string message;
};

/// "kernel 'k', block (1, 0, 0), thread (3, 0, 0): <what>, at `load ...`".
std::string describeFinding(StringRef kernel, const SimPosition &block,
                            const SimThread *thread, const SimSite *site,
                            const Twine &what);

} // namespace lh

#endif // LH_RUNTIME_SIM_FINDINGS_H
