// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds-checked reading of one protobuf message, field by field.
#ifndef LH_COMPILER_INGRESS_ONNX_WIREREADER_H
#define LH_COMPILER_INGRESS_ONNX_WIREREADER_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lh {

/// One field of a message, already checked against the message's end.
struct WireField {
  enum class Kind { Varint, Fixed32, Fixed64, Bytes };
  uint32_t number = 0;
  Kind kind = Kind::Varint;
  uint64_t scalar = 0;    ///< Varint, Fixed32, Fixed64
  std::string_view bytes; ///< Bytes: a view into the message

  bool isVarint() const { return kind == Kind::Varint; }
  bool isBytes() const { return kind == Kind::Bytes; }
  int64_t asInt() const { return static_cast<int64_t>(scalar); }
  float asFloat() const;
};

/// Calls `visit` for every field of `message` in order. Returns false when the
/// bytes are no protobuf message (truncated, lengths beyond the end, unknown
/// wire types) or when `visit` returns false.
bool forEachField(std::string_view message,
                  const std::function<bool(const WireField &)> &visit);

/// Appends a repeated integer field, packed or not. False when malformed.
bool appendIntegers(const WireField &field, std::vector<int64_t> &values);

/// The same for a repeated float (width 4) or double (width 8), as raw bytes.
bool appendFixed(const WireField &field, size_t width, std::string &bytes);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_WIREREADER_H
