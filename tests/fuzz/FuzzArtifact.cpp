// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as a portable artifact: they give a module that verifies, or a
// diagnostic.
#include "ImportContext.h"

#include "compiler/ingress/stablehlo/StablehloImporter.h"

#include "mlir/IR/Verifier.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

/// A file in memory with these bytes, by a path that a child process has too.
static std::string fileOf(const uint8_t *data, size_t size) {
  static int file = memfd_create("artifact", 0);
  if (file < 0 || ftruncate(file, 0) != 0 ||
      pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  return "/proc/self/fd/" + std::to_string(file);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Other bytes are text, which has a fuzzer of its own.
  if (size < 4 ||
      llvm::StringRef(reinterpret_cast<const char *>(data), 4) != "ML\xefR")
    return -1;
  lh::CollectingSink sink;
  auto module = lh::importStablehlo(fileOf(data, size), std::nullopt,
                                    lh::fuzz::nextContext(), sink);
  if (lh::failed(module) != (sink.errorCount() > 0))
    std::abort(); // a failure without a word, or a word without a failure
  if (lh::succeeded(module) && lh::failed(mlir::verify(**module)))
    std::abort();
  return 0;
}
