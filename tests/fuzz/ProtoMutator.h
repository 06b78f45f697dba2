// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes ONNX messages field by field, so that what a fuzzer tries still
// parses and reaches the code behind the parser.
#ifndef LH_TESTS_FUZZ_PROTOMUTATOR_H
#define LH_TESTS_FUZZ_PROTOMUTATOR_H

#include <cstddef>
#include <cstdint>

namespace lh::fuzz {

/// What the bytes are: decides which fields are messages themselves.
enum class Kind {
  Model,
  Graph,
  Node,
  Attribute,
  Tensor,
  ValueInfo,
  Type,
  TensorType,
  Shape,
  Dim,
  Opset,
  Function,
  Leaf, ///< no message: a number, a text, bytes
};

/// A LLVMFuzzerCustomMutator for messages of `kind`. Bytes that are no message
/// are left to libFuzzer's own mutations, and so is a share of the others.
size_t mutate(Kind kind, uint8_t *data, size_t size, size_t maxSize,
              unsigned seed);

} // namespace lh::fuzz

#endif // LH_TESTS_FUZZ_PROTOMUTATOR_H
