// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instrumented code calls.
#ifndef LH_RUNTIME_SIM_RUNTIME_H
#define LH_RUNTIME_SIM_RUNTIME_H

#include "runtime/cpu/RuntimeSymbols.h"

namespace lh {

/// void (SimSite *, char *frame): an operation; its arguments are in the frame.
inline constexpr const char *simOperationName = "lh_sim_operation";
/// void (SimSite *, void *address): an access of the site's size.
inline constexpr const char *simAccessName = "lh_sim_access";
/// void (SimSite *, void *address, uint64_t bytes, bool writes)
inline constexpr const char *simRangeName = "lh_sim_range";
/// void (SimSite *, void *address, uint64_t mask): accesses of those of up to
/// 64 elements of the site's size that the mask selects.
inline constexpr const char *simMaskedName = "lh_sim_masked";
/// char *(): the block's shared memory.
inline constexpr const char *simSharedName = "lh_sim_shared";
/// int64_t *(): counts down to 0 as loops turn.
inline constexpr const char *simFuelName = "lh_sim_fuel";
/// void (SimSite *): it did.
inline constexpr const char *simStarvedName = "lh_sim_starved";
/// void (SimSite *): an instruction that ends the kernel with an error.
inline constexpr const char *simTrapName = "lh_sim_trap";

/// The functions above, and what the host's code generator needs.
std::vector<RuntimeSymbol> simRuntimeSymbols();

} // namespace lh

#endif // LH_RUNTIME_SIM_RUNTIME_H
