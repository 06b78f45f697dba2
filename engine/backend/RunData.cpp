// Loads or generates inputs; writes outputs.
#include "backend/RunData.h"

#include "backend/InputBinding.h"
#include "numerics/Generate.h"
#include "numerics/Npy.h"
#include "numerics/TensorFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

static LogicalResult readFiles(const DataSet &data,
                               std::vector<NamedTensor> &inputs,
                               DiagnosticSink &sink) {
  LogicalResult result = success();
  for (const auto &[name, path] : data.inputs) {
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

/// A declared input by its own words, any other as the entry has it.
static FailureOr<Tensor> generateInput(const TensorSignature &wanted,
                                       const GenerateCase &generate,
                                       const SourceSpan &where,
                                       DiagnosticSink &sink) {
  const GeneratedInput *declared = declaration(generate, wanted.name);
  GenerateOptions options;
  DType dtype = wanted.dtype;
  if (declared) {
    options.low = declared->low;
    options.high = declared->high;
    options.distribution =
        parseDistribution(declared->dist).value_or(Distribution::Normal);
    dtype = parseDType(declared->dtype).value_or(wanted.dtype);
  } else if (!wanted.isStatic()) {
    return sink.error(DiagKind::BackendInputShape, where,
                      "input '" + wanted.name + "': shape " +
                          wanted.shapeText() +
                          " is dynamic; give it under 'generate: inputs:'");
  }
  return generateTensor(dtype, declared ? declared->shape : wanted.shape,
                        options, seedForName(generate.seed, wanted.name));
}

static bool hasInput(ArrayRef<NamedTensor> inputs, StringRef name) {
  return llvm::any_of(inputs,
                      [&](const NamedTensor &t) { return t.name == name; });
}

static LogicalResult generateMissing(const EntryAbi &abi,
                                     const GenerateCase &generate,
                                     std::vector<NamedTensor> &inputs,
                                     const SourceSpan &where,
                                     DiagnosticSink &sink) {
  LogicalResult result = success();
  std::vector<TensorSignature> wanted = abi.inputs();
  std::vector<StringRef> names;
  for (const TensorSignature &input : wanted)
    names.push_back(input.name);
  for (const GeneratedInput &input : generate.inputs)
    if (!llvm::is_contained(names, StringRef(input.name.value)))
      result = sink.error(DiagKind::BackendInputName, input.name.where,
                          "unknown input '" + input.name.value +
                              "'; the entry takes " + describeInputs(abi) +
                              didYouMean(input.name.value, names));
  for (const TensorSignature &input : wanted) {
    if (hasInput(inputs, input.name))
      continue;
    FailureOr<Tensor> tensor = generateInput(input, generate, where, sink);
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
  LogicalResult result = readFiles(data, inputs, sink);
  if (succeeded(result) && data.generate)
    result = generateMissing(abi, *data.generate, inputs, where, sink);
  if (failed(result))
    return failure();
  return inputs;
}

static std::string fileName(StringRef output) {
  std::string name = output.take_front(100).str();
  for (char &c : name)
    if (!llvm::isAlnum(c) && c != '-' && c != '.')
      c = '_';
  return name;
}

FailureOr<std::vector<OutputFile>>
lh::writeOutputs(ArrayRef<NamedTensor> outputs, StringRef folder, StepId step,
                 DiagnosticSink &sink) {
  std::vector<OutputFile> files;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const NamedTensor &output = outputs[i];
    std::string path = (folder + "/" + Twine(step) + "-" + Twine(i) + "-" +
                        fileName(output.name) + ".npy")
                           .str();
    if (failed(writeNpy(path, output.tensor, sink)))
      return failure();
    files.push_back(
        {output.name, path, dtypeName(output.tensor.dtype()).str()});
  }
  return files;
}
