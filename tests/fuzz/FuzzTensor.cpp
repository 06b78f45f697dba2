// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as a .pb file: they give a tensor or a diagnostic.
#include "ProtoMutator.h"

#include "core/numerics/TensorProto.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  lh::CollectingSink sink;
  auto tensor = lh::readTensorProto(
      {reinterpret_cast<const char *>(data), size}, "fuzz.pb", sink);
  if (lh::failed(tensor) != (sink.errorCount() > 0))
    std::abort(); // a failure without a word, or a word without a failure
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  return lh::fuzz::mutate(lh::fuzz::Kind::Tensor, data, size, maxSize, seed);
}
