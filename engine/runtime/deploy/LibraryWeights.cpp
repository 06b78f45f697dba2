// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights as assembly, and as a file.
#include "runtime/deploy/LibraryWeights.h"

#include "core/support/FileSystem.h"
#include "runtime/abi/WeightFiles.h"
#include "runtime/deploy/Model.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <cstring>

using namespace lh;

/// Of a weight in memory: a cache line, and the widest vector.
static constexpr uint64_t alignment = 64;

LibraryWeights::Key LibraryWeights::keyOf(const EntryArgument &argument) {
  return {argument.data.file, argument.data.offset, argument.tensor.dtype,
          argument.tensor.shape};
}

LibraryWeights::LibraryWeights(const ModuleAbi &abi) {
  auto add = [&](const EntryAbi &function) {
    for (const EntryArgument &argument : function.arguments)
      if (argument.role == ArgumentRole::Weight &&
          positions.try_emplace(keyOf(argument), weights.size()).second)
        weights.push_back(&argument);
  };
  add(abi.entry);
  if (abi.prepare)
    add(*abi.prepare);
}

size_t LibraryWeights::indexOf(const EntryArgument &argument) const {
  return positions.at(keyOf(argument));
}

uint64_t LibraryWeights::bytes() const {
  uint64_t sum = 0;
  for (const EntryArgument *weight : weights)
    sum += weight->data.bytes;
  return sum;
}

std::pair<std::vector<uint64_t>, uint64_t> LibraryWeights::layOut() const {
  std::vector<uint64_t> offsets;
  uint64_t end = alignment; // the header
  for (const EntryArgument *weight : weights) {
    offsets.push_back(end);
    end = llvm::alignTo(end + weight->data.bytes, alignment);
  }
  return {offsets, end};
}

std::string LibraryWeights::symbolOf(StringRef library, size_t index) {
  return ("lh_" + library + "_weight_" + Twine(index)).str();
}

/// `path` in an assembler's quotes.
static std::string inQuotes(StringRef path) {
  std::string text = "\"";
  for (char c : path) {
    if (c == '"' || c == '\\')
      text += '\\';
    text += c;
  }
  return text + "\"";
}

std::string LibraryWeights::assembly(StringRef library) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << ".section .rodata.lh_weights,\"a\",@progbits\n";
  for (size_t i = 0; i < weights.size(); ++i) {
    std::string symbol = symbolOf(library, i);
    const WeightPlace &place = weights[i]->data;
    out << ".balign " << alignment << "\n.globl " << symbol << "\n.hidden "
        << symbol << "\n"
        << symbol << ":\n.incbin " << inQuotes(place.file) << ", "
        << place.offset << ", " << place.bytes << "\n";
  }
  return text;
}

LogicalResult LibraryWeights::check(const SourceSpan &where,
                                    DiagnosticSink &sink) const {
  WeightFiles files;
  for (const EntryArgument *weight : weights)
    if (failed(files.bind(*weight, 1, where, sink)))
      return failure();
  return success();
}

FailureOr<uint64_t> LibraryWeights::writeFile(StringRef path,
                                              const SourceSpan &where,
                                              DiagnosticSink &sink) const {
  WeightFiles files;
  auto [offsets, end] = layOut();
  std::string contents(end, '\0');
  for (size_t i = 0; i < weights.size(); ++i) {
    auto bytes = files.bind(*weights[i], 1, where, sink);
    if (failed(bytes))
      return failure();
    std::memcpy(contents.data() + offsets[i], *bytes, weights[i]->data.bytes);
  }
  LhWeightsHeader header{};
  std::memcpy(header.magic, LH_WEIGHTS_MAGIC, sizeof header.magic);
  header.bytes = end;
  header.hash = llvm::xxh3_64bits(StringRef(contents).drop_front(alignment));
  std::memcpy(contents.data(), &header, sizeof header);
  if (failed(writeFileAtomically(path.str(), contents, where, sink)))
    return failure();
  return header.hash;
}
