// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All families of operations in one table.
#include "compiler/ingress/stablehlo/OpTable.h"

#include "compiler/ingress/stablehlo/ScalarOps.h"

using namespace lh;

static HloTable makeHloTable() {
  HloTable table;
  addShapeOps(table);
  addPlacingOps(table);
  addBitOps(table);
  addDynamicOps(table);
  addReductionOps(table);
  addWindowOps(table);
  addProductOps(table);
  addConvolutionOps(table);
  addGatherOps(table);
  addScatterOps(table);
  addSortOps(table);
  addControlOps(table);
  addNormalisationOps(table);
  addLinearAlgebraOps(table);
  return table;
}

const HloTable &lh::hloTable() {
  static const HloTable table = makeHloTable();
  return table;
}

std::vector<std::string> lh::importableHloOps() {
  std::vector<std::string> names = scalarOpNames();
  for (const auto &row : hloTable())
    names.push_back(row.first().str());
  llvm::sort(names);
  return names;
}
