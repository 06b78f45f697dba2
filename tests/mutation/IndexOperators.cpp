// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mistakes in where data is: off by one, swapped axes, wrong lanes.
#include "Sites.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace lh::mutation;

static std::string plus(StringRef what, int64_t delta) {
  return what.str() + (delta < 0 ? " - 1" : " + 1");
}

/// Operations whose operands of index type say which element is meant.
static bool isAccess(Operation *op) {
  return hasName(op, {"tensor.extract", "tensor.insert", "memref.load",
                      "memref.store", "vector.load", "vector.store",
                      "vector.transfer_read", "vector.transfer_write"});
}

void lh::mutation::shiftIndex(Operation *op, Sites &sites) {
  if (hasName(op, {"arith.index_cast"}) &&
      op->getResult(0).getType().isIndex()) {
    for (int64_t delta : {-1, 1})
      sites.push_back({op, [=](OpBuilder &builder) {
                         op->setOperand(
                             0, shifted(builder, op->getOperand(0), delta));
                         return plus("index", delta);
                       }});
    return;
  }
  if (!isAccess(op) && !isa<LLVM::GEPOp>(op))
    return;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    bool index = isa<LLVM::GEPOp>(op) ? operand.getType().isInteger(64)
                                      : operand.getType().isIndex();
    for (int64_t delta : {-1, 1})
      if (index)
        sites.push_back({op, [=](OpBuilder &builder) {
                           op->setOperand(unsigned(i),
                                          shifted(builder, operand, delta));
                           return plus("operand " + std::to_string(i), delta);
                         }});
  }
}

void lh::mutation::shiftSlice(Operation *op, Sites &sites) {
  auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
  if (!slice)
    return;
  for (auto [dim, offset] : llvm::enumerate(slice.getStaticOffsets())) {
    for (int64_t delta : {-1, 1}) {
      if (ShapedType::isDynamic(offset)) {
        sites.push_back(
            {op, [=](OpBuilder &builder) mutable {
               unsigned at = slice.getIndexOfDynamicOffset(unsigned(dim));
               op->setOperand(at, shifted(builder, op->getOperand(at), delta));
               return plus("offset of dimension " + std::to_string(dim), delta);
             }});
      } else if (hasName(op, {"tensor.extract_slice", "tensor.insert_slice",
                              "tensor.parallel_insert_slice"})) {
        sites.push_back(
            {op, [=](OpBuilder &builder) mutable {
               SmallVector<int64_t> offsets(slice.getStaticOffsets());
               offsets[dim] += delta;
               op->setAttr("static_offsets",
                           builder.getDenseI64ArrayAttr(offsets));
               return plus("offset of dimension " + std::to_string(dim), delta);
             }});
      }
    }
  }
}

void lh::mutation::shiftPadding(Operation *op, Sites &sites) {
  auto pad = dyn_cast<tensor::PadOp>(op);
  if (!pad)
    return;
  for (size_t dim = 0; dim < pad.getStaticLow().size(); ++dim)
    for (int64_t delta : {-1, 1}) {
      int64_t low = pad.getStaticLow()[dim], high = pad.getStaticHigh()[dim];
      if (ShapedType::isDynamic(low) || ShapedType::isDynamic(high) ||
          low + delta < 0 || high - delta < 0)
        continue;
      sites.push_back({op, [=](OpBuilder &) mutable {
                         SmallVector<int64_t> lows(pad.getStaticLow());
                         SmallVector<int64_t> highs(pad.getStaticHigh());
                         lows[dim] += delta;
                         highs[dim] -= delta;
                         pad.setStaticLow(lows);
                         pad.setStaticHigh(highs);
                         return plus("low padding of dimension " +
                                         std::to_string(dim),
                                     delta);
                       }});
    }
}

void lh::mutation::shiftMap(Operation *op, Sites &sites) {
  if (!isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(op))
    return;
  AffineMap map = cast<AffineMapAttr>(op->getAttr("map")).getAffineMap();
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    for (int64_t delta : {-1, 1})
      sites.push_back({op, [=](OpBuilder &) {
                         SmallVector<AffineExpr> results(map.getResults());
                         results[i] = results[i] + delta;
                         op->setAttr("map",
                                     AffineMapAttr::get(AffineMap::get(
                                         map.getNumDims(), map.getNumSymbols(),
                                         results, op->getContext())));
                         return plus("result " + std::to_string(i), delta);
                       }});
}

void lh::mutation::transposeAccess(Operation *op, Sites &sites) {
  if (!isAccess(op))
    return;
  SmallVector<unsigned> indices;
  ShapedType type;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (operand.getType().isIndex())
      indices.push_back(unsigned(i));
    else if (isa<BaseMemRefType, TensorType>(operand.getType()))
      type = dyn_cast<ShapedType>(operand.getType());
  }
  if (!type || !type.hasRank() || int64_t(indices.size()) != type.getRank())
    return;
  for (unsigned i = 0; i < indices.size(); ++i)
    for (unsigned j = i + 1; j < indices.size(); ++j)
      if (type.getDimSize(i) == type.getDimSize(j) && type.getDimSize(i) != 1)
        sites.push_back({op, [=](OpBuilder &) {
                           Value first = op->getOperand(indices[i]);
                           op->setOperand(indices[i],
                                          op->getOperand(indices[j]));
                           op->setOperand(indices[j], first);
                           return "indices " + std::to_string(i) + " and " +
                                  std::to_string(j) + " swapped";
                         }});
}

static AffineMap withSwapped(AffineMap map, unsigned i, unsigned j) {
  SmallVector<AffineExpr> results(map.getResults());
  std::swap(results[i], results[j]);
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results,
                        map.getContext());
}

static void swapMapResults(linalg::GenericOp op, Sites &sites) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    unsigned number = operand.getOperandNumber();
    for (unsigned i = 0; type && i < map.getNumResults(); ++i)
      for (unsigned j = i + 1; j < map.getNumResults(); ++j) {
        if (type.getDimSize(i) != type.getDimSize(j) ||
            type.getDimSize(i) == 1 || map.getResult(i) == map.getResult(j))
          continue;
        sites.push_back(
            {op, [=](OpBuilder &builder) mutable {
               SmallVector<AffineMap> maps = op.getIndexingMapsArray();
               maps[number] = withSwapped(map, i, j);
               op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
               return "operand " + std::to_string(number) + ": axes " +
                      std::to_string(i) + " and " + std::to_string(j) +
                      " swapped";
             }});
      }
  }
}

/// A permutation with two entries swapped that lead to equal extents.
static void swapPermutation(Operation *op, StringRef attribute,
                            ShapedType source, Sites &sites) {
  SmallVector<int64_t> order(
      op->getAttrOfType<DenseI64ArrayAttr>(attribute).asArrayRef());
  std::string name = attribute.str();
  for (size_t i = 0; i < order.size(); ++i)
    for (size_t j = i + 1; j < order.size(); ++j)
      if (source.getDimSize(unsigned(order[i])) ==
              source.getDimSize(unsigned(order[j])) &&
          source.getDimSize(unsigned(order[i])) != 1)
        sites.push_back({op, [=](OpBuilder &builder) mutable {
                           std::swap(order[i], order[j]);
                           op->setAttr(name,
                                       builder.getDenseI64ArrayAttr(order));
                           return "permutation: " + std::to_string(i) +
                                  " and " + std::to_string(j) + " swapped";
                         }});
}

void lh::mutation::swapAxes(Operation *op, Sites &sites) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    swapMapResults(generic, sites);
  if (hasName(op, {"linalg.transpose", "vector.transpose"}))
    swapPermutation(op, "permutation",
                    cast<ShapedType>(op->getOperand(0).getType()), sites);
  auto index = dyn_cast<linalg::IndexOp>(op);
  auto parent = op->getParentOfType<linalg::LinalgOp>();
  if (!index || !parent)
    return;
  SmallVector<int64_t> extents = parent.getStaticLoopRanges();
  for (size_t dim = 0; dim < extents.size(); ++dim)
    if (dim != index.getDim() && extents[dim] == extents[index.getDim()])
      sites.push_back({op, [=](OpBuilder &builder) mutable {
                         index.setDimAttr(
                             builder.getI64IntegerAttr(int64_t(dim)));
                         return "of dimension " + std::to_string(dim);
                       }});
}

/// The last static position of a vector.extract or vector.insert.
static void shiftPosition(Operation *op, VectorType type, Sites &sites) {
  auto positions = op->getAttrOfType<DenseI64ArrayAttr>("static_position");
  if (!positions || positions.empty())
    return;
  size_t last = size_t(positions.size()) - 1;
  int64_t extent = type.getDimSize(unsigned(last));
  if (ShapedType::isDynamic(positions[last]) || extent < 2)
    return;
  sites.push_back({op, [=](OpBuilder &builder) {
                     SmallVector<int64_t> next(positions.asArrayRef());
                     next[last] = (next[last] + 1) % extent;
                     op->setAttr("static_position",
                                 builder.getDenseI64ArrayAttr(next));
                     return "the next position";
                   }});
}

void lh::mutation::shiftLane(Operation *op, Sites &sites) {
  if (auto extract = dyn_cast<vector::ExtractOp>(op))
    shiftPosition(op, extract.getSourceVectorType(), sites);
  if (auto insert = dyn_cast<vector::InsertOp>(op))
    shiftPosition(op, insert.getDestVectorType(), sites);
  auto shuffle = dyn_cast<vector::ShuffleOp>(op);
  if (!shuffle)
    return;
  for (size_t i = 0; i + 1 < shuffle.getMask().size(); ++i)
    sites.push_back({op, [=](OpBuilder &) mutable {
                       SmallVector<int64_t> mask(shuffle.getMask());
                       std::swap(mask[i], mask[i + 1]);
                       shuffle.setMask(mask);
                       return "lanes " + std::to_string(i) + " and " +
                              std::to_string(i + 1) + " swapped";
                     }});
}
