// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as a model to import: they give a module or a diagnostic.
#include "ImportContext.h"
#include "ProtoMutator.h"

#include "compiler/ingress/onnx/OnnxImporter.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  lh::CollectingSink sink;
  lh::OnnxImportOptions options;
  options.path = "/nowhere/fuzz.onnx";
  auto module =
      lh::importOnnxBytes({reinterpret_cast<const char *>(data), size}, options,
                          lh::fuzz::nextContext(), sink);
  if (lh::failed(module) != (sink.errorCount() > 0))
    std::abort(); // a failure without a word, or a word without a failure
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  return lh::fuzz::mutate(lh::fuzz::Kind::Model, data, size, maxSize, seed);
}
