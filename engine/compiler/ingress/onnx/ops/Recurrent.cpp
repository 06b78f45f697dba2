// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RNN, LSTM and GRU. The products with the inputs of all steps, directions and
// gates are one matrix product before the loop over time; the loop carries the
// states and Y, which each step writes in place.
#include "compiler/ingress/onnx/ops/Recurrent.h"
#include "compiler/ingress/onnx/ops/Families.h"

#include <array>

using namespace lh;
using namespace mlir;

/// What tells the three operators apart.
struct RecurrentKind {
  int64_t gates;
  bool hasCell;
  RecurrentCell cell;
  llvm::SmallVector<StringRef, 3> functions;
};

/// Inputs by position.
enum : size_t { X, W, R, B, Lengths, InitialH, InitialC, Peepholes };

static LogicalResult checkTypes(NodeContext &node) {
  constexpr std::array<int64_t, 8> ranks{3, 3, 3, 2, 1, 3, 3, 2};
  for (size_t i = 0; i < std::min(node.inputCount(), ranks.size()); ++i) {
    if (!node.has(i))
      continue;
    if (node.rank(i) != ranks[i])
      return node.error("input " + Twine(i) + " has rank " +
                            Twine(node.rank(i)) + ", not " + Twine(ranks[i]),
                        DiagKind::IngressShapeMismatch);
    bool isInteger =
        node.dtype(i) == DType::Int32 || node.dtype(i) == DType::Int64;
    bool fits = i == Lengths ? isInteger : node.dtype(i) == node.dtype();
    if (!fits)
      return node.error("input " + Twine(i) + " has element type '" +
                        dtypeName(node.dtype(i)) + "'");
  }
  return success();
}

/// Sizes that are known must be the ones that the layer has.
static LogicalResult checkSizes(const RecurrentLayer &layer, size_t i,
                                const Sizes &wanted) {
  NodeContext &node = layer.node;
  if (!node.has(i))
    return success();
  Sizes own = layer.emit.sizesOf(node.in(i));
  for (size_t dim = 0; dim < own.size(); ++dim) {
    std::optional<int64_t> a = layer.emit.known(own[dim]);
    std::optional<int64_t> b = layer.emit.known(wanted[dim]);
    if (a && b && *a != *b)
      return node.error("input " + Twine(i) + " of shape " +
                            shapeText(node.in(i)) + " has size " + Twine(*a) +
                            " at dimension " + Twine(dim) + ", not " +
                            Twine(*b),
                        DiagKind::IngressShapeMismatch);
  }
  return success();
}

static LogicalResult checkAllSizes(const RecurrentLayer &layer) {
  Emitter &emit = layer.emit;
  OpFoldResult directions = emit.index(static_cast<int64_t>(layer.directions));
  OpFoldResult hidden = emit.index(layer.hidden);
  OpFoldResult rows = emit.index(layer.gates * layer.hidden);
  OpFoldResult biases = emit.index(2 * layer.gates * layer.hidden);
  OpFoldResult peepholes = emit.index(3 * layer.hidden);
  OpFoldResult width = emit.sizesOf(layer.node.in(X)).back();
  Sizes states{directions, layer.batch, hidden};
  if (layer.batchFirst)
    std::swap(states[0], states[1]);
  bool good = succeeded(checkSizes(layer, W, {directions, rows, width})) &&
              succeeded(checkSizes(layer, R, {directions, rows, hidden})) &&
              succeeded(checkSizes(layer, B, {directions, biases})) &&
              succeeded(checkSizes(layer, Lengths, {layer.batch})) &&
              succeeded(checkSizes(layer, InitialH, states)) &&
              succeeded(checkSizes(layer, InitialC, states)) &&
              succeeded(checkSizes(layer, Peepholes, {directions, peepholes}));
  return success(good);
}

static LogicalResult readDirection(RecurrentLayer &layer) {
  std::string direction = layer.node.text("direction", "forward");
  layer.startsReverse = direction == "reverse";
  if (direction == "bidirectional")
    layer.directions = 2;
  else if (direction != "forward" && direction != "reverse")
    return layer.node.error("unknown direction '" + direction + "'");
  return success();
}

static LogicalResult readLayer(RecurrentLayer &layer,
                               const RecurrentKind &kind) {
  NodeContext &node = layer.node;
  if (failed(checkTypes(node)) || failed(readDirection(layer)))
    return failure();
  int64_t layout = node.integer("layout", 0);
  if (layout != 0 && layout != 1)
    return node.error("'layout' is " + Twine(layout) + ", not 0 or 1");
  layer.batchFirst = layout == 1;
  layer.gates = kind.gates;
  std::optional<int64_t> width =
      layer.emit.known(layer.emit.sizesOf(node.in(R)).back());
  layer.hidden = node.integer("hidden_size", width.value_or(0));
  if (layer.hidden < 1 || layer.hidden > (1 << 24))
    return node.error("'hidden_size' is " + Twine(layer.hidden));
  Sizes sizes = layer.emit.sizesOf(node.in(X));
  layer.steps = sizes[layer.batchFirst ? 1 : 0];
  layer.batch = sizes[layer.batchFirst ? 0 : 1];
  if (node.attribute("clip") && node.number("clip", 0.0) > 0)
    layer.clip = node.number("clip", 0.0);
  FailureOr<std::vector<GateFunction>> functions =
      gateFunctions(node, kind.functions, layer.directions);
  if (failed(functions))
    return failure();
  layer.functions = *functions;
  layer.lengths = node.has(Lengths) ? node.in(Lengths) : Value();
  return checkAllSizes(layer);
}

/// Whether R's bias of the hidden gate stays inside of GRU's reset.
static bool keepsGateBias(const RecurrentLayer &layer) {
  return layer.node.opType() == "GRU" &&
         layer.node.integer("linear_before_reset", 0) != 0;
}

/// Wb + Rb of all directions and gates, (directions * gates * hidden).
static Value joinedBiases(const RecurrentLayer &layer) {
  Emitter &emit = layer.emit;
  int64_t rows = layer.gates * layer.hidden;
  auto directions = static_cast<int64_t>(layer.directions);
  Value biases = layer.node.in(B);
  auto half = [&](int64_t which) {
    OpFoldResult one = emit.index(1);
    return emit.slice(biases, {emit.index(0), emit.index(which * rows)},
                      {emit.index(directions), emit.index(rows)}, {one, one});
  };
  int64_t joined = rows - (keepsGateBias(layer) ? layer.hidden : 0);
  Value sums = emit.map({half(0), half(1)}, layer.node.typeOf(layer.dtype),
                        [&](OpBuilder &b, Location loc, ValueRange v) {
                          Scalars s(b, loc, layer.dtype);
                          Value sum = s.add(v[0], v[1]);
                          if (joined == rows)
                            return sum;
                          Value isJoined =
                              indexLess(b, loc, Emitter::loopIndex(b, loc, 1),
                                        indexConstant(b, loc, joined));
                          return s.select(isJoined, sum, v[0]);
                        });
  return emit.reshape(sums, {emit.index(directions * rows)});
}

/// X * W^T + biases for every step at once.
static void project(RecurrentLayer &layer) {
  Emitter &emit = layer.emit;
  NodeContext &node = layer.node;
  Value x = node.in(X);
  if (layer.batchFirst)
    x = emit.transpose(x, {1, 0, 2});
  OpFoldResult width = emit.sizesOf(x).back();
  OpFoldResult rows = emit.mul(layer.steps, layer.batch);
  OpFoldResult columns = emit.index(static_cast<int64_t>(layer.directions) *
                                    layer.gates * layer.hidden);
  Value flat = emit.reshape(x, {rows, width});
  Value weights = emit.reshape(node.in(W), {columns, width});
  Value init =
      node.has(B)
          ? emit.broadcastTo(joinedBiases(layer), {rows, columns})
          : emit.filled({rows, columns}, node.scalars(layer.dtype).number(0));
  Value product = emitMatmul(emit, flat, weights, init, false, true);
  layer.projected = emit.reshape(product, {layer.steps, layer.batch, columns});
}

/// Part `d` of a tensor whose dimension `axis` counts the directions.
static Value ofDirection(const RecurrentLayer &layer, Value tensor, size_t d,
                         size_t axis = 0) {
  Emitter &emit = layer.emit;
  Sizes sizes = emit.sizesOf(tensor), offsets(sizes.size(), emit.index(0));
  SmallVector<bool> dropped(sizes.size(), false);
  offsets[axis] = emit.index(static_cast<int64_t>(d));
  sizes[axis] = emit.index(1);
  dropped[axis] = true;
  return sliceWithout(emit, tensor, offsets, sizes, dropped);
}

static Value initialState(const RecurrentLayer &layer, size_t input, size_t d) {
  NodeContext &node = layer.node;
  Sizes sizes{layer.batch, layer.emit.index(layer.hidden)};
  if (!node.has(input))
    return layer.emit.filled(sizes, node.scalars(layer.dtype).number(0));
  Value state = ofDirection(layer, node.in(input), d, layer.batchFirst ? 1 : 0);
  return layer.emit.castTo(
      state, tensorTypeOf(layer.emit.empty(sizes, node.typeOf(layer.dtype))));
}

/// Rb of GRU's hidden gate, (hidden).
static Value hiddenGateBias(const RecurrentLayer &layer, size_t d) {
  Emitter &emit = layer.emit;
  if (!keepsGateBias(layer))
    return Value();
  if (!layer.node.has(B))
    return emit.filled({emit.index(layer.hidden)},
                       layer.node.scalars(layer.dtype).number(0));
  return emit.slice(ofDirection(layer, layer.node.in(B), d),
                    {emit.index(5 * layer.hidden)}, {emit.index(layer.hidden)},
                    {emit.index(1)});
}

/// Runs direction `d` through time. `output` is Y so far, or none.
static SmallVector<Value> runDirection(const RecurrentLayer &layer,
                                       const RecurrentKind &kind, size_t d,
                                       Value output) {
  Emitter &emit = layer.emit;
  NodeContext &node = layer.node;
  RecurrentStep step(layer);
  step.direction = d;
  step.weights = ofDirection(layer, node.in(R), d);
  step.peepholes =
      node.has(Peepholes) ? ofDirection(layer, node.in(Peepholes), d) : Value();
  step.gateBias = hiddenGateBias(layer, d);
  SmallVector<Value> carried{initialState(layer, InitialH, d)};
  if (kind.hasCell)
    carried.push_back(initialState(layer, InitialC, d));
  if (output)
    carried.push_back(output);
  bool isReverse = d == 1 || layer.startsReverse;
  Sizes sizes{emit.index(1), emit.index(1), layer.batch,
              emit.index(layer.hidden)};
  return emitLoop(emit, layer.steps, carried, [&](Value t, ValueRange now) {
    OpFoldResult last = emit.sub(layer.steps, emit.index(1));
    step.position = isReverse ? emit.asValue(emit.sub(last, t)) : t;
    step.state = now[0];
    step.cell = kind.hasCell ? now[1] : Value();
    Sizes offsets{step.position, emit.index(static_cast<int64_t>(d)),
                  emit.index(0), emit.index(0)};
    if (output)
      step.output = sliceWithout(emit, now.back(), offsets, sizes,
                                 {true, true, false, false});
    SmallVector<Value> next = kind.cell(step);
    if (output)
      next.back() = insertSlice(emit, next.back(), now.back(), offsets, sizes);
    return next;
  });
}

/// The last states of all directions, in the node's layout.
static Value joinStates(const RecurrentLayer &layer, ArrayRef<Value> states) {
  Emitter &emit = layer.emit;
  OpFoldResult one = emit.index(1), hidden = emit.index(layer.hidden);
  size_t axis = layer.batchFirst ? 1 : 0;
  SmallVector<Value> parts;
  for (Value state : states) {
    Sizes sizes{layer.batch, hidden};
    sizes.insert(sizes.begin() + static_cast<ptrdiff_t>(axis), one);
    parts.push_back(emit.reshape(state, sizes));
  }
  return emit.concat(static_cast<int64_t>(axis), parts);
}

static LogicalResult recurrent(NodeContext &node, const RecurrentKind &kind) {
  RecurrentLayer layer(node);
  if (failed(readLayer(layer, kind)))
    return failure();
  project(layer);
  Emitter &emit = layer.emit;
  Sizes sizes{layer.steps, emit.index(static_cast<int64_t>(layer.directions)),
              layer.batch, emit.index(layer.hidden)};
  Value output =
      node.wants(0) ? emit.empty(sizes, node.typeOf(layer.dtype)) : Value();
  SmallVector<Value> hidden, cells;
  for (size_t d = 0; d < layer.directions; ++d) {
    SmallVector<Value> last = runDirection(layer, kind, d, output);
    hidden.push_back(last[0]);
    if (kind.hasCell)
      cells.push_back(last[1]);
    if (output)
      output = last.back();
  }
  if (output)
    node.set(0,
             layer.batchFirst ? emit.transpose(output, {2, 0, 1, 3}) : output,
             layer.dtype);
  if (node.wants(1))
    node.set(1, joinStates(layer, hidden), layer.dtype);
  if (node.wants(2) && kind.hasCell)
    node.set(2, joinStates(layer, cells), layer.dtype);
  return success();
}

static LogicalResult rnn(NodeContext &node) {
  return recurrent(node, {1, false, rnnCell, {"Tanh"}});
}
static LogicalResult lstm(NodeContext &node) {
  return recurrent(node, {4, true, lstmCell, {"Sigmoid", "Tanh", "Tanh"}});
}
static LogicalResult gru(NodeContext &node) {
  return recurrent(node, {3, false, gruCell, {"Sigmoid", "Tanh"}});
}

void lh::addRecurrentOps(OpTable &table) {
  using namespace OpRule;
  table.add("RNN", {1, 3, Float | WidenHalf, rnn});
  table.add("LSTM", {1, 3, Float | WidenHalf, lstm});
  table.add("GRU", {1, 3, Float | WidenHalf, gru});
}
