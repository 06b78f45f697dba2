// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembles the families.
#include "compiler/ingress/onnx/OpTable.h"

#include "compiler/ingress/onnx/functions/Functions.h"
#include "compiler/ingress/onnx/ops/Families.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

const OpRow *OpTable::find(StringRef name, int64_t opset) const {
  auto found = rows.find(name);
  if (found == rows.end())
    return nullptr;
  const OpRow *best = nullptr;
  for (const OpRow &row : found->second)
    if (row.since <= opset && (!best || row.since > best->since))
      best = &row;
  return best;
}

bool lh::takesSmallTypes(StringRef opType) {
  static constexpr StringRef names[] = {"BitCast",
                                        "Cast",
                                        "CastLike",
                                        "Compress",
                                        "Concat",
                                        "ConstantOfShape",
                                        "DepthToSpace",
                                        "DequantizeLinear",
                                        "Expand",
                                        "Flatten",
                                        "Gather",
                                        "GatherElements",
                                        "GatherND",
                                        "Identity",
                                        "If",
                                        "Loop",
                                        "Pad",
                                        "QLinearMatMul",
                                        "QuantizeLinear",
                                        "Reshape",
                                        "Scan",
                                        "Shape",
                                        "Size",
                                        "Slice",
                                        "SpaceToDepth",
                                        "Split",
                                        "Squeeze",
                                        "Tile",
                                        "Transpose",
                                        "Unsqueeze",
                                        "Where"};
  return llvm::is_contained(names, opType);
}

OpTable lh::makeOpTable() {
  OpTable table;
  addElementwiseOps(table);
  addActivationOps(table);
  addCastOps(table);
  addSequenceOps(table);
  addShapeOps(table);
  addDataOps(table);
  addConstantOps(table);
  addPadOps(table);
  addSplitOps(table);
  addTileOps(table);
  addFlexAttentionOps(table);
  addGatherOps(table);
  addScatterOps(table);
  addConvolutionOps(table);
  addConvTransposeOps(table);
  addPoolingOps(table);
  addContractionOps(table);
  addNormalisationOps(table);
  addLayerNormalizationOps(table);
  addAttentionOps(table);
  addLinearAttentionOps(table);
  addRotaryOps(table);
  addGroupQueryAttentionOps(table);
  addReductionOps(table);
  addResizeOps(table);
  addQuantisationOps(table);
  addIntegerContractionOps(table);
  addQLinearOps(table);
  addQuantisedMatMulOps(table);
  addMatMulNBitsOps(table);
  addTopKOps(table);
  addSelectionOps(table);
  addRecurrentOps(table);
  addEinsumOps(table);
  addSignalOps(table);
  addUniqueOps(table);
  addCumulativeOps(table);
  addDeterminantOps(table);
  addRandomOps(table);
  addLpPoolingOps(table);
  addGridSampleOps(table);
  addRegionPoolingOps(table);
  addNonMaxSuppressionOps(table);
  addUnpoolingOps(table);
  addCol2ImOps(table);
  addDeformConvOps(table);
  addControlFlowOps(table);
  addTfIdfOps(table);
  addFunctions(table, assets::onnxFunctions);
  return table;
}
