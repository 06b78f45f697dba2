// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX's nesting of messages, and reading and writing by it.
#include "ProtoTree.h"

using namespace lh;
using namespace lh::fuzz;

namespace {
struct Nesting {
  Kind parent;
  uint32_t number;
  Kind child;
};
} // namespace

static constexpr Nesting nestings[] = {
    {Kind::Model, 7, Kind::Graph},
    {Kind::Model, 8, Kind::Opset},
    {Kind::Model, 25, Kind::Function},
    {Kind::Graph, 1, Kind::Node},
    {Kind::Graph, 5, Kind::Tensor},
    {Kind::Graph, 11, Kind::ValueInfo},
    {Kind::Graph, 12, Kind::ValueInfo},
    {Kind::Graph, 13, Kind::ValueInfo},
    {Kind::Node, 5, Kind::Attribute},
    {Kind::Attribute, 5, Kind::Tensor},
    {Kind::Attribute, 6, Kind::Graph},
    {Kind::Attribute, 10, Kind::Tensor},
    {Kind::Attribute, 11, Kind::Graph},
    {Kind::ValueInfo, 2, Kind::Type},
    {Kind::Type, 1, Kind::TensorType},
    {Kind::TensorType, 2, Kind::Shape},
    {Kind::Shape, 1, Kind::Dim},
    {Kind::Function, 7, Kind::Node},
    {Kind::Function, 9, Kind::Opset},
    {Kind::Function, 11, Kind::Attribute},
    {Kind::Function, 12, Kind::ValueInfo},
};

/// Deeper nesting is the parser's business, not the mutator's.
static constexpr unsigned maxDepth = 24;

Kind lh::fuzz::kindOfField(Kind kind, uint32_t number) {
  for (const Nesting &nesting : nestings)
    if (nesting.parent == kind && nesting.number == number)
      return nesting.child;
  return Kind::Leaf;
}

static std::optional<std::vector<Field>>
parseAt(Kind kind, std::string_view bytes, unsigned depth) {
  std::vector<Field> fields;
  bool good = forEachField(bytes, [&](const WireField &wire) {
    Field field{wire.number, wire.kind, wire.scalar, std::string(wire.bytes),
                Kind::Leaf,  {}};
    Kind child = kindOfField(kind, wire.number);
    if (wire.isBytes() && child != Kind::Leaf && depth < maxDepth)
      if (auto children = parseAt(child, wire.bytes, depth + 1)) {
        field.kind = child;
        field.children = std::move(*children);
        field.bytes.clear();
      }
    fields.push_back(std::move(field));
    return true;
  });
  if (!good)
    return std::nullopt;
  return fields;
}

std::optional<std::vector<Field>> lh::fuzz::parseTree(Kind kind,
                                                      std::string_view bytes) {
  return parseAt(kind, bytes, 0);
}

void lh::fuzz::appendVarint(std::string &out, uint64_t value) {
  for (; value > 127; value >>= 7)
    out.push_back(static_cast<char>((value & 127) | 128));
  out.push_back(static_cast<char>(value));
}

static void writeField(std::string &out, const Field &field) {
  static constexpr unsigned wireTypes[] = {0, 5, 1, 2}; // as WireField::Kind
  appendVarint(out, uint64_t(field.number) << 3 |
                        wireTypes[static_cast<size_t>(field.wire)]);
  auto scalar = reinterpret_cast<const char *>(&field.scalar);
  switch (field.wire) {
  case WireField::Kind::Varint:
    return appendVarint(out, field.scalar);
  case WireField::Kind::Fixed32:
    out.append(scalar, 4);
    return;
  case WireField::Kind::Fixed64:
    out.append(scalar, 8);
    return;
  case WireField::Kind::Bytes:
    std::string content =
        field.isMessage() ? serialize(field.children) : field.bytes;
    appendVarint(out, content.size());
    out += content;
    return;
  }
}

std::string lh::fuzz::serialize(const std::vector<Field> &fields) {
  std::string out;
  for (const Field &field : fields)
    writeField(out, field);
  return out;
}

Field lh::fuzz::varintField(uint32_t number, uint64_t value) {
  return {number, WireField::Kind::Varint, value, {}, Kind::Leaf, {}};
}

Field lh::fuzz::bytesField(uint32_t number, std::string bytes) {
  return {number, WireField::Kind::Bytes, 0, std::move(bytes), Kind::Leaf, {}};
}
