// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LinearAttention: a matrix per head that every token updates and reads. What
// depends on one token alone is computed for all of them before the loop.
#include "compiler/ingress/onnx/OnnxLoop.h"
#include "compiler/ingress/onnx/ops/Attention.h"
#include "compiler/ingress/emit/Products.h"
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

/// Inputs by position.
enum : size_t { Query, Key, ValueInput, Past, Decay, Beta };

namespace {
struct LinearAttention {
  DType dtype;           ///< computes
  int64_t heads;         ///< of key and value, and states
  int64_t group;         ///< query heads that share a state
  bool decays, corrects; ///< by update_rule
  OpFoldResult batch, steps, keySize, valueSize;
};

/// One matrix per token and state: (steps, batch * heads, rows, columns).
/// Null where the rule has no use for it.
struct Tokens {
  Value query;  ///< group by keySize
  Value column; ///< the key, as a column
  Value row;    ///< the key as a row, decayed
  Value value;  ///< a row
  Value gate;   ///< what the state is multiplied by: a column or a scalar
  Value beta;   ///< a scalar
};
} // namespace

static LogicalResult readRule(NodeContext &node, LinearAttention &plan) {
  std::string rule = node.text("update_rule", "gated_delta");
  plan.decays = rule == "gated" || rule == "gated_delta";
  plan.corrects = rule == "delta" || rule == "gated_delta";
  if (!plan.decays && !plan.corrects && rule != "linear")
    return node.error(
        "update_rule is '" + rule +
        "'; it can be 'linear', 'gated', 'delta' and 'gated_delta'");
  auto check = [&](size_t input, StringRef name, bool needs) {
    if (node.has(input) == needs)
      return success();
    return node.error("update_rule '" + rule + "' " +
                      (needs ? "needs" : "takes no") + " '" + name + "'");
  };
  if (failed(check(Decay, "decay", plan.decays)) ||
      failed(check(Beta, "beta", plan.corrects)))
    return failure();
  int64_t queryHeads = node.integer("q_num_heads", 0);
  plan.heads = node.integer("kv_num_heads", 0);
  if (plan.heads < 1 || queryHeads < 1 || queryHeads % plan.heads != 0)
    return node.error("q_num_heads (" + Twine(queryHeads) +
                      ") must be a positive multiple of kv_num_heads (" +
                      Twine(plan.heads) + ")");
  plan.group = queryHeads / plan.heads;
  return success();
}

/// Checks that input `i` is (batch, steps, a multiple of `heads`); returns the
/// size of a head.
static FailureOr<OpFoldResult> headSize(NodeContext &node,
                                        const LinearAttention &plan, size_t i,
                                        int64_t heads) {
  Emitter &emit = node.emit;
  Value tensor = node.in(i);
  if (node.dtype(i) != node.dtype())
    return node.error("input " + Twine(i) + " has element type '" +
                      dtypeName(node.dtype(i)) + "', not the query's '" +
                      dtypeName(node.dtype()) + "'");
  if (rankOf(tensor) != 3)
    return node.error("input " + Twine(i) + " of shape " + shapeText(tensor) +
                          " must have rank 3",
                      DiagKind::IngressShapeMismatch);
  Sizes sizes = emit.sizesOf(tensor);
  if (failed(checkSame(node, sizes[0], plan.batch, "the batches")) ||
      failed(checkSame(node, sizes[1], plan.steps, "the lengths")))
    return failure();
  std::optional<int64_t> hidden = emit.known(sizes[2]);
  if (hidden && *hidden % heads != 0)
    return node.error("a hidden size of " + shapeText(tensor) +
                      " cannot be split into " + Twine(heads) + " heads");
  return emit.floorDiv(sizes[2], heads);
}

static LogicalResult readSizes(NodeContext &node, LinearAttention &plan) {
  Emitter &emit = node.emit;
  if (node.rank(Query) != 3)
    return node.error("the query of shape " + shapeText(node.in(Query)) +
                          " must have rank 3",
                      DiagKind::IngressShapeMismatch);
  Sizes sizes = emit.sizesOf(node.in(Query));
  plan.batch = sizes[0];
  plan.steps = sizes[1];
  auto query = headSize(node, plan, Query, plan.heads * plan.group);
  auto key = headSize(node, plan, Key, plan.heads);
  auto value = headSize(node, plan, ValueInput, plan.heads);
  if (failed(query) || failed(key) || failed(value))
    return failure();
  plan.keySize = emit.known(*key) ? *key : *query;
  plan.valueSize = *value;
  return checkSame(node, *query, *key, "the head sizes of query and key");
}

/// (batch, steps, heads * rows * columns) by steps and states.
static Value bySteps(Emitter &emit, const LinearAttention &plan, Value tensor,
                     OpFoldResult rows, OpFoldResult columns) {
  OpFoldResult heads = emit.index(plan.heads);
  Value split = emit.reshape(
      tensor, {plan.batch, plan.steps, heads, emit.mul(rows, columns)});
  Value moved = emit.transpose(split, {1, 0, 2, 3});
  return emit.reshape(moved,
                      {plan.steps, emit.mul(plan.batch, heads), rows, columns});
}

static Value times(NodeContext &node, const LinearAttention &plan, Value a,
                   Value b) {
  return node.emit.map({a, b}, node.typeOf(plan.dtype),
                       [&](OpBuilder &at, Location loc, ValueRange v) {
                         return Scalars(at, loc, plan.dtype).mul(v[0], v[1]);
                       });
}

/// Sets what the states and the keys are multiplied by: exp(decay), per head or
/// per element of the key.
static LogicalResult addDecay(NodeContext &node, const LinearAttention &plan,
                              Tokens &tokens) {
  Emitter &emit = node.emit;
  FailureOr<OpFoldResult> size = headSize(node, plan, Decay, plan.heads);
  if (failed(size))
    return failure();
  std::optional<int64_t> known = emit.known(*size);
  if (!known)
    return node.error("the last dimension of 'decay' must be known",
                      DiagKind::IngressUnsupportedOp);
  if (*known != 1 && failed(checkSame(node, *size, plan.keySize,
                                      "the head sizes of decay and key")))
    return failure();
  OpFoldResult one = emit.index(1);
  Value decay = emit.convert(node.in(Decay), node.dtype(), plan.dtype);
  Value gate = emit.map({decay}, node.typeOf(plan.dtype),
                        [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                          return math::ExpOp::create(b, loc, v[0]);
                        });
  OpFoldResult rows = *known == 1 ? one : plan.keySize;
  tokens.gate = bySteps(emit, plan, gate, rows, one);
  if (plan.corrects)
    tokens.row =
        times(node, plan, tokens.row, bySteps(emit, plan, gate, one, rows));
  return success();
}

static LogicalResult addBeta(NodeContext &node, const LinearAttention &plan,
                             Tokens &tokens) {
  Emitter &emit = node.emit;
  FailureOr<OpFoldResult> size = headSize(node, plan, Beta, 1);
  if (failed(size))
    return failure();
  std::optional<int64_t> known = emit.known(*size);
  if (!known)
    return node.error("the last dimension of 'beta' must be known",
                      DiagKind::IngressUnsupportedOp);
  if (*known != 1 && *known != plan.heads)
    return node.error("the last dimension of 'beta' is " + Twine(*known) +
                          ", neither 1 nor kv_num_heads",
                      DiagKind::IngressShapeMismatch);
  Value beta = emit.convert(node.in(Beta), node.dtype(), plan.dtype);
  if (*known != plan.heads)
    beta = emit.broadcastTo(beta,
                            {plan.batch, plan.steps, emit.index(plan.heads)});
  OpFoldResult one = emit.index(1);
  tokens.beta = bySteps(emit, plan, beta, one, one);
  return success();
}

static FailureOr<Tokens> splitTokens(NodeContext &node,
                                     const LinearAttention &plan) {
  Emitter &emit = node.emit;
  auto input = [&](size_t i) {
    return emit.convert(node.in(i), node.dtype(), plan.dtype);
  };
  OpFoldResult one = emit.index(1), group = emit.index(plan.group);
  Tokens tokens;
  Value scale =
      attentionScale(node, node.number("scale", 0.0), plan.keySize, plan.dtype);
  Value query = emit.map({input(Query)}, node.typeOf(plan.dtype),
                         [&](OpBuilder &b, Location loc, ValueRange v) {
                           return Scalars(b, loc, plan.dtype).mul(v[0], scale);
                         });
  Value key = input(Key);
  tokens.query = bySteps(emit, plan, query, group, plan.keySize);
  tokens.column = bySteps(emit, plan, key, plan.keySize, one);
  tokens.value = bySteps(emit, plan, input(ValueInput), one, plan.valueSize);
  if (plan.corrects)
    tokens.row = bySteps(emit, plan, key, one, plan.keySize);
  if (plan.decays && failed(addDecay(node, plan, tokens)))
    return failure();
  if (plan.corrects && failed(addBeta(node, plan, tokens)))
    return failure();
  return tokens;
}

/// The states before the first token, (batch * heads, keySize, valueSize).
static FailureOr<Value> startStates(NodeContext &node,
                                    const LinearAttention &plan) {
  Emitter &emit = node.emit;
  OpFoldResult heads = emit.index(plan.heads);
  Sizes sizes{emit.mul(plan.batch, heads), plan.keySize, plan.valueSize};
  if (!node.has(Past))
    return emit.filled(sizes, node.scalars(plan.dtype).number(0));
  Value past = node.in(Past);
  if (!isFloat(node.dtype(Past)) || rankOf(past) != 4)
    return node.error("a past state of shape " + shapeText(past) + " and '" +
                          dtypeName(node.dtype(Past)) +
                          "' must have floats and rank 4",
                      DiagKind::IngressShapeMismatch);
  Sizes own = emit.sizesOf(past);
  Sizes wanted{plan.batch, heads, plan.keySize, plan.valueSize};
  for (size_t dim = 0; dim < own.size(); ++dim)
    if (failed(checkSame(node, own[dim], wanted[dim],
                         "the sizes of the past state and of what the other "
                         "inputs ask for")))
      return failure();
  return emit.reshape(emit.convert(past, node.dtype(Past), plan.dtype), sizes);
}

/// The matrices of one token.
static Value at(Emitter &emit, Value tensor, Value step) {
  if (!tensor)
    return Value();
  Sizes sizes = emit.sizesOf(tensor), start(4, emit.index(0));
  start[0] = step;
  sizes[0] = emit.index(1);
  Value part = emit.slice(tensor, start, sizes, Sizes(4, emit.index(1)));
  return emit.reshape(part, {sizes[1], sizes[2], sizes[3]});
}

/// beta * (value - what the decayed states hold under the key).
static Value corrected(NodeContext &node, const LinearAttention &plan,
                       const Tokens &token, Value states) {
  Value held = emitBatchMatmul(node.emit, token.row, states, false, plan.dtype);
  return node.emit.map({token.value, held, token.beta}, node.typeOf(plan.dtype),
                       [&](OpBuilder &b, Location loc, ValueRange v) {
                         Scalars s(b, loc, plan.dtype);
                         return s.mul(v[2], s.sub(v[0], v[1]));
                       });
}

/// gate * states + key x value.
static Value updated(NodeContext &node, const LinearAttention &plan,
                     const Tokens &token, Value states) {
  Emitter &emit = node.emit;
  Value value =
      plan.corrects ? corrected(node, plan, token, states) : token.value;
  SmallVector<Value> inputs{states, token.column, value};
  if (token.gate)
    inputs.push_back(token.gate);
  return emit.mapTo(emit.sizesOf(states), inputs, node.typeOf(plan.dtype),
                    [&](OpBuilder &b, Location loc, ValueRange v) {
                      Scalars s(b, loc, plan.dtype);
                      Value kept = v.size() > 3 ? s.mul(v[3], v[0]) : v[0];
                      return s.add(kept, s.mul(v[1], v[2]));
                    });
}

/// Runs all tokens; returns the states and then the outputs, (steps, batch *
/// heads, group, valueSize).
static FailureOr<std::vector<ImportedValue>>
runTokens(NodeContext &node, const LinearAttention &plan, const Tokens &tokens,
          Value states) {
  Emitter &emit = node.emit;
  auto imported = [&](Value tensor) {
    return ImportedValue{tensor, plan.dtype, std::nullopt, false};
  };
  LoopSpec loop;
  loop.count = plan.steps;
  loop.carried = {imported(states)};
  loop.reversed = {false};
  return emitOnnxLoop(
      node, loop,
      [&](Value step, ArrayRef<ImportedValue> carried) -> FailureOr<LoopStep> {
        auto now = [&](Value tensor) { return at(emit, tensor, step); };
        Tokens token{now(tokens.query), now(tokens.column), now(tokens.row),
                     now(tokens.value), now(tokens.gate),   now(tokens.beta)};
        Value next = updated(node, plan, token, carried[0].tensor);
        Value output =
            emitBatchMatmul(emit, token.query, next, false, plan.dtype);
        return LoopStep{Value(), {imported(next)}, {imported(output)}};
      });
}

/// What comes of no batches.
static LogicalResult giveNothing(NodeContext &node, const LinearAttention &plan,
                                 DType stateType) {
  Emitter &emit = node.emit;
  OpFoldResult heads = emit.index(plan.heads);
  OpFoldResult width =
      emit.mul(emit.index(plan.heads * plan.group), plan.valueSize);
  node.set(0,
           emit.filled({plan.batch, plan.steps, width},
                       node.scalars(node.dtype()).number(0)),
           node.dtype());
  node.set(1,
           emit.filled({plan.batch, heads, plan.keySize, plan.valueSize},
                       node.scalars(stateType).number(0)),
           stateType);
  return success();
}

static LogicalResult linearAttention(NodeContext &node) {
  // com.microsoft's form may ask for earlier states too.
  if (node.integer("state_window", 0) != 0)
    return node.error("'state_window' is not supported",
                      DiagKind::IngressUnsupportedOp);
  Emitter &emit = node.emit;
  LinearAttention plan;
  if (failed(readRule(node, plan)) || failed(readSizes(node, plan)))
    return failure();
  DType stateType = node.dtype(node.has(Past) ? Past : Query);
  plan.dtype =
      stateType == DType::Float64 ? stateType : computedType(node.dtype());
  if (emit.known(plan.batch) == 0)
    return giveNothing(node, plan, stateType);
  FailureOr<Tokens> tokens = splitTokens(node, plan);
  FailureOr<Value> start = startStates(node, plan);
  if (failed(tokens) || failed(start))
    return failure();
  auto results = runTokens(node, plan, *tokens, *start);
  if (failed(results))
    return failure();
  OpFoldResult heads = emit.index(plan.heads);
  OpFoldResult width = emit.mul(emit.index(plan.group), plan.valueSize);
  Value outputs = emit.reshape((*results)[1].tensor,
                               {plan.steps, plan.batch, heads, width});
  outputs = emit.reshape(emit.transpose(outputs, {1, 0, 2, 3}),
                         {plan.batch, plan.steps, emit.mul(heads, width)});
  node.set(0, emit.convert(outputs, plan.dtype, node.dtype()), node.dtype());
  if (!node.wants(1))
    return success();
  Value states = emit.reshape(
      (*results)[0].tensor, {plan.batch, heads, plan.keySize, plan.valueSize});
  node.set(1, emit.convert(states, plan.dtype, stateType), stateType);
  return success();
}

void lh::addLinearAttentionOps(OpTable &table) {
  table.add("LinearAttention", {27, 3, OpRule::Float, linearAttention});
  table.add("com.microsoft.LinearAttention",
            {1, 3, OpRule::Float, linearAttention});
}
