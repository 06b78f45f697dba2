// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads ONNX's SequenceProto and OptionalProto from untrusted bytes. Both have
// their tensors in field 3; an optional has a sequence in field 5.
#include "core/numerics/TensorList.h"

#include "core/numerics/TensorProto.h"

#include "llvm/Support/MemoryBuffer.h"

#include <protozero/pbf_reader.hpp>

using namespace lh;

namespace {
struct Elements {
  std::vector<StringRef> tensors;
  bool hasValue = false;
};
} // namespace

static StringRef viewOf(protozero::pbf_reader &reader) {
  protozero::data_view data = reader.get_view();
  return {data.data(), data.size()};
}

/// What stands in a message, as far as its fields are those of a list. Throws
/// on malformed bytes.
static std::optional<Elements> elementsOf(StringRef bytes, bool isNested) {
  enum Field : uint32_t { Name = 1, Kind = 2, TensorValue = 3, Inner = 5 };
  constexpr auto delimited = protozero::pbf_wire_type::length_delimited;
  protozero::pbf_reader reader(bytes.data(), bytes.size());
  Elements found;
  bool hasKind = false;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
    case protozero::tag_and_type(Name, delimited):
      reader.skip();
      break;
    case protozero::tag_and_type(Kind, protozero::pbf_wire_type::varint):
      hasKind = true;
      reader.skip();
      break;
    case protozero::tag_and_type(TensorValue, delimited):
      found.tensors.push_back(viewOf(reader));
      found.hasValue = true;
      break;
    case protozero::tag_and_type(Inner, delimited): {
      std::optional<Elements> inner;
      if (!isNested && !found.hasValue)
        inner = elementsOf(viewOf(reader), /*isNested=*/true);
      if (!inner)
        return std::nullopt;
      found.tensors = std::move(inner->tensors);
      found.hasValue = true;
      break;
    }
    default:
      return std::nullopt;
    }
  }
  return hasKind || isNested ? std::optional(found) : std::nullopt;
}

static std::optional<Elements> listIn(StringRef bytes) {
  try { // protozero's only way to report malformed bytes
    return elementsOf(bytes, /*isNested=*/false);
  } catch (const protozero::exception &) {
    return std::nullopt;
  }
}

static bool isTensor(StringRef bytes) {
  CollectingSink ignored;
  return succeeded(readTensorProto(bytes, "", ignored));
}

std::optional<TensorList> lh::tensorListAt(const std::string &path) {
  if (!StringRef(path).ends_with(".pb"))
    return std::nullopt;
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return std::nullopt;
  StringRef bytes = (*file)->getBuffer();
  std::optional<Elements> found = listIn(bytes);
  // The fields of a tensor of small integers look alike.
  if (!found || isTensor(bytes))
    return std::nullopt;
  TensorList list;
  list.hasValue = found->hasValue;
  for (size_t i = 0; i < found->tensors.size(); ++i)
    list.files.push_back(path + "[" + std::to_string(i) + "]");
  return list;
}

std::pair<StringRef, std::optional<size_t>> lh::splitElement(StringRef path) {
  size_t at = path.rfind(".pb[");
  StringRef number = path.substr(at == StringRef::npos ? path.size() : at + 4);
  size_t place = 0;
  if (!number.consume_back("]") || number.getAsInteger(10, place))
    return {path, std::nullopt};
  return {path.take_front(at + 3), place};
}

std::optional<StringRef> lh::listElement(StringRef bytes, size_t place) {
  std::optional<Elements> found = listIn(bytes);
  if (!found || place >= found->tensors.size())
    return std::nullopt;
  return found->tensors[place];
}
