// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds what becomes of a kernel's result, and computes it an element at a
// time.
#include "compiler/gaps/gpu/KernelResult.h"
#include "compiler/gaps/gpu/KernelCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace lh;
using namespace mlir;

SmallVector<Operation *> lh::accessesOf(Value buffer) {
  SmallVector<Operation *> accesses;
  SmallVector<Value> views = {buffer};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(views, user->getResults());
      else
        accesses.push_back(user);
    }
  return accesses;
}

/// A part that begins where the buffer begins.
static bool isCorner(memref::SubViewOp view) {
  return view.hasZeroOffset() && view.hasUnitStride() &&
         view.getType().hasStaticShape() &&
         view.getType().getRank() == view.getSourceType().getRank();
}

/// How `value` is seen by its reader; false for other views than a corner that
/// may be split.
static bool seeThrough(Value value, Value result, Epilogue &epilogue) {
  if (auto split = value.getDefiningOp<memref::ExpandShapeOp>()) {
    if (!split.getType().hasStaticShape())
      return false;
    epilogue.split = split;
    value = split.getSrc();
  }
  if (auto corner = value.getDefiningOp<memref::SubViewOp>()) {
    if (!isCorner(corner))
      return false;
    epilogue.corner = corner;
    value = corner.getSource();
  }
  return value == result;
}

/// Whether each element of the output is computed from the same element of
/// this input, and from others that come from elsewhere.
static bool isElementwise(linalg::LinalgOp op, unsigned input) {
  if (op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() || op.hasIndexSemantics())
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return maps[input].isIdentity() && maps.back().isProjectedPermutation() &&
         maps.back().getNumResults() == op.getNumLoops();
}

/// Nothing but numbers come out of it.
static bool isPure(linalg::LinalgOp op) {
  return llvm::all_of(*op.getBlock(), [](Operation &inner) {
    return isMemoryEffectFree(&inner);
  });
}

std::optional<Epilogue> lh::epilogueOf(gpu::LaunchOp launch, Value result) {
  Operation *reader = nullptr;
  for (Operation *access : accessesOf(result)) {
    if (isa<memref::DeallocOp>(access) || launch->isProperAncestor(access) ||
        (isa<linalg::FillOp>(access) &&
         access->getBlock() == launch->getBlock() &&
         access->isBeforeInBlock(launch)))
      continue;
    if (reader && reader != access)
      return std::nullopt;
    reader = access;
  }
  auto op = dyn_cast_or_null<linalg::LinalgOp>(reader);
  if (!op || op->getBlock() != launch->getBlock() ||
      op->isBeforeInBlock(launch) || !op.hasPureBufferSemantics() ||
      !isPure(op))
    return std::nullopt;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Epilogue epilogue = {op, operand->getOperandNumber(), {}, {}};
    if (bufferOf(operand->get()) == result &&
        seeThrough(operand->get(), result, epilogue) &&
        isElementwise(op, epilogue.input))
      return epilogue;
  }
  return std::nullopt;
}

static Value constant(ImplicitLocOpBuilder &b, int64_t number) {
  return arith::ConstantIndexOp::create(b, number);
}

/// The loop indices of the epilogue for an element of the kernel's result.
static SmallVector<Value> loopIndices(ImplicitLocOpBuilder &b,
                                      memref::ExpandShapeOp split,
                                      ArrayRef<Value> position) {
  if (!split)
    return SmallVector<Value>(position);
  SmallVector<Value> indices;
  SmallVector<OpFoldResult> sizes = split.getMixedOutputShape();
  for (auto [group, whole] :
       llvm::zip_equal(split.getReassociationIndices(), position)) {
    SmallVector<Value> parts{whole};
    if (group.size() > 1)
      parts = placeOf(b, b.getLoc(), whole,
                      ArrayRef(sizes).slice(indices.size(), group.size()));
    llvm::append_range(indices, parts);
  }
  return indices;
}

/// Whether elements that lie side by side in the result do so in the output.
static bool keepsNeighbours(const Epilogue &epilogue, int64_t count) {
  linalg::LinalgOp op = epilogue.op;
  auto type = cast<MemRefType>(op.getDpsInits()[0].getType());
  return op.getIndexingMapsArray().back().isIdentity() &&
         type.isLastDimUnitStride() && type.getShape().back() % count == 0 &&
         !isa<IndexType>(type.getElementType());
}

/// Whether there is anything of the result beside the corner that is read.
static bool isCut(memref::SubViewOp corner, unsigned dim) {
  return corner && corner.getType().getDimSize(dim) !=
                       corner.getSourceType().getDimSize(dim);
}

/// A builder where `position` lies in the corner as far as the dimensions from
/// `first` to `last` say: here, or in a new branch.
static ImplicitLocOpBuilder inside(ImplicitLocOpBuilder &b,
                                   memref::SubViewOp corner,
                                   ArrayRef<Value> position, unsigned first,
                                   unsigned last) {
  Value condition;
  for (unsigned dim = first; dim < last; ++dim) {
    if (!isCut(corner, dim))
      continue;
    Value size = constant(b, corner.getType().getDimSize(dim));
    Value below = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                        position[dim], size);
    condition = condition ? arith::AndIOp::create(b, condition, below) : below;
  }
  if (!condition)
    return b;
  ImplicitLocOpBuilder within = b;
  within.setInsertionPoint(
      scf::IfOp::create(b, condition, /*withElseRegion=*/false).thenYield());
  return within;
}

/// Where the `i`-th element after the one at `position` is.
static SmallVector<Value> neighbour(ImplicitLocOpBuilder &b,
                                    ArrayRef<Value> position, size_t i) {
  SmallVector<Value> at(position);
  if (i > 0)
    at.back() = arith::AddIOp::create(b, at.back(),
                                      constant(b, static_cast<int64_t>(i)));
  return at;
}

/// Elements that are all inside, or all outside, of the corner.
static void storeTogether(ImplicitLocOpBuilder &b, const Epilogue &epilogue,
                          ArrayRef<Value> values, ArrayRef<Value> position) {
  linalg::LinalgOp op = epilogue.op;
  OpOperand &output = op.getDpsInitsMutable()[0];
  auto count = static_cast<int64_t>(values.size());
  bool atOnce = count > 1 && keepsNeighbours(epilogue, count);
  SmallVector<Value> results, first;
  for (auto [i, value] : llvm::enumerate(values)) {
    SmallVector<Value> indices =
        loopIndices(b, epilogue.split, neighbour(b, position, i));
    IRMapping given;
    given.map(op.getBlock()->getArgument(epilogue.input), value);
    results.push_back(emitBody(b, op, indices, given).front());
    SmallVector<Value> place = addressOf(b, op, output, indices);
    if (i == 0)
      first = place;
    if (!atOnce)
      memref::StoreOp::create(b, results.back(), output.get(), place);
  }
  if (!atOnce)
    return;
  Value vector = vector::FromElementsOp::create(
      b, VectorType::get(count, results[0].getType()), results);
  vector::StoreOp::create(b, vector, output.get(), first);
}

void lh::storeThrough(ImplicitLocOpBuilder &b, const Epilogue &epilogue,
                      ArrayRef<Value> values, ArrayRef<Value> position) {
  auto last = static_cast<unsigned>(position.size()) - 1;
  ImplicitLocOpBuilder row = inside(b, epilogue.corner, position, 0, last);
  if (!isCut(epilogue.corner, last))
    return storeTogether(row, epilogue, values, position);
  for (auto [i, value] : llvm::enumerate(values)) {
    SmallVector<Value> at = neighbour(row, position, i);
    ImplicitLocOpBuilder element =
        inside(row, epilogue.corner, at, last, last + 1);
    storeTogether(element, epilogue, value, at);
  }
}
