// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products of words on vectors: how the expressions of addDotOfWords() are
// found again, and the instructions for them.
#include "compiler/gaps/products/WordDots.h"

#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace lh;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Numbers in words
//===----------------------------------------------------------------------===//

namespace {
/// One number of each word in a vector.
struct Lane {
  Value words;
  int64_t index;
  bool isSigned;

  bool isOfWordsOf(const Lane &other) const {
    return words == other.words && isSigned == other.isSigned;
  }
};
} // namespace

static int64_t bitsOf(Value value) {
  return getElementTypeOrSelf(value).getIntOrFloatBitWidth();
}

/// A byte or bf16 that is cut out of a word and extended to 32 bits.
static std::optional<Lane> laneOf(Value value) {
  Operation *widening = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(
          widening) ||
      bitsOf(value) != 32)
    return std::nullopt;
  Value number = widening->getOperand(0);
  Type narrow = getElementTypeOrSelf(number);
  if (auto cast = number.getDefiningOp<arith::BitcastOp>())
    number = cast.getIn();
  auto cut = number.getDefiningOp<arith::TruncIOp>();
  if (!cut || !(narrow.isBF16() || narrow.isInteger(8)))
    return std::nullopt;
  Lane lane{cut.getIn(), 0, !isa<arith::ExtUIOp>(widening)};
  APInt by;
  if (auto shift = lane.words.getDefiningOp<arith::ShRUIOp>();
      shift && matchPattern(shift.getRhs(), m_ConstantInt(&by))) {
    lane.words = shift.getLhs();
    lane.index = static_cast<int64_t>(by.getLimitedValue()) / bitsOf(number);
    if (by.uge(64) || by.urem(static_cast<uint64_t>(bitsOf(number))) != 0)
      return std::nullopt;
  }
  return lane;
}

//===----------------------------------------------------------------------===//
// Dot products
//===----------------------------------------------------------------------===//

/// No word has more numbers.
static constexpr size_t longestWord = 8;

/// The terms of a sum of at most `longestWord`; its size tells when it is more.
static void collectTerms(Value value, SmallVectorImpl<Value> &terms) {
  Operation *add = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::AddFOp>(add) ||
      terms.size() > longestWord)
    return terms.push_back(value);
  for (Value operand : add->getOperands())
    collectTerms(operand, terms);
}

static bool readDot(Value value, WordDot &dot) {
  SmallVector<Value> terms;
  collectTerms(value, terms);
  std::optional<Lane> left, right;
  SmallVector<bool> seen(longestWord, false);
  for (Value term : terms) {
    Operation *product = term.getDefiningOp();
    if (!isa_and_nonnull<arith::MulIOp, arith::MulFOp>(product))
      return false;
    std::optional<Lane> a = laneOf(product->getOperand(0));
    std::optional<Lane> b = laneOf(product->getOperand(1));
    if (!a || !b || a->index != b->index || seen[static_cast<size_t>(a->index)])
      return false;
    seen[static_cast<size_t>(a->index)] = true;
    if (!left)
      std::tie(left, right) = std::tie(a, b);
    if (!left->isOfWordsOf(*a))
      std::swap(a, b);
    if (!left->isOfWordsOf(*a) || !right->isOfWordsOf(*b))
      return false;
  }
  dot.left = left->words;
  dot.right = right->words;
  dot.format = {dot.format.kind, bitsOf(dot.left), left->isSigned,
                right->isSigned};
  return dot.left.getType() == dot.right.getType() &&
         terms.size() == static_cast<size_t>(dot.format.length());
}

std::optional<WordDot> lh::readWordDot(Operation *op) {
  if (!isa<arith::AddIOp, arith::AddFOp>(op))
    return std::nullopt;
  for (unsigned side : {0u, 1u}) {
    WordDot dot;
    dot.format.kind =
        isa<arith::AddIOp>(op) ? WordKind::Bytes : WordKind::Halves;
    dot.sum = op->getOperand(side);
    // A reshape may have flattened the products.
    Value dots = op->getOperand(1 - side);
    if (auto reshape = dots.getDefiningOp<vector::ShapeCastOp>())
      dots = reshape.getSource();
    if (readDot(dots, dot))
      return dot;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// What x86's name ends with is the vectors' width. Of unsigned and signed
/// numbers the unsigned ones are on the left.
static constexpr std::pair<WordFormat, StringLiteral> instructions[] = {
    {{WordKind::Bytes, 32, false, true}, "llvm.x86.avx512.vpdpbusd."},
    {{WordKind::Halves, 32, true, true}, "llvm.x86.avx512bf16.dpbf16ps."},
    {{WordKind::Bytes, 64, true, true}, "llvm.aarch64.sve.smmla.nxv4i32"},
    {{WordKind::Bytes, 64, false, false}, "llvm.aarch64.sve.ummla.nxv4i32"},
    {{WordKind::Bytes, 64, false, true}, "llvm.aarch64.sve.usmmla.nxv4i32"},
    {{WordKind::Halves, 64, true, true}, "llvm.aarch64.sve.bfmmla"}};

static StringRef instructionFor(WordFormat format) {
  if (turnsSides(format))
    std::swap(format.isLeftSigned, format.isRightSigned);
  for (const auto &[of, name] : instructions)
    if (of == format)
      return name;
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
// Rows
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> Spread::shape() const {
  auto type = dyn_cast<VectorType>(source.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

bool Spread::repeats(size_t dim) const {
  return dims[dim] < 0 || shape()[static_cast<size_t>(dims[dim])] == 1;
}

Spread lh::readSpread(Value value) {
  Spread spread{value, llvm::to_vector(llvm::seq<int64_t>(
                           0, cast<VectorType>(value.getType()).getRank()))};
  if (auto transpose = value.getDefiningOp<vector::TransposeOp>()) {
    llvm::copy(transpose.getPermutation(), spread.dims.begin());
    spread.source = transpose.getVector();
  }
  if (auto broadcast = spread.source.getDefiningOp<vector::BroadcastOp>()) {
    spread.source = broadcast.getSource();
    for (int64_t &dim : spread.dims)
      dim -= static_cast<int64_t>(spread.dims.size() - spread.shape().size());
  }
  return spread;
}

SmallVector<int64_t> lh::placeOf(int64_t row, VectorType in) {
  return delinearize(row, computeStrides(in.getShape().drop_back()));
}

Value lh::rowOf(OpBuilder &builder, Location loc, Value value,
                ArrayRef<int64_t> position) {
  auto type = cast<VectorType>(value.getType());
  auto extract = [&](Value from, ArrayRef<int64_t> at) -> Value {
    return at.empty() ? from
                      : vector::ExtractOp::create(builder, loc, from, at);
  };
  Spread spread = readSpread(value);
  size_t last = position.size(), sources = spread.shape().size();
  bool repeats = spread.repeats(last);
  if (!repeats && spread.dims[last] + 1 != static_cast<int64_t>(sources))
    return extract(value, position);
  SmallVector<int64_t> at(sources, 0);
  for (auto [dim, index] : llvm::enumerate(position))
    if (!spread.repeats(dim))
      at[static_cast<size_t>(spread.dims[dim])] = index;
  if (!repeats)
    return extract(spread.source, ArrayRef(at).drop_back());
  auto row = VectorType::get(type.getShape().back(), type.getElementType(),
                             type.getScalableDims().back());
  return vector::BroadcastOp::create(builder, loc, row,
                                     extract(spread.source, at));
}
