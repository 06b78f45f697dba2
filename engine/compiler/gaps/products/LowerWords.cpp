// Dot products of words on vectors become the CPU's instructions for them. No
// x86vector op makes vpdpbusd, and that for bf16 takes its operands in a form
// that a schedule of one register tile for all types doesn't have.
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/products/MatrixWords.h"
#include "compiler/gaps/products/WordDots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_LOWERWORDSPASS
#define GEN_PASS_DEF_LOWERWORDSPASS
#include "compiler/gaps/products/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

/// `value[position..., :]`. Looks through broadcasts, so that one of a scalar
/// stays one: extracting from a vector of all its copies would make them.
static Value rowOf(OpBuilder &builder, Location loc, Value value,
                   ArrayRef<int64_t> position) {
  auto type = cast<VectorType>(value.getType());
  auto extract = [&](Value from, ArrayRef<int64_t> at) -> Value {
    return at.empty() ? from
                      : vector::ExtractOp::create(builder, loc, from, at);
  };
  std::optional<Spread> spread = readSpread(value);
  size_t last = position.size();
  bool isRow = spread && (spread->repeats(last) ||
                          spread->dims[last] == spread->type().getRank() - 1);
  if (!isRow)
    return extract(value, position);
  SmallVector<int64_t> at = spread->place(position);
  if (!spread->repeats(last))
    return extract(spread->source, ArrayRef(at).drop_back());
  return vector::BroadcastOp::create(
      builder, loc,
      VectorType::get(type.getShape().back(), type.getElementType()),
      extract(spread->source, at));
}

namespace {
/// Writes one WordDot as x86's instructions of `lanes` words.
class Rewriter {
public:
  Rewriter(OpBuilder &builder, Location loc, const WordDot &dot, int64_t lanes)
      : builder(builder), loc(loc), dot(dot), lanes(lanes),
        type(cast<VectorType>(dot.sum.getType())),
        words(cast<VectorType>(dot.left.getType())) {}

  bool fits() const {
    return words.getShape().back() == type.getShape().back() &&
           words.getNumElements() == type.getNumElements() &&
           type.getShape().back() % lanes == 0 && !type.isScalable() &&
           dot.format.bits == 32 && !dot.format.isLeftSigned &&
           dot.format.isRightSigned;
  }
  Value run();

private:
  Value row(Value sum, Value left, Value right);
  Value piece(Value row, int64_t first);
  Value instruction(Value sum, Value left, Value right);
  Value numbers(Value words);

  OpBuilder &builder;
  Location loc;
  const WordDot &dot;
  int64_t lanes;
  VectorType type, words;
};
} // namespace

Value Rewriter::piece(Value row, int64_t first) {
  if (cast<VectorType>(row.getType()).getNumElements() == lanes)
    return row;
  return vector::ExtractStridedSliceOp::create(
      builder, loc, row, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{lanes},
      ArrayRef<int64_t>{1});
}

/// The words' numbers, as the instruction's intrinsic takes them.
Value Rewriter::numbers(Value words) {
  Type narrow = dot.format.kind == WordKind::Bytes
                    ? Type(builder.getI8Type())
                    : Type(builder.getBF16Type());
  auto flat = VectorType::get(lanes * dot.format.length(), narrow);
  return vector::BitCastOp::create(builder, loc, flat, words);
}

Value Rewriter::instruction(Value sum, Value left, Value right) {
  StringRef name = dot.format.kind == WordKind::Bytes ? "avx512.vpdpbusd"
                                                      : "avx512bf16.dpbf16ps";
  std::string intrinsic = ("llvm.x86." + name + "." + Twine(lanes * 32)).str();
  auto call = LLVM::CallIntrinsicOp::create(
      builder, loc, sum.getType(), builder.getStringAttr(intrinsic),
      ValueRange{sum, numbers(left), numbers(right)});
  call->setAttr(productsMark,
                builder.getI64IntegerAttr(lanes * dot.format.length()));
  return call.getResult(0);
}

Value Rewriter::row(Value sum, Value left, Value right) {
  auto size = cast<VectorType>(sum.getType()).getNumElements();
  if (size == lanes)
    return instruction(sum, left, right);
  Value result = sum;
  for (int64_t first = 0; first < size; first += lanes)
    result = vector::InsertStridedSliceOp::create(
        builder, loc,
        instruction(piece(sum, first), piece(left, first), piece(right, first)),
        result, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{1});
  return result;
}

Value Rewriter::run() {
  SmallVector<int64_t> rows = computeStrides(type.getShape().drop_back());
  SmallVector<int64_t> wordRows = computeStrides(words.getShape().drop_back());
  Value result = dot.sum;
  int64_t count = type.getNumElements() / type.getShape().back();
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<int64_t> at = delinearize(i, rows);
    SmallVector<int64_t> wordsAt = delinearize(i, wordRows);
    Value sum = rowOf(builder, loc, dot.sum, at);
    Value dots = row(sum, rowOf(builder, loc, dot.left, wordsAt),
                     rowOf(builder, loc, dot.right, wordsAt));
    result = at.empty()
                 ? dots
                 : vector::InsertOp::create(builder, loc, dots, result, at);
  }
  return result;
}

/// The expressions that nothing reads any more.
static void eraseDead(Operation *root) {
  SmallVector<Operation *> all;
  root->walk([&](Operation *op) { all.push_back(op); });
  // What is within an op comes before it; what it reads does too.
  for (Operation *op : llvm::reverse(all))
    if (op != root && op->getNumRegions() == 0 && isOpTriviallyDead(op))
      op->erase();
}

namespace {
struct LowerWordsPass : lh::impl::LowerWordsPassBase<LowerWordsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> sums;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::AddIOp, arith::AddFOp>(op) &&
          isa<VectorType>(op->getResult(0).getType()))
        sums.push_back(op);
    });
    bool changed = false;
    // One of a chain may have been lowered with those before it.
    for (Operation *op : sums)
      if (std::optional<WordDot> dot = readWordDot(op); dot && !op->use_empty())
        changed |= lowerToMatrixProducts(op, *dot) || rewrite(op, *dot);
    if (changed)
      eraseDead(getOperation());
  }

  bool rewrite(Operation *op, WordDot dot) {
    OpBuilder builder(op);
    if (dot.format.isLeftSigned && !dot.format.isRightSigned) {
      std::swap(dot.left, dot.right);
      std::swap(dot.format.isLeftSigned, dot.format.isRightSigned);
    }
    Rewriter rewriter(builder, op->getLoc(), dot, bits / 32);
    if (!rewriter.fits())
      return false;
    op->getResult(0).replaceAllUsesWith(rewriter.run());
    return true;
  }
};
} // namespace
