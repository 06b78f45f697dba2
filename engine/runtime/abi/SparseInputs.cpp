// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills the arrays of sparse inputs.
#include "runtime/abi/SparseInputs.h"

#include "core/numerics/TensorFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

std::vector<SparseInput> lh::sparseInputs(const EntryAbi &abi) {
  std::vector<SparseInput> found;
  for (const TensorSignature &tensor : abi.inputs()) {
    if (!tensor.sparse)
      continue;
    const SparsePart &part = *tensor.sparse;
    if (found.empty() || found.back().name != part.tensor)
      found.push_back({part.tensor, part.format, {}, {}});
    if (part.array == SparseArray::Values ||
        part.array == SparseArray::Elements)
      found.back().numbers = tensor;
    found.back().arrays.push_back(tensor);
  }
  return found;
}

static std::vector<int64_t> indicesOf(int64_t element,
                                      ArrayRef<int64_t> shape) {
  std::vector<int64_t> indices(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; element /= shape[dim])
    indices[dim] = element % shape[dim];
  return indices;
}

LogicalResult lh::checkSparse(const SparseInput &input, DType dtype,
                              ArrayRef<int64_t> shape, const SourceSpan &where,
                              DiagnosticSink &sink) {
  LogicalResult result = success();
  if (dtype != input.numbers.dtype)
    result =
        sink.error(DiagKind::BackendInputType, where,
                   "input '" + input.name + "': type " + dtypeName(dtype) +
                       ", the entry takes " + dtypeName(input.numbers.dtype));
  if (shape != ArrayRef(input.format.shape))
    result =
        sink.error(DiagKind::BackendInputShape, where,
                   "input '" + input.name + "': shape " + shapeText(shape) +
                       ", the entry takes " + shapeText(input.format.shape));
  return result;
}

FailureOr<SparseElements> lh::readSparse(const SparseInput &input,
                                         StringRef path,
                                         const SourceSpan &where,
                                         DiagnosticSink &sink) {
  if (path.ends_with(".mtx")) {
    FailureOr<SparseElements> matrix = readMatrixMarket(path, sink);
    if (failed(matrix) || failed(checkSparse(input, input.numbers.dtype,
                                             matrix->shape, where, sink)))
      return failure();
    return matrix;
  }
  FailureOr<Tensor> tensor = readTensorFile(path, sink);
  if (failed(tensor) ||
      failed(checkSparse(input, tensor->dtype(), tensor->shape(), where, sink)))
    return failure();
  SparseElements elements;
  elements.shape = tensor->shape().vec();
  for (int64_t i = 0, e = tensor->elementCount(); i < e; ++i)
    if (tensor->at(i) != 0) {
      elements.indices.push_back(indicesOf(i, tensor->shape()));
      elements.values.push_back(tensor->at(i));
    }
  return elements;
}

static Tensor tensorOf(DType dtype, ArrayRef<int64_t> numbers) {
  Tensor tensor(dtype, {int64_t(numbers.size())});
  for (auto [i, number] : llvm::enumerate(numbers))
    tensor.set(int64_t(i), double(number));
  return tensor;
}

/// Elements, or which are stored, where the tensor is a dense one.
static Tensor denseOf(const SparseFormat &format, const SparseLayout &layout,
                      DType dtype,
                      llvm::function_ref<double(const StoredElement &)> value) {
  Tensor tensor(dtype, format.shape);
  for (int64_t i = 0, e = tensor.elementCount(); i < e; ++i)
    tensor.set(i, 0);
  for (const StoredElement &element : layout.elements) {
    if (!isInShape(element.indices, format.shape))
      continue;
    int64_t at = 0;
    for (auto [index, size] : llvm::zip(element.indices, format.shape))
      at = at * size + index;
    tensor.set(at, value(element));
  }
  return tensor;
}

static Tensor arrayOf(const TensorSignature &array, const SparseLayout &layout,
                      ArrayRef<double> values) {
  auto valueOf = [&](const StoredElement &element) {
    return element.given ? values[*element.given] : 0;
  };
  const SparsePart &part = *array.sparse;
  switch (part.array) {
  case SparseArray::Positions:
    return tensorOf(array.dtype, layout.levels[part.level].positions);
  case SparseArray::Coordinates:
    return tensorOf(array.dtype, layout.levels[part.level].coordinates);
  case SparseArray::Elements:
    return denseOf(part.format, layout, array.dtype, valueOf);
  case SparseArray::Stored:
    return denseOf(part.format, layout, array.dtype,
                   [](const StoredElement &) { return 1; });
  case SparseArray::Values:
    break;
  }
  Tensor tensor(array.dtype, {int64_t(layout.elements.size())});
  for (auto [i, element] : llvm::enumerate(layout.elements))
    tensor.set(int64_t(i), valueOf(element));
  return tensor;
}

FailureOr<std::vector<NamedTensor>>
lh::storeSparse(const SparseInput &input, const SparseElements &elements,
                const SourceSpan &where, DiagnosticSink &sink) {
  size_t overfull = 0;
  std::optional<SparseLayout> layout =
      layOut(input.format, elements.indices, &overfull);
  if (!layout) {
    std::string place = llvm::join(
        llvm::map_range(elements.indices[overfull],
                        [](int64_t index) { return std::to_string(index); }),
        ", ");
    return sink.error(DiagKind::BackendInputSparse, where,
                      "input '" + input.name + "': element (" + place +
                          ") is one more than its group has room for");
  }
  std::vector<NamedTensor> arrays;
  for (const TensorSignature &array : input.arrays)
    arrays.push_back({array.name, arrayOf(array, *layout, elements.values)});
  return arrays;
}

SparseElements lh::drawSparse(const SparseInput &input,
                              const GeneratedInput *declared, unsigned draw,
                              uint64_t seed) {
  PatternOptions options;
  if (declared && declared->sparse)
    options = *declared->sparse;
  options.draw = draw;
  SparseElements elements;
  elements.shape = input.format.shape;
  elements.indices = drawPattern(input.format, options, seed);
  elements.values.resize(elements.indices.size());
  return elements;
}
