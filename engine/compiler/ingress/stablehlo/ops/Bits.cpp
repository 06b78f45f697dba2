// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements as their bits, and bits from a generator.
#include "compiler/ingress/stablehlo/OpTable.h"
#include "compiler/ingress/stablehlo/Quantisation.h"
#include "compiler/ingress/stablehlo/ScalarOps.h"

#include "core/numerics/SmallFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

/// Truth values have one bit.
static unsigned bitsOf(DType dtype) {
  return dtype == DType::Bool ? 1 : storedBits(dtype);
}

namespace {
/// Bits of elements as integers of one type and back.
struct BitCast {
  OpBuilder &b;
  Location loc;

  Value constant(Type type, uint64_t value) const {
    APInt bits(64, value);
    return arith::ConstantOp::create(
        b, loc,
        b.getIntegerAttr(type, bits.trunc(type.getIntOrFloatBitWidth())));
  }
  /// An element's own bits as an integer of `width`, which has at least as
  /// many.
  Value bits(Value element, DType dtype, unsigned width) const {
    Type kept = IntegerType::get(b.getContext(),
                                 element.getType().getIntOrFloatBitWidth());
    if (element.getType() != kept)
      element = arith::BitcastOp::create(b, loc, kept, element);
    if (bitsOf(dtype) < kept.getIntOrFloatBitWidth())
      element = arith::AndIOp::create(
          b, loc, element, constant(kept, (uint64_t(1) << bitsOf(dtype)) - 1));
    Type wide = b.getIntegerType(width);
    if (kept.getIntOrFloatBitWidth() > width) // a byte holds one bit
      return arith::TruncIOp::create(b, loc, wide, element);
    return kept == wide ? element
                        : Value(arith::ExtUIOp::create(b, loc, wide, element));
  }
  /// The element of `dtype` in the low bits of an integer.
  Value element(Value bits, DType dtype) const {
    Type kept = elementTypeOf(dtype, b.getContext());
    unsigned width = kept.getIntOrFloatBitWidth();
    Type integer = b.getIntegerType(width);
    unsigned has = bits.getType().getIntOrFloatBitWidth();
    if (has > width)
      bits = arith::TruncIOp::create(b, loc, integer, bits);
    else if (has < width)
      bits = arith::ExtUIOp::create(b, loc, integer, bits);
    if (dtype == DType::Bool)
      return arith::AndIOp::create(b, loc, bits, constant(integer, 1));
    if (isPacked(dtype) && !isSmallFloat(dtype))
      return convertScalar(b, loc, bits, DType::UInt8, dtype);
    return kept == integer
               ? bits
               : Value(arith::BitcastOp::create(b, loc, kept, bits));
  }
};
} // namespace

/// Each element gives several: a new last dimension of `parts`.
static LogicalResult splitBits(OpContext &c, unsigned parts) {
  RankedTensorType type = c.declared();
  if (type.getRank() != c.rank() + 1 || type.getShape().back() != parts)
    return c.mismatch("the result needs a last dimension of " + Twine(parts));
  Sizes sizes = c.emit.sizesOf(c.in(0));
  sizes.push_back(c.emit.index(parts));
  DType from = c.dtype(), to = c.resultType();
  Value operand = c.in(0);
  unsigned width = std::max(8u, bitsOf(from));
  return c.resultByPlace(sizes, [&](OpBuilder &b, Location loc, ValueRange at) {
    BitCast cast{b, loc};
    Value bits =
        cast.bits(extractElement(b, loc, operand, at.drop_back()), from, width);
    Value part = arith::IndexCastOp::create(b, loc, bits.getType(), at.back());
    Value shift = arith::MulIOp::create(
        b, loc, part, cast.constant(bits.getType(), bitsOf(to)));
    return cast.element(arith::ShRUIOp::create(b, loc, bits, shift), to);
  });
}

/// The elements of the last dimension give one.
static LogicalResult joinBits(OpContext &c, unsigned parts) {
  if (c.rank() != c.declared().getRank() + 1 ||
      tensorTypeOf(c.in(0)).getShape().back() != parts)
    return c.mismatch("the operand needs a last dimension of " + Twine(parts));
  Sizes sizes = c.emit.sizesOf(c.in(0));
  sizes.pop_back();
  DType from = c.dtype(), to = c.resultType();
  Value operand = c.in(0);
  unsigned width = std::max(8u, bitsOf(to));
  return c.resultByPlace(sizes, [&](OpBuilder &b, Location loc, ValueRange at) {
    BitCast cast{b, loc};
    Type wide = b.getIntegerType(width);
    Value bits = cast.constant(wide, 0);
    for (unsigned part = 0; part < parts; ++part) {
      SmallVector<Value> place(at);
      place.push_back(indexConstant(b, loc, part));
      Value piece =
          cast.bits(extractElement(b, loc, operand, place), from, width);
      Value moved = arith::ShLIOp::create(
          b, loc, piece, cast.constant(wide, part * bitsOf(from)));
      bits = arith::OrIOp::create(b, loc, bits, moved);
    }
    return cast.element(bits, to);
  });
}

Value lh::castBits(OpBuilder &b, Location loc, Value element, DType from,
                   DType to) {
  BitCast cast{b, loc};
  return cast.element(cast.bits(element, from, std::max(8u, bitsOf(from))), to);
}

/// The bits of a quantised value are those of what stores it; `given` and
/// `wanted` are null for other types.
static LogicalResult bitcastQuantised(OpContext &c, quant::QuantizedType given,
                                      quant::QuantizedType wanted) {
  DType from = given ? *dtypeOfStorage(given) : c.dtype();
  DType to = wanted ? *dtypeOfStorage(wanted) : c.resultType();
  if (bitsOf(from) != bitsOf(to))
    return c.error("between quantised values and bits of another width there "
                   "is no cast here",
                   DiagKind::IngressUnsupportedOp);
  Value stored = given ? emitQuantised(c.emit, c.in(0), given) : c.in(0);
  Value bits = c.emit.map({stored}, c.emit.typeOf(to),
                          [&](OpBuilder &at, Location loc, ValueRange v) {
                            return castBits(at, loc, v[0], from, to);
                          });
  return c.result(wanted ? emitDequantised(c.emit, bits, wanted) : bits);
}

static LogicalResult bitcastConvert(OpContext &c) {
  quant::QuantizedType given = quantisedTypeOf(c.op.getOperand(0).getType()),
                       wanted = quantisedTypeOf(c.op.getResult(0).getType());
  if (given || wanted)
    return bitcastQuantised(c, given, wanted);
  DType from = c.dtype(), to = c.resultType();
  unsigned a = bitsOf(from), b = bitsOf(to);
  if (a > b)
    return splitBits(c, a / b);
  if (a < b)
    return joinBits(c, b / a);
  return c.result(c.emit.map({c.in(0)}, c.emit.typeOf(to),
                             [&](OpBuilder &at, Location loc, ValueRange v) {
                               return castBits(at, loc, v[0], from, to);
                             }));
}

namespace {
/// 64 bits as two words.
struct Words {
  Value low, high;
};
} // namespace

static Value exclusiveOr(const Scalars &s, Value a, Value b) {
  return arith::XOrIOp::create(s.builder, s.loc, a, b);
}

static Value rotatedLeft(const Scalars &s, Value word, unsigned bits) {
  Value left = arith::ShLIOp::create(s.builder, s.loc, word, s.integer(bits));
  Value right =
      arith::ShRUIOp::create(s.builder, s.loc, word, s.integer(32 - bits));
  return arith::OrIOp::create(s.builder, s.loc, left, right);
}

/// Threefry-2x32 with 20 rounds (Salmon and others, "Parallel random numbers:
/// as easy as 1, 2, 3", 2011).
static Words threefry(const Scalars &s, Words key, Words counter) {
  static constexpr unsigned rotations[2][4] = {{13, 15, 26, 6},
                                               {17, 29, 16, 24}};
  Value parity =
      exclusiveOr(s, exclusiveOr(s, key.low, key.high), s.integer(0x1bd11bda));
  Value keys[] = {key.low, key.high, parity};
  Words x{s.add(counter.low, keys[0]), s.add(counter.high, keys[1])};
  for (unsigned block = 0; block < 5; ++block) {
    for (unsigned bits : rotations[block % 2]) {
      x.low = s.add(x.low, x.high);
      x.high = exclusiveOr(s, rotatedLeft(s, x.high, bits), x.low);
    }
    x.low = s.add(x.low, keys[(block + 1) % 3]);
    x.high = s.add(s.add(x.high, keys[(block + 2) % 3]), s.integer(block + 1));
  }
  return x;
}

static Words wordsOf(OpBuilder &b, Location loc, Value number) {
  Value width = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
  Value high = arith::ShRUIOp::create(b, loc, number, width);
  Type word = b.getI32Type();
  return {arith::TruncIOp::create(b, loc, word, number),
          arith::TruncIOp::create(b, loc, word, high)};
}

static Value numberOf(OpBuilder &b, Location loc, Words words) {
  Type type = b.getI64Type();
  Value width = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
  Value high = arith::ExtUIOp::create(b, loc, type, words.high);
  return arith::OrIOp::create(b, loc,
                              arith::ExtUIOp::create(b, loc, type, words.low),
                              arith::ShLIOp::create(b, loc, high, width));
}

/// A state of a key and a counter: each element takes the next count.
static LogicalResult bitGenerator(OpContext &c) {
  std::string algorithm = c.word("rng_algorithm", "DEFAULT");
  RankedTensorType type = c.declared(1);
  bool fits = c.dtype() == DType::UInt64 && c.rank() == 1 &&
              tensorTypeOf(c.in(0)).getDimSize(0) == 2 &&
              c.resultType(1) == DType::UInt64 && type.hasStaticShape() &&
              algorithm == "THREE_FRY";
  if (!fits)
    return c.error(
        "'" + algorithm +
            "' isn't supported here: THREE_FRY is, "
            "with a state of two uint64 and results of uint64; JAX's "
            "own generator exports as plain arithmetic",
        DiagKind::IngressUnsupportedOp);
  Emitter &emit = c.emit;
  OpBuilder &b = emit.builder;
  Value zero = indexConstant(b, emit.loc, 0);
  Value one = indexConstant(b, emit.loc, 1);
  Value key = emit.extract(c.in(0), {zero});
  Value counter = emit.extract(c.in(0), {one});
  Value drawn = emit.generate(
      {emit.index(type.getNumElements())}, emit.typeOf(DType::UInt64),
      [&](OpBuilder &at, Location loc, ValueRange place) {
        Scalars words(at, loc, DType::UInt32), whole(at, loc, DType::UInt64);
        Value count =
            whole.add(counter, fromIndex(at, loc, place[0], DType::UInt64));
        Words made =
            threefry(words, wordsOf(at, loc, key), wordsOf(at, loc, count));
        return numberOf(at, loc, made);
      });
  Value next =
      emit.scalars(DType::UInt64)
          .add(counter,
               emit.scalars(DType::UInt64).integer(type.getNumElements()));
  c.set(0, tensor::FromElementsOp::create(b, emit.loc, {key, next}));
  c.set(1, emit.reshape(drawn, emit.staticSizes(type.getShape())));
  return success();
}

void lh::addBitOps(HloTable &t) {
  t["stablehlo.bitcast_convert"] = {1, 1, 1, 0, bitcastConvert};
  t["stablehlo.rng_bit_generator"] = {1, 1, 2, 0, bitGenerator};
}
