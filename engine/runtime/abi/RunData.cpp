// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads or generates inputs; writes outputs.
#include "runtime/abi/RunData.h"

#include "core/numerics/Generate.h"
#include "core/numerics/Npy.h"
#include "core/numerics/TensorFile.h"
#include "core/support/FileNames.h"
#include "runtime/abi/InputBinding.h"
#include "runtime/abi/OpenSizes.h"
#include "runtime/abi/SparseInputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace lh;

static void append(std::vector<NamedTensor> &inputs,
                   FailureOr<std::vector<NamedTensor>> &&arrays,
                   LogicalResult &result) {
  if (failed(arrays))
    result = failure();
  else
    for (NamedTensor &array : *arrays)
      inputs.push_back(std::move(array));
}

static LogicalResult readFiles(const DataSet &data,
                               ArrayRef<SparseInput> sparse,
                               std::vector<NamedTensor> &inputs,
                               const SourceSpan &where, DiagnosticSink &sink) {
  LogicalResult result = success();
  for (const auto &[name, path] : data.inputs) {
    const auto *input = llvm::find_if(
        sparse, [&](const SparseInput &s) { return s.name == name; });
    if (input != sparse.end()) {
      FailureOr<SparseElements> elements =
          readSparse(*input, path, where, sink);
      FailureOr<std::vector<NamedTensor>> arrays = failure();
      if (succeeded(elements))
        arrays = storeSparse(*input, *elements, where, sink);
      append(inputs, std::move(arrays), result);
      continue;
    }
    FailureOr<Tensor> tensor = readTensorFile(path, sink);
    if (failed(tensor))
      result = failure();
    else
      inputs.push_back({name, std::move(*tensor)});
  }
  return result;
}

static const GeneratedInput *declaration(const GenerateCase &generate,
                                         StringRef name) {
  for (const GeneratedInput &input : generate.inputs)
    if (input.name.value == name)
      return &input;
  return nullptr;
}

static bool holdsFloats(DType dtype) {
  return isFloat(dtype) || isSmallFloat(dtype);
}

/// Integers that no operation rounds; of those that the case allows, when it
/// allows some.
static GenerateOptions exactOptions(const GenerateOptions &declared,
                                    bool hasRange, int64_t range) {
  auto largest = static_cast<double>(range);
  GenerateOptions options{
      .distribution = Distribution::Integers, .low = -largest, .high = largest};
  if (!hasRange)
    return options;
  double low = std::max(declared.low, -largest);
  double high = std::min(declared.high, largest);
  if (std::ceil(low) <= std::floor(high)) {
    options.low = low;
    options.high = high;
  }
  return options;
}

/// Where nothing else is declared. Wide integers may be positions, for which
/// extremes lie outside of everything.
static bool takesSpecials(DType dtype, const GenerateOptions &declared,
                          bool hasRange) {
  bool isOpen = declared.distribution == Distribution::Normal ||
                declared.distribution == Distribution::Uniform;
  return isOpen && !hasRange &&
         (isFloat(dtype) || (isInteger(dtype) && byteSize(dtype) < 4));
}

/// How the data set draws this input.
static GenerateOptions optionsFor(const TensorSignature &wanted,
                                  const GeneratedInput *declared,
                                  InputSet set) {
  GenerateOptions options;
  bool hasRange = declared && declared->range;
  if (declared) {
    ElementRange range = declared->range.value_or(ElementRange());
    options.low = range.low;
    options.high = range.high;
    options.distribution =
        parseDistribution(declared->dist).value_or(Distribution::Normal);
  }
  bool isConstant = options.distribution == Distribution::Zeros ||
                    options.distribution == Distribution::Ones;
  bool drawsIntegers = options.distribution == Distribution::Integers;
  bool isExact = set == InputSet::Exact || set == InputSet::Ordered
                     ? !isConstant
                     : drawsIntegers && !hasRange;
  if (isExact && wanted.exact && holdsFloats(wanted.dtype))
    return exactOptions(options, hasRange, *wanted.exact);
  if (set == InputSet::Specials &&
      takesSpecials(wanted.dtype, options, hasRange)) {
    options.distribution = Distribution::Specials;
    options.offsets = true;
    // Right answers overflow there that the oracle's wider type still holds.
    options.extremes = false;
  }
  return options;
}

static std::string whyNotExact(const EntryAbi &abi) {
  if (!abi.inexact.empty())
    return "no range of integers is exact: " + abi.inexact;
  for (const TensorSignature &input : abi.inputs())
    if (holdsFloats(input.dtype) && !input.exact)
      return "it is not known which integers are exact for input '" +
             input.name + "'";
  return "";
}

static std::string whyNotOrdered(const EntryAbi &abi) {
  if (std::string why = whyNotExact(abi); !why.empty())
    return why;
  bool marked = llvm::any_of(abi.inputs(), [](const TensorSignature &input) {
    return input.ordered.has_value();
  });
  if (marked)
    return "";
  return abi.unordered.empty() ? "it is not known which sums have an order"
                               : abi.unordered;
}

/// Of all that the entry is given; a size that nobody told counts as 1.
static double elementsGiven(const EntryAbi &abi, const GenerateCase &generate) {
  double elements = 0;
  for (const EntryArgument &argument : abi.arguments) {
    ArrayRef<int64_t> shape = argument.tensor.shape;
    if (argument.role == ArgumentRole::Input)
      if (const auto *declared = declaration(generate, argument.tensor.name))
        shape = declared->shape;
    double size = 1;
    for (int64_t dim : shape)
      size *= double(std::abs(dim));
    elements += size;
  }
  return elements;
}

/// Further draws that nobody asked for must cost next to nothing, and the
/// oracle of a large net takes seconds.
static std::string whyNotAgain(const EntryAbi &abi, const DataSet &data) {
  constexpr int64_t fewElements = 1 << 16;
  if (data.draw == 0 || data.generate->draws ||
      elementsGiven(abi, *data.generate) <= double(fewElements))
    return "";
  return "more than " + std::to_string(fewElements) +
         " elements of inputs and weights are drawn once, unless 'draws' says "
         "how often";
}

std::string lh::whyNotApplicable(const EntryAbi &abi, const DataSet &data) {
  if (!data.generate)
    return "";
  if (std::string why = whyNotAgain(abi, data); !why.empty())
    return why;
  if (data.set == InputSet::Drawn)
    return "";
  if (data.set == InputSet::Exact)
    return whyNotExact(abi);
  if (data.set == InputSet::Ordered)
    return whyNotOrdered(abi);
  if (!abi.undefined.empty())
    return abi.undefined;
  for (const TensorSignature &input : abi.inputs())
    if (optionsFor(input, declaration(*data.generate, input.name), data.set)
            .distribution == Distribution::Specials)
      return "";
  return "no input takes special numbers: each has a type or a range without "
         "them";
}

/// Makes the first two slices along the axis large, with signs of their own;
/// what the second adds to a sum takes away what the first did.
static void orderSlices(Tensor &tensor, const OrderedSlices &ordered) {
  auto axis = static_cast<size_t>(ordered.axis);
  int64_t inner = 1, size = tensor.shape()[axis];
  for (int64_t dim : tensor.shape().drop_front(axis + 1))
    inner *= dim;
  if (size < 2)
    return;
  for (int64_t i = 0, e = tensor.elementCount(); i < e; ++i) {
    if (i / inner % size != 0)
      continue;
    double large = std::ldexp(tensor.at(i) < 0 ? -1 : 1,
                              static_cast<int>(ordered.exponent));
    tensor.set(i, large);
    tensor.set(i + inner, large * static_cast<double>(ordered.sign));
  }
}

/// A declared input by its own words, any other as the entry has it.
static FailureOr<Tensor> generateInput(const TensorSignature &wanted,
                                       const DataSet &data, OpenSizes &open,
                                       const SourceSpan &where,
                                       DiagnosticSink &sink) {
  const GenerateCase &generate = *data.generate;
  const GeneratedInput *declared = declaration(generate, wanted.name);
  DType dtype = wanted.dtype;
  std::vector<int64_t> shape = wanted.shape;
  if (declared) {
    dtype = parseDType(declared->dtype).value_or(wanted.dtype);
    shape = declared->shape;
  } else if (open.areKnown()) {
    shape = open.close(wanted);
  } else if (!wanted.isStatic()) {
    return sink.error(DiagKind::BackendInputShape, where,
                      "input '" + wanted.name + "': shape " +
                          wanted.shapeText() +
                          " is dynamic; give it under 'generate: inputs:', or "
                          "by --input " +
                          wanted.name + "=SHAPExTYPE");
  }
  Tensor tensor =
      generateTensor(dtype, shape, optionsFor(wanted, declared, data.set),
                     seedForName(generate.seed, wanted.name));
  // Another rank is refused when the inputs are bound.
  if (data.set == InputSet::Ordered && wanted.ordered &&
      tensor.shape().size() == wanted.shape.size())
    orderSlices(tensor, *wanted.ordered);
  return tensor;
}

static bool hasInput(ArrayRef<NamedTensor> inputs, StringRef name) {
  return llvm::any_of(inputs,
                      [&](const NamedTensor &t) { return t.name == name; });
}

/// Draws which elements there are, and then what they are.
static FailureOr<std::vector<NamedTensor>>
generateSparse(const SparseInput &input, const DataSet &data,
               const SourceSpan &where, DiagnosticSink &sink) {
  const GenerateCase &generate = *data.generate;
  const GeneratedInput *declared = declaration(generate, input.name);
  if (declared &&
      failed(checkSparse(
          input, parseDType(declared->dtype).value_or(input.numbers.dtype),
          declared->shape, declared->name.where, sink)))
    return failure();
  uint64_t seed = seedForName(generate.seed, input.name);
  SparseElements elements = drawSparse(input, declared, data.draw, seed);
  Tensor values =
      generateTensor(input.numbers.dtype, {int64_t(elements.values.size())},
                     optionsFor(input.numbers, declared, data.set),
                     seedForName(seed, "values"));
  for (auto [i, value] : llvm::enumerate(elements.values))
    value = values.at(int64_t(i));
  return storeSparse(input, elements, where, sink);
}

/// Declarations that name no input, or say `sparse` of a dense one.
static LogicalResult checkDeclarations(const EntryAbi &abi, const DataSet &data,
                                       ArrayRef<SparseInput> sparse,
                                       DiagnosticSink &sink) {
  LogicalResult result = success();
  std::vector<StringRef> dense, names;
  for (const EntryArgument &argument : abi.arguments)
    if (argument.role == ArgumentRole::Input && !argument.tensor.sparse)
      dense.push_back(argument.tensor.name);
  names = dense;
  for (const SparseInput &input : sparse)
    names.push_back(input.name);
  for (const GeneratedInput &input : data.generate->inputs) {
    StringRef name = input.name.value;
    if (!llvm::is_contained(names, name))
      result = sink.error(DiagKind::BackendInputName, input.name.where,
                          "unknown input '" + name + "'; the entry takes " +
                              describeInputs(abi) + didYouMean(name, names));
    else if (input.sparse && llvm::is_contained(dense, name))
      result = sink.error(DiagKind::BackendInputSparse, input.name.where,
                          "input '" + name + "' is dense");
  }
  return result;
}

static LogicalResult generateMissing(const EntryAbi &abi, const DataSet &data,
                                     ArrayRef<SparseInput> sparse,
                                     std::vector<NamedTensor> &inputs,
                                     const SourceSpan &where,
                                     DiagnosticSink &sink) {
  LogicalResult result = checkDeclarations(abi, data, sparse, sink);
  std::vector<TensorSignature> wanted = abi.inputs();
  OpenSizes open(data.generate->open);
  for (const TensorSignature &input : wanted)
    if (const auto *declared = declaration(*data.generate, input.name))
      open.learn(input, declared->shape);
  for (const TensorSignature &input : wanted)
    open.nameSizes(input);
  for (const SparseInput &input : sparse)
    if (!hasInput(inputs, input.arrays.front().name))
      append(inputs, generateSparse(input, data, where, sink), result);
  for (const TensorSignature &input : wanted) {
    if (input.sparse || hasInput(inputs, input.name))
      continue;
    FailureOr<Tensor> tensor = generateInput(input, data, open, where, sink);
    if (failed(tensor))
      result = failure();
    else
      inputs.push_back({input.name, std::move(*tensor)});
  }
  return result;
}

FailureOr<std::vector<NamedTensor>> lh::makeInputs(const EntryAbi &abi,
                                                   const DataSet &data,
                                                   const SourceSpan &where,
                                                   DiagnosticSink &sink) {
  std::vector<NamedTensor> inputs;
  std::vector<SparseInput> sparse = sparseInputs(abi);
  LogicalResult result = readFiles(data, sparse, inputs, where, sink);
  if (succeeded(result) && data.generate)
    result = generateMissing(abi, data, sparse, inputs, where, sink);
  if (failed(result))
    return failure();
  return inputs;
}

static std::string outputPath(StringRef folder, StepId step, size_t position,
                              StringRef output) {
  return (folder + "/" + Twine(step) + "-" + Twine(position) + "-" +
          fileSafe(output) + ".npy")
      .str();
}

FailureOr<std::vector<OutputFile>>
lh::writeOutputs(ArrayRef<NamedTensor> outputs, StringRef folder, StepId step,
                 DiagnosticSink &sink) {
  std::vector<OutputFile> files;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const NamedTensor &output = outputs[i];
    std::string path = outputPath(folder, step, i, output.name);
    if (failed(writeNpy(path, output.tensor, sink)))
      return failure();
    OutputFile &file = files.emplace_back();
    file.name = output.name;
    file.path = path;
    file.dtype = dtypeName(output.tensor.dtype());
  }
  return files;
}

FailureOr<std::vector<NamedTensor>> lh::readOutputs(const EntryAbi &abi,
                                                    StringRef folder,
                                                    StepId step,
                                                    DiagnosticSink &sink) {
  std::vector<NamedTensor> outputs;
  for (size_t i = 0; i < abi.results.size(); ++i) {
    const std::string &name = abi.results[i].name;
    FailureOr<Tensor> tensor =
        readTensorFile(outputPath(folder, step, i, name), sink);
    if (failed(tensor))
      return failure();
    outputs.push_back({name, std::move(*tensor)});
  }
  return outputs;
}
