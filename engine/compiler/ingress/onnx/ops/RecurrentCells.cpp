// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One time step of RNN, LSTM and GRU.
#include "compiler/ingress/onnx/ops/Recurrent.h"

using namespace lh;
using namespace mlir;

Value RecurrentLayer::clipped(const Scalars &s, Value x) const {
  if (!clip)
    return x;
  return s.min(s.max(x, s.number(-*clip)), s.number(*clip));
}

void StepOperands::add(Emitter &emit, Value tensor, ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> exprs;
  for (unsigned dim : dims)
    exprs.push_back(emit.builder.getAffineDimExpr(dim));
  values.push_back(tensor);
  maps.push_back(AffineMap::get(2, 0, exprs, emit.builder.getContext()));
}

const GateFunction &RecurrentStep::function(size_t i) const {
  size_t each = layer.functions.size() / layer.directions;
  return layer.functions[direction * each + i];
}

Value RecurrentStep::input(int64_t gate) const {
  Emitter &emit = layer.emit;
  int64_t column =
      (static_cast<int64_t>(direction) * layer.gates + gate) * layer.hidden;
  return sliceWithout(emit, layer.projected,
                      {position, emit.index(0), emit.index(column)},
                      {emit.index(1), layer.batch, emit.index(layer.hidden)},
                      {true, false, false});
}

SmallVector<Value> RecurrentStep::recurrent(Value value, int64_t first,
                                            int64_t count) const {
  Emitter &emit = layer.emit;
  int64_t hidden = layer.hidden;
  OpFoldResult zero = emit.index(0), one = emit.index(1);
  OpFoldResult rows = emit.index(count * hidden), width = emit.index(hidden);
  Value part = weights;
  if (count != layer.gates)
    part = emit.slice(weights, {emit.index(first * hidden), zero},
                      {rows, width}, {one, one});
  Value init = emit.filled({layer.batch, rows},
                           layer.node.scalars(layer.dtype).number(0));
  Value product = emitMatmul(emit, value, part, init, false, true);
  SmallVector<Value> each;
  for (int64_t gate = 0; gate < count; ++gate)
    each.push_back(emit.slice(product, {zero, emit.index(gate * hidden)},
                              {layer.batch, width}, {one, one}));
  return each;
}

SmallVector<Value> RecurrentStep::finish(
    StepOperands operands,
    llvm::function_ref<SmallVector<Value>(const Scalars &, ValueRange)> body)
    const {
  Emitter &emit = layer.emit;
  if (layer.lengths)
    operands.add(emit, layer.lengths, {0});
  size_t inputs = operands.values.size();
  size_t states = cell ? 2 : 1;
  SmallVector<Value> inits{state};
  if (cell)
    inits.push_back(cell);
  if (output)
    inits.push_back(output);
  AffineMap identity = emit.builder.getMultiDimIdentityMap(2);
  operands.maps.append(inits.size(), identity);
  return emit.genericMany(
      operands.values, operands.maps, inits, {false, false},
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, layer.dtype);
        SmallVector<Value> seen(v);
        size_t own = layer.lengths ? inputs - 1 : inputs;
        seen.erase(seen.begin() + static_cast<ptrdiff_t>(own),
                   seen.begin() + static_cast<ptrdiff_t>(inputs));
        SmallVector<Value> next = body(s, seen);
        Value shown = next.front();
        if (layer.lengths) {
          Value length = toIndex(b, loc, v[own], layer.node.dtype(4));
          Value active = indexLess(b, loc, position, length);
          shown = s.select(active, shown, s.number(0));
          for (size_t i = 0; i < states; ++i)
            next[i] = s.select(active, next[i], v[inputs + i]);
        }
        if (output)
          next.push_back(shown);
        return next;
      });
}

/// f(clip(x + r)).
static Value gateOf(const RecurrentStep &step, const Scalars &s, size_t i,
                    Value x) {
  return step.function(i)(s, step.layer.clipped(s, x));
}

SmallVector<Value> lh::rnnCell(const RecurrentStep &step) {
  StepOperands operands;
  operands.add(step.layer.emit, step.input(0));
  operands.add(step.layer.emit, step.recurrent(step.state, 0, 1).front());
  return step.finish(operands, [&](const Scalars &s, ValueRange v) {
    return SmallVector<Value>{gateOf(step, s, 0, s.add(v[0], v[1]))};
  });
}

/// Peephole weights are ordered i, o, f.
static void addPeepholes(const RecurrentStep &step, StepOperands &operands) {
  Emitter &emit = step.layer.emit;
  OpFoldResult width = emit.index(step.layer.hidden);
  for (int64_t gate = 0; gate < 3 && step.peepholes; ++gate)
    operands.add(emit,
                 emit.slice(step.peepholes,
                            {emit.index(gate * step.layer.hidden)}, {width},
                            {emit.index(1)}),
                 {1});
}

/// Gates are ordered i, o, f, c.
SmallVector<Value> lh::lstmCell(const RecurrentStep &step) {
  Emitter &emit = step.layer.emit;
  StepOperands operands;
  for (int64_t gate = 0; gate < 4; ++gate)
    operands.add(emit, step.input(gate));
  for (Value part : step.recurrent(step.state, 0, 4))
    operands.add(emit, part);
  addPeepholes(step, operands);
  bool couples = step.layer.node.integer("input_forget", 0) != 0;
  return step.finish(operands, [&](const Scalars &s, ValueRange v) {
    Value before = v[step.peepholes ? 12 : 9];
    auto sum = [&](size_t gate) { return s.add(v[gate], v[4 + gate]); };
    // What a gate sees of the cell, through peephole weight `which`.
    auto peeped = [&](Value x, size_t which, Value cell) {
      return step.peepholes ? s.add(x, s.mul(v[8 + which], cell)) : x;
    };
    Value input = gateOf(step, s, 0, peeped(sum(0), 0, before));
    Value forget = couples ? s.sub(s.number(1), input)
                           : gateOf(step, s, 0, peeped(sum(2), 2, before));
    Value candidate = gateOf(step, s, 1, sum(3));
    Value cell = s.add(s.mul(forget, before), s.mul(input, candidate));
    Value output = gateOf(step, s, 0, peeped(sum(1), 1, cell));
    Value hidden = s.mul(output, gateOf(step, s, 2, cell));
    return SmallVector<Value>{hidden, cell};
  });
}

/// r (.) H: what the hidden gate's product takes if it comes after the reset.
static Value resetState(const RecurrentStep &step, Value fromInput,
                        Value fromState) {
  Emitter &emit = step.layer.emit;
  return emit.map({fromInput, fromState, step.state},
                  step.layer.node.typeOf(step.layer.dtype),
                  [&](OpBuilder &b, Location loc, ValueRange v) {
                    Scalars s(b, loc, step.layer.dtype);
                    return s.mul(gateOf(step, s, 0, s.add(v[0], v[1])), v[2]);
                  });
}

/// Gates are ordered z, r, h.
SmallVector<Value> lh::gruCell(const RecurrentStep &step) {
  Emitter &emit = step.layer.emit;
  bool isLinear = step.gateBias != nullptr;
  SmallVector<Value> inputs{step.input(0), step.input(1), step.input(2)};
  SmallVector<Value> parts = step.recurrent(step.state, 0, isLinear ? 3 : 2);
  if (!isLinear) {
    Value reset = resetState(step, inputs[1], parts[1]);
    parts.push_back(step.recurrent(reset, 2, 1).front());
  }
  StepOperands operands;
  for (Value value : inputs)
    operands.add(emit, value);
  for (Value value : parts)
    operands.add(emit, value);
  if (isLinear)
    operands.add(emit, step.gateBias, {1});
  return step.finish(operands, [&](const Scalars &s, ValueRange v) {
    Value update = gateOf(step, s, 0, s.add(v[0], v[3]));
    Value inner = v[5];
    if (isLinear) {
      Value reset = gateOf(step, s, 0, s.add(v[1], v[4]));
      inner = s.mul(reset, s.add(v[5], v[6]));
    }
    Value candidate = gateOf(step, s, 1, s.add(v[2], inner));
    Value kept = s.mul(update, v[isLinear ? 7 : 6]);
    Value rest = s.sub(s.number(1), update);
    return SmallVector<Value>{s.add(s.mul(rest, candidate), kept)};
  });
}
