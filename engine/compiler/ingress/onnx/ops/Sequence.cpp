// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences and optionals whose lengths are known at import: lists of the
// importer's own values, of which nothing is left in the module.
#include "compiler/ingress/onnx/ops/Families.h"

using namespace lh;
using namespace mlir;

using Elements = std::vector<ImportedValue>;

static ImportedValue sequenceOf(Elements elements, DType dtype) {
  ImportedValue value;
  value.dtype = elements.empty() ? dtype : elements.front().dtype;
  value.sequence = std::make_shared<const Elements>(std::move(elements));
  return value;
}

static LogicalResult resultSequence(NodeContext &node, Elements elements,
                                    DType dtype) {
  node.results[0] = sequenceOf(std::move(elements), dtype);
  return success();
}

/// The elements of input `i`.
static FailureOr<Elements> elementsOf(NodeContext &node, size_t i) {
  if (!node.raw(i).sequence)
    return node.error("input " + Twine(i) + " is no sequence");
  return *node.raw(i).sequence;
}

/// The place that input `i` names in a sequence of `count`, `otherwise` without
/// it; at most `last`.
static FailureOr<size_t> placeIn(NodeContext &node, size_t i, int64_t count,
                                 int64_t last, int64_t otherwise) {
  int64_t place = otherwise;
  if (node.has(i)) {
    FailureOr<int64_t> given = node.fixedNumber(i, "'position'");
    if (failed(given))
      return failure();
    place = *given;
  }
  if (place < -count || place > last)
    return node.error("there is no place " + Twine(place) +
                      " in a sequence with " + Twine(count) + " of them");
  return static_cast<size_t>(place < 0 ? place + count : place);
}

static LogicalResult constructSequence(NodeContext &node) {
  Elements elements;
  for (size_t i = 0; i < node.inputCount(); ++i) {
    if (!node.has(i) || !node.raw(i).isTensor() ||
        node.dtype(i) != node.dtype(0))
      return node.error("its inputs must be tensors of one type");
    elements.push_back(node.raw(i));
  }
  return resultSequence(node, std::move(elements), node.dtype());
}

static LogicalResult emptySequence(NodeContext &node) {
  std::optional<DType> dtype =
      dtypeOfOnnx(static_cast<int32_t>(node.integer("dtype", 1)));
  if (!dtype)
    return node.error("its elements have a type that isn't supported",
                      DiagKind::IngressUnsupportedType);
  return resultSequence(node, {}, *dtype);
}

static LogicalResult insertElement(NodeContext &node) {
  FailureOr<Elements> elements = elementsOf(node, 0);
  if (failed(elements))
    return failure();
  auto count = static_cast<int64_t>(elements->size());
  FailureOr<size_t> place = placeIn(node, 2, count, count, count);
  if (failed(place))
    return failure();
  if (!node.raw(1).isTensor() || node.dtype(1) != node.dtype(0))
    return node.error("what is inserted must be a tensor of the sequence's "
                      "type");
  elements->insert(elements->begin() + static_cast<ptrdiff_t>(*place),
                   node.raw(1));
  return resultSequence(node, std::move(*elements), node.dtype());
}

static LogicalResult eraseElement(NodeContext &node) {
  FailureOr<Elements> elements = elementsOf(node, 0);
  if (failed(elements))
    return failure();
  auto count = static_cast<int64_t>(elements->size());
  FailureOr<size_t> place = placeIn(node, 1, count, count - 1, count - 1);
  if (failed(place))
    return failure();
  elements->erase(elements->begin() + static_cast<ptrdiff_t>(*place));
  return resultSequence(node, std::move(*elements), node.dtype());
}

static LogicalResult elementAt(NodeContext &node) {
  FailureOr<Elements> elements = elementsOf(node, 0);
  if (failed(elements))
    return failure();
  auto count = static_cast<int64_t>(elements->size());
  FailureOr<size_t> place = placeIn(node, 1, count, count - 1, 0);
  if (failed(place))
    return failure();
  node.results[0] = (*elements)[*place];
  return success();
}

static LogicalResult sequenceLength(NodeContext &node) {
  FailureOr<Elements> elements = elementsOf(node, 0);
  if (failed(elements))
    return failure();
  auto count = static_cast<int64_t>(elements->size());
  return node.resultElements({node.emit.index(count)}, /*isScalar=*/true,
                             DType::Int64);
}

/// The tensor under other sizes: without the dimension `axis`, which has size
/// 1, or with one more.
static Value withoutAxis(Emitter &emit, Value tensor, size_t axis) {
  Sizes sizes = emit.sizesOf(tensor);
  sizes.erase(sizes.begin() + axis);
  return emit.reshape(tensor, sizes);
}
static Value withAxis(Emitter &emit, Value tensor, size_t axis) {
  Sizes sizes = emit.sizesOf(tensor);
  sizes.insert(sizes.begin() + axis, emit.index(1));
  return emit.reshape(tensor, sizes);
}

/// The sizes of SplitToSequence's pieces, all known.
static FailureOr<std::vector<int64_t>> knownPieces(NodeContext &node,
                                                   OpFoldResult along) {
  std::optional<int64_t> total = node.emit.known(along);
  if (!total)
    return node.error("the dimension that is split must be known at import",
                      DiagKind::IngressUnsupportedOp);
  std::vector<int64_t> given = {1};
  bool isOne = true; // and for all pieces
  if (node.has(1)) {
    isOne = node.rank(1) == 0;
    FailureOr<std::vector<int64_t>> sizes = node.fixedNumbers(1, "'split'");
    if (failed(sizes))
      return failure();
    given = std::move(*sizes);
  }
  if (isOne && (given.size() != 1 || given.front() < 1))
    return node.error("'split' must be one positive number, or a list");
  std::vector<int64_t> pieces;
  int64_t sum = 0;
  for (size_t i = 0; isOne ? sum < *total : i < given.size(); ++i) {
    pieces.push_back(isOne ? std::min(given.front(), *total - sum) : given[i]);
    if (pieces.back() < 0 || pieces.size() > 10'000)
      return node.error("its pieces are negative, or more than 10,000");
    sum += pieces.back();
  }
  if (sum != *total)
    return node.error("its pieces have " + Twine(sum) + " of " + Twine(*total) +
                          " parts in all",
                      DiagKind::IngressShapeMismatch);
  return pieces;
}

static LogicalResult splitToSequence(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<int64_t> axis = node.axis(node.integer("axis", 0), node.rank(0));
  if (failed(axis))
    return failure();
  auto along = static_cast<size_t>(*axis);
  Sizes sizes = emit.sizesOf(node.in(0));
  FailureOr<std::vector<int64_t>> pieces = knownPieces(node, sizes[along]);
  if (failed(pieces))
    return failure();
  bool drops = !node.has(1) && node.integer("keepdims", 1) == 0;
  Sizes offsets(sizes.size(), emit.index(0));
  Elements elements;
  int64_t start = 0;
  for (int64_t piece : *pieces) {
    offsets[along] = emit.index(start);
    sizes[along] = emit.index(piece);
    start += piece;
    Value part = emitPiece(node, along, offsets, sizes);
    ImportedValue element;
    element.tensor = drops ? withoutAxis(emit, part, along) : part;
    element.dtype = node.dtype();
    elements.push_back(std::move(element));
  }
  return resultSequence(node, std::move(elements), node.dtype());
}

static LogicalResult joinSequence(NodeContext &node) {
  FailureOr<Elements> elements = elementsOf(node, 0);
  if (failed(elements))
    return failure();
  if (elements->empty())
    return node.error("an empty sequence has nothing to join");
  SmallVector<Value> tensors;
  for (ImportedValue &element : *elements) {
    tensors.push_back(materialize(element, node.emit));
    if (rankOf(tensors.back()) != rankOf(tensors.front()))
      return node.error("its elements have different ranks",
                        DiagKind::IngressShapeMismatch);
  }
  bool stacks = node.integer("new_axis", 0) != 0;
  FailureOr<int64_t> axis = node.axis(
      node.integer("axis", 0), rankOf(tensors.front()) + (stacks ? 1 : 0));
  if (failed(axis))
    return failure();
  if (stacks)
    for (Value &tensor : tensors)
      tensor = withAxis(node.emit, tensor, static_cast<size_t>(*axis));
  FailureOr<Value> joined = emitConcat(node, *axis, tensors);
  return failed(joined) ? failure() : node.result(*joined, node.dtype());
}

/// The body once for each element; other inputs are the same each time.
static LogicalResult mapSequence(NodeContext &node) {
  FailureOr<Elements> first = elementsOf(node, 0);
  const OnnxAttribute *body = node.attribute("body");
  if (failed(first))
    return failure();
  if (!body || !body->graph)
    return node.error("'body' is missing");
  std::vector<Elements> results(node.outputCount());
  for (size_t turn = 0; turn < first->size(); ++turn) {
    Elements inputs;
    for (size_t i = 0; i < node.inputCount(); ++i) {
      if (!node.has(i))
        return node.error("input " + Twine(i) + " is missing");
      const auto &own = node.raw(i).sequence;
      if (own && own->size() != first->size())
        return node.error("its sequences have " + Twine(first->size()) +
                          " and " + Twine(own->size()) + " elements");
      inputs.push_back(own ? (*own)[turn] : node.raw(i));
    }
    auto outputs = node.bodies.importBody(*body->graph, inputs);
    if (failed(outputs))
      return failure();
    if (outputs->size() != results.size())
      return node.error("its subgraph gives " + Twine(outputs->size()) +
                        " outputs; the node has " + Twine(results.size()));
    for (auto [all, one] : llvm::zip(results, *outputs))
      all.push_back(std::move(one));
  }
  for (auto [i, all] : llvm::enumerate(results))
    node.results[i] = sequenceOf(std::move(all), node.dtype());
  return success();
}

static LogicalResult makeOptional(NodeContext &node) {
  ImportedValue value;
  if (node.has(0))
    value = node.raw(0);
  else
    value.isAbsent = true;
  node.results[0] = std::move(value);
  return success();
}

static LogicalResult hasElement(NodeContext &node) {
  bool isThere = node.has(0) && !node.raw(0).isAbsent;
  return node.result(node.emit.constant({}, {isThere ? 1.0 : 0.0}, DType::Bool),
                     DType::Bool);
}

static LogicalResult getElement(NodeContext &node) {
  if (node.raw(0).isAbsent)
    return node.error("the optional is empty");
  node.results[0] = node.raw(0);
  return success();
}

void lh::addSequenceOps(OpTable &table) {
  constexpr unsigned rules = OpRule::Sequences;
  table.add("SequenceConstruct", {11, 1, rules, constructSequence});
  table.add("SequenceEmpty", {11, 0, rules, emptySequence});
  table.add("SequenceInsert", {11, 2, rules, insertElement});
  table.add("SequenceErase", {11, 1, rules, eraseElement});
  table.add("SequenceAt", {11, 2, rules, elementAt});
  table.add("SequenceLength", {11, 1, rules, sequenceLength});
  table.add("SequenceMap", {17, 1, rules, mapSequence});
  table.add("SplitToSequence", {11, 1, OpRule::None, splitToSequence});
  table.add("ConcatFromSequence", {11, 1, rules, joinSequence});
  table.add("Optional", {15, 0, rules, makeOptional});
  table.add("OptionalHasElement", {15, 0, rules, hasElement});
  table.add("OptionalGetElement", {15, 1, rules, getElement});
}
