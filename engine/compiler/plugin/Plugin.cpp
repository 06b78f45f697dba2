// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gaps as a library that mlir-opt and other tools load.
#include "compiler/gaps/Gaps.h"
#include "compiler/transform/Transform.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

/// For `--load-pass-plugin`: the passes.
extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "lighthouse-gaps", LLVM_VERSION_STRING,
          lh::registerGapPasses};
}

/// For `--load-dialect-plugin`: the transform operations, and what the passes
/// and schedules need of upstream dialects.
extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "lighthouse-gaps", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            lh::registerGapExtensions(*registry);
            lh::registerLhTransform(*registry);
          }};
}
