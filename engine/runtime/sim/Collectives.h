// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets the lanes of a warp do together what they can only do together.
#ifndef LH_RUNTIME_SIM_COLLECTIVES_H
#define LH_RUNTIME_SIM_COLLECTIVES_H

#include "runtime/sim/Block.h"

namespace lh {

/// Does the collectives of `warp` that all who must take part have come to.
/// True: there were some, or one that can't come to pass (a finding).
bool fireCollectives(SimBlock &block, unsigned warp);

/// For when nothing else can be done: lanes that got to the same instruction
/// do it without the others of their warp.
bool fireActiveLanes(SimBlock &block, unsigned warp);

/// What a lane does instead of coming: "has ended". Null: there is none.
std::string whereabouts(const SimThread *thread);

/// For whom `thread` waits in vain.
std::string describeMissingLanes(SimBlock &block, const SimThread &thread);

} // namespace lh

#endif // LH_RUNTIME_SIM_COLLECTIVES_H
