// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Protozero behind a border without exceptions or assertions.
#include "compiler/ingress/onnx/WireReader.h"

#include <protozero/pbf_reader.hpp>

#include <cstring>

using namespace lh;

float WireField::asFloat() const {
  auto bits = static_cast<uint32_t>(scalar);
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Reads the reader's current field. Protozero throws on truncation.
static bool readField(protozero::pbf_reader &reader, WireField &field) {
  field.number = reader.tag();
  field.bytes = {};
  field.scalar = 0;
  switch (reader.wire_type()) {
  case protozero::pbf_wire_type::varint:
    field.kind = WireField::Kind::Varint;
    field.scalar = reader.get_uint64();
    return true;
  case protozero::pbf_wire_type::fixed32:
    field.kind = WireField::Kind::Fixed32;
    field.scalar = reader.get_fixed32();
    return true;
  case protozero::pbf_wire_type::fixed64:
    field.kind = WireField::Kind::Fixed64;
    field.scalar = reader.get_fixed64();
    return true;
  case protozero::pbf_wire_type::length_delimited: {
    field.kind = WireField::Kind::Bytes;
    protozero::data_view view = reader.get_view();
    field.bytes = {view.data(), view.size()};
    return true;
  }
  default:
    return false;
  }
}

bool lh::forEachField(std::string_view message,
                      const std::function<bool(const WireField &)> &visit) {
  // The one place where protozero's exceptions are turned into a value.
  try {
    protozero::pbf_reader reader(message.data(), message.size());
    WireField field;
    while (reader.next())
      if (!readField(reader, field) || !visit(field))
        return false;
    return true;
  } catch (const protozero::exception &) {
    return false;
  }
}

bool lh::appendIntegers(const WireField &field, std::vector<int64_t> &values) {
  if (field.isVarint()) {
    values.push_back(field.asInt());
    return true;
  }
  if (!field.isBytes())
    return false;
  const char *position = field.bytes.data();
  const char *end = position + field.bytes.size();
  try {
    while (position != end)
      values.push_back(
          static_cast<int64_t>(protozero::decode_varint(&position, end)));
    return true;
  } catch (const protozero::exception &) {
    return false;
  }
}

bool lh::appendFixed(const WireField &field, size_t width, std::string &bytes) {
  if (field.isBytes()) {
    if (field.bytes.size() % width != 0)
      return false;
    bytes.append(field.bytes);
    return true;
  }
  bool matches = width == 4 ? field.kind == WireField::Kind::Fixed32
                            : field.kind == WireField::Kind::Fixed64;
  if (!matches)
    return false;
  bytes.append(reinterpret_cast<const char *>(&field.scalar), width);
  return true;
}
