// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operations can be imported, and by what.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_OPTABLE_H
#define LH_COMPILER_INGRESS_STABLEHLO_OPTABLE_H

#include "compiler/ingress/stablehlo/OpContext.h"

#include "llvm/ADT/StringMap.h"

namespace lh {

using HloConverter = LogicalResult (*)(OpContext &);

/// What an operation must look like before its converter sees it.
struct HloRow {
  static constexpr unsigned any = ~0u;

  unsigned minInputs = 1, maxInputs = 1;
  unsigned results = 1; ///< or any
  unsigned regions = 0; ///< or any
  HloConverter convert = nullptr;
};

/// Rows by the operation's name ("stablehlo.reduce"). Elementwise operations
/// have theirs in ScalarOps.h.
using HloTable = llvm::StringMap<HloRow>;

void addShapeOps(HloTable &table);
void addPlacingOps(HloTable &table);
void addBitOps(HloTable &table);
void addDynamicOps(HloTable &table);
void addReductionOps(HloTable &table);
void addWindowOps(HloTable &table);
void addProductOps(HloTable &table);
void addConvolutionOps(HloTable &table);
void addGatherOps(HloTable &table);
void addScatterOps(HloTable &table);
void addSortOps(HloTable &table);
void addControlOps(HloTable &table);
void addNormalisationOps(HloTable &table);
void addLinearAlgebraOps(HloTable &table);

const HloTable &hloTable();

/// All operations that can be imported, sorted.
std::vector<std::string> importableHloOps();

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_OPTABLE_H
