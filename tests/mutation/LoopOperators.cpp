// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mistakes in loops: too few turns, shifted bounds, what belongs inside.
#include "Sites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lh::mutation;

/// A parallel loop's static bounds, one changed.
static void setBound(scf::ForallOp loop, size_t dim, int64_t value,
                     bool upper) {
  SmallVector<int64_t> bounds(upper ? loop.getStaticUpperBound()
                                    : loop.getStaticLowerBound());
  bounds[dim] = value;
  if (upper)
    loop.setStaticUpperBound(bounds);
  else
    loop.setStaticLowerBound(bounds);
}

void lh::mutation::dropLastTile(Operation *op, Sites &sites) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    sites.push_back(
        {op, [=](OpBuilder &builder) mutable {
           loop.setUpperBound(arith::SubIOp::create(
               builder, loop.getLoc(), loop.getUpperBound(), loop.getStep()));
           return "the last iteration is dropped";
         }});
  auto loop = dyn_cast<scf::ForallOp>(op);
  if (!loop)
    return;
  for (auto [dim, bound] : llvm::enumerate(loop.getStaticUpperBound()))
    if (!ShapedType::isDynamic(bound) &&
        !ShapedType::isDynamic(loop.getStaticStep()[dim]))
      sites.push_back({op, [=](OpBuilder &) mutable {
                         setBound(loop, dim, bound - loop.getStaticStep()[dim],
                                  true);
                         return "the last iteration of dimension " +
                                std::to_string(dim) + " is dropped";
                       }});
}

void lh::mutation::shiftLoopBound(Operation *op, Sites &sites) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return;
  sites.push_back({op, [=](OpBuilder &builder) mutable {
                     loop.setLowerBound(
                         shifted(builder, loop.getLowerBound(), 1));
                     return "lower bound + 1";
                   }});
  for (int64_t delta : {-1, 1})
    sites.push_back({op, [=](OpBuilder &builder) mutable {
                       loop.setUpperBound(
                           shifted(builder, loop.getUpperBound(), delta));
                       return "upper bound + " + std::to_string(delta);
                     }});
}

void lh::mutation::skipFirstIteration(Operation *op, Sites &sites) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    sites.push_back(
        {op, [=](OpBuilder &builder) mutable {
           loop.setLowerBound(arith::AddIOp::create(
               builder, loop.getLoc(), loop.getLowerBound(), loop.getStep()));
           return "the first iteration is skipped";
         }});
}

/// An operation that writes a constant to a buffer.
static bool initialises(Operation *op) {
  Value written;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.hasPureBufferSemantics();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    written = store.getValue();
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    written = write.hasPureBufferSemantics() ? Value(write.getValueToStore())
                                             : Value();
  return written && written.getDefiningOp<arith::ConstantOp>();
}

void lh::mutation::hoistInitialisation(Operation *op, Sites &sites) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  if (!loop || loop != op->getParentOp() || !initialises(op))
    return;
  if (!llvm::all_of(op->getOperands(), [&](Value operand) {
        return loop.isDefinedOutsideOfLoop(operand);
      }))
    return;
  sites.push_back({op, [=](OpBuilder &) {
                     op->moveBefore(loop);
                     return "initialised once, before the loop";
                   }});
}
