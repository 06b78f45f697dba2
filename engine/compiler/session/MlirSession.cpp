// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of everything upstream: the only file that includes it all.
#include "compiler/session/MlirSession.h"

#include "compiler/gaps/Gaps.h"
#include "compiler/transform/Transform.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace lh;

struct MlirSession::State {
  mlir::DialectRegistry registry;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

/// MLIR's pass registry belongs to the process and doesn't take a name twice.
static void registerPassesOnce() {
  static const bool done = [] {
    mlir::registerAllPasses();
    registerGapPasses();
    return true;
  }();
  (void)done;
}

MlirSession::MlirSession() : state(std::make_unique<State>()) {
  registerPassesOnce();
  mlir::registerAllDialects(state->registry);
  mlir::registerAllExtensions(state->registry);
  mlir::registerAllToLLVMIRTranslations(state->registry);
  registerGapExtensions(state->registry);
  registerLhTransform(state->registry);
  state->context.appendDialectRegistry(state->registry);
  // Otherwise errors and remarks carry the printed operation as a note.
  state->context.printOpOnDiagnostic(false);
}

MlirSession::~MlirSession() = default;

LogicalResult MlirSession::loadPlugin(StringRef path, DiagnosticSink &sink) {
  auto passes = mlir::PassPlugin::load(path.str());
  auto dialects = mlir::DialectPlugin::load(path.str());
  if (passes)
    passes->registerPassRegistryCallbacks();
  if (dialects) {
    dialects->registerDialectRegistryCallbacks(state->registry);
    state->context.appendDialectRegistry(state->registry);
  }
  if (passes || dialects) {
    // A plugin may be of one sort only; the other's absence is no news.
    llvm::consumeError(passes.takeError());
    llvm::consumeError(dialects.takeError());
    return success();
  }
  llvm::consumeError(dialects.takeError());
  return sink.error(DiagKind::IrPluginNotLoaded, {path.str(), 0, 0, 0},
                    "cannot load the plugin '" + path +
                        "': " + llvm::toString(passes.takeError()) +
                        "; a plugin is a shared library with "
                        "mlirGetPassPluginInfo or mlirGetDialectPluginInfo, "
                        "built against LLVM " LLVM_VERSION_STRING);
}

void MlirSession::loadAll() { state->context.loadAllAvailableDialects(); }

mlir::MLIRContext &MlirSession::context() { return state->context; }
