// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TfIdfVectorizer: how often n-grams of numbers occur in every row.
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace lh;
using namespace mlir;

/// More coordinates are a mistake in 'ngram_indexes'.
static constexpr int64_t maxCoordinates = int64_t(1) << 20;

/// The n-grams by their coordinate in the result.
struct GramTable {
  int64_t coordinates = 0;      ///< the row's length
  int64_t width = 1;            ///< of the longest n-gram
  std::vector<int64_t> lengths; ///< 0 where a coordinate has no n-gram
  std::vector<int64_t> items;   ///< coordinates x width, filled up with 0
};

/// Enters the n-grams of `length` at the pool's [begin, end); `next` counts
/// the n-grams of all lengths.
static LogicalResult addGrams(NodeContext &node, GramTable &table,
                              ArrayRef<int64_t> segment, int64_t length,
                              ArrayRef<int64_t> coordinates, size_t &next) {
  auto size = static_cast<size_t>(length);
  bool isWanted = length >= node.integer("min_gram_length", 1) &&
                  length <= node.integer("max_gram_length", length);
  if (segment.size() % size != 0)
    return node.error("the pool's n-grams of length " + Twine(length) +
                      " are cut off");
  for (; !segment.empty(); segment = segment.drop_front(size), ++next) {
    if (next >= coordinates.size())
      return node.error("'ngram_indexes' has fewer values than the pool has "
                        "n-grams");
    auto at = static_cast<size_t>(coordinates[next]);
    if (!isWanted)
      continue;
    table.lengths[at] = length;
    llvm::copy(segment.take_front(size),
               table.items.begin() + static_cast<int64_t>(at) * table.width);
  }
  return success();
}

/// Reads 'pool_int64s', cut at 'ngram_counts', which has the first position of
/// every length.
static FailureOr<GramTable> readGrams(NodeContext &node) {
  std::vector<int64_t> none;
  std::vector<int64_t> pool = node.integers("pool_int64s").value_or(none);
  std::vector<int64_t> starts = node.integers("ngram_counts").value_or(none);
  std::vector<int64_t> coordinates =
      node.integers("ngram_indexes").value_or(none);
  if (node.attribute("pool_strings") || pool.empty())
    return node.error("'pool_int64s' is missing; strings are not supported",
                      DiagKind::IngressUnsupportedType);
  GramTable table;
  for (int64_t coordinate : coordinates) {
    if (coordinate < 0 || coordinate >= maxCoordinates)
      return node.error("'ngram_indexes' holds " + Twine(coordinate));
    table.coordinates = std::max(table.coordinates, coordinate + 1);
  }
  auto end = static_cast<int64_t>(pool.size());
  if (starts.empty() || starts.front() != 0 || starts.back() > end ||
      !llvm::is_sorted(starts) || starts.size() > 16)
    return node.error("'ngram_counts' must begin with 0 and rise within the "
                      "pool");
  table.width = static_cast<int64_t>(starts.size());
  starts.push_back(end);
  table.lengths.assign(static_cast<size_t>(table.coordinates), 0);
  table.items.assign(static_cast<size_t>(table.coordinates * table.width), 0);
  size_t next = 0;
  for (size_t k = 0; k + 1 < starts.size(); ++k) {
    auto segment =
        ArrayRef(pool).slice(static_cast<size_t>(starts[k]),
                             static_cast<size_t>(starts[k + 1] - starts[k]));
    if (failed(addGrams(node, table, segment, static_cast<int64_t>(k) + 1,
                        coordinates, next)))
      return failure();
  }
  return table;
}

static Value integerTensor(NodeContext &node, ArrayRef<int64_t> shape,
                           ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get(shape, node.typeOf(DType::Int64));
  return arith::ConstantOp::create(node.emit.builder, node.emit.loc,
                                   DenseElementsAttr::get(type, values));
}

/// Whether the n-gram stands at `start`, its items `skip` + 1 apart.
static Value occurs(OpBuilder &b, Location loc, Value rows, Value row,
                    Value start, Value skip, Value columns, Value length,
                    ValueRange items, DType dtype) {
  Scalars integers(b, loc, DType::Int64);
  Value one = integers.integer(1);
  // Single items don't care how far apart they are.
  Value isFirst = integers.equal(fromIndex(b, loc, skip, DType::Int64),
                                 integers.integer(0));
  Value result = arith::AndIOp::create(
      b, loc, integers.less(integers.integer(0), length),
      arith::OrIOp::create(b, loc, isFirst, integers.less(one, length)));
  Value step = indexAdd(b, loc, skip, indexConstant(b, loc, 1));
  Value position = start;
  for (auto [i, item] : llvm::enumerate(items)) {
    Value fits = indexLess(b, loc, position, columns);
    Value found = extractElement(
        b, loc, rows, {row, normalizeIndex(b, loc, position, columns)});
    found = convertScalar(b, loc, found, dtype, DType::Int64);
    Value equal =
        arith::AndIOp::create(b, loc, fits, integers.equal(found, item));
    Value isOver =
        integers.lessEqual(length, integers.integer(static_cast<int64_t>(i)));
    result = arith::AndIOp::create(b, loc, result,
                                   arith::OrIOp::create(b, loc, isOver, equal));
    position = indexAdd(b, loc, position, step);
  }
  return result;
}

/// Rows x coordinates: in how many places each n-gram stands.
static Value countGrams(NodeContext &node, Value rows, const GramTable &table,
                        int64_t skips) {
  Emitter &emit = node.emit;
  Sizes own = emit.sizesOf(rows);
  Value columns = emit.asValue(own[1]);
  Builder &b = emit.builder;
  MLIRContext *context = b.getContext();
  // Loops: row, coordinate, skip, start.
  AffineExpr row, coordinate, skip, start;
  bindDims(context, row, coordinate, skip, start);
  Value window =
      emit.empty({emit.index(skips), own[1]}, node.typeOf(DType::Int64));
  Value items =
      integerTensor(node, {table.coordinates, table.width}, table.items);
  SmallVector<Value> inputs{
      window, integerTensor(node, {table.coordinates}, table.lengths)};
  SmallVector<AffineMap> maps{AffineMap::get(4, 0, {skip, start}, context),
                              AffineMap::get(4, 0, {coordinate}, context)};
  for (int64_t i = 0; i < table.width; ++i) {
    inputs.push_back(items);
    maps.push_back(AffineMap::get(
        4, 0, {coordinate, b.getAffineConstantExpr(i)}, context));
  }
  maps.push_back(AffineMap::get(4, 0, {row, coordinate}, context));
  DType dtype = node.dtype();
  Value zeros = emit.filled({own[0], emit.index(table.coordinates)},
                            node.scalars(DType::Float32).number(0));
  return emit.generic(
      inputs, maps, zeros, {false, false, true, true},
      [&](OpBuilder &at, Location loc, ValueRange v) {
        Scalars s(at, loc, DType::Float32);
        auto index = [&](unsigned dim) {
          return Emitter::loopIndex(at, loc, dim);
        };
        Value stands = occurs(at, loc, rows, index(0), index(3), index(2),
                              columns, v[1], v.slice(2, v.size() - 3), dtype);
        return s.add(v.back(), s.select(stands, s.number(1), s.number(0)));
      });
}

/// What a count becomes: itself (TF), its weight if any (IDF), their product.
static FailureOr<Value> weighted(NodeContext &node, Value counts,
                                 int64_t coordinates) {
  std::string mode = node.text("mode", "");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    return node.error("'mode' must be 'TF', 'IDF' or 'TFIDF', not '" + mode +
                      "'");
  if (mode == "TF")
    return counts;
  std::vector<float> ones(static_cast<size_t>(coordinates), 1.0F);
  std::vector<float> given = node.numbers("weights").value_or(ones);
  if (static_cast<int64_t>(given.size()) != coordinates)
    return node.error("'weights' needs one value per coordinate");
  Value weights = node.emit.constant(
      {coordinates}, std::vector<double>(given.begin(), given.end()),
      DType::Float32);
  return node.map({counts, weights}, DType::Float32,
                  [&](OpBuilder &b, Location loc, ValueRange v) {
                    Scalars s(b, loc, DType::Float32);
                    if (mode == "TFIDF")
                      return s.mul(v[0], v[1]);
                    Value none = s.number(0);
                    return s.select(s.less(none, v[0]), v[1], none);
                  });
}

static LogicalResult tfIdfVectorizer(NodeContext &node) {
  Emitter &emit = node.emit;
  int64_t skips = node.integer("max_skip_count", 0), rank = node.rank(0);
  if (rank != 1 && rank != 2)
    return node.error("the input must have one or two dimensions");
  if (skips < 0 || skips > maxCoordinates)
    return node.error("'max_skip_count' is " + Twine(skips));
  FailureOr<GramTable> table = readGrams(node);
  if (failed(table))
    return failure();
  Value rows = node.in(0);
  if (rank == 1)
    rows = emit.reshape(rows, {emit.index(1), emit.sizesOf(rows)[0]});
  FailureOr<Value> result = weighted(
      node, countGrams(node, rows, *table, skips + 1), table->coordinates);
  if (failed(result))
    return failure();
  if (rank == 1)
    result = emit.reshape(*result, {emit.index(table->coordinates)});
  return node.result(*result, DType::Float32);
}

void lh::addTfIdfOps(OpTable &table) {
  table.add("TfIdfVectorizer", {9, 1, OpRule::Integer, tfIdfVectorizer});
}
