// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products of words on vectors: how the expressions of addDotOfWords() are
// found again, and the instructions for them.
#include "compiler/gaps/products/WordDots.h"

#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace lh;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Numbers in words
//===----------------------------------------------------------------------===//

namespace {
/// The bits of each word in a vector that a value holds: `width` of them, from
/// bit `first` of the word on, at bit `place` of the value. Its others are
/// zeros, or above a signed number its sign.
struct Bits {
  Value words;
  int64_t first, width, place;
  bool isSigned = false;

  /// Those at the value's bits from `low` up to `high`, moved `up`.
  Bits within(int64_t low, int64_t high, int64_t up = 0) const {
    int64_t begin = std::max(place, low);
    return {words, first + begin - place, std::min(place + width, high) - begin,
            begin + up};
  }
};

/// One number of each word in a vector.
struct Lane {
  Value words;
  int64_t index;
  bool isSigned;
};
} // namespace

static int64_t bitsOf(Value value) {
  return getElementTypeOrSelf(value).getIntOrFloatBitWidth();
}

/// Looks through shifts, masks and casts.
static Bits readBits(Value value) {
  int64_t size = bitsOf(value);
  Bits whole{value, 0, size, 0};
  Operation *op = value.getDefiningOp();
  bool casts = isa_and_nonnull<arith::BitcastOp, arith::TruncIOp>(op);
  APInt number;
  if (!casts && !(op && op->getNumOperands() == 2 &&
                  matchPattern(op->getOperand(1), m_ConstantInt(&number))))
    return whole;
  Bits of = readBits(op->getOperand(0));
  unsigned start = 0, length = 0;
  auto by = static_cast<int64_t>(number.getLimitedValue(64));
  if (of.isSigned)
    return whole;
  if (casts)
    return of.within(0, size);
  if (isa<arith::AndIOp>(op) && number.isShiftedMask(start, length))
    return of.within(start, start + length);
  if (isa<arith::ShLIOp>(op))
    return of.within(0, size - by, by);
  if (!isa<arith::ShRUIOp, arith::ShRSIOp>(op))
    return whole;
  Bits rest = of.within(by, size, -by);
  rest.isSigned = isa<arith::ShRSIOp>(op) && of.place + of.width == size;
  return rest;
}

/// A byte lies in the low bits of its i32, a bf16 in the high bits of its f32.
static std::optional<Lane> laneOf(Value value) {
  if (!getElementTypeOrSelf(value).isIntOrFloat())
    return std::nullopt;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(value));
  int64_t width = isFloat ? 16 : 8;
  Bits bits = readBits(value);
  if (bits.width != width || bits.first % width != 0 ||
      bits.place != (isFloat ? 16 : 0))
    return std::nullopt;
  return Lane{bits.words, bits.first / width, isFloat || bits.isSigned};
}

//===----------------------------------------------------------------------===//
// Dot products
//===----------------------------------------------------------------------===//

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
    std::optional<Lane> a = laneOf(product.getLhs());
    std::optional<Lane> b = laneOf(product.getRhs());
    return takeProduct(a, b, dot, seen) || takeProduct(b, a, dot, seen);
  });
  if (!areProducts)
    return false;
  dot.format.bits = bitsOf(dot.left);
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
// Instructions
//===----------------------------------------------------------------------===//

namespace {
/// One for words of `bits`; what x86's name ends with is the vectors' width. Of
/// unsigned and signed numbers the unsigned ones are on the left.
struct Instruction {
  WordKind kind;
  int64_t bits;
  bool isLeftSigned, isRightSigned;
  StringLiteral name;
};
} // namespace

static constexpr Instruction instructions[] = {
    {WordKind::Bytes, 32, false, true, "llvm.x86.avx512.vpdpbusd."},
    {WordKind::Halves, 32, true, true, "llvm.x86.avx512bf16.dpbf16ps."},
    {WordKind::Bytes, 64, true, true, "llvm.aarch64.sve.smmla.nxv4i32"},
    {WordKind::Bytes, 64, false, false, "llvm.aarch64.sve.ummla.nxv4i32"},
    {WordKind::Bytes, 64, false, true, "llvm.aarch64.sve.usmmla.nxv4i32"},
    {WordKind::Halves, 64, true, true, "llvm.aarch64.sve.bfmmla"}};

static StringRef instructionFor(const WordFormat &format) {
  for (const Instruction &each : instructions)
    if (each.kind == format.kind && each.bits == format.bits &&
        each.isLeftSigned == (format.isLeftSigned && format.isRightSigned) &&
        each.isRightSigned == (format.isLeftSigned || format.isRightSigned))
      return each.name;
  return "";
}

bool lh::hasInstruction(const WordFormat &format) {
  return !instructionFor(format).empty();
}

Value lh::addDots(OpBuilder &builder, Location loc, Value sums, Value left,
                  Value right, const WordFormat &format) {
  if (turnsSides(format))
    std::swap(left, right);
  auto type = cast<VectorType>(sums.getType());
  auto words = cast<VectorType>(left.getType());
  Type narrow = format.kind == WordKind::Bytes ? Type(builder.getI8Type())
                                               : Type(builder.getBF16Type());
  auto numbers = VectorType::get(words.getNumElements() * format.length(),
                                 narrow, words.getScalableDims());
  std::string name = instructionFor(format).str();
  if (name.back() == '.')
    name += std::to_string(type.getNumElements() * format.bits);
  auto call = LLVM::CallIntrinsicOp::create(
      builder, loc, type, builder.getStringAttr(name),
      ValueRange{sums, vector::BitCastOp::create(builder, loc, numbers, left),
                 vector::BitCastOp::create(builder, loc, numbers, right)});
  call->setAttr(productsMark, builder.getI64IntegerAttr(type.getNumElements() *
                                                        format.length()));
  return call.getResult(0);
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
