// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as a model: the reader of .onnx files gives a model or says no.
#include "ProtoMutator.h"

#include "compiler/ingress/onnx/OnnxParser.h"

#include "llvm/Support/MemoryBuffer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  lh::OnnxModel model;
  (void)lh::parseOnnxModel({reinterpret_cast<const char *>(data), size}, model);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  return lh::fuzz::mutate(lh::fuzz::Kind::Model, data, size, maxSize, seed);
}
