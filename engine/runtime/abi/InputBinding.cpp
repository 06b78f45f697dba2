// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matches inputs by name or position and checks types and shapes.
#include "runtime/abi/InputBinding.h"

#include "runtime/abi/SparseInputs.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

using namespace lh;

std::string lh::describeInputs(const EntryAbi &abi) {
  std::string text;
  for (const SparseInput &input : sparseInputs(abi))
    text +=
        (Twine(text.empty() ? "" : ", ") + input.name + ": sparse " +
         dtypeName(input.numbers.dtype) + " " + shapeText(input.format.shape))
            .str();
  for (const TensorSignature &input : abi.inputs()) {
    if (input.sparse)
      continue;
    text += (Twine(text.empty() ? "" : ", ") + input.name + ": " +
             dtypeName(input.dtype) + (input.shape.empty() ? "" : " ") +
             input.shapeText())
                .str();
  }
  return text.empty() ? "no inputs" : text;
}

static std::string shapeWords(ArrayRef<int64_t> shape) {
  return shape.empty() ? "a scalar" : shapeText(shape);
}

static bool fits(ArrayRef<int64_t> wanted, ArrayRef<int64_t> given) {
  if (wanted.size() != given.size())
    return false;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] >= 0 && wanted[i] != given[i])
      return false;
  return true;
}

static LogicalResult checkTensor(const TensorSignature &wanted,
                                 const Tensor &given, const SourceSpan &where,
                                 DiagnosticSink &sink) {
  LogicalResult result = success();
  if (given.dtype() != wanted.dtype)
    result = sink.error(DiagKind::BackendInputType, where,
                        "input '" + wanted.name + "': type " +
                            dtypeName(given.dtype()) + ", the entry takes " +
                            dtypeName(wanted.dtype));
  if (!fits(wanted.shape, given.shape()))
    result = sink.error(DiagKind::BackendInputShape, where,
                        "input '" + wanted.name + "': shape " +
                            shapeWords(given.shape()) + ", the entry takes " +
                            shapeWords(wanted.shape));
  return result;
}

static std::optional<size_t> findByName(ArrayRef<NamedTensor> given,
                                        StringRef name) {
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i].name == name)
      return i;
  return std::nullopt;
}

/// Names decide as soon as one of them is the entry's; a given name that the
/// entry doesn't know is then a mistake. No known name at all: position.
static FailureOr<std::vector<size_t>> matchNames(const EntryAbi &abi,
                                                 ArrayRef<NamedTensor> given,
                                                 const SourceSpan &where,
                                                 DiagnosticSink &sink) {
  std::vector<TensorSignature> wanted = abi.inputs();
  std::vector<StringRef> names = abi.inputNames();
  bool byName = llvm::any_of(given, [&](const NamedTensor &tensor) {
    return llvm::is_contained(names, tensor.name);
  });
  bool wrong = false;
  std::vector<size_t> order;
  for (size_t i = 0; i < wanted.size(); ++i) {
    std::optional<size_t> match =
        byName ? findByName(given, wanted[i].name) : i;
    if (match) {
      order.push_back(*match);
      continue;
    }
    wrong = true;
    (void)sink.error(DiagKind::BackendInputName, where,
                     "no input is called '" + wanted[i].name +
                         "'; the entry takes " + describeInputs(abi));
  }
  for (const NamedTensor &tensor : given) {
    if (!byName || tensor.name.empty() ||
        llvm::is_contained(names, tensor.name))
      continue;
    wrong = true;
    (void)sink.error(DiagKind::BackendInputName, where,
                     "unknown input '" + tensor.name + "'; the entry takes " +
                         describeInputs(abi) + didYouMean(tensor.name, names));
  }
  if (wrong)
    return failure();
  return order;
}

namespace {
/// The sizes that symbols have, each by the dimension that had it first.
class SymbolTable {
public:
  /// What is wrong with the dimensions of `shape`; `what` is "input" or
  /// "output".
  std::vector<std::string> conflicts(StringRef what,
                                     const TensorSignature &tensor,
                                     ArrayRef<int64_t> shape) {
    std::vector<std::string> texts;
    for (size_t dim = 0; dim < tensor.symbols.size(); ++dim) {
      if (tensor.symbols[dim].empty())
        continue;
      Place here{shape[dim], ("dimension " + Twine(dim) + " of " + what + " '" +
                              tensor.name + "'")
                                 .str()};
      auto [first, isNew] = places.try_emplace(tensor.symbols[dim], here);
      if (isNew || first->second.size == shape[dim])
        continue;
      texts.push_back((what + " '" + tensor.name + "': dimension " +
                       Twine(dim) + " is " + Twine(shape[dim]) + ", but '" +
                       tensor.symbols[dim] + "' is " +
                       Twine(first->second.size) + ", as " +
                       first->second.words + " has it")
                          .str());
    }
    return texts;
  }

private:
  struct Place {
    int64_t size;
    std::string words;
  };
  std::map<std::string, Place> places;
};
} // namespace

static LogicalResult checkSymbols(ArrayRef<TensorSignature> wanted,
                                  ArrayRef<const Tensor *> given,
                                  const SourceSpan &where,
                                  DiagnosticSink &sink) {
  SymbolTable symbols;
  LogicalResult result = success();
  for (size_t i = 0; i < wanted.size(); ++i)
    for (const std::string &text :
         symbols.conflicts("input", wanted[i], given[i]->shape()))
      result = sink.error(DiagKind::BackendInputShape, where, text);
  return result;
}

void lh::warnOfOutputSymbols(const EntryAbi &abi,
                             ArrayRef<const Tensor *> inputs,
                             ArrayRef<NamedTensor> outputs,
                             const SourceSpan &where, DiagnosticSink &sink) {
  SymbolTable symbols;
  std::vector<TensorSignature> wanted = abi.inputs();
  for (size_t i = 0; i < wanted.size(); ++i)
    (void)symbols.conflicts("input", wanted[i], inputs[i]->shape());
  for (size_t i = 0; i < outputs.size(); ++i)
    for (const std::string &text :
         symbols.conflicts("output", abi.results[i], outputs[i].tensor.shape()))
      sink.warning(DiagKind::BackendBadOutput, where, text);
}

FailureOr<std::vector<size_t>> lh::bindInputs(const EntryAbi &abi,
                                              ArrayRef<NamedTensor> given,
                                              const SourceSpan &where,
                                              DiagnosticSink &sink) {
  std::vector<TensorSignature> wanted = abi.inputs();
  if (given.size() != wanted.size())
    return sink.error(DiagKind::BackendInputCount, where,
                      Twine(given.size()) + " inputs are given, '" + abi.name +
                          "' takes " + Twine(wanted.size()) + " (" +
                          describeInputs(abi) + ")");
  FailureOr<std::vector<size_t>> order = matchNames(abi, given, where, sink);
  if (failed(order))
    return failure();
  bool wrong = false;
  std::vector<const Tensor *> ordered;
  for (size_t i = 0; i < wanted.size(); ++i) {
    ordered.push_back(&given[(*order)[i]].tensor);
    wrong |= failed(checkTensor(wanted[i], *ordered.back(), where, sink));
  }
  if (wrong || failed(checkSymbols(wanted, ordered, where, sink)))
    return failure();
  return order;
}

static uint64_t weightBytes(const EntryAbi &abi) {
  uint64_t total = 0;
  for (const EntryArgument &argument : abi.arguments)
    if (argument.role == ArgumentRole::Weight)
      total += argument.data.bytes;
  return total;
}

uint64_t lh::bytesToRead(const ModuleAbi &abi,
                         ArrayRef<const NamedTensor *> given) {
  uint64_t total = weightBytes(abi.entry);
  if (abi.prepare)
    total += weightBytes(*abi.prepare);
  for (const NamedTensor *input : given)
    total += input->tensor.sizeInBytes();
  return total;
}
