// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows as loops over strips of vectors, each reduction in one loop with what
// it reduces: upstream vectorizes one op at a time, so that a softmax's powers
// are stored and read again to be summed up. Short rows stay in registers.
#include "compiler/gaps/rows/RowVectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_VECTORIZEROWSPASS
#define GEN_PASS_DEF_VECTORIZEROWSPASS
#include "compiler/gaps/rows/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;
using linalg::GenericOp;

namespace {
/// The vectors that rows are computed in.
struct Registers {
  int64_t lanes; ///< of 32 bits
  /// Whether there are as many for each unit of the vectors' scale.
  bool isScalable;
  int64_t unrolled; ///< of a row that is computed without a loop, at most
};

/// What one loop over a row computes.
struct Phase {
  /// Elementwise ops in program order.
  SmallVector<GenericOp> elementwise;
  /// What it reduces to; null when there is nothing.
  GenericOp reduction;

  GenericOp first() {
    return elementwise.empty() ? reduction : elementwise.front();
  }
  GenericOp last() { return reduction ? reduction : elementwise.back(); }
};

/// The registers that short rows were computed in, which spare reading them.
using RowRegisters = llvm::DenseMap<Value, SmallVector<Value>>;

/// Emits a phase where its last op stands.
class PhaseEmitter {
public:
  PhaseEmitter(Phase phase, Registers registers, RowRegisters &known)
      : phase(std::move(phase)), builder(this->phase.last()),
        loc(this->phase.last()->getLoc()), lanes(registers.lanes),
        unrolled(registers.unrolled),
        isScalable(registers.isScalable && canScale()), known(known) {
    if (this->phase.reduction)
      combination.emplace(this->phase.reduction, lanes, isScalable);
    for (GenericOp op : this->phase.elementwise)
      if (isReadElsewhere(op))
        stored.push_back(op);
  }

  void emit();

private:
  int64_t staticSize() { return phase.last().getStaticLoopRanges().front(); }
  bool isShort(int64_t size) const {
    return !ShapedType::isDynamic(size) && size <= unrolled * lanes;
  }
  bool canScale();
  bool isReadElsewhere(GenericOp op);
  int64_t registersPerStrip();
  Value constant(int64_t index) {
    return arith::ConstantIndexOp::create(builder, loc, index);
  }
  /// How many elements a strip of so many lanes has.
  Value elementsOf(int64_t strip) {
    Value least = constant(strip);
    if (!isScalable)
      return least;
    Value scale = vector::VectorScaleOp::create(builder, loc);
    return arith::MulIOp::create(builder, loc, least, scale);
  }
  /// Computes a strip; `carried` is what the reduction carries, then the rows
  /// that are stored.
  SmallVector<Value> emitStrip(const Strip &strip, ValueRange carried,
                               OpBuilder &b);
  SmallVector<Value> operandsOf(GenericOp op, const Strip &strip,
                                const IRMapping &computed, OpBuilder &b);
  Value rowOperand(Value row, const Strip &strip, const IRMapping &computed,
                   OpBuilder &b);
  /// The carried values of strips of so many elements, for the rows as they
  /// are now.
  SmallVector<Value> startOf(int64_t elements);
  /// Goes on after a strip or a loop that gave `results`.
  void keep(ValueRange results);
  void emitLoop(Value begin, Value end, int64_t elements, bool isMasked);
  void emitOne(int64_t begin, int64_t elements);
  void emitStatic(int64_t size);
  void emitDynamic(Value size);
  void emitScalable(Value size);
  Value sizeOfRow();
  void replaceOps();

  Phase phase;
  OpBuilder builder;
  Location loc;
  int64_t lanes, unrolled;
  bool isScalable;
  std::optional<Combination> combination;
  SmallVector<GenericOp> stored;
  SmallVector<Value> rows;
  /// What was stored, by row.
  SmallVector<SmallVector<Value>> vectors;
  SmallVector<SmallVector<Value>> sums;
  RowRegisters &known;
};
} // namespace

/// A short row has no loop whose strips could be longer.
bool PhaseEmitter::canScale() {
  return !isShort(staticSize()) &&
         (!phase.reduction || combinesScalableVectors(phase.reduction));
}

bool PhaseEmitter::isReadElsewhere(GenericOp op) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return user != phase.reduction &&
           !llvm::is_contained(phase.elementwise, user);
  });
}

/// Two chains of what takes long hide each other's latency; of sums, four.
int64_t PhaseEmitter::registersPerStrip() {
  return phase.reduction && llvm::none_of(phase.elementwise, takesLong) ? 4 : 2;
}

SmallVector<Value> PhaseEmitter::operandsOf(GenericOp op, const Strip &strip,
                                            const IRMapping &computed,
                                            OpBuilder &b) {
  SmallVector<Value> operands;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value value = input->get();
    if (op.getMatchingIndexingMap(input).getNumResults() == 0)
      operands.push_back(numberIn(value, b));
    else
      operands.push_back(rowOperand(value, strip, computed, b));
  }
  return operands;
}

Value PhaseEmitter::rowOperand(Value row, const Strip &strip,
                               const IRMapping &computed, OpBuilder &b) {
  Value now = computed.lookupOrDefault(row);
  if (isa<VectorType>(now.getType()))
    return now;
  auto registers = known.find(row);
  std::optional<int64_t> at = getConstantIntValue(strip.begin);
  if (at && registers != known.end())
    return registers->second[*at / lanes];
  return strip.read(now, b);
}

SmallVector<Value> PhaseEmitter::emitStrip(const Strip &strip,
                                           ValueRange carried, OpBuilder &b) {
  // Vectors, and what is left of rows that the phase overwrites.
  IRMapping computed;
  for (auto [op, row] : llvm::zip(stored, carried.take_back(stored.size())))
    computed.map(op.getDpsInitOperand(0)->get(), row);
  SmallVector<Value> written;
  for (GenericOp op : phase.elementwise) {
    Value numbers =
        computeStrip(op, operandsOf(op, strip, computed, b), strip, b);
    computed.map(op->getResult(0), strip.spread(numbers, b));
    auto *place = llvm::find(stored, op);
    if (place != stored.end()) {
      size_t row = carried.size() - stored.size() + (place - stored.begin());
      written.push_back(strip.write(numbers, carried[row], b));
      vectors[place - stored.begin()].push_back(
          computed.lookup(op->getResult(0)));
    }
  }
  SmallVector<Value> results;
  if (GenericOp op = phase.reduction)
    results = combination->add(
        carried.drop_back(stored.size()),
        computeStrip(op, operandsOf(op, strip, computed, b), strip, b), strip,
        b);
  results.append(written);
  return results;
}

SmallVector<Value> PhaseEmitter::startOf(int64_t elements) {
  SmallVector<Value> carried;
  if (combination)
    carried =
        combination->start({Value(), elements, Value(), isScalable}, builder);
  carried.append(rows);
  return carried;
}

void PhaseEmitter::keep(ValueRange results) {
  rows = llvm::to_vector(results.take_back(rows.size()));
  if (combination)
    sums.emplace_back(results.drop_back(rows.size()));
}

void PhaseEmitter::emitLoop(Value begin, Value end, int64_t elements,
                            bool isMasked) {
  auto loop = scf::ForOp::create(
      builder, loc, begin, end, elementsOf(elements), startOf(elements),
      [&](OpBuilder &b, Location, Value at, ValueRange carried) {
        Strip strip{at, elements, Value(), isScalable};
        if (isMasked) {
          Value left = arith::SubIOp::create(b, loc, end, at);
          strip.mask = vector::CreateMaskOp::create(
              b, loc, strip.of(b.getI1Type()), ValueRange{left});
        }
        scf::YieldOp::create(b, loc, emitStrip(strip, carried, b));
      });
  keep(loop.getResults());
}

/// A strip by itself, masked when it isn't of whole registers.
void PhaseEmitter::emitOne(int64_t begin, int64_t elements) {
  int64_t whole = llvm::divideCeil(elements, lanes) * lanes;
  Strip strip{constant(begin), whole, Value()};
  if (strip.lanes != elements)
    strip.mask = vector::ConstantMaskOp::create(builder, loc,
                                                strip.of(builder.getI1Type()),
                                                ArrayRef<int64_t>{elements});
  keep(emitStrip(strip, startOf(strip.lanes), builder));
}

/// Strips in a loop, or all registers of a short row; then whole registers, and
/// what doesn't fill one.
void PhaseEmitter::emitStatic(int64_t size) {
  int64_t at = 0;
  if (size > unrolled * lanes) {
    int64_t strip = registersPerStrip() * lanes;
    at = size / strip * strip;
    emitLoop(constant(0), constant(at), strip, /*isMasked=*/false);
  }
  for (; at < size; at += lanes)
    emitOne(at, std::min(lanes, size - at));
}

void PhaseEmitter::emitDynamic(Value size) {
  Value strip = constant(registersPerStrip() * lanes);
  Value rest = arith::RemUIOp::create(builder, loc, size, strip);
  Value whole = arith::SubIOp::create(builder, loc, size, rest);
  emitLoop(constant(0), whole, registersPerStrip() * lanes, /*isMasked=*/false);
  emitLoop(whole, size, lanes, /*isMasked=*/true);
}

/// Where whole strips end is carried along: LLVM 22 computes the rest of a
/// division by few vectors' scales wrongly, taking such a scale for never 0.
void PhaseEmitter::emitScalable(Value size) {
  int64_t elements = registersPerStrip() * lanes;
  Value step = elementsOf(elements);
  Value last = arith::SubIOp::create(builder, loc, size, step);
  Value end = arith::AddIOp::create(builder, loc, last, constant(1));
  SmallVector<Value> start = startOf(elements);
  start.push_back(constant(0));
  auto loop = scf::ForOp::create(
      builder, loc, constant(0), end, step, start,
      [&](OpBuilder &b, Location, Value at, ValueRange carried) {
        Strip strip{at, elements, Value(), isScalable};
        SmallVector<Value> next = emitStrip(strip, carried.drop_back(), b);
        next.push_back(arith::AddIOp::create(b, loc, at, step));
        scf::YieldOp::create(b, loc, next);
      });
  keep(loop.getResults().drop_back());
  emitLoop(loop.getResults().back(), size, lanes, /*isMasked=*/true);
}

void PhaseEmitter::replaceOps() {
  for (auto [op, row, registers] : llvm::zip(stored, rows, vectors)) {
    op->getResult(0).replaceAllUsesWith(row);
    if (isShort(op.getStaticLoopRanges().front()))
      known[row] = registers;
  }
  if (GenericOp op = phase.reduction) {
    SmallVector<ValueRange> parts(sums.begin(), sums.end());
    Value number = combination->finish(parts, builder);
    Value result = tensor::InsertOp::create(
        builder, loc, number, op.getDpsInitOperand(0)->get(), ValueRange());
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
  for (GenericOp op : llvm::reverse(phase.elementwise))
    op->erase();
}

/// The first op reads nothing of the phase.
Value PhaseEmitter::sizeOfRow() {
  linalg::LinalgOp first = phase.first();
  return getValueOrCreateConstantIndexOp(
      builder, loc, first.createLoopRanges(builder, loc)[0].size);
}

void PhaseEmitter::emit() {
  for (GenericOp op : stored)
    rows.push_back(op.getDpsInitOperand(0)->get());
  vectors.resize(rows.size());
  if (isScalable)
    emitScalable(sizeOfRow());
  else if (ShapedType::isDynamic(staticSize()))
    emitDynamic(sizeOfRow());
  else
    emitStatic(staticSize());
  replaceOps();
}

static GenericOp rowOp(Operation *op) {
  auto generic = dyn_cast_or_null<GenericOp>(op);
  return generic && isRowOp(generic) ? generic : GenericOp();
}

/// Whether a row can be computed in the loop that reduces it: nobody reads it
/// before that.
static bool canMoveTo(GenericOp producer, GenericOp reduction) {
  return llvm::all_of(producer->getUsers(), [&](Operation *user) {
    Operation *here = producer->getBlock()->findAncestorOpInBlock(*user);
    return here == reduction || (here && reduction->isBeforeInBlock(here));
  });
}

/// Whether the op reads a row that one of the phase overwrites.
static bool readsOverwritten(GenericOp op, const Phase &phase) {
  return llvm::any_of(phase.elementwise, [&](GenericOp other) {
    Value row = other.getDpsInits()[0];
    return llvm::is_contained(op.getDpsInputs(), row) &&
           op->isBeforeInBlock(other);
  });
}

/// A reduction with the elementwise ops it reads, which take their own operands
/// from before, and those that read a row before it is overwritten.
static Phase phaseOf(GenericOp op) {
  Phase phase;
  if (op.getNumReductionLoops() == 0) {
    phase.elementwise.push_back(op);
    return phase;
  }
  phase.reduction = op;
  for (OpOperand *input : op.getDpsInputOperands()) {
    GenericOp producer = rowOp(input->get().getDefiningOp());
    if (producer && producer.getNumParallelLoops() == 1 &&
        producer->getBlock() == op->getBlock() &&
        op.getMatchingIndexingMap(input).getNumResults() == 1 &&
        !llvm::is_contained(phase.elementwise, producer) &&
        canMoveTo(producer, op))
      phase.elementwise.push_back(producer);
  }
  for (auto other : op->getBlock()->getOps<GenericOp>())
    if (rowOp(other) && other.getNumParallelLoops() == 1 &&
        !llvm::is_contained(phase.elementwise, other) && canMoveTo(other, op) &&
        readsOverwritten(other, phase))
      phase.elementwise.push_back(other);
  llvm::sort(phase.elementwise,
             [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
  return phase;
}

/// A number computed from numbers.
static void emitNumber(GenericOp op) {
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (Value input : op.getInputs())
    operands.push_back(numberIn(input, builder));
  Value number = computeStrip(op, operands, {Value(), 1, Value()}, builder);
  Value result =
      tensor::InsertOp::create(builder, op->getLoc(), number,
                               op.getDpsInitOperand(0)->get(), ValueRange());
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// Reductions first: an elementwise op goes where it is needed.
static void runOnBlock(Block &block, Registers registers) {
  SmallVector<GenericOp> reductions, others;
  RowRegisters known;
  for (auto op : block.getOps<GenericOp>())
    if (rowOp(op) && op.getNumReductionLoops())
      reductions.push_back(op);
  if (reductions.empty())
    return;
  for (auto op : llvm::make_early_inc_range(block.getOps<GenericOp>()))
    if (op.getNumLoops() == 0 && rowOp(op))
      emitNumber(op);
  for (GenericOp op : reductions)
    if (op.getStaticLoopRanges().front() != 0)
      PhaseEmitter(phaseOf(op), registers, known).emit();
  for (auto op : block.getOps<GenericOp>())
    if (rowOp(op) && op.getStaticLoopRanges().front() != 0)
      others.push_back(op);
  for (GenericOp op : others)
    PhaseEmitter(phaseOf(op), registers, known).emit();
}

/// How many blocks of rows there are when the loop is over the rows of one; 0
/// when these aren't a function's own.
static int64_t blocksAround(scf::ForOp rows) {
  Operation *around = rows->getParentOp();
  int64_t count = 1;
  if (auto blocks = dyn_cast<scf::ForallOp>(around)) {
    around = blocks->getParentOp();
    for (auto [from, to, step] :
         llvm::zip(blocks.getStaticLowerBound(), blocks.getStaticUpperBound(),
                   blocks.getStaticStep()))
      if (!ShapedType::isDynamic(from) && !ShapedType::isDynamic(to) &&
          !ShapedType::isDynamic(step))
        count *= llvm::divideCeil(to - from, step);
  }
  return isa<FunctionOpInterface>(around) ? count : 0;
}

namespace {
struct VectorizeRowsPass : lh::impl::VectorizeRowsPassBase<VectorizeRowsPass> {
  using Base::Base;

  /// Elements of the longest row that stays in registers, and one.
  int64_t longRow() const { return unrolled * vectorBits / 32 + 1; }

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (!isScalable && blocksAround(loop) >= fewestBlocks)
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops)
      overlapRows(loop, longRow(), rewriter);
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) {
      if (!isa<linalg::LinalgOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      runOnBlock(*block, {vectorBits / 32, isScalable, unrolled});
  }
};
} // namespace
