// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over tensors whose iterations need nothing from each other: the place
// where that can be proved. On buffers it can't be told any more whether what
// an iteration reads was written by another one.
#include "compiler/gaps/memory/IndependentLoops.h"

#include "compiler/gaps/Marks.h"
#include "compiler/gaps/memory/IterationRanges.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/SetVector.h"

using namespace lh;
using namespace mlir;

namespace {
/// Follows a tensor that a loop carries through one iteration: everything that
/// becomes of it there, and where that is read and written.
class CarriedTensor {
public:
  CarriedTensor(scf::ForOp loop, unsigned position, IterationRanges &ranges)
      : loop(loop), position(position), ranges(ranges) {}

  /// Whether no iteration reads or writes what another one writes.
  bool isApart(int64_t step) {
    add(loop.getRegionIterArg(position));
    for (size_t i = 0; i < versions.size(); ++i)
      for (OpOperand &use : versions[i].getUses())
        if (!follow(use))
          return false;
    return areHandedOn() && slab && areApart(*slab, step);
  }

private:
  void add(Value version) { versions.insert(version); }

  void touch(const IterationSlab &elements) {
    slab = slab ? joinSlabs(*slab, elements) : elements;
  }

  bool follow(OpOperand &use);

  bool isVersion(Operation *op, unsigned operand) {
    return versions.contains(op->getOperand(operand));
  }

  /// What is carried on must be this tensor, whatever way is taken.
  bool areHandedOn() {
    return isVersion(loop.getBody()->getTerminator(), position) &&
           llvm::all_of(versions, [&](Value version) {
             auto result = dyn_cast<OpResult>(version);
             return !result || isHandedOn(result);
           });
  }

  bool isHandedOn(OpResult result) {
    unsigned number = result.getResultNumber();
    if (auto inner = dyn_cast<scf::ForOp>(result.getOwner()))
      if (!versions.contains(inner.getInitArgs()[number]))
        return false;
    return llvm::all_of(result.getOwner()->getRegions(), [&](Region &region) {
      return !region.empty() &&
             isVersion(region.front().getTerminator(), number);
    });
  }

  scf::ForOp loop;
  unsigned position;
  IterationRanges &ranges;
  llvm::SetVector<Value> versions;
  std::optional<IterationSlab> slab;
};
} // namespace

bool CarriedTensor::follow(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<tensor::DimOp>(user))
    return true;
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(user)) {
    if (transfer.getBase() != use.get())
      return false;
    touch(ranges.slab(transfer));
    for (Value result : user->getResults())
      if (isa<TensorType>(result.getType()))
        add(result);
    return true;
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user)) {
    touch(ranges.slab(slice));
    return true;
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(user)) {
    if (use.getOperandNumber() == 0)
      return false;
    touch(ranges.slab(insert));
    add(insert.getResult());
    return true;
  }
  if (auto inner = dyn_cast<scf::ForOp>(user)) {
    BlockArgument argument = inner.getTiedLoopRegionIterArg(&use);
    if (!argument)
      return false;
    add(argument);
    add(inner.getTiedLoopResult(&use));
    return true;
  }
  if (isa<scf::YieldOp>(user)) {
    Operation *parent = user->getParentOp();
    if (parent == loop)
      return use.getOperandNumber() == position;
    if (isa<scf::IfOp, scf::ForOp>(parent))
      add(parent->getResult(use.getOperandNumber()));
    return isa<scf::IfOp, scf::ForOp>(parent);
  }
  return false;
}

/// Whether threads could run the iterations, in any order.
static bool isIndependent(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step < 1 || loop.getNumRegionIterArgs() == 0 ||
      !isMemoryEffectFree(loop))
    return false;
  IterationRanges ranges(loop);
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    if (!isa<TensorType>(loop.getRegionIterArg(i).getType()) ||
        !CarriedTensor(loop, i, ranges).isApart(*step))
      return false;
  }
  return true;
}

/// What an iteration keeps for itself it shall allocate: the same empty tensor
/// would be the same memory in loops that run side by side.
static void sinkEmptyTensors(scf::ForOp loop) {
  llvm::DenseMap<Operation *, Value> own;
  visitUsedValuesDefinedAbove(loop->getRegions(), [&](OpOperand *use) {
    auto empty = use->get().getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      return;
    Value &copy = own[empty];
    if (!copy)
      copy =
          OpBuilder::atBlockBegin(loop.getBody()).clone(*empty)->getResult(0);
    use->set(copy);
  });
}

void lh::markIndependentLoops(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (!isIndependent(loop))
      return;
    loop->setAttr(independentMark, UnitAttr::get(loop.getContext()));
    sinkEmptyTensors(loop);
  });
}
