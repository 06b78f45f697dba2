// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A message as a tree that can be edited and written back.
#ifndef LH_TESTS_FUZZ_PROTOTREE_H
#define LH_TESTS_FUZZ_PROTOTREE_H

#include "ProtoMutator.h"

#include "compiler/ingress/onnx/WireReader.h"

#include <optional>

namespace lh::fuzz {

/// One field; `children` are those of a message, else `bytes` or `scalar`
/// holds the value.
struct Field {
  uint32_t number = 0;
  WireField::Kind wire = WireField::Kind::Varint;
  uint64_t scalar = 0;
  std::string bytes;
  Kind kind = Kind::Leaf;
  std::vector<Field> children;

  bool isMessage() const { return kind != Kind::Leaf; }
  bool isText() const {
    return wire == WireField::Kind::Bytes && kind == Kind::Leaf;
  }
};

/// What field `number` of a message of `kind` holds.
Kind kindOfField(Kind kind, uint32_t number);

/// The fields of a message; empty when the bytes are none.
std::optional<std::vector<Field>> parseTree(Kind kind, std::string_view bytes);

std::string serialize(const std::vector<Field> &fields);

/// One integer as protobuf writes it.
void appendVarint(std::string &out, uint64_t value);

Field varintField(uint32_t number, uint64_t value);
Field bytesField(uint32_t number, std::string bytes);

} // namespace lh::fuzz

#endif // LH_TESTS_FUZZ_PROTOTREE_H
