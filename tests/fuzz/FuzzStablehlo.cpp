// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any text as a StableHLO program: it gives a module that verifies, or a
// diagnostic.
#include "ImportContext.h"
#include "TextMutator.h"

#include "compiler/ingress/stablehlo/StablehloImporter.h"

#include "mlir/IR/Verifier.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  lh::CollectingSink sink;
  auto program =
      lh::readStablehloText({reinterpret_cast<const char *>(data), size},
                            "fuzz.mlir", 1, lh::fuzz::nextContext(), sink);
  if (lh::failed(program) != (sink.errorCount() > 0))
    std::abort(); // a failure without a word, or a word without a failure
  if (lh::failed(program))
    return 0;
  auto module = lh::importStablehlo(**program, "fuzz.mlir", std::nullopt, sink);
  if (lh::failed(module) != (sink.errorCount() > 0))
    std::abort();
  if (lh::succeeded(module) && lh::failed(mlir::verify(**module)))
    std::abort();
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  return lh::fuzz::mutateText(data, size, maxSize, seed);
}
