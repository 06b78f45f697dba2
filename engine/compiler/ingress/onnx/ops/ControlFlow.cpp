// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If, Loop and Scan.
#include "compiler/ingress/onnx/ops/ControlFlow.h"
#include "compiler/ingress/emit/EmitterLoop.h"
#include "compiler/ingress/onnx/OnnxLoop.h"
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace lh;
using namespace mlir;

static FailureOr<const OnnxGraph *> subgraph(NodeContext &node,
                                             StringRef name) {
  const OnnxAttribute *attribute = node.attribute(name);
  if (attribute && attribute->graph)
    return attribute->graph.get();
  return node.error("'" + name + "' must be a graph");
}

std::optional<bool> lh::knownTruth(Value tensor) {
  DenseElementsAttr attribute;
  if (!matchPattern(tensor, m_Constant(&attribute)) ||
      attribute.getNumElements() != 1)
    return std::nullopt;
  return !(*attribute.getValues<APInt>().begin()).isZero();
}

/// The single element of a bool tensor as i1.
static FailureOr<Value> truthOf(NodeContext &node, const ImportedValue &value) {
  RankedTensorType type = tensorTypeOf(value.tensor);
  if (value.dtype != DType::Bool || type.getRank() > 1)
    return node.error("the condition must be one bool");
  return node.scalars(DType::Bool).fromBool(node.emit.scalarOf(value.tensor));
}

LogicalResult lh::keepAll(NodeContext &node,
                          std::vector<ImportedValue> values) {
  if (values.size() < node.outputCount())
    return node.error("its subgraph gives " + Twine(values.size()) +
                      " outputs; the node has " + Twine(node.outputCount()));
  for (size_t i = 0; i < node.outputCount(); ++i)
    node.results[i] = std::move(values[i]);
  return success();
}

namespace {
/// A branch of If, built in a region of its own.
struct Branch {
  Region region;
  std::vector<ImportedValue> outputs;
};
} // namespace

static LogicalResult buildBranch(NodeContext &node, StringRef name,
                                 Branch &branch) {
  FailureOr<const OnnxGraph *> graph = subgraph(node, name);
  if (failed(graph))
    return failure();
  Location loc = node.emit.loc;
  Emitter::RegionScope scope(node.emit);
  node.emit.builder.setInsertionPointToStart(&branch.region.emplaceBlock());
  FailureOr<std::vector<ImportedValue>> outputs =
      node.bodies.importBody(**graph, {});
  node.emit.loc = loc;
  if (failed(outputs))
    return failure();
  branch.outputs = std::move(*outputs);
  return success();
}

static void endBranch(NodeContext &node, Branch &branch, ArrayRef<Type> types) {
  Emitter::RegionScope scope(node.emit);
  node.emit.builder.setInsertionPointToEnd(&branch.region.front());
  SmallVector<Value> yields;
  for (auto [value, type] : llvm::zip(branch.outputs, types))
    yields.push_back(
        node.emit.castTo(value.tensor, cast<RankedTensorType>(type)));
  scf::YieldOp::create(node.emit.builder, node.emit.loc, yields);
}

static FailureOr<SmallVector<Type>>
commonTypes(NodeContext &node, const Branch &a, const Branch &b) {
  if (a.outputs.size() != b.outputs.size())
    return node.error("its branches give " + Twine(a.outputs.size()) + " and " +
                      Twine(b.outputs.size()) + " outputs");
  SmallVector<Type> types;
  for (auto [i, pair] : llvm::enumerate(llvm::zip(a.outputs, b.outputs))) {
    auto &[own, other] = pair;
    auto joined =
        joinTypes(tensorTypeOf(own.tensor), tensorTypeOf(other.tensor));
    if (failed(joined) || own.dtype != other.dtype)
      return node.error("output " + Twine(i) +
                            " has another rank or element "
                            "type in each branch",
                        DiagKind::IngressUnsupportedOp);
    types.push_back(*joined);
  }
  return types;
}

/// Whether the branch that is taken must be known, because one gives a list.
static bool givesLists(NodeContext &node) {
  return llvm::any_of(ArrayRef{"then_branch", "else_branch"}, [&](auto name) {
    const OnnxAttribute *branch = node.attribute(name);
    return branch && branch->graph &&
           llvm::any_of(branch->graph->outputs,
                        [](const OnnxValueInfo &out) { return out.isList(); });
  });
}

static LogicalResult convertIf(NodeContext &node) {
  std::optional<bool> known = knownTruth(node.in(0));
  if (!known && givesLists(node)) {
    FailureOr<int64_t> fixed = node.fixedNumber(0, "the condition");
    if (failed(fixed))
      return failure();
    known = *fixed != 0;
  }
  if (known) {
    FailureOr<const OnnxGraph *> graph =
        subgraph(node, *known ? "then_branch" : "else_branch");
    if (failed(graph))
      return failure();
    auto outputs = node.bodies.importBody(**graph, {}, BodyOutputs::Lists);
    return failed(outputs) ? failure() : keepAll(node, std::move(*outputs));
  }
  FailureOr<Value> truth = truthOf(node, node.raw(0));
  Branch then, otherwise;
  if (failed(truth) || failed(buildBranch(node, "then_branch", then)) ||
      failed(buildBranch(node, "else_branch", otherwise)))
    return failure();
  FailureOr<SmallVector<Type>> types = commonTypes(node, then, otherwise);
  if (failed(types))
    return failure();
  endBranch(node, then, *types);
  endBranch(node, otherwise, *types);
  auto op = scf::IfOp::create(node.emit.builder, node.emit.loc, *types, *truth,
                              /*withElseRegion=*/true);
  op.getThenRegion().takeBody(then.region);
  op.getElseRegion().takeBody(otherwise.region);
  std::vector<ImportedValue> results;
  for (auto [value, result] : llvm::zip(then.outputs, op.getResults()))
    results.push_back({result, value.dtype, std::nullopt, false});
  return keepAll(node, std::move(results));
}

/// The outputs of a loop's body: the condition where there is one, the carried
/// values, the slices.
static FailureOr<LoopStep> stepOf(NodeContext &node,
                                  std::vector<ImportedValue> outputs,
                                  size_t carried, bool hasCondition) {
  LoopStep step;
  size_t first = hasCondition ? 1 : 0;
  if (outputs.size() < first + carried)
    return node.error("the body has " + Twine(outputs.size()) +
                      " outputs; at least " + Twine(first + carried) +
                      " are needed");
  if (hasCondition && !knownTruth(outputs[0].tensor).value_or(false)) {
    FailureOr<Value> truth = truthOf(node, outputs[0]);
    if (failed(truth))
      return failure();
    step.goesOn = *truth;
  }
  auto middle = outputs.begin() + static_cast<ptrdiff_t>(first + carried);
  step.carried.assign(outputs.begin() + static_cast<ptrdiff_t>(first), middle);
  step.stacked.assign(middle, outputs.end());
  return step;
}

static LogicalResult convertLoop(NodeContext &node) {
  FailureOr<const OnnxGraph *> body = subgraph(node, "body");
  if (failed(body))
    return failure();
  for (size_t i = 0; i < 2; ++i)
    if (node.has(i) && !node.raw(i).isTensor())
      return node.error("input " + Twine(i) +
                            " is a sequence or an optional, and the op takes a "
                            "tensor there",
                        DiagKind::IngressUnsupportedOp);
  for (size_t i = 2; i < node.inputCount(); ++i)
    if (node.has(i) &&
        (!node.raw(i).isTensor() ||
         (i < (*body)->inputs.size() && (*body)->inputs[i].isList())))
      return unrollLoop(node, **body);
  LoopSpec spec;
  if (node.has(0)) {
    FailureOr<Sizes> count = node.elements(0);
    if (failed(count))
      return failure();
    if (count->size() != 1)
      return node.error("the trip count must be one number");
    spec.count = node.emit.max(count->front(), node.emit.index(0));
  }
  if (node.has(1)) {
    (void)node.in(1);
    if (std::optional<bool> known = knownTruth(node.in(1))) {
      if (!*known)
        spec.count = node.emit.index(0);
    } else {
      FailureOr<Value> truth = truthOf(node, node.raw(1));
      if (failed(truth))
        return failure();
      spec.starts = *truth;
    }
  }
  for (size_t i = 2; i < node.inputCount(); ++i) {
    if (!node.has(i))
      return node.error("input " + Twine(i) + " is missing");
    spec.carried.push_back({node.in(i), node.dtype(i), std::nullopt, false});
  }
  auto results = emitOnnxLoop(
      node, spec,
      [&](Value iteration,
          ArrayRef<ImportedValue> carried) -> FailureOr<LoopStep> {
        // The body only runs while the condition holds.
        std::vector<ImportedValue> inputs{
            {Value(), DType::Int64, Sizes{iteration}, true},
            {node.emit.constant({}, {1}, DType::Bool), DType::Bool,
             std::nullopt, false}};
        inputs.insert(inputs.end(), carried.begin(), carried.end());
        auto outputs = node.bodies.importBody(**body, inputs);
        if (failed(outputs))
          return failure();
        return stepOf(node, std::move(*outputs), carried.size(), true);
      });
  return failed(results) ? failure() : keepAll(node, std::move(*results));
}

namespace {
/// One Scan: `states` and the tensors it runs along.
struct ScanSpec {
  const OnnxGraph *body = nullptr;
  std::vector<ImportedValue> states, scanned;
  std::vector<int64_t> axes;        ///< per scanned tensor
  std::vector<bool> reversed;       ///< per scanned tensor
  std::vector<bool> outputReversed; ///< per stacked output
};
} // namespace

/// `tensor` at `position` of `axis`, without that axis.
static Value sliceAt(Emitter &emit, Value tensor, int64_t axis,
                     OpFoldResult position) {
  Sizes sizes = emit.sizesOf(tensor);
  Sizes offsets(sizes.size(), emit.index(0));
  SmallVector<bool> dropped(sizes.size(), false);
  auto at = static_cast<size_t>(axis);
  offsets[at] = position;
  sizes[at] = emit.index(1);
  dropped[at] = true;
  return sliceWithout(emit, tensor, offsets, sizes, dropped);
}

static FailureOr<std::vector<ImportedValue>> emitScan(NodeContext &node,
                                                      const ScanSpec &scan) {
  Emitter &emit = node.emit;
  LoopSpec loop;
  loop.carried = scan.states;
  loop.reversed = scan.outputReversed;
  loop.count = emit.sizesOf(
      scan.scanned.front().tensor)[static_cast<size_t>(scan.axes.front())];
  return emitOnnxLoop(
      node, loop,
      [&](Value iteration,
          ArrayRef<ImportedValue> carried) -> FailureOr<LoopStep> {
        std::vector<ImportedValue> inputs(carried.begin(), carried.end());
        for (auto [i, value] : llvm::enumerate(scan.scanned)) {
          OpFoldResult position = iteration;
          if (scan.reversed[i])
            position =
                emit.sub(emit.sub(*loop.count, emit.index(1)), iteration);
          inputs.push_back({sliceAt(emit, value.tensor, scan.axes[i], position),
                            value.dtype, std::nullopt, false});
        }
        auto outputs = node.bodies.importBody(*scan.body, inputs);
        if (failed(outputs))
          return failure();
        return stepOf(node, std::move(*outputs), carried.size(), false);
      });
}

/// A list attribute with one number per tensor; all zero when absent.
static FailureOr<std::vector<int64_t>> perTensor(NodeContext &node,
                                                 StringRef name, size_t count) {
  std::vector<int64_t> values =
      node.integers(name).value_or(std::vector<int64_t>(count, 0));
  if (values.size() != count)
    return node.error("'" + name + "' has " + Twine(values.size()) +
                      " numbers; " + Twine(count) + " are needed");
  return values;
}

static std::vector<bool> asFlags(ArrayRef<int64_t> values) {
  std::vector<bool> flags;
  for (int64_t value : values)
    flags.push_back(value != 0);
  return flags;
}

/// States and scanned tensors, from input `first` on.
static FailureOr<ScanSpec> scanOperands(NodeContext &node, size_t first) {
  ScanSpec scan;
  FailureOr<const OnnxGraph *> body = subgraph(node, "body");
  if (failed(body))
    return failure();
  scan.body = *body;
  int64_t scanned = node.integer("num_scan_inputs", 0);
  if (scanned < 1 || scanned > static_cast<int64_t>(node.inputCount() - first))
    return node.error("'num_scan_inputs' is " + Twine(scanned) + " of " +
                      Twine(node.inputCount() - first) + " inputs");
  for (size_t i = first; i < node.inputCount(); ++i) {
    if (!node.has(i))
      return node.error("input " + Twine(i) + " is missing");
    bool isState = i + static_cast<size_t>(scanned) < node.inputCount();
    (isState ? scan.states : scan.scanned)
        .push_back({node.in(i), node.dtype(i), std::nullopt, false});
  }
  return scan;
}

static LogicalResult convertScan(NodeContext &node) {
  FailureOr<ScanSpec> scan = scanOperands(node, 0);
  if (failed(scan))
    return failure();
  size_t count = scan->scanned.size(), states = scan->states.size();
  size_t outputs = node.outputCount() - std::min(node.outputCount(), states);
  auto axes = perTensor(node, "scan_input_axes", count);
  auto reversed = perTensor(node, "scan_input_directions", count);
  auto outputAxes = perTensor(node, "scan_output_axes", outputs);
  auto outputReversed = perTensor(node, "scan_output_directions", outputs);
  if (failed(axes) || failed(reversed) || failed(outputAxes) ||
      failed(outputReversed))
    return failure();
  for (auto [i, given] : llvm::enumerate(*axes)) {
    FailureOr<int64_t> axis = node.axis(given, rankOf(scan->scanned[i].tensor));
    if (failed(axis))
      return failure();
    scan->axes.push_back(*axis);
  }
  scan->reversed = asFlags(*reversed);
  scan->outputReversed = asFlags(*outputReversed);
  FailureOr<std::vector<ImportedValue>> results = emitScan(node, *scan);
  if (failed(results) || failed(keepAll(node, std::move(*results))))
    return failure();
  for (auto [i, given] : llvm::enumerate(*outputAxes)) {
    Value &tensor = node.results[states + i]->tensor;
    FailureOr<int64_t> axis = node.axis(given, rankOf(tensor));
    if (failed(axis))
      return failure();
    SmallVector<int64_t> order;
    for (int64_t dim = 1; dim < rankOf(tensor); ++dim)
      order.push_back(dim);
    order.insert(order.begin() + *axis, 0);
    if (*axis != 0)
      tensor = node.emit.transpose(tensor, order);
  }
  return success();
}

/// Opset 8: everything has a batch dimension, which the body doesn't see.
static LogicalResult convertBatchedScan(NodeContext &node) {
  if (node.has(0))
    return node.error("'sequence_lens' is not supported",
                      DiagKind::IngressUnsupportedOp);
  FailureOr<ScanSpec> all = scanOperands(node, 1);
  if (failed(all))
    return failure();
  auto reversed = perTensor(node, "directions", all->scanned.size());
  if (failed(reversed))
    return failure();
  for (const auto *list : {&all->states, &all->scanned})
    for (const ImportedValue &value : *list)
      if (rankOf(value.tensor) < (list == &all->scanned ? 2 : 1))
        return node.error("an input lacks its batch or sequence dimension",
                          DiagKind::IngressShapeMismatch);
  LoopSpec batch;
  batch.count = node.emit.sizesOf(all->scanned.front().tensor).front();
  auto results = emitOnnxLoop(
      node, batch,
      [&](Value sample, ArrayRef<ImportedValue>) -> FailureOr<LoopStep> {
        ScanSpec scan;
        scan.body = all->body;
        scan.axes.assign(all->scanned.size(), 0);
        scan.reversed = asFlags(*reversed);
        for (const ImportedValue &value : all->states)
          scan.states.push_back({sliceAt(node.emit, value.tensor, 0, sample),
                                 value.dtype, std::nullopt, false});
        for (const ImportedValue &value : all->scanned)
          scan.scanned.push_back({sliceAt(node.emit, value.tensor, 0, sample),
                                  value.dtype, std::nullopt, false});
        auto slices = emitScan(node, scan);
        if (failed(slices))
          return failure();
        return stepOf(node, std::move(*slices), 0, false);
      });
  return failed(results) ? failure() : keepAll(node, std::move(*results));
}

void lh::addControlFlowOps(OpTable &table) {
  using namespace OpRule;
  table.add("If", {1, 1, Bool, convertIf});
  table.add("Loop", {1, 0, Sequences, convertLoop});
  table.add("Scan", {8, 0, None, convertBatchedScan});
  table.add("Scan", {9, 1, None, convertScan});
}
