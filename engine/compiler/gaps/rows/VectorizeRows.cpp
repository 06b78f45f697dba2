// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows as loops over strips of vectors, each reduction in one loop with what
// it reduces: upstream vectorizes one op at a time, so that a softmax's powers
// are stored and read again to be summed up. Short rows stay in registers.
#include "compiler/gaps/rows/Extremes.h"
#include "compiler/gaps/rows/RowVectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
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

using Emitter = ImplicitLocOpBuilder;

/// The op's result is a tensor of this number.
static void replaceByNumber(GenericOp op, Value number, Emitter &b) {
  Value result = tensor::InsertOp::create(
      b, number, op.getDpsInitOperand(0)->get(), ValueRange());
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// Combines the strips of a row into one number, a register's lanes at a time.
class Combination {
public:
  /// Of the elements that `op` reduces, in registers of `lanes`, or of as many
  /// for each unit of the vectors' scale.
  Combination(Emitter &b, GenericOp op, int64_t lanes, bool isScalable)
      : b(b), combiner(combinerOf(op)),
        element(op.getRegionOutputArgs()[0].getType()),
        first(op.getDpsInitOperand(0)->get()), lanes(lanes),
        isScalable(isScalable) {}

  /// What a loop over strips of this type starts from, and carries along.
  SmallVector<Value> start(const Strip &strip) const {
    SmallVector<Value> carried{neutral(strip.of(element))};
    if (watchesForNaN())
      carried.push_back(arith::ConstantOp::create(
          b, b.getZeroAttr(registerOf(b.getI1Type()))));
    return carried;
  }

  SmallVector<Value> add(ValueRange carried, Value numbers,
                         const Strip &strip) const {
    numbers = strip.spread(numbers);
    if (strip.mask)
      numbers = arith::SelectOp::create(b, strip.mask, numbers,
                                        neutral(numbers.getType()));
    SmallVector<Value> sums{combine(numbers, carried[0])};
    if (watchesForNaN())
      sums.push_back(arith::OrIOp::create(b, carried[1], areNaN(numbers)));
    return sums;
  }

  /// The number of all that was carried, and of what the op starts from.
  Value finish(ArrayRef<SmallVector<Value>> carried) const {
    SmallVector<Value> parts;
    for (ArrayRef<Value> each : carried)
      parts.append(registersOf(each[0]));
    Value all = watchesForNaN()
                    ? finishNumbers(tree(parts), carried)
                    : vector::ReductionOp::create(
                          b, *linalg::getCombinerOpKind(combiner), tree(parts));
    Value start = numberIn(first, b);
    Attribute constant;
    if (matchPattern(start, m_Constant(&constant)) &&
        constant == *arith::getNeutralElement(combiner))
      return all;
    return clone(b, combiner, all.getType(), {all, start})->getResult(0);
  }

private:
  /// A maximum or minimum, which is NaN when a number is. It takes three
  /// instructions, each of which waits for the one before; so they are taken
  /// of what is a number, and NaNs are looked for beside.
  bool watchesForNaN() const {
    return isa<arith::MaximumFOp, arith::MinimumFOp>(combiner);
  }
  bool isMaximum() const { return isa<arith::MaximumFOp>(combiner); }

  VectorType registerOf(Type type) const {
    return VectorType::get({lanes}, type, {isScalable});
  }

  Value neutral(Type type) const {
    Attribute one = *arith::getNeutralElement(combiner);
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(cast<VectorType>(type), one));
  }

  Value combine(Value x, Value y) const {
    if (!watchesForNaN())
      return clone(b, combiner, x.getType(), {x, y})->getResult(0);
    return lh::selectBetter(b, b.getLoc(), isMaximum(), x, y);
  }

  SmallVector<Value> registersOf(Value numbers) const {
    SmallVector<Value> parts;
    auto type = cast<VectorType>(numbers.getType());
    int64_t size = type.getNumElements();
    if (size == lanes)
      return {numbers};
    VectorType part = registerOf(type.getElementType());
    for (int64_t i = 0; i < size; i += lanes)
      parts.push_back(isScalable
                          ? Value(vector::ScalableExtractOp::create(
                                b, numbers.getLoc(), part, numbers, i))
                          : vector::ExtractStridedSliceOp::create(
                                b, numbers.getLoc(), numbers, i, lanes, 1));
    return parts;
  }

  Value areNaN(Value numbers) const {
    return lh::findNaNs(b, b.getLoc(), registersOf(numbers));
  }

  /// Pairs of pairs, which needn't wait for each other.
  Value tree(SmallVector<Value> parts) const {
    while (parts.size() > 1) {
      size_t half = (parts.size() + 1) / 2;
      for (size_t i = half; i < parts.size(); ++i)
        parts[i - half] = combine(parts[i - half], parts[i]);
      parts.resize(half);
    }
    return parts.front();
  }

  /// The maximum or minimum of a register's numbers, or NaN.
  Value finishNumbers(Value numbers,
                      ArrayRef<SmallVector<Value>> carried) const {
    Value flags = carried.front()[1];
    for (ArrayRef<Value> each : carried.drop_front())
      flags = arith::OrIOp::create(b, flags, each[1]);
    auto kind = isMaximum() ? vector::CombiningKind::MAXNUMF
                            : vector::CombiningKind::MINNUMF;
    Value all = vector::ReductionOp::create(b, kind, numbers,
                                            arith::FastMathFlags::nnan);
    Value any =
        vector::ReductionOp::create(b, vector::CombiningKind::OR, flags);
    auto type = cast<FloatType>(all.getType());
    Value none = arith::ConstantOp::create(
        b, FloatAttr::get(type, APFloat::getNaN(type.getFloatSemantics())));
    return arith::SelectOp::create(b, any, none, all);
  }

  Emitter &b;
  Operation *combiner;
  Type element;
  Value first; ///< what the numbers are added to
  int64_t lanes;
  bool isScalable;
};

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The vectors that rows are computed in.
struct Registers {
  int64_t lanes; ///< of 32 bits
  /// Whether there are as many for each unit of the vectors' scale.
  bool isScalable;
  int64_t unrolled; ///< of a row that is computed without a loop, at most
};

/// The registers that short rows were computed in, which spare reading them.
using RowRegisters = llvm::DenseMap<Value, SmallVector<Value>>;

/// Emits a phase where its last op stands.
class PhaseEmitter {
public:
  PhaseEmitter(const Phase &phase, Registers registers, RowRegisters &known)
      : phase(phase), b(phase.last().getLoc(), phase.last()),
        lanes(registers.lanes), unrolled(registers.unrolled),
        isScalable(registers.isScalable && canScale()), known(known) {
    if (phase.reduction)
      combination.emplace(b, phase.reduction, lanes, isScalable);
    for (GenericOp op : phase.elementwise)
      if (isReadElsewhere(op)) {
        stored.push_back(op);
        rows.push_back(op.getDpsInitOperand(0)->get());
      }
    vectors.resize(rows.size());
  }

  void emit() {
    int64_t size = staticSize();
    if (isScalable || ShapedType::isDynamic(size))
      emitStrips();
    else
      emitStatic(size);
    replaceOps();
  }

private:
  int64_t staticSize() { return phase.last().getStaticLoopRanges().front(); }
  bool isShort(int64_t size) const {
    return !ShapedType::isDynamic(size) && size <= unrolled * lanes;
  }

  /// A short row has no loop whose strips could be longer, and nothing
  /// multiplies the lanes of scalable vectors.
  bool canScale() {
    return !isShort(staticSize()) &&
           (!phase.reduction ||
            linalg::getCombinerOpKind(combinerOf(phase.reduction)) !=
                vector::CombiningKind::MUL);
  }

  bool isReadElsewhere(GenericOp op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      return user != phase.reduction &&
             !llvm::is_contained(phase.elementwise, user);
    });
  }

  /// Two chains of what takes long hide each other's latency; of sums, four.
  int64_t lanesOfStrip() {
    bool isSum = phase.reduction && llvm::none_of(phase.elementwise, takesLong);
    return (isSum ? 4 : 2) * lanes;
  }

  Value constant(int64_t index) {
    return arith::ConstantIndexOp::create(b, index);
  }

  SmallVector<Value> operandsOf(GenericOp op, const Strip &strip,
                                const IRMapping &computed) {
    SmallVector<Value> operands;
    for (OpOperand *input : op.getDpsInputOperands()) {
      Value value = input->get();
      bool isNumber = op.getMatchingIndexingMap(input).getNumResults() == 0;
      operands.push_back(isNumber ? numberIn(value, b)
                                  : rowOperand(value, strip, computed));
    }
    return operands;
  }

  Value rowOperand(Value row, const Strip &strip, const IRMapping &computed) {
    Value now = computed.lookupOrDefault(row);
    if (isa<VectorType>(now.getType()))
      return now;
    auto registers = known.find(row);
    std::optional<int64_t> at = getConstantIntValue(strip.begin);
    if (at && registers != known.end())
      return registers->second[*at / lanes];
    return strip.read(now);
  }

  /// Computes a strip; `carried` is what the reduction carries, then the rows
  /// that are stored.
  SmallVector<Value> emitStrip(const Strip &strip, ValueRange carried) {
    // Vectors, and what is left of rows that the phase overwrites.
    IRMapping computed;
    SmallVector<Value> written(carried.take_back(stored.size())), results;
    for (auto [op, row] : llvm::zip(stored, written))
      computed.map(op.getDpsInitOperand(0)->get(), row);
    for (GenericOp op : phase.elementwise) {
      Value numbers = strip.compute(op, operandsOf(op, strip, computed));
      Value vector = strip.spread(numbers);
      computed.map(op->getResult(0), vector);
      for (size_t i = 0; i < stored.size(); ++i)
        if (stored[i] == op) {
          written[i] = strip.write(numbers, written[i]);
          vectors[i].push_back(vector);
        }
    }
    if (GenericOp op = phase.reduction)
      results = combination->add(
          carried.drop_back(stored.size()),
          strip.compute(op, operandsOf(op, strip, computed)), strip);
    results.append(written);
    return results;
  }

  /// The carried values of strips of so many elements, for the rows as they
  /// are now.
  SmallVector<Value> startOf(int64_t elements) {
    SmallVector<Value> carried;
    if (combination)
      carried = combination->start({b, elements, isScalable});
    carried.append(rows);
    return carried;
  }

  /// Goes on after a strip or a loop that gave `results`.
  void keep(ValueRange results) {
    rows = llvm::to_vector(results.take_back(rows.size()));
    if (combination)
      sums.emplace_back(results.drop_back(rows.size()));
  }

  /// Strips of so many elements while one begins before `end`, and where the
  /// last one ends.
  Value emitLoop(Value begin, Value end, Value step, int64_t elements,
                 bool isMasked) {
    SmallVector<Value> start = startOf(elements);
    start.push_back(begin);
    auto loop = scf::ForOp::create(b, begin, end, step, start);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Strip strip{b, elements, isScalable, loop.getInductionVar()};
    if (isMasked)
      strip.mask = vector::CreateMaskOp::create(
          b, strip.of(b.getI1Type()),
          arith::SubIOp::create(b, end, strip.begin).getResult());
    SmallVector<Value> next =
        emitStrip(strip, ValueRange(loop.getRegionIterArgs()).drop_back());
    next.push_back(arith::AddIOp::create(b, strip.begin, step));
    scf::YieldOp::create(b, next);
    keep(loop.getResults().drop_back());
    return loop.getResults().back();
  }

  /// A strip by itself, masked when it isn't of whole registers.
  void emitOne(int64_t begin, int64_t elements) {
    Strip strip{b, lanes, false, constant(begin)};
    if (lanes != elements)
      strip.mask = vector::ConstantMaskOp::create(b, strip.of(b.getI1Type()),
                                                  ArrayRef<int64_t>{elements});
    keep(emitStrip(strip, startOf(lanes)));
  }

  /// Strips in a loop, or all registers of a short row; then whole registers,
  /// and what doesn't fill one.
  void emitStatic(int64_t size) {
    int64_t at = 0, strip = lanesOfStrip();
    if (!isShort(size)) {
      at = size / strip * strip;
      emitLoop(constant(0), constant(at), constant(strip), strip,
               /*isMasked=*/false);
    }
    for (; at < size; at += lanes)
      emitOne(at, std::min(lanes, size - at));
  }

  /// Where whole strips end is carried along: LLVM 22 computes the rest of a
  /// division by few vectors' scales wrongly, taking such a scale for never 0.
  void emitStrips() {
    // The first op reads nothing of the phase.
    linalg::LinalgOp first = phase.first();
    Value size = getValueOrCreateConstantIndexOp(
        b, b.getLoc(), first.createLoopRanges(b, b.getLoc())[0].size);
    Value step = elementsOf(lanesOfStrip());
    Value last = arith::SubIOp::create(b, size, step);
    Value end = arith::AddIOp::create(b, last, constant(1));
    Value done = emitLoop(constant(0), end, step, lanesOfStrip(),
                          /*isMasked=*/false);
    emitLoop(done, size, elementsOf(lanes), lanes, /*isMasked=*/true);
  }

  /// How many elements a strip of so many lanes has.
  Value elementsOf(int64_t strip) {
    Value least = constant(strip);
    if (!isScalable)
      return least;
    return arith::MulIOp::create(b, least, vector::VectorScaleOp::create(b));
  }

  void replaceOps() {
    for (auto [op, row, registers] : llvm::zip(stored, rows, vectors)) {
      op->getResult(0).replaceAllUsesWith(row);
      if (isShort(op.getStaticLoopRanges().front()))
        known[row] = registers;
    }
    if (GenericOp op = phase.reduction)
      replaceByNumber(op, combination->finish(sums), b);
    for (GenericOp op : llvm::reverse(phase.elementwise))
      op->erase();
  }

  const Phase &phase;
  Emitter b;
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

/// A number computed from numbers.
static void emitNumber(GenericOp op) {
  Emitter b(op.getLoc(), op);
  auto operands = llvm::map_to_vector(
      op.getInputs(), [&](Value input) { return numberIn(input, b); });
  replaceByNumber(op, Strip{b, 1}.compute(op, operands), b);
}

/// Reductions first: an elementwise op goes where it is needed.
static void runOnBlock(Block &block, Registers registers) {
  RowRegisters known;
  auto rowOps = [&](auto fits) {
    return llvm::filter_to_vector(block.getOps<GenericOp>(), [&](GenericOp op) {
      return isRowOp(op) && fits(op);
    });
  };
  auto emitAll = [&](ArrayRef<GenericOp> ops) {
    for (GenericOp op : ops)
      if (op.getStaticLoopRanges().front() != 0)
        PhaseEmitter(phaseOf(op), registers, known).emit();
  };
  SmallVector<GenericOp> reductions =
      rowOps([](GenericOp op) { return op.getNumReductionLoops() > 0; });
  if (reductions.empty())
    return;
  llvm::for_each(rowOps([](GenericOp op) { return op.getNumLoops() == 0; }),
                 emitNumber);
  emitAll(reductions);
  emitAll(rowOps([](GenericOp) { return true; }));
}

namespace {
struct VectorizeRowsPass : lh::impl::VectorizeRowsPassBase<VectorizeRowsPass> {
  using Base::Base;

  /// Elements of the longest row that stays in registers, and one.
  int64_t longRow() const { return unrolled * vectorBits / 32 + 1; }

  void runOnOperation() override {
    if (!isScalable)
      overlapRows(getOperation(), fewestBlocks, longRow());
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
