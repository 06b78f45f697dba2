// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// com.microsoft's MatMulNBits: a product with weights of 2, 4 or 8 bits that
// are packed into bytes, with a scale and a zero point per block.
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Quantised.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

/// The weights' form: N rows of `blocks` blocks, `bytes` bytes each.
struct PackedWeights {
  int64_t rows, length, blockSize, bits, blocks, bytes;

  int64_t perByte() const { return 8 / bits; }
};

/// No real model has dimensions beyond this; products of two can't overflow.
static constexpr int64_t maxDimension = int64_t(1) << 30;

static FailureOr<PackedWeights> readForm(NodeContext &node) {
  PackedWeights form{node.integer("N", 0),
                     node.integer("K", 0),
                     node.integer("block_size", 0),
                     node.integer("bits", 4),
                     0,
                     0};
  for (int64_t size : {form.rows, form.length, form.blockSize})
    if (size < 1 || size > maxDimension)
      return node.error("'N', 'K' and 'block_size' must be positive; one is " +
                        Twine(size));
  bool isKnown = form.bits == 2 || form.bits == 4 || form.bits == 8;
  if (!isKnown || form.blockSize * form.bits % 8 != 0)
    return node.error("blocks of " + Twine(form.blockSize) + " weights of " +
                          Twine(form.bits) + " bits are not supported",
                      DiagKind::IngressUnsupportedOp);
  form.blocks = (form.length + form.blockSize - 1) / form.blockSize;
  form.bytes = form.blockSize * form.bits / 8;
  return form;
}

/// Input `i` under the static sizes `shape`, whatever its rank is.
static FailureOr<Value> readAs(NodeContext &node, size_t i, StringRef what,
                               ArrayRef<int64_t> shape) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.staticSizes(shape);
  std::optional<int64_t> given =
      emit.known(emit.product(emit.sizesOf(node.in(i))));
  if (given && given == emit.known(emit.product(sizes)))
    return emit.reshape(node.in(i), sizes);
  return node.error(what + " of shape " + shapeText(node.in(i)) +
                        " does not fit 'N', 'K', 'block_size' and 'bits'",
                    DiagKind::IngressShapeMismatch);
}

/// The integer at `place` of a byte, as float32; the first one is in the lowest
/// bits.
static Value numberAt(OpBuilder &b, Location loc, Value byte, Value place,
                      int64_t bits) {
  Scalars s(b, loc, DType::Int32);
  Value wide = convertScalar(b, loc, byte, DType::UInt8, DType::Int32);
  Value distance =
      s.mul(fromIndex(b, loc, place, DType::Int32), s.integer(bits));
  Value shifted = arith::ShRUIOp::create(b, loc, wide, distance);
  Value value =
      arith::AndIOp::create(b, loc, shifted, s.integer((1 << bits) - 1));
  return convertScalar(b, loc, value, DType::Int32, DType::Float32);
}

/// The first `count` integers of each row of packed ones (rows, bytes), as
/// float32.
static Value unpacked(NodeContext &node, Value packed, int64_t bits,
                      int64_t count) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(packed);
  Value bytes = emit.reshape(packed, {sizes[0], sizes[1], emit.index(1)});
  Value spread = emit.mapTo(
      {sizes[0], sizes[1], emit.index(8 / bits)}, {bytes},
      node.typeOf(DType::Float32),
      [&](OpBuilder &b, Location loc, ValueRange v) {
        return numberAt(b, loc, v[0], Emitter::loopIndex(b, loc, 2), bits);
      });
  OpFoldResult all = emit.mul(sizes[1], emit.index(8 / bits));
  Sizes zeros(2, emit.index(0)), ones(2, emit.index(1));
  return emit.slice(emit.reshape(spread, {sizes[0], all}), zeros,
                    {sizes[0], emit.index(count)}, ones);
}

/// One number per block: packed integers, or real ones.
static FailureOr<Value> zeroPoints(NodeContext &node,
                                   const PackedWeights &form) {
  if (node.dtype(3) == DType::Float32)
    return readAs(node, 3, "the zero points", {form.rows, form.blocks});
  if (node.dtype(3) != DType::UInt8)
    return node.error("the zero points have element type '" +
                      dtypeName(node.dtype(3)) +
                      "'; uint8 or the type of A is needed");
  int64_t bytes = (form.blocks + form.perByte() - 1) / form.perByte();
  FailureOr<Value> packed =
      readAs(node, 3, "the zero points", {form.rows, bytes});
  if (failed(packed))
    return failure();
  return unpacked(node, *packed, form.bits, form.blocks);
}

/// What the weights are computed from: bytes, scales, and zero points if there
/// are any.
static FailureOr<SmallVector<Value>> weightInputs(NodeContext &node,
                                                  const PackedWeights &form) {
  FailureOr<Value> packed =
      readAs(node, 1, "B", {form.rows, form.blocks, form.bytes});
  FailureOr<Value> scale =
      readAs(node, 2, "the scales", {form.rows, form.blocks});
  if (failed(packed) || failed(scale))
    return failure();
  SmallVector<Value> inputs{*packed, *scale};
  if (!node.has(3))
    return inputs;
  FailureOr<Value> zero = zeroPoints(node, form);
  if (failed(zero))
    return failure();
  inputs.push_back(*zero);
  return inputs;
}

/// The weights in float32, by rows, blocks, bytes and places in a byte. Where
/// there are no zero points, that is the middle of the range.
static FailureOr<Value> realWeights(NodeContext &node,
                                    const PackedWeights &form) {
  Emitter &emit = node.emit;
  FailureOr<SmallVector<Value>> inputs = weightInputs(node, form);
  if (failed(inputs))
    return failure();
  SmallVector<AffineMap> maps;
  for (unsigned dims : {3, 2, 2, 4})
    maps.push_back(emit.builder.getMultiDimIdentityMap(4).getMajorSubMap(dims));
  if (inputs->size() == 2)
    maps.erase(maps.begin() + 2);
  Value start = emit.empty(
      emit.staticSizes({form.rows, form.blocks, form.bytes, form.perByte()}),
      node.typeOf(DType::Float32));
  return emit.generic(
      *inputs, maps, start, {false, false, false, false},
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, DType::Float32);
        Value number =
            numberAt(b, loc, v[0], Emitter::loopIndex(b, loc, 3), form.bits);
        if (inputs->size() == 3)
          return s.mul(s.sub(number, v[2]), v[1]);
        // The middle is a power of two, so its product with the scale is exact,
        // and this rounds once, as (number - middle) * scale does. The second
        // product is one for each block.
        Value middle = s.number(-static_cast<double>(1 << (form.bits - 1)));
        return math::FmaOp::create(b, loc, number, v[1], s.mul(middle, v[1]))
            .getResult();
      });
}

/// A (rows, K) times the weights, added to `start`. The sum is one over blocks,
/// bytes and places, so that who multiplies can do so with weights as they are
/// stored. The last block may have more than K needs.
static Value product(NodeContext &node, const PackedWeights &form, Value a,
                     Value weights, Value start) {
  Emitter &emit = node.emit;
  OpFoldResult rows = emit.sizesOf(a)[0];
  int64_t whole = form.blocks * form.blockSize;
  if (whole != form.length)
    a = emit.pad(a, Sizes(2, emit.index(0)),
                 {emit.index(0), emit.index(whole - form.length)},
                 node.scalars(DType::Float32).number(0));
  Value places =
      emit.reshape(a, {rows, emit.index(form.blocks), emit.index(form.bytes),
                       emit.index(form.perByte())});
  MLIRContext *context = emit.builder.getContext();
  auto loops = [&](ArrayRef<unsigned> targets) {
    return AffineMap::getMultiDimMapWithTargets(5, targets, context);
  };
  return emit.generic({places, weights},
                      {loops({0, 2, 3, 4}), loops({1, 2, 3, 4}), loops({0, 1})},
                      start, {false, false, true, true, true},
                      [&](OpBuilder &b, Location loc, ValueRange v) {
                        Scalars s(b, loc, DType::Float32);
                        return s.add(v[2], s.mul(v[0], v[1]));
                      });
}

static LogicalResult checkOperands(NodeContext &node,
                                   const PackedWeights &form) {
  for (size_t i : {size_t(0), size_t(2)})
    if (node.dtype(i) != DType::Float32)
      return node.error("input " + Twine(i) + " has element type '" +
                        dtypeName(node.dtype(i)) +
                        "'; float32, float16 or bfloat16 is needed");
  if (node.dtype(1) != DType::UInt8)
    return node.error("B has element type '" + dtypeName(node.dtype(1)) +
                      "'; uint8 is needed");
  if (node.has(4) || node.integer("weight_prepacked", 0) != 0)
    return node.error("'g_idx' and prepacked weights are not supported",
                      DiagKind::IngressUnsupportedOp);
  std::optional<int64_t> inner =
      node.rank(0) == 0 ? 0
                        : node.emit.known(node.emit.sizesOf(node.in(0)).back());
  if (inner && *inner != form.length)
    return node.error("A of shape " + shapeText(node.in(0)) +
                          " does not fit 'K' of " + Twine(form.length),
                      DiagKind::IngressShapeMismatch);
  if (node.has(5) && node.dtype(5) != DType::Float32)
    return node.error("the bias must have the type of A");
  return success();
}

static LogicalResult matMulNBits(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<PackedWeights> form = readForm(node);
  if (failed(form) || failed(checkOperands(node, *form)))
    return failure();
  FailureOr<Value> weights = realWeights(node, *form);
  if (failed(weights))
    return failure();
  Sizes sizes = emit.sizesOf(node.in(0));
  sizes.pop_back();
  OpFoldResult rows = emit.product(sizes), columns = emit.index(form->rows);
  sizes.push_back(columns);
  Value a = emit.reshape(node.in(0), {rows, emit.index(form->length)});
  Value start =
      emit.filled({rows, columns}, node.scalars(DType::Float32).number(0));
  if (node.has(5)) {
    FailureOr<Value> bias = readAs(node, 5, "the bias", {form->rows});
    if (failed(bias))
      return failure();
    start = emit.broadcastTo(*bias, {rows, columns});
  }
  Value sums = product(node, *form, a, *weights, start);
  return node.result(emit.reshape(sums, sizes), DType::Float32);
}

void lh::addMatMulNBitsOps(OpTable &table) {
  using namespace OpRule;
  table.add("com.microsoft.MatMulNBits",
            {1, 3, Float | WidenHalf, matMulNBits});
}
