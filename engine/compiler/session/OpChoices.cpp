// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `lh.choice` says on the ops of a module.
#include "compiler/session/OpChoices.h"

#include "compiler/gaps/Choice.h"
#include "compiler/session/MlirDiagnostics.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"

#include <set>

using namespace lh;

static std::string textOf(mlir::Attribute value) {
  if (auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(value))
    return text.str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (value)
    value.print(stream, /*elideType=*/true);
  return text;
}

/// "127 x ? x 259", a size for each loop.
static std::string sizesOf(mlir::Operation *op) {
  std::string text;
  if (auto loops = llvm::dyn_cast<mlir::linalg::LinalgOp>(op))
    for (int64_t size : loops.getStaticLoopRanges())
      text += (text.empty() ? "" : " x ") +
              (mlir::ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  return text;
}

static OpChoice read(mlir::Operation *op, mlir::MapAttr map) {
  OpChoice choice;
  choice.op = op->getName().getStringRef().str();
  choice.name = namesIn(op->getLoc());
  choice.sizes = sizesOf(op);
  choice.where = spanOf(op->getLoc());
  for (mlir::DataLayoutEntryInterface entry : map.getEntries()) {
    auto key = llvm::dyn_cast<mlir::StringAttr>(entry.getKey());
    std::string value = textOf(entry.getValue());
    if (!key)
      continue;
    if (key == "strategy")
      choice.strategy = value;
    else if (key == "rule")
      choice.rule = value;
    else
      choice.numbers[key.str()] = value;
  }
  return choice;
}

std::optional<OpChoice> lh::choiceAt(mlir::Operation *op) {
  mlir::MapAttr map = choiceOf(op);
  return map ? std::optional(read(op, map)) : std::nullopt;
}

std::vector<OpChoice> lh::choicesIn(mlir::ModuleOp module) {
  std::vector<OpChoice> choices;
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (mlir::MapAttr map = choiceOf(op))
      choices.push_back(read(op, map));
  });
  return choices;
}

static auto keyOf(const OpChoice &choice) {
  return std::tie(choice.name, choice.where.file, choice.where.line,
                  choice.where.column, choice.strategy, choice.rule,
                  choice.numbers);
}

std::vector<OpChoice> lh::madeBetween(ArrayRef<OpChoice> before,
                                      std::vector<OpChoice> after) {
  std::set<decltype(keyOf(before[0]))> known;
  for (const OpChoice &choice : before)
    known.insert(keyOf(choice));
  llvm::erase_if(after, [&](const OpChoice &choice) {
    return known.contains(keyOf(choice));
  });
  return after;
}
