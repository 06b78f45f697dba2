// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as a model to import: they give a module or a diagnostic.
#include "ProtoMutator.h"

#include "compiler/ingress/onnx/OnnxImporter.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdlib>
#include <memory>

/// A context keeps every type and constant that was ever made in it.
static constexpr unsigned importsPerContext = 500;

static mlir::MLIRContext &contextFor(unsigned import) {
  static std::unique_ptr<mlir::MLIRContext> context;
  if (!context || import % importsPerContext == 0) {
    context = std::make_unique<mlir::MLIRContext>(
        mlir::MLIRContext::Threading::DISABLED);
  }
  return *context;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static unsigned imports = 0;
  lh::CollectingSink sink;
  lh::OnnxImportOptions options;
  options.path = "/nowhere/fuzz.onnx";
  auto module =
      lh::importOnnxBytes({reinterpret_cast<const char *>(data), size}, options,
                          contextFor(imports++), sink);
  if (lh::failed(module) != (sink.errorCount() > 0))
    std::abort(); // a failure without a word, or a word without a failure
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  return lh::fuzz::mutate(lh::fuzz::Kind::Model, data, size, maxSize, seed);
}
