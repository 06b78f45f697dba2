// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Knobs of schedules: transform.tune.knob and transform.tune.alternatives.
#include "compiler/session/Knobs.h"

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;
namespace tune = mlir::transform::tune;

std::optional<KnobPlace> lh::knobAt(mlir::Operation *op) {
  if (auto knob = llvm::dyn_cast<tune::KnobOp>(op))
    return KnobPlace{knob.getName().getValue(), "selected", false};
  auto alternatives = llvm::dyn_cast<tune::AlternativesOp>(op);
  if (alternatives && !alternatives.getSelectedRegionParam())
    return KnobPlace{alternatives.getName().getValue(), "selected_region_attr",
                     true};
  return std::nullopt;
}

/// Nothing for what a file can't say.
static std::optional<Value> valueOf(mlir::Attribute attribute) {
  if (auto flag = llvm::dyn_cast<mlir::BoolAttr>(attribute))
    return Value(flag.getValue());
  if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(attribute))
    return Value(number.getInt());
  if (auto text = llvm::dyn_cast<mlir::StringAttr>(attribute))
    return Value(text.str());
  return std::nullopt;
}

static std::vector<Value> valuesOf(mlir::Operation *op) {
  std::vector<Value> values;
  if (auto knob = llvm::dyn_cast<tune::KnobOp>(op)) {
    if (auto options = llvm::dyn_cast<mlir::ArrayAttr>(knob.getOptions()))
      for (mlir::Attribute option : options)
        if (std::optional<Value> value = valueOf(option))
          values.push_back(std::move(*value));
  } else {
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      values.emplace_back(int64_t(i));
  }
  return values;
}

std::vector<Knob> lh::knobsIn(const std::string &file,
                              mlir::MLIRContext &context) {
  context.loadDialect<mlir::transform::TransformDialect>();
  mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  std::vector<Knob> knobs;
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(file, &context);
  if (!module)
    return knobs;
  module->walk([&](mlir::Operation *op) {
    std::optional<KnobPlace> place = knobAt(op);
    if (place && llvm::none_of(knobs, [&](const Knob &knob) {
          return knob.name == place->name;
        }))
      knobs.push_back({place->name.str(), valuesOf(op)});
  });
  return knobs;
}
