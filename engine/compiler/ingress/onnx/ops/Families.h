// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of operators: each adds its own to the table.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_FAMILIES_H
#define LH_COMPILER_INGRESS_ONNX_OPS_FAMILIES_H

#include "compiler/ingress/onnx/OpTable.h"

namespace lh {

void addActivationOps(OpTable &table);
void addAttentionOps(OpTable &table);
void addCastOps(OpTable &table);
void addCol2ImOps(OpTable &table);
void addConstantOps(OpTable &table);
void addContractionOps(OpTable &table);
void addControlFlowOps(OpTable &table);
void addConvTransposeOps(OpTable &table);
void addConvolutionOps(OpTable &table);
void addCumulativeOps(OpTable &table);
void addDataOps(OpTable &table);
void addDeformConvOps(OpTable &table);
void addDeterminantOps(OpTable &table);
void addEinsumOps(OpTable &table);
void addElementwiseOps(OpTable &table);
void addFlexAttentionOps(OpTable &table);
void addGatherOps(OpTable &table);
void addGridSampleOps(OpTable &table);
void addGroupQueryAttentionOps(OpTable &table);
void addIntegerContractionOps(OpTable &table);
void addLayerNormalizationOps(OpTable &table);
void addLinearAttentionOps(OpTable &table);
void addLpPoolingOps(OpTable &table);
void addMatMulNBitsOps(OpTable &table);
void addNonMaxSuppressionOps(OpTable &table);
void addNormalisationOps(OpTable &table);
void addPadOps(OpTable &table);
void addPoolingOps(OpTable &table);
void addQLinearOps(OpTable &table);
void addQuantisationOps(OpTable &table);
void addQuantisedMatMulOps(OpTable &table);
void addRandomOps(OpTable &table);
void addRecurrentOps(OpTable &table);
void addReductionOps(OpTable &table);
void addRegionPoolingOps(OpTable &table);
void addResizeOps(OpTable &table);
void addRotaryOps(OpTable &table);
void addScatterOps(OpTable &table);
void addSelectionOps(OpTable &table);
void addSequenceOps(OpTable &table);
void addShapeOps(OpTable &table);
void addSignalOps(OpTable &table);
void addSplitOps(OpTable &table);
void addTfIdfOps(OpTable &table);
void addTileOps(OpTable &table);
void addTopKOps(OpTable &table);
void addUniqueOps(OpTable &table);
void addUnpoolingOps(OpTable &table);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_FAMILIES_H
