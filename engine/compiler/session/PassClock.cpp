// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long passes take, and the ops of a schedule.
#include "compiler/session/PassClock.h"

#include "compiler/session/ScheduleMatches.h"

#include "mlir/Dialect/Transform/DebugExtension/DebugExtensionOps.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"

using namespace lh;
namespace transform = mlir::transform;

static constexpr size_t nowhere = ~size_t(0);
static constexpr StringRef beginMarker = "lh.begin ", endMarker = "lh.end ";

PassClock::PassClock(mlir::MLIRContext &context)
    : context(context), start(std::chrono::steady_clock::now()) {
  context.registerActionHandler([this](llvm::function_ref<void()> work,
                                       const mlir::tracing::Action &action) {
    const auto *execution = llvm::dyn_cast<mlir::PassExecutionAction>(&action);
    // What adapts passes to functions has no name, and a schedule is a step.
    std::string name =
        execution ? execution->getPass().getArgument().str() : "";
    if (name.empty() || name == "lh-schedule")
      return work();
    enter(name, 0);
    size_t depth = running.size();
    work();
    while (running.size() > depth)
      leave();
    leave();
  });
}

PassClock::~PassClock() { context.registerActionHandler(nullptr); }

double PassClock::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

void PassClock::enter(const std::string &name, unsigned operation) {
  constexpr size_t mostAlike = 100;
  Frame *around = running.empty() ? &outermost : &running.back();
  Frame frame;
  frame.operation = operation;
  frame.begin = now();
  frame.time = times.size();
  // Times inside of what is merged would stand in another's tree.
  if (around->isMerged) {
    frame.isMerged = true;
    frame.time = nowhere;
    return running.push_back(std::move(frame));
  }
  auto &[alike, last] = around->inside[name];
  if (++alike > mostAlike) {
    frame.isMerged = true;
    frame.time = last;
  } else {
    last = frame.time;
    times.push_back(
        {name, static_cast<unsigned>(running.size()), frame.begin, 0});
  }
  running.push_back(std::move(frame));
}

void PassClock::leave() {
  if (running.empty())
    return;
  const Frame &frame = running.back();
  if (frame.time < times.size())
    times[frame.time].seconds += now() - frame.begin;
  running.pop_back();
}

/// What failed in between never ended.
void PassClock::leaveOperation(unsigned operation) {
  bool isRunning = false;
  for (const Frame &frame : running)
    isRunning |= frame.operation == operation;
  while (isRunning) {
    isRunning = running.back().operation != operation;
    leave();
  }
}

bool PassClock::take(StringRef text) {
  bool begins = text.consume_front(beginMarker);
  if (!begins && !text.consume_front(endMarker))
    return false;
  unsigned operation = 0;
  if (text.consumeInteger(10, operation))
    return false;
  if (begins)
    enter(text.trim().split(' ').first.str(), operation);
  else
    leaveOperation(operation);
  return true;
}

/// Whether the interpreter runs `op` as a step of a sequence.
static bool isStep(mlir::Operation *op) {
  return llvm::isa<transform::TransformOpInterface>(op) &&
         !op->hasTrait<mlir::OpTrait::IsTerminator>() &&
         !llvm::isa<transform::NamedSequenceOp, transform::ParamConstantOp>(
             op) &&
         llvm::isa_and_nonnull<transform::NamedSequenceOp,
                               transform::SequenceOp, transform::ForeachOp,
                               transform::AlternativesOp>(op->getParentOp());
}

void lh::instrumentClock(mlir::ModuleOp schedule) {
  llvm::SmallVector<mlir::Operation *> steps =
      outsideMatchers(schedule, isStep);
  mlir::OpBuilder builder(schedule.getContext());
  auto type =
      transform::ParamType::get(builder.getContext(), builder.getI64Type());
  unsigned number = 0;
  for (mlir::Operation *step : steps) {
    std::string name =
        std::to_string(++number) + " " + step->getName().getStringRef().str();
    auto say = [&](StringRef marker) {
      auto zero = transform::ParamConstantOp::create(
          builder, step->getLoc(), type, builder.getI64IntegerAttr(0));
      transform::EmitParamAsRemarkOp::create(
          builder, step->getLoc(), zero.getResult(), /*anchor=*/mlir::Value(),
          builder.getStringAttr(marker + name));
    };
    builder.setInsertionPoint(step);
    say(beginMarker);
    builder.setInsertionPointAfter(step);
    say(endMarker);
  }
}
