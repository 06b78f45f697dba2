// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which gaps a step uses, and how it does without some.
#include "compiler/session/GapWatch.h"

#include "compiler/gaps/Gaps.h"
#include "compiler/transform/LeaveOut.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"

using namespace lh;

GapWatch::GapWatch(mlir::MLIRContext &context, ArrayRef<std::string> leftOut)
    : context(context), leftOut(leftOut.begin(), leftOut.end()) {
  context.registerActionHandler(
      [this](llvm::function_ref<void()> work,
             const mlir::tracing::Action &action) { handle(work, action); });
}

GapWatch::~GapWatch() { context.registerActionHandler(nullptr); }

std::vector<std::string> GapWatch::takeUsed() {
  std::vector<std::string> names(used.begin(), used.end());
  used.clear();
  return names;
}

void GapWatch::handle(llvm::function_ref<void()> work,
                      const mlir::tracing::Action &action) {
  if (const auto *op = llvm::dyn_cast<TransformOpAction>(&action)) {
    std::string name = op->name().str();
    if (leftOut.count(name))
      return;
    used.insert(std::move(name));
    return work();
  }
  const auto *execution = llvm::dyn_cast<mlir::PassExecutionAction>(&action);
  std::string name = execution ? execution->getPass().getArgument().str() : "";
  if (leftOut.count(name))
    return;
  // A schedule is a step, and what it does others do in it.
  if (!isGapPass(name) || name == "lh-schedule" || used.count(name))
    return work();
  mlir::OperationFingerPrint before(execution->getOp());
  work();
  if (mlir::OperationFingerPrint(execution->getOp()) != before)
    used.insert(std::move(name));
}
