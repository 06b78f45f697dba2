// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NonMaxSuppression: boxes chosen one after the other, best score first, and
// every one removes those that overlap it too much.
#include "compiler/gaps/Marks.h"
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Sampling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace lh;
using namespace mlir;

namespace {
struct Suppression {
  Value boxes, scores;
  Value batches, classes, count; ///< index
  Value limit;                   ///< index: boxes per class, at most `count`
  Value overlapLimit;            ///< f32
  Value scoreLimit;              ///< f32; empty: every score is good
  bool isCentred = false;
};

/// A box's corners.
struct Box {
  Value top, left, bottom, right;
};
} // namespace

static Box boxAt(const Scalars &s, const Suppression &in, Value batch,
                 Value box) {
  SmallVector<Value> v;
  for (int64_t k = 0; k < 4; ++k)
    v.push_back(
        extractElement(s.builder, s.loc, in.boxes,
                       {batch, box, indexConstant(s.builder, s.loc, k)}));
  if (!in.isCentred) // two opposite corners in any order: y, x, y, x
    return {s.min(v[0], v[2]), s.min(v[1], v[3]), s.max(v[0], v[2]),
            s.max(v[1], v[3])};
  Value half = s.number(0.5);
  Value wide = s.mul(v[2], half), high = s.mul(v[3], half);
  return {s.sub(v[1], high), s.sub(v[0], wide), s.add(v[1], high),
          s.add(v[0], wide)};
}

static Value areaOf(const Scalars &s, const Box &box) {
  return s.mul(s.sub(box.right, box.left), s.sub(box.bottom, box.top));
}

/// i1: intersection over union is above the limit. Boxes without an area
/// overlap nothing.
static Value overlaps(const Scalars &s, const Suppression &in, const Box &a,
                      const Box &b) {
  Box common{s.max(a.top, b.top), s.max(a.left, b.left),
             s.min(a.bottom, b.bottom), s.min(a.right, b.right)};
  Value zero = s.number(0);
  Value shared = areaOf(s, common);
  Value first = areaOf(s, a), second = areaOf(s, b);
  Value total = s.sub(s.add(first, second), shared);
  Value meets;
  for (Value isPositive :
       {s.less(common.left, common.right), s.less(common.top, common.bottom),
        s.less(zero, shared), s.less(zero, first), s.less(zero, second),
        s.less(zero, total)})
    meets = andBits(s.builder, s.loc, meets, isPositive);
  Value ratio = s.div(shared, s.select(meets, total, s.number(1)));
  return andBits(s.builder, s.loc, meets, s.less(in.overlapLimit, ratio));
}

namespace {
/// One class and image on the way; the loops carry it.
struct ClassState {
  Value list;       ///< tensor<?x3xi64>: all that was chosen so far
  Value count;      ///< index: rows of it
  Value candidates; ///< tensor<?xi64>: boxes that may be chosen, in order
  Value left;       ///< index: how many these are
};
} // namespace

/// i1: whether a box stays.
using KeepBox = llvm::function_ref<Value(OpBuilder &, Location, Value box)>;

/// Boxes 0 ... `end` - 1 (or the first `end` that `into` lists) for which
/// `keeps` holds, in order, at the start of `into`; and their number.
static std::pair<Value, Value> filterBoxes(OpBuilder &b, Location loc,
                                           Value into, Value end,
                                           bool areListed, KeepBox keeps) {
  Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
  auto loop = scf::ForOp::create(
      b, loc, zero, end, one, ValueRange{into, zero},
      [&](OpBuilder &at, Location inner, Value i, ValueRange carried) {
        Value box = i;
        if (areListed)
          box = toIndex(at, inner, extractElement(at, inner, carried[0], i),
                        DType::Int64);
        Value isKept = keeps(at, inner, box);
        // What is not kept is overwritten by the next one.
        Value list = tensor::InsertOp::create(
            at, inner, fromIndex(at, inner, box, DType::Int64), carried[0],
            carried[1]);
        Value more =
            indexAdd(at, inner, carried[1], indexConstant(at, inner, 1));
        scf::YieldOp::create(
            at, inner,
            ValueRange{list, indexSelect(at, inner, isKept, more, carried[1])});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

/// The boxes whose scores are good enough.
static std::pair<Value, Value> initialCandidates(Emitter &emit,
                                                 const Suppression &in,
                                                 Value batch, Value klass) {
  Scalars integers(emit.builder, emit.loc, DType::Int64);
  Value list = emit.filled({in.count}, integers.integer(0));
  return filterBoxes(
      emit.builder, emit.loc, list, in.count, /*areListed=*/false,
      [&](OpBuilder &b, Location loc, Value box) -> Value {
        if (!in.scoreLimit)
          return arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
        Value score = extractElement(b, loc, in.scores, {batch, klass, box});
        return Scalars(b, loc, DType::Float32).less(in.scoreLimit, score);
      });
}

/// The candidate with the highest score, the first of equals; -1 when none.
static Value bestBox(OpBuilder &b, Location loc, const Suppression &in,
                     Value batch, Value klass, const ClassState &state) {
  Scalars s(b, loc, DType::Float32);
  auto loop = scf::ForOp::create(
      b, loc, indexConstant(b, loc, 0), state.left, indexConstant(b, loc, 1),
      ValueRange{indexConstant(b, loc, -1), s.lowest()},
      [&](OpBuilder &at, Location inner, Value i, ValueRange carried) {
        Scalars c(at, inner, DType::Float32);
        Value box =
            toIndex(at, inner, extractElement(at, inner, state.candidates, i),
                    DType::Int64);
        Value score = extractElement(at, inner, in.scores, {batch, klass, box});
        Value isFirst =
            indexLess(at, inner, carried[0], indexConstant(at, inner, 0));
        Value better =
            arith::OrIOp::create(at, inner, isFirst, c.less(carried[1], score));
        scf::YieldOp::create(
            at, inner,
            ValueRange{indexSelect(at, inner, better, box, carried[0]),
                       c.select(better, score, carried[1])});
      });
  return loop.getResult(0);
}

/// The candidates without `best` and all that overlap it.
static std::pair<Value, Value> suppress(OpBuilder &b, Location loc,
                                        const Suppression &in, Value batch,
                                        Value best, const ClassState &state) {
  Box chosen = boxAt(Scalars(b, loc, DType::Float32), in, batch, best);
  return filterBoxes(
      b, loc, state.candidates, state.left, /*areListed=*/true,
      [&](OpBuilder &at, Location inner, Value box) -> Value {
        Scalars s(at, inner, DType::Float32);
        Value isOther = arith::CmpIOp::create(
            at, inner, arith::CmpIPredicate::ne, box, best);
        Value meets = overlaps(s, in, chosen, boxAt(s, in, batch, box));
        Value no = arith::ConstantOp::create(at, inner, at.getBoolAttr(false));
        return indexSelect(at, inner, meets, no, isOther);
      });
}

/// Writes (batch, class, box) as the next row.
static Value appended(OpBuilder &b, Location loc, const ClassState &state,
                      Value batch, Value klass, Value box) {
  Value list = state.list;
  int64_t column = 0;
  for (Value index : {batch, klass, box}) {
    Value at = indexConstant(b, loc, column++);
    list =
        tensor::InsertOp::create(b, loc, fromIndex(b, loc, index, DType::Int64),
                                 list, ValueRange{state.count, at});
  }
  return list;
}

/// Chooses the next box. Without candidates the row that was written stays
/// uncounted, and no loop over boxes runs.
static ClassState chooseNext(OpBuilder &b, Location loc, const Suppression &in,
                             Value batch, Value klass,
                             const ClassState &state) {
  Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
  Value best = bestBox(b, loc, in, batch, klass, state);
  Value isNone = indexLess(b, loc, best, zero);
  Value box = clampIndex(b, loc, best, in.count);
  ClassState next;
  next.list = appended(b, loc, state, batch, klass, box);
  Value grown = indexAdd(b, loc, state.count, one);
  next.count = indexSelect(b, loc, isNone, state.count, grown);
  std::tie(next.candidates, next.left) =
      suppress(b, loc, in, batch, box, state);
  return next;
}

/// All choices for one class of one image, appended to `list`.
static SmallVector<Value> chooseForClass(Emitter &emit, const Suppression &in,
                                         Value batch, Value klass,
                                         ValueRange listAndCount) {
  OpBuilder &b = emit.builder;
  Location loc = emit.loc;
  auto [candidates, left] = initialCandidates(emit, in, batch, klass);
  auto loop = scf::ForOp::create(
      b, loc, indexConstant(b, loc, 0), in.limit, indexConstant(b, loc, 1),
      ValueRange{listAndCount[0], listAndCount[1], candidates, left},
      [&](OpBuilder &at, Location inner, Value, ValueRange v) {
        ClassState next =
            chooseNext(at, inner, in, batch, klass, {v[0], v[1], v[2], v[3]});
        scf::YieldOp::create(
            at, inner,
            ValueRange{next.list, next.count, next.candidates, next.left});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

/// The loops over images and classes; their bodies use `emit`, too.
static SmallVector<Value> chooseForAll(Emitter &emit, const Suppression &in,
                                       Value list) {
  OpBuilder &b = emit.builder;
  Value zero = indexConstant(b, emit.loc, 0);
  Value one = indexConstant(b, emit.loc, 1);
  auto images = scf::ForOp::create(b, emit.loc, zero, in.batches, one,
                                   ValueRange{list, zero});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(images.getBody());
  auto classes = scf::ForOp::create(b, emit.loc, zero, in.classes, one,
                                    images.getRegionIterArgs());
  scf::YieldOp::create(b, emit.loc, classes.getResults());
  b.setInsertionPointToStart(classes.getBody());
  SmallVector<Value> chosen =
      chooseForClass(emit, in, images.getInductionVar(),
                     classes.getInductionVar(), classes.getRegionIterArgs());
  scf::YieldOp::create(b, emit.loc, chosen);
  return images.getResults();
}

static LogicalResult checkBoxes(NodeContext &node) {
  RankedTensorType boxes = tensorTypeOf(node.in(0));
  RankedTensorType scores = tensorTypeOf(node.in(1));
  bool fits = boxes.getRank() == 3 && scores.getRank() == 3 &&
              (boxes.isDynamicDim(2) || boxes.getDimSize(2) == 4) &&
              mayBeSame(node.emit, node.in(0), node.in(1), 0);
  if (fits) {
    std::optional<int64_t> a =
        node.emit.known(node.emit.sizesOf(node.in(0))[1]);
    std::optional<int64_t> b =
        node.emit.known(node.emit.sizesOf(node.in(1))[2]);
    fits = !a || !b || *a == *b;
  }
  if (!fits)
    return node.error("boxes of shape " + shapeText(node.in(0)) +
                          " and scores of shape " + shapeText(node.in(1)) +
                          " do not fit",
                      DiagKind::IngressShapeMismatch);
  for (size_t i : {0, 1, 3, 4})
    if (node.has(i) && node.dtype(i) != DType::Float32)
      return node.error("input " + Twine(i) + " must be float32");
  return success();
}

/// A threshold: a scalar or a vector of one element.
static FailureOr<Value> threshold(NodeContext &node, size_t i) {
  RankedTensorType type = tensorTypeOf(node.in(i));
  if (type.getRank() <= 1 && !llvm::is_contained(type.getShape(), 0))
    return node.emit.scalarOf(node.in(i));
  return node.error("input " + Twine(i) + " must be one number");
}

static FailureOr<Suppression> readSuppression(NodeContext &node) {
  if (failed(checkBoxes(node)))
    return failure();
  Emitter &emit = node.emit;
  Sizes scores = emit.sizesOf(node.in(1));
  OpFoldResult limit = emit.index(0); // no limit given: nothing is chosen
  if (node.has(2)) {
    FailureOr<Sizes> given = node.elements(2);
    if (failed(given))
      return failure();
    if (given->size() != 1)
      return node.error("max_output_boxes_per_class must be one number");
    limit = emit.max(given->front(), emit.index(0));
  }
  Suppression in;
  in.boxes = node.in(0);
  in.scores = node.in(1);
  in.batches = emit.asValue(scores[0]);
  in.classes = emit.asValue(scores[1]);
  in.count = emit.asValue(scores[2]);
  in.limit = emit.asValue(emit.min(limit, scores[2]));
  in.isCentred = node.integer("center_point_box", 0) != 0;
  in.overlapLimit = node.scalars(DType::Float32).number(0);
  for (auto [i, limitOf] :
       {std::pair(3, &in.overlapLimit), std::pair(4, &in.scoreLimit)}) {
    if (!node.has(static_cast<size_t>(i)))
      continue;
    FailureOr<Value> given = threshold(node, static_cast<size_t>(i));
    if (failed(given))
      return failure();
    *limitOf = *given;
  }
  return in;
}

/// What the oracle needs to judge the selection, where the import knows it:
/// boxes per class, the limits of overlap and score, and how boxes are given.
static void markRules(NodeContext &node, const Suppression &in,
                      Operation *loops) {
  SmallVector<double> rules = {0, 0, -HUGE_VAL};
  for (size_t i = 0; i < rules.size(); ++i) {
    if (!node.has(i + 2))
      continue;
    auto known = node.knownNumbers(i + 2);
    if (!known || known->size() != 1)
      return;
    rules[i] = known->front();
  }
  rules[0] = std::clamp(rules[0], 0.0, 0x1p53);
  rules.push_back(in.isCentred ? 1 : 0);
  loops->setAttr(selectsMark, node.emit.builder.getDenseF64ArrayAttr(rules));
}

static LogicalResult nonMaxSuppression(NodeContext &node) {
  FailureOr<Suppression> in = readSuppression(node);
  if (failed(in))
    return failure();
  Emitter &emit = node.emit;
  OpFoldResult rows = emit.product({in->batches, in->classes, in->limit});
  Value list =
      emit.filled({rows, emit.index(3)}, node.scalars(DType::Int64).integer(0));
  SmallVector<Value> chosen = chooseForAll(emit, *in, list);
  markRules(node, *in, chosen[0].getDefiningOp());
  emit.remember(chosen[0], {rows, emit.index(3)});
  Value result =
      emit.slice(chosen[0], {emit.index(0), emit.index(0)},
                 {chosen[1], emit.index(3)}, {emit.index(1), emit.index(1)});
  return node.result(result, DType::Int64);
}

void lh::addNonMaxSuppressionOps(OpTable &table) {
  using namespace OpRule;
  table.add("NonMaxSuppression", {10, 2, Float, nonMaxSuppression});
}
