// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DFT and STFT.
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Fourier.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numbers>

using namespace lh;
using namespace mlir;

/// Longer transforms of unknown factors would need too large a matrix.
static constexpr int64_t maxLength = int64_t(1) << 24;

/// An optional scalar operand, which must be positive where it is known.
static FailureOr<OpFoldResult> positiveScalar(NodeContext &node, size_t i,
                                              StringRef name,
                                              OpFoldResult otherwise) {
  if (!node.has(i))
    return otherwise;
  FailureOr<Sizes> given = node.elements(i);
  if (failed(given))
    return failure();
  if (given->size() != 1)
    return node.error("'" + name + "' must be one number");
  std::optional<int64_t> value = node.emit.known(given->front());
  if (value && (*value < 1 || *value > maxLength))
    return node.error("'" + name + "' is " + Twine(*value));
  // A divisor must not be 0, whatever the run brings.
  return node.emit.max(given->front(), node.emit.index(1));
}

/// The last dimension tells real (1) from complex (2) numbers.
static FailureOr<int64_t> partsOf(NodeContext &node) {
  Sizes sizes = node.emit.sizesOf(node.in(0));
  std::optional<int64_t> parts;
  if (sizes.size() >= 2)
    parts = node.emit.known(sizes.back());
  if (parts == 1 || parts == 2)
    return *parts;
  return node.error("the last dimension of " + shapeText(node.in(0)) +
                        " must be 1 (real) or 2 (complex)",
                    DiagKind::IngressShapeMismatch);
}

/// The axis as it is given, which only the run may know.
static FailureOr<OpFoldResult> givenAxis(NodeContext &node) {
  if (node.opset < 20)
    return node.emit.index(node.integer("axis", 1));
  if (!node.has(2))
    return node.emit.index(-2);
  FailureOr<Sizes> given = node.elements(2);
  if (failed(given))
    return failure();
  if (given->size() != 1)
    return node.error("'axis' must be one number");
  return given->front();
}

static FailureOr<int64_t> checkedAxis(NodeContext &node, int64_t axis) {
  int64_t rank = node.rank(0);
  FailureOr<int64_t> position = node.axis(axis, rank);
  if (succeeded(position) && *position == rank - 1)
    return node.error("'axis' is the dimension of the complex parts");
  return position;
}

/// Rows along one axis: (everything else, axis, parts) as float64, and back.
struct SignalRows {
  Sizes before, after; ///< the sizes on both sides of the axis, without parts
  Value rows;
};

/// Row r is line (r / inner, r % inner). Read one by one: rows that came from
/// merged dimensions would be split again around the product that takes them.
static SignalRows rowsAlong(NodeContext &node, int64_t axis) {
  Emitter &emit = node.emit;
  DType dtype = node.dtype();
  Sizes sizes = emit.sizesOf(node.in(0));
  SignalRows result;
  result.before.assign(sizes.begin(), sizes.begin() + axis);
  result.after.assign(sizes.begin() + axis + 1, sizes.end() - 1);
  OpFoldResult outer = emit.product(result.before);
  OpFoldResult inner = emit.product(result.after);
  OpFoldResult length = sizes[static_cast<size_t>(axis)];
  Value signal = emit.reshape(node.in(0), {outer, length, inner, sizes.back()});
  Value width = emit.asValue(inner);
  result.rows = emit.generate(
      {emit.mul(outer, inner), length, sizes.back()},
      node.typeOf(DType::Float64),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Value row = indexDiv(b, loc, at[0], width);
        Value column = indexRem(b, loc, at[0], width);
        Value value =
            extractElement(b, loc, signal, {row, at[1], column, at[2]});
        return convertScalar(b, loc, value, dtype, DType::Float64);
      });
  return result;
}

static Value rowsBack(NodeContext &node, const SignalRows &shape, Value rows) {
  Emitter &emit = node.emit;
  Sizes own = emit.sizesOf(rows), sizes = shape.before;
  OpFoldResult outer = emit.product(shape.before);
  OpFoldResult inner = emit.product(shape.after);
  if (!shape.after.empty())
    rows = emit.transpose(emit.reshape(rows, {outer, inner, own[1], own[2]}),
                          {0, 2, 1, 3});
  sizes.push_back(own[1]);
  sizes.append(shape.after);
  sizes.push_back(own[2]);
  return emit.reshape(rows, sizes);
}

/// The whole spectrum of a real signal from its first half: the second half
/// mirrors it, conjugated. What the half lacks counts as zeros.
static Value mirrored(NodeContext &node, Value rows, OpFoldResult length) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(rows);
  bool isComplex = emit.known(sizes[2]) == 2;
  Value given = emit.asValue(sizes[1]), total = emit.asValue(length);
  return emit.generate(
      {sizes[0], length, emit.index(2)}, node.typeOf(DType::Float64),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Scalars s(b, loc, DType::Float64);
        Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
        Value opposite = indexSub(b, loc, total, at[1]);
        Value isFirst =
            indexSelect(b, loc, indexLess(b, loc, opposite, at[1]), zero, one);
        Value isSecond = indexLess(b, loc, isFirst, one);
        Value from = indexSelect(b, loc, isSecond, opposite, at[1]);
        Value part = isComplex ? at[2] : zero;
        Value value = extractElement(
            b, loc, rows, {at[0], normalizeIndex(b, loc, from, given), part});
        Value isImaginary = indexLess(b, loc, zero, at[2]);
        if (!isComplex)
          value = s.select(isImaginary, s.number(0), value);
        Value flips = arith::AndIOp::create(b, loc, isSecond, isImaginary);
        value = s.select(flips, s.neg(value), value);
        return s.select(indexLess(b, loc, from, given), value, s.number(0));
      });
}

/// Bins of a one-sided transform: length / 2 + 1.
static OpFoldResult halfOf(Emitter &emit, OpFoldResult length) {
  return emit.add(emit.floorDiv(length, 2), emit.index(1));
}

/// One-sided inverse: half a spectrum in, real numbers out.
static FailureOr<Value> inverseReal(NodeContext &node, int64_t axis) {
  Emitter &emit = node.emit;
  SignalRows signal = rowsAlong(node, axis);
  OpFoldResult given = emit.sizesOf(signal.rows)[1];
  OpFoldResult whole = emit.mul(emit.sub(given, emit.index(1)), emit.index(2));
  FailureOr<OpFoldResult> length = positiveScalar(node, 1, "dft_length", whole);
  if (failed(length))
    return failure();
  Value spectrum = mirrored(node, signal.rows, *length);
  Value complex = emitFourier(node, spectrum, {*length, *length, true});
  Sizes sizes = emit.sizesOf(complex);
  OpFoldResult zero = emit.index(0), one = emit.index(1);
  Value real = emit.slice(complex, {zero, zero, zero},
                          {sizes[0], sizes[1], one}, {one, one, one});
  return emit.convert(rowsBack(node, signal, real), DType::Float64,
                      node.dtype());
}

/// The transform along one axis.
static FailureOr<Value> dftAlong(NodeContext &node, int64_t axis) {
  Emitter &emit = node.emit;
  bool isOneSided = node.integer("onesided", 0) != 0;
  bool isInverse = node.integer("inverse", 0) != 0;
  if (isOneSided && isInverse)
    return inverseReal(node, axis);
  FailureOr<OpFoldResult> length =
      positiveScalar(node, 1, "dft_length",
                     emit.sizesOf(node.in(0))[static_cast<size_t>(axis)]);
  if (failed(length))
    return failure();
  SignalRows signal = rowsAlong(node, axis);
  OpFoldResult bins = isOneSided ? halfOf(emit, *length) : *length;
  Value result = emitFourier(node, signal.rows, {*length, bins, isInverse});
  return emit.convert(rowsBack(node, signal, result), DType::Float64,
                      node.dtype());
}

/// The same along `axis`, which only the run knows: a branch for each that it
/// may be, from `first` on. Their results have open sizes, but for the parts.
static FailureOr<Value> dftAlongOneOf(NodeContext &node, Value axis,
                                      int64_t first) {
  Emitter &emit = node.emit;
  OpBuilder &b = emit.builder;
  auto opened = [&](FailureOr<Value> result) -> FailureOr<Value> {
    if (failed(result))
      return failure();
    RankedTensorType type = tensorTypeOf(*result);
    SmallVector<int64_t> shape(type.getShape());
    std::fill(shape.begin(), shape.end() - 1, ShapedType::kDynamic);
    return emit.castTo(*result,
                       RankedTensorType::get(shape, type.getElementType()));
  };
  if (first == node.rank(0) - 2) // the last one there is
    return opened(dftAlong(node, first));
  Value here = arith::CmpIOp::create(b, emit.loc, arith::CmpIPredicate::eq,
                                     axis, indexConstant(b, emit.loc, first));
  bool isGood = true;
  auto branch = [&](FailureOr<Value> result, Location loc) {
    isGood &= succeeded(result);
    scf::YieldOp::create(b, loc, isGood ? ValueRange(*result) : ValueRange());
  };
  auto op = scf::IfOp::create(
      b, emit.loc, here,
      [&](OpBuilder &, Location loc) {
        Emitter::RegionScope scope(emit);
        branch(opened(dftAlong(node, first)), loc);
      },
      [&](OpBuilder &, Location loc) {
        Emitter::RegionScope scope(emit);
        branch(dftAlongOneOf(node, axis, first + 1), loc);
      });
  if (!isGood)
    return failure();
  return op.getResult(0);
}

static LogicalResult dft(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<int64_t> parts = partsOf(node);
  FailureOr<OpFoldResult> axis = givenAxis(node);
  if (failed(parts) || failed(axis))
    return failure();
  bool isOneSided = node.integer("onesided", 0) != 0;
  if (isOneSided && node.integer("inverse", 0) == 0 && *parts == 2)
    return node.error("a one-sided transform takes real numbers, " +
                      shapeText(node.in(0)) + " are complex");
  FailureOr<Value> result = failure();
  if (std::optional<int64_t> known = emit.known(*axis)) {
    FailureOr<int64_t> position = checkedAxis(node, *known);
    if (failed(position))
      return failure();
    result = dftAlong(node, *position);
  } else {
    // Inputs are built here: a branch is no place for what others use.
    Value signal = node.in(0);
    emit.sizesOf(signal);
    OpFoldResult zero = emit.index(0), rank = emit.index(node.rank(0));
    OpFoldResult fromFront =
        emit.selectLess(*axis, zero, emit.add(*axis, rank), *axis);
    result = dftAlongOneOf(node, emit.asValue(fromFront), 0);
  }
  return failed(result) ? failure() : node.result(*result, node.dtype());
}

/// The windowed frames: (batch * frames, length, parts) in float64.
static Value framesOf(NodeContext &node, OpFoldResult count, OpFoldResult step,
                      OpFoldResult length) {
  Emitter &emit = node.emit;
  Value signal = node.in(0), window = node.has(2) ? node.in(2) : Value();
  DType dtype = node.dtype();
  Sizes own = emit.sizesOf(signal);
  Value stride = emit.asValue(step), limit = emit.asValue(own[1]);
  Value frames = emit.asValue(count);
  return emit.generate(
      {emit.mul(own[0], count), length, own[2]}, node.typeOf(DType::Float64),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Scalars s(b, loc, DType::Float64);
        Value sample = indexDiv(b, loc, at[0], frames);
        Value frame = indexRem(b, loc, at[0], frames);
        Value from = indexAdd(b, loc, indexMul(b, loc, frame, stride), at[1]);
        from = normalizeIndex(b, loc, from, limit);
        Value value = extractElement(b, loc, signal, {sample, from, at[2]});
        value = convertScalar(b, loc, value, dtype, DType::Float64);
        if (!window)
          return value;
        Value weight = extractElement(b, loc, window, {at[1]});
        return s.mul(value,
                     convertScalar(b, loc, weight, dtype, DType::Float64));
      });
}

static LogicalResult checkStft(NodeContext &node) {
  bool fits =
      node.rank(0) == 3 &&
      (!node.has(2) || (node.rank(2) == 1 && node.dtype(2) == node.dtype()));
  if (fits)
    return success(succeeded(partsOf(node)));
  return node.error("the signal must be (batch, length, 1 or 2), the window a "
                    "vector of its type",
                    DiagKind::IngressShapeMismatch);
}

static LogicalResult stft(NodeContext &node) {
  Emitter &emit = node.emit;
  if (failed(checkStft(node)))
    return failure();
  Sizes own = emit.sizesOf(node.in(0));
  OpFoldResult window = node.has(2) ? emit.sizesOf(node.in(2))[0] : own[1];
  FailureOr<OpFoldResult> step = positiveScalar(node, 1, "frame_step", own[1]);
  FailureOr<OpFoldResult> length =
      positiveScalar(node, 3, "frame_length", window);
  if (failed(step) || failed(length))
    return failure();
  OpFoldResult covered = node.has(2) ? window : *length;
  std::optional<int64_t> a = emit.known(covered), b = emit.known(*length);
  std::optional<int64_t> all = emit.known(own[1]);
  if (a && b && *a != *b)
    return node.error("the window has " + Twine(*a) + " values for frames of " +
                          Twine(*b),
                      DiagKind::IngressShapeMismatch);
  if (b && all && *b > *all)
    return node.error("frames of " + Twine(*b) + " in a signal of " +
                          Twine(*all),
                      DiagKind::IngressShapeMismatch);
  OpFoldResult count =
      emit.add(emit.divide(emit.sub(own[1], *length), *step), emit.index(1));
  count = emit.max(count, emit.index(0));
  Value rows = framesOf(node, count, *step, covered);
  bool isOneSided = node.integer("onesided", 1) != 0;
  OpFoldResult bins = isOneSided ? halfOf(emit, *length) : *length;
  Value result = emitFourier(node, rows, {*length, bins, false});
  result = emit.reshape(result, {own[0], count, bins, emit.index(2)});
  return node.result(emit.convert(result, DType::Float64, node.dtype()),
                     node.dtype());
}

void lh::addSignalOps(OpTable &table) {
  using namespace OpRule;
  table.add("DFT", {17, 1, Float, dft});
  table.add("STFT", {17, 2, Float, stft});
}
