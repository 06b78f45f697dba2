// Dot products of words on vectors become the CPU's instructions for them. No
// x86vector op makes vpdpbusd, and that for bf16 takes its operands in a form
// that a schedule of one register tile for all types doesn't have.
#include "ir/gaps/Gaps.h"
#include "ir/gaps/Words.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace lh;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Recognition: the expressions of addDotOfWords(), on vectors
//===----------------------------------------------------------------------===//

namespace {
/// One number of each word in a vector.
struct Lane {
  Value words;
  int64_t index;
};

/// `sum` plus the dot products of the words at the same place.
struct WordDot {
  Value sum, left, right;
  WordKind kind = WordKind::Bytes;
};
} // namespace

static std::optional<int64_t> splatOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

/// The other operand of an `Op` by the constant `number`; null for all else.
template <typename Op> static Value operandOf(Value value, int64_t number) {
  auto op = value.getDefiningOp<Op>();
  if (!op || splatOf(op.getRhs()) != number)
    return nullptr;
  return op.getLhs();
}

static std::optional<Lane> unsignedByte(Value value) {
  if (Value words = operandOf<arith::ShRUIOp>(value, 24))
    return Lane{words, 3};
  Value low = operandOf<arith::AndIOp>(value, 255);
  if (!low)
    return std::nullopt;
  for (int64_t index : {1, 2})
    if (Value words = operandOf<arith::ShRUIOp>(low, 8 * index))
      return Lane{words, index};
  return Lane{low, 0};
}

static std::optional<Lane> signedByte(Value value) {
  Value high = operandOf<arith::ShRSIOp>(value, 24);
  if (!high)
    return std::nullopt;
  for (int64_t index : {0, 1, 2})
    if (Value words = operandOf<arith::ShLIOp>(high, 24 - 8 * index))
      return Lane{words, index};
  return Lane{high, 3};
}

static std::optional<Lane> half(Value value) {
  auto cast = value.getDefiningOp<arith::BitcastOp>();
  if (!cast)
    return std::nullopt;
  if (Value words = operandOf<arith::ShLIOp>(cast.getIn(), 16))
    return Lane{words, 0};
  if (Value words = operandOf<arith::AndIOp>(cast.getIn(), -0x10000))
    return Lane{words, 1};
  return std::nullopt;
}

/// The terms of a sum of at most four; its size tells when it is more.
template <typename AddOp>
static void collectTerms(Value value, SmallVectorImpl<Value> &terms) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add || terms.size() > 4)
    return terms.push_back(value);
  collectTerms<AddOp>(add.getLhs(), terms);
  collectTerms<AddOp>(add.getRhs(), terms);
}

/// Whether a and b are the same number of the dot's two words.
static bool takeProduct(std::optional<Lane> a, std::optional<Lane> b,
                        WordDot &dot, SmallVectorImpl<bool> &seen) {
  if (!a || !b || a->index != b->index || seen[static_cast<size_t>(a->index)] ||
      (dot.left && (dot.left != a->words || dot.right != b->words)))
    return false;
  dot.left = a->words;
  dot.right = b->words;
  return seen[static_cast<size_t>(a->index)] = true;
}

template <typename MulOp, typename AddOp>
static bool readDot(Value value, WordDot &dot) {
  SmallVector<Value> terms;
  collectTerms<AddOp>(value, terms);
  auto length = static_cast<size_t>(wordLength(dot.kind));
  if (terms.size() != length)
    return false;
  bool ofBytes = dot.kind == WordKind::Bytes;
  SmallVector<bool> seen(length, false);
  return llvm::all_of(terms, [&](Value term) {
    auto product = term.getDefiningOp<MulOp>();
    if (!product)
      return false;
    Value a = product.getLhs(), b = product.getRhs();
    if (!ofBytes)
      return takeProduct(half(a), half(b), dot, seen);
    return takeProduct(unsignedByte(a), signedByte(b), dot, seen) ||
           takeProduct(unsignedByte(b), signedByte(a), dot, seen);
  });
}

/// `add` as a sum plus dot products, which a reshape may have flattened.
template <typename MulOp, typename AddOp>
static std::optional<WordDot> readSum(AddOp add, WordKind kind) {
  for (bool swapped : {false, true}) {
    WordDot dot;
    dot.kind = kind;
    dot.sum = swapped ? add.getRhs() : add.getLhs();
    Value dots = swapped ? add.getLhs() : add.getRhs();
    if (auto reshape = dots.getDefiningOp<vector::ShapeCastOp>())
      dots = reshape.getSource();
    if (readDot<MulOp, AddOp>(dots, dot))
      return dot;
  }
  return std::nullopt;
}

static std::optional<WordDot> readAny(Operation *op) {
  if (auto add = dyn_cast<arith::AddIOp>(op))
    return readSum<arith::MulIOp>(add, WordKind::Bytes);
  if (auto add = dyn_cast<arith::AddFOp>(op))
    return readSum<arith::MulFOp>(add, WordKind::Halves);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {
/// A vector that is a smaller one spread over more dimensions, and turned.
struct Spread {
  Value source;
  SmallVector<int64_t> dims; ///< the source's, by the vector's; below 0: new

  VectorType type() const { return cast<VectorType>(source.getType()); }
  /// Whether the vector's dimension `dim` repeats the same numbers.
  bool repeats(size_t dim) const {
    return dims[dim] < 0 ||
           type().getDimSize(static_cast<unsigned>(dims[dim])) == 1;
  }
};
} // namespace

static std::optional<Spread> readSpread(Value value) {
  SmallVector<int64_t> order = llvm::to_vector(
      llvm::seq<int64_t>(0, cast<VectorType>(value.getType()).getRank()));
  if (auto transpose = value.getDefiningOp<vector::TransposeOp>()) {
    llvm::copy(transpose.getPermutation(), order.begin());
    value = transpose.getVector();
  }
  auto broadcast = value.getDefiningOp<vector::BroadcastOp>();
  if (!broadcast || !isa<VectorType>(broadcast.getSourceType()))
    return std::nullopt;
  Spread spread{broadcast.getSource(), order};
  int64_t added =
      broadcast.getResultVectorType().getRank() - spread.type().getRank();
  for (int64_t &dim : spread.dims)
    dim -= added;
  return spread;
}

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
  SmallVector<int64_t> at(static_cast<size_t>(spread->type().getRank()), 0);
  for (auto [dim, index] : llvm::enumerate(position))
    if (!spread->repeats(dim))
      at[static_cast<size_t>(spread->dims[dim])] = index;
  if (!spread->repeats(last))
    return extract(spread->source, ArrayRef(at).drop_back());
  return vector::BroadcastOp::create(
      builder, loc,
      VectorType::get(type.getShape().back(), type.getElementType()),
      extract(spread->source, at));
}

namespace {
/// Writes one WordDot as instructions of `lanes` words.
class Rewriter {
public:
  Rewriter(OpBuilder &builder, Location loc, const WordDot &dot, int64_t lanes)
      : builder(builder), loc(loc), dot(dot), lanes(lanes),
        type(cast<VectorType>(dot.sum.getType())),
        words(cast<VectorType>(dot.left.getType())) {}

  bool fits() const {
    return words.getShape().back() == type.getShape().back() &&
           words.getNumElements() == type.getNumElements() &&
           type.getShape().back() % lanes == 0 && !type.isScalable();
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
  Type narrow = dot.kind == WordKind::Bytes ? Type(builder.getI8Type())
                                            : Type(builder.getBF16Type());
  auto flat = VectorType::get(lanes * wordLength(dot.kind), narrow);
  return vector::BitCastOp::create(builder, loc, flat, words);
}

Value Rewriter::instruction(Value sum, Value left, Value right) {
  StringRef name =
      dot.kind == WordKind::Bytes ? "avx512.vpdpbusd" : "avx512bf16.dpbf16ps";
  std::string intrinsic = ("llvm.x86." + name + "." + Twine(lanes * 32)).str();
  return LLVM::CallIntrinsicOp::create(
             builder, loc, sum.getType(), builder.getStringAttr(intrinsic),
             ValueRange{sum, numbers(left), numbers(right)})
      .getResult(0);
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
class LowerWordsPass : public PassWrapper<LowerWordsPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerWordsPass)

  LowerWordsPass() = default;
  LowerWordsPass(const LowerWordsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "lh-lower-words"; }
  StringRef getDescription() const override {
    return "Dot products of words become x86 instructions";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, vector::VectorDialect>();
  }

private:
  void runOnOperation() override {
    SmallVector<Operation *> sums;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::AddIOp, arith::AddFOp>(op) &&
          isa<VectorType>(op->getResult(0).getType()))
        sums.push_back(op);
    });
    bool changed = false;
    for (Operation *op : sums)
      if (std::optional<WordDot> dot = readAny(op))
        changed |= rewrite(op, *dot);
    if (changed)
      eraseDead(getOperation());
  }

  bool rewrite(Operation *op, const WordDot &dot) {
    OpBuilder builder(op);
    Rewriter rewriter(builder, op->getLoc(), dot, bits / 32);
    if (!rewriter.fits())
      return false;
    op->getResult(0).replaceAllUsesWith(rewriter.run());
    return true;
  }

  Option<int64_t> bits{*this, "bits", llvm::cl::init(512),
                       llvm::cl::desc("width of a vector register")};
};
} // namespace

void lh::registerLowerWordsPass() { PassRegistration<LowerWordsPass>(); }
