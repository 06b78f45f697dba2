// Finds what becomes of a kernel's result, and computes it an element at a
// time.
#include "compiler/gaps/gpu/KernelResult.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

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
  auto all = [](ArrayRef<int64_t> numbers, int64_t wanted) {
    return llvm::all_of(numbers, [&](int64_t n) { return n == wanted; });
  };
  return all(view.getStaticOffsets(), 0) && all(view.getStaticStrides(), 1) &&
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
    return isa<linalg::YieldOp>(inner) || isMemoryEffectFree(&inner);
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

static Value constant(OpBuilder &builder, Location loc, int64_t number) {
  return arith::ConstantIndexOp::create(builder, loc, number);
}

/// The loop indices of the epilogue for an element of the kernel's result.
static SmallVector<Value> loopIndices(OpBuilder &builder, Location loc,
                                      const Epilogue &epilogue,
                                      ArrayRef<Value> position) {
  if (!epilogue.split)
    return SmallVector<Value>(position);
  SmallVector<Value> indices;
  memref::ExpandShapeOp split = epilogue.split;
  ArrayRef<int64_t> shape = split.getType().getShape();
  auto groups = split.getReassociationIndices();
  for (auto [group, whole] : llvm::zip_equal(groups, position)) {
    SmallVector<Value> parts;
    Value rest = whole;
    for (int64_t dim : llvm::reverse(ArrayRef<int64_t>(group).drop_front())) {
      Value size = constant(builder, loc, shape[static_cast<size_t>(dim)]);
      parts.push_back(arith::RemUIOp::create(builder, loc, rest, size));
      rest = arith::DivUIOp::create(builder, loc, rest, size);
    }
    parts.push_back(rest);
    llvm::append_range(indices, llvm::reverse(parts));
  }
  return indices;
}

static SmallVector<Value> mapped(OpBuilder &builder, Location loc,
                                 AffineMap map, ValueRange indices) {
  SmallVector<Value> results;
  for (AffineExpr result : map.getResults())
    results.push_back(
        affine::expandAffineExpr(builder, loc, result, indices, ValueRange()));
  return results;
}

/// The epilogue's value for one element, whose loop indices these are.
static Value computed(OpBuilder &builder, Location loc,
                      const Epilogue &epilogue, Value element,
                      ArrayRef<Value> indices) {
  linalg::LinalgOp op = epilogue.op;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  IRMapping values;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    unsigned number = operand.getOperandNumber();
    if (number == epilogue.input)
      values.map(argument, element);
    else if (isa<MemRefType>(operand.get().getType()) && !argument.use_empty())
      values.map(argument, memref::LoadOp::create(
                               builder, loc, operand.get(),
                               mapped(builder, loc, maps[number], indices)));
    else if (!isa<MemRefType>(operand.get().getType()))
      values.map(argument, operand.get());
  }
  for (Operation &inner : op.getBlock()->without_terminator())
    builder.clone(inner, values);
  return values.lookupOrDefault(op.getBlock()->getTerminator()->getOperand(0));
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
static bool isCut(const Epilogue &epilogue, unsigned dim) {
  memref::SubViewOp corner = epilogue.corner;
  return corner && corner.getType().getDimSize(dim) !=
                       corner.getSourceType().getDimSize(dim);
}

/// A builder where `position` lies in the corner as far as the dimensions from
/// `first` to `last` say: here, or in a new branch.
static OpBuilder inside(OpBuilder &builder, Location loc,
                        const Epilogue &epilogue, ArrayRef<Value> position,
                        unsigned first, unsigned last) {
  Value condition;
  for (unsigned dim = first; dim < last; ++dim) {
    if (!isCut(epilogue, dim))
      continue;
    memref::SubViewOp corner = epilogue.corner;
    Value size = constant(builder, loc, corner.getType().getDimSize(dim));
    Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        position[dim], size);
    condition = condition
                    ? arith::AndIOp::create(builder, loc, condition, below)
                    : below;
  }
  if (!condition)
    return builder;
  return scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false)
      .getThenBodyBuilder();
}

/// Elements that are all inside, or all outside, of the corner.
static void storeTogether(OpBuilder &builder, Location loc,
                          const Epilogue &epilogue, ArrayRef<Value> values,
                          ArrayRef<Value> position) {
  linalg::LinalgOp op = epilogue.op;
  AffineMap map = op.getIndexingMapsArray().back();
  Value output = op.getDpsInits()[0];
  SmallVector<Value> results, first;
  for (auto [i, value] : llvm::enumerate(values)) {
    SmallVector<Value> at(position);
    if (i > 0)
      at.back() = arith::AddIOp::create(
          builder, loc, at.back(),
          constant(builder, loc, static_cast<int64_t>(i)));
    SmallVector<Value> indices = loopIndices(builder, loc, epilogue, at);
    results.push_back(computed(builder, loc, epilogue, value, indices));
    SmallVector<Value> place = mapped(builder, loc, map, indices);
    if (i == 0)
      first = place;
    if (values.size() == 1 ||
        !keepsNeighbours(epilogue, static_cast<int64_t>(values.size())))
      memref::StoreOp::create(builder, loc, results.back(), output, place);
  }
  if (values.size() == 1 ||
      !keepsNeighbours(epilogue, static_cast<int64_t>(values.size())))
    return;
  auto type = VectorType::get(static_cast<int64_t>(results.size()),
                              results[0].getType());
  Value vector = vector::FromElementsOp::create(builder, loc, type, results);
  vector::StoreOp::create(builder, loc, vector, output, first);
}

void lh::storeThrough(OpBuilder &builder, Location loc,
                      const Epilogue &epilogue, ArrayRef<Value> values,
                      ArrayRef<Value> position) {
  auto rank = static_cast<unsigned>(position.size());
  OpBuilder row = inside(builder, loc, epilogue, position, 0, rank - 1);
  if (!isCut(epilogue, rank - 1))
    return storeTogether(row, loc, epilogue, values, position);
  for (auto [i, value] : llvm::enumerate(values)) {
    SmallVector<Value> at(position);
    if (i > 0)
      at.back() = arith::AddIOp::create(
          row, loc, at.back(), constant(row, loc, static_cast<int64_t>(i)));
    OpBuilder element = inside(row, loc, epilogue, at, rank - 1, rank);
    storeTogether(element, loc, epilogue, value, at);
  }
}
