// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a schedule say how many operations its searches find: the interpreter
// has no events, so that upstream's own debug operations are added to it.
#include "compiler/session/ScheduleMatches.h"

#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.h"
#include "mlir/Dialect/Transform/DebugExtension/DebugExtensionOps.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/IR/SymbolTable.h"

#include <set>

using namespace lh;
namespace transform = mlir::transform;

static constexpr StringRef marker = "lh.match";

bool lh::isOptional(mlir::Operation *op) {
  return op->hasAttrOfType<mlir::StringAttr>(optionalMark);
}

namespace {

/// Instruments one schedule.
class Instrumenter {
public:
  explicit Instrumenter(mlir::ModuleOp schedule)
      : schedule(schedule), symbols(schedule), builder(schedule.getContext()) {}

  void run();

private:
  using Sequence = transform::NamedSequenceOp;

  void instrument(mlir::Operation *search);
  void instrument(transform::ForeachMatchOp search);
  Sequence ownAction(mlir::SymbolRefAttr name);
  void count(mlir::Operation *search, mlir::Value handle, StringRef what);
  void say(mlir::Operation *search, mlir::Value number, StringRef what);

  mlir::ModuleOp schedule;
  mlir::SymbolTable symbols;
  mlir::OpBuilder builder;
};

} // namespace

static void addMatcher(mlir::ModuleOp schedule, mlir::Attribute name,
                       std::set<mlir::Operation *> &matchers) {
  auto matcher = schedule.lookupSymbol<transform::NamedSequenceOp>(
      llvm::cast<mlir::SymbolRefAttr>(name).getRootReference());
  if (!matcher || !matchers.insert(matcher).second)
    return;
  matcher.walk([&](transform::IncludeOp include) {
    addMatcher(schedule, include.getTarget(), matchers);
  });
}

llvm::SmallVector<mlir::Operation *>
lh::outsideMatchers(mlir::ModuleOp schedule,
                    llvm::function_ref<bool(mlir::Operation *)> wanted) {
  std::set<mlir::Operation *> matchers;
  schedule.walk([&](mlir::Operation *op) {
    if (auto each = llvm::dyn_cast<transform::ForeachMatchOp>(op))
      for (mlir::Attribute name : each.getMatchers())
        addMatcher(schedule, name, matchers);
    if (auto collect = llvm::dyn_cast<transform::CollectMatchingOp>(op))
      addMatcher(schedule, collect.getMatcher(), matchers);
  });
  llvm::SmallVector<mlir::Operation *> found;
  schedule.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (matchers.count(op))
      return mlir::WalkResult::skip();
    if (wanted(op))
      found.push_back(op);
    return mlir::WalkResult::advance();
  });
  return found;
}

void Instrumenter::say(mlir::Operation *search, mlir::Value number,
                       StringRef what) {
  std::string text =
      (marker + " " + what + " " + search->getName().getStringRef()).str();
  transform::EmitParamAsRemarkOp::create(builder, search->getLoc(), number,
                                         /*anchor=*/mlir::Value(),
                                         builder.getStringAttr(text));
}

void Instrumenter::count(mlir::Operation *search, mlir::Value handle,
                         StringRef what) {
  auto type =
      transform::ParamType::get(builder.getContext(), builder.getI64Type());
  say(search,
      transform::NumAssociationsOp::create(builder, search->getLoc(), type,
                                           handle)
          .getResult(),
      what);
}

static StringRef foundWord(mlir::Operation *search) {
  return isOptional(search) ? "maybe" : "found";
}

void Instrumenter::instrument(mlir::Operation *search) {
  builder.setInsertionPoint(search);
  count(search, search->getOperand(0), "given");
  builder.setInsertionPointAfter(search);
  count(search, search->getResult(0), foundWord(search));
}

/// A copy of an action that no other operation calls: what is found is said of
/// the place that calls it.
Instrumenter::Sequence Instrumenter::ownAction(mlir::SymbolRefAttr name) {
  auto action = symbols.lookup<Sequence>(name.getRootReference());
  if (!action || action.isExternal())
    return {};
  auto copy = llvm::cast<Sequence>(action->clone());
  symbols.insert(copy, std::next(action->getIterator()));
  return copy;
}

void Instrumenter::instrument(transform::ForeachMatchOp search) {
  auto type =
      transform::ParamType::get(builder.getContext(), builder.getI64Type());
  auto sayNumber = [&](int64_t number) {
    auto constant = transform::ParamConstantOp::create(
        builder, search.getLoc(), type, builder.getI64IntegerAttr(number));
    say(search, constant.getResult(), foundWord(search));
  };
  builder.setInsertionPoint(search);
  count(search, search.getRoot(), "given");
  sayNumber(0);
  llvm::SmallVector<mlir::Attribute> actions;
  for (mlir::Attribute name : search.getActions()) {
    actions.push_back(name);
    Sequence action = ownAction(llvm::cast<mlir::SymbolRefAttr>(name));
    if (!action)
      continue;
    actions.back() = mlir::SymbolRefAttr::get(action.getSymNameAttr());
    builder.setInsertionPointToStart(&action.getBody().front());
    sayNumber(1);
  }
  search.setActionsAttr(builder.getArrayAttr(actions));
}

static bool mayFindNothing(mlir::Operation *op) {
  if (auto parent = llvm::dyn_cast<transform::GetParentOp>(op))
    return parent.getAllowEmptyResults();
  return op->getNumResults() > 0 &&
         llvm::isa<transform::MatchOp, transform::CollectMatchingOp,
                   transform::ForeachMatchOp, transform::SelectOp,
                   transform::GetConsumersOfResult>(op);
}

void Instrumenter::run() {
  llvm::SmallVector<mlir::Operation *> searches =
      outsideMatchers(schedule, mayFindNothing);
  // Actions are copied once what is in them is instrumented.
  llvm::SmallVector<transform::ForeachMatchOp> walks;
  for (mlir::Operation *search : searches)
    if (auto each = llvm::dyn_cast<transform::ForeachMatchOp>(search))
      walks.push_back(each);
    else
      instrument(search);
  for (transform::ForeachMatchOp each : walks)
    instrument(each);
}

void lh::instrumentMatches(mlir::ModuleOp schedule) {
  Instrumenter(schedule).run();
}

std::optional<MatchRemark> lh::parseMatchRemark(StringRef text) {
  if (!text.consume_front(marker) || !text.consume_front(" "))
    return std::nullopt;
  auto [what, rest] = text.split(' ');
  auto [op, number] = rest.split(' ');
  MatchRemark remark;
  remark.what =
      what == "given" ? MatchRemark::What::Given : MatchRemark::What::Found;
  remark.isOptional = what == "maybe";
  remark.op = op.str();
  if (number.consumeInteger(10, remark.operations))
    return std::nullopt;
  return remark;
}
