// Rows written while the next one is computed: a loop that only writes a row
// waits for memory, and the loops before it leave memory idle. The last loop
// over strips joins one that computes the next row, a strip of each at a time.
#include "compiler/gaps/Buffers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/SetVector.h"

namespace lh {
#define GEN_PASS_DEF_OVERLAPROWSPASS
#include "compiler/gaps/rows/Passes.h.inc"
} // namespace lh

using namespace mlir;

namespace {
/// A loop over rows and its parts.
struct RowLoop {
  scf::ForOp rows;
  /// The loop over strips that `tail` joins.
  scf::ForOp host;
  /// The last loop over strips.
  scf::ForOp tail;
  /// What is computed before the tail, and what follows it.
  SmallVector<Operation *> head, rest;
  /// What the tail takes from the head, to be kept for an iteration.
  llvm::SetVector<Value> carried;

  Value row() const { return rows->getRegion(0).getArgument(0); }
  Value strip() const { return tail->getRegion(0).getArgument(0); }
};

/// Where a buffer is used.
struct Access {
  Operation *op;
  Value base, root;
  Value index;
  bool isWrite;
};
} // namespace

/// Collects what an op and those in it access; false when it does anything
/// else to memory.
static bool collect(Operation *op, SmallVectorImpl<Access> &accesses) {
  WalkResult result = op->walk([&](Operation *inside) {
    if (auto read = dyn_cast<vector::TransferReadOp>(inside))
      accesses.push_back(
          {inside, read.getBase(), lh::bufferOf(read.getBase()),
           read.getIndices().empty() ? Value() : read.getIndices().back(),
           false});
    else if (auto write = dyn_cast<vector::TransferWriteOp>(inside))
      accesses.push_back(
          {inside, write.getBase(), lh::bufferOf(write.getBase()),
           write.getIndices().empty() ? Value() : write.getIndices().back(),
           true});
    else if (!isMemoryEffectFree(inside) && !isa<scf::ForOp>(inside))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

static SmallVector<Access> accessesOf(ArrayRef<Operation *> ops) {
  SmallVector<Access> accesses;
  for (Operation *op : ops)
    collect(op, accesses);
  return accesses;
}

/// Views, indices and spread numbers, which are computed anew from the row.
static bool isCheap(Operation *op) {
  return isa<ViewLikeOpInterface, affine::AffineApplyOp, arith::ConstantOp,
             vector::BroadcastOp, vector::ConstantMaskOp>(op) ||
         (isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
          op->getNumResults() == 1 && op->getResult(0).getType().isIndex());
}

static bool haveSameBounds(scf::ForOp a, scf::ForOp b) {
  auto same = [](Value x, Value y) {
    return isEqualConstantIntOrValue(getAsOpFoldResult(x),
                                     getAsOpFoldResult(y));
  };
  return same(a.getLowerBound(), b.getLowerBound()) &&
         same(a.getUpperBound(), b.getUpperBound()) &&
         same(a.getStep(), b.getStep());
}

/// Splits the body at its last loop; false when there are no two to join.
static bool split(RowLoop &loop) {
  Block *body = loop.rows.getBody();
  for (auto inner : body->getOps<scf::ForOp>())
    loop.tail = inner;
  if (!loop.tail || loop.tail.getNumResults())
    return false;
  for (Operation &op : body->without_terminator()) {
    if (op.isBeforeInBlock(loop.tail))
      loop.head.push_back(&op);
    else if (&op != loop.tail)
      loop.rest.push_back(&op);
  }
  for (auto inner : body->getOps<scf::ForOp>())
    if (inner != loop.tail && haveSameBounds(inner, loop.tail))
      loop.host = inner;
  return loop.host != nullptr;
}

/// Finds what the tail needs of the head; false when that can't be kept.
static bool findCarried(RowLoop &loop) {
  SmallVector<Operation *> users(loop.rest);
  users.push_back(loop.tail);
  llvm::SetVector<Value> wanted;
  Block *body = loop.rows.getBody();
  auto want = [&](Operation *op) {
    op->walk([&](Operation *inside) {
      for (Value operand : inside->getOperands())
        if (Operation *source = operand.getDefiningOp())
          if (source->getBlock() == body && source->isBeforeInBlock(loop.tail))
            wanted.insert(operand);
    });
  };
  for (Operation *op : users)
    want(op);
  for (size_t i = 0; i < wanted.size(); ++i) {
    Value value = wanted[i];
    if (isCheap(value.getDefiningOp()))
      want(value.getDefiningOp());
    else if (isa<BaseMemRefType>(value.getType()))
      return false;
    else
      loop.carried.insert(value);
  }
  return true;
}

/// Whether an element of a buffer is gone through in order by the loop.
static bool isStripOf(const Access &access, scf::ForOp loop) {
  return access.op->getBlock() == loop.getBody() &&
         access.index == loop.getInductionVar();
}

static VectorType vectorOf(const Access &access) {
  if (auto read = dyn_cast<vector::TransferReadOp>(access.op))
    return read.getVectorType();
  return cast<vector::TransferWriteOp>(access.op).getVectorType();
}

/// Whether the access is behind what the loop goes over.
static bool isBehind(const Access &access, scf::ForOp loop) {
  std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> at =
      access.index ? getConstantIntValue(access.index) : std::nullopt;
  return end && at && *at >= *end && access.op->getBlock() == loop->getBlock();
}

/// Whether the tail may read a buffer one row later: until then only the host
/// writes to it, each strip after the tail has read it, and what follows both.
static bool survives(const Access &read, ArrayRef<Access> head,
                     const RowLoop &loop) {
  bool isRowRead = isStripOf(read, loop.tail);
  return llvm::all_of(head, [&](const Access &write) {
    if (write.root != read.root || !write.isWrite)
      return true;
    bool isRowWrite = isStripOf(write, loop.host);
    if (write.base != read.base || (!isRowRead && !isBehind(read, loop.tail)))
      return false;
    if (isRowWrite)
      return !isRowRead || vectorOf(write) == vectorOf(read);
    return isBehind(write, loop.host) && loop.host->isBeforeInBlock(write.op);
  });
}

/// Whether no row's results depend on when they are written.
static bool isOrderFree(const RowLoop &loop) {
  SmallVector<Operation *> last{loop.tail};
  last.append(loop.rest);
  SmallVector<Access> head = accessesOf(loop.head), tail = accessesOf(last);
  return llvm::all_of(tail, [&](const Access &access) {
    if (!access.isWrite)
      return survives(access, head, loop) &&
             llvm::none_of(tail, [&](const Access &other) {
               return other.isWrite && other.root == access.root;
             });
    auto argument = dyn_cast<BlockArgument>(access.root);
    return argument &&
           isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) &&
           llvm::none_of(head, [&](const Access &other) {
             return other.root == access.root;
           });
  });
}

static bool canOverlap(RowLoop &loop) {
  scf::ForOp rows = loop.rows;
  std::optional<int64_t> first = getConstantIntValue(rows.getLowerBound());
  std::optional<int64_t> end = getConstantIntValue(rows.getUpperBound());
  if (!first || !end || *end - *first < 2 ||
      getConstantIntValue(rows.getStep()) != 1 || rows.getNumResults())
    return false;
  SmallVector<Access> all;
  for (Operation &op : rows.getBody()->without_terminator())
    if (!collect(&op, all))
      return false;
  return split(loop) && findCarried(loop) && isOrderFree(loop);
}

/// The value in a later iteration, computed again if it isn't carried.
static Value again(Value value, const RowLoop &loop, IRMapping &values,
                   OpBuilder &b) {
  if (Value known = values.lookupOrNull(value))
    return known;
  Operation *source = value.getDefiningOp();
  if (!source || source->getBlock() != loop.tail->getBlock())
    return value;
  for (Value operand : source->getOperands())
    again(operand, loop, values, b);
  b.clone(*source, values);
  return values.lookup(value);
}

/// The tail's operands for the row that `values` tell of.
static void prepareTail(const RowLoop &loop, IRMapping &values, OpBuilder &b) {
  auto prepare = [&](Operation *op) {
    op->walk([&](Operation *inside) {
      for (Value operand : inside->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (source && source->getBlock() == loop.tail->getBlock() &&
            source->isBeforeInBlock(loop.tail))
          again(operand, loop, values, b);
      }
    });
  };
  prepare(loop.tail);
  llvm::for_each(loop.rest, prepare);
}

/// Maps the row's index and what is carried of it.
static IRMapping rowValues(const RowLoop &loop, Value row, ValueRange carried) {
  IRMapping values;
  values.map(loop.row(), row);
  values.map(loop.carried.getArrayRef(), carried);
  return values;
}

static SmallVector<Value> lookedUp(const RowLoop &loop,
                                   const IRMapping &values) {
  return llvm::map_to_vector(
      loop.carried, [&](Value value) { return values.lookupOrDefault(value); });
}

/// The head of one row; in its host, the tail of another one.
static void emitJoined(const RowLoop &loop, IRMapping &head, IRMapping &tail,
                       OpBuilder &b) {
  for (Operation *op : loop.head) {
    if (op != loop.host) {
      b.clone(*op, head);
      continue;
    }
    prepareTail(loop, tail, b);
    auto host = cast<scf::ForOp>(b.clone(*op, head));
    tail.map(loop.strip(), host.getInductionVar());
    OpBuilder inside = OpBuilder::atBlockBegin(host.getBody());
    for (Operation &each : loop.tail->getRegion(0).front().without_terminator())
      inside.clone(each, tail);
    for (Operation *each : loop.rest)
      b.clone(*each, tail);
  }
}

/// Head of the first row; in a loop, tail of a row and head of the next; tail
/// of the last row.
static void overlap(RowLoop &loop) {
  scf::ForOp rows = loop.rows;
  OpBuilder b(rows);
  Location loc = rows.getLoc();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  int64_t first = *getConstantIntValue(rows.getLowerBound());
  int64_t end = *getConstantIntValue(rows.getUpperBound());
  IRMapping values;
  values.map(rows.getInductionVar(), index(first));
  for (Operation *op : loop.head)
    b.clone(*op, values);
  Value one = index(1);
  auto joined = scf::ForOp::create(
      b, loc, index(first + 1), rows.getUpperBound(), one,
      lookedUp(loop, values),
      [&](OpBuilder &inner, Location, Value row, ValueRange carried) {
        Value before = arith::SubIOp::create(inner, loc, row, one);
        IRMapping tail = rowValues(loop, before, carried), head;
        head.map(rows.getInductionVar(), row);
        emitJoined(loop, head, tail, inner);
        scf::YieldOp::create(inner, loc, lookedUp(loop, head));
      });
  IRMapping last = rowValues(loop, index(end - 1), joined.getResults());
  prepareTail(loop, last, b);
  b.clone(*loop.tail, last);
  for (Operation *op : loop.rest)
    b.clone(*op, last);
  rows.erase();
}

namespace {
struct OverlapRowsPass : lh::impl::OverlapRowsPassBase<OverlapRowsPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp each : loops) {
      RowLoop loop;
      loop.rows = each;
      if (canOverlap(loop))
        overlap(loop);
    }
  }
};
} // namespace
