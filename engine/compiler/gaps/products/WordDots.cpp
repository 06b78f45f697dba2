// Recognition of dot products of words: the expressions of addDotOfWords(), on
// vectors.
#include "compiler/gaps/products/WordDots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace lh;
using namespace mlir;

namespace {
/// One number of each word in a vector.
struct Lane {
  Value words;
  int64_t index;
  bool isSigned = true;
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

/// A number of 32 bits as one of the word that they are half of, or are.
static Lane inWord(Lane lane, int64_t perHalf) {
  auto low = lane.words.getDefiningOp<arith::TruncIOp>();
  if (!low || !getElementTypeOrSelf(low.getIn()).isInteger(64))
    return lane;
  if (Value words = operandOf<arith::ShRUIOp>(low.getIn(), 32))
    return {words, lane.index + perHalf, lane.isSigned};
  return {low.getIn(), lane.index, lane.isSigned};
}

static std::optional<Lane> unsignedByte(Value value) {
  if (Value words = operandOf<arith::ShRUIOp>(value, 24))
    return inWord({words, 3, false}, 4);
  Value low = operandOf<arith::AndIOp>(value, 255);
  if (!low)
    return std::nullopt;
  for (int64_t index : {1, 2})
    if (Value words = operandOf<arith::ShRUIOp>(low, 8 * index))
      return inWord({words, index, false}, 4);
  return inWord({low, 0, false}, 4);
}

static std::optional<Lane> byte(Value value) {
  Value high = operandOf<arith::ShRSIOp>(value, 24);
  if (!high)
    return unsignedByte(value);
  for (int64_t index : {0, 1, 2})
    if (Value words = operandOf<arith::ShLIOp>(high, 24 - 8 * index))
      return inWord({words, index}, 4);
  return inWord({high, 3}, 4);
}

static std::optional<Lane> half(Value value) {
  auto cast = value.getDefiningOp<arith::BitcastOp>();
  if (!cast)
    return std::nullopt;
  if (Value words = operandOf<arith::ShLIOp>(cast.getIn(), 16))
    return inWord({words, 0}, 2);
  if (Value words = operandOf<arith::AndIOp>(cast.getIn(), -0x10000))
    return inWord({words, 1}, 2);
  return std::nullopt;
}

/// No word has more numbers.
static constexpr size_t longestWord = 8;

/// The terms of a sum of at most `longestWord`; its size tells when it is more.
template <typename AddOp>
static void collectTerms(Value value, SmallVectorImpl<Value> &terms) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add || terms.size() > longestWord)
    return terms.push_back(value);
  collectTerms<AddOp>(add.getLhs(), terms);
  collectTerms<AddOp>(add.getRhs(), terms);
}

/// Whether a and b are the same number, not met before, of the dot's two words.
static bool takeProduct(std::optional<Lane> a, std::optional<Lane> b,
                        WordDot &dot, SmallVectorImpl<bool> &seen) {
  if (!a || !b || a->index != b->index || seen[static_cast<size_t>(a->index)])
    return false;
  if (!dot.left) {
    dot.left = a->words;
    dot.right = b->words;
    dot.format.isLeftSigned = a->isSigned;
    dot.format.isRightSigned = b->isSigned;
  }
  if (dot.left != a->words || dot.format.isLeftSigned != a->isSigned ||
      dot.right != b->words || dot.format.isRightSigned != b->isSigned)
    return false;
  return seen[static_cast<size_t>(a->index)] = true;
}

template <typename MulOp, typename AddOp>
static bool readDot(Value value, WordDot &dot) {
  SmallVector<Value> terms;
  collectTerms<AddOp>(value, terms);
  SmallVector<bool> seen(longestWord, false);
  bool areProducts = llvm::all_of(terms, [&](Value term) {
    auto product = term.getDefiningOp<MulOp>();
    if (!product || terms.size() > longestWord)
      return false;
    bool ofBytes = dot.format.kind == WordKind::Bytes;
    std::optional<Lane> a =
        ofBytes ? byte(product.getLhs()) : half(product.getLhs());
    std::optional<Lane> b =
        ofBytes ? byte(product.getRhs()) : half(product.getRhs());
    return takeProduct(a, b, dot, seen) || takeProduct(b, a, dot, seen);
  });
  if (!areProducts)
    return false;
  dot.format.bits = getElementTypeOrSelf(dot.left).getIntOrFloatBitWidth();
  return terms.size() == static_cast<size_t>(dot.format.length());
}

/// `add` as a sum plus dot products, which a reshape may have flattened.
template <typename MulOp, typename AddOp>
static std::optional<WordDot> readSum(AddOp add, WordKind kind) {
  for (bool swapped : {false, true}) {
    WordDot dot;
    dot.format.kind = kind;
    dot.sum = swapped ? add.getRhs() : add.getLhs();
    Value dots = swapped ? add.getLhs() : add.getRhs();
    if (auto reshape = dots.getDefiningOp<vector::ShapeCastOp>())
      dots = reshape.getSource();
    if (readDot<MulOp, AddOp>(dots, dot))
      return dot;
  }
  return std::nullopt;
}

std::optional<WordDot> lh::readWordDot(Operation *op) {
  if (auto add = dyn_cast<arith::AddIOp>(op))
    return readSum<arith::MulIOp>(add, WordKind::Bytes);
  if (auto add = dyn_cast<arith::AddFOp>(op))
    return readSum<arith::MulFOp>(add, WordKind::Halves);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Spreads
//===----------------------------------------------------------------------===//

bool Spread::repeats(size_t dim) const {
  return dims[dim] < 0 ||
         type().getDimSize(static_cast<unsigned>(dims[dim])) == 1;
}

SmallVector<int64_t> Spread::place(ArrayRef<int64_t> position) const {
  SmallVector<int64_t> at(static_cast<size_t>(type().getRank()), 0);
  for (auto [dim, index] : llvm::enumerate(position))
    if (!repeats(dim))
      at[static_cast<size_t>(dims[dim])] = index;
  return at;
}

std::optional<Spread> lh::readSpread(Value value) {
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
