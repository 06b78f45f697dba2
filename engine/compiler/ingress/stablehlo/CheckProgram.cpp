// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program has that can't be imported, told before anything is built.
#include "compiler/ingress/stablehlo/OpTable.h"
#include "compiler/ingress/stablehlo/ProgramImporter.h"
#include "compiler/ingress/stablehlo/Quantisation.h"
#include "compiler/ingress/stablehlo/ScalarOps.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace lh;
using namespace mlir;

namespace {

class ProgramCheck {
public:
  ProgramCheck(ModuleOp program, DiagnosticSink &sink)
      : program(program), sink(sink) {}

  void visit(func::FuncOp function);
  LogicalResult report();

private:
  void check(Operation &op);
  void checkOrder(Operation &op);
  void checkType(Type type, Location loc);
  void follow(StringAttr callee);

  struct Finding {
    Location first;
    size_t count = 0;
  };
  using Findings =
      llvm::MapVector<std::string, Finding, std::map<std::string, unsigned>>;

  static void note(Findings &findings, std::string what, Location loc) {
    ++findings.try_emplace(std::move(what), Finding{loc}).first->second.count;
  }
  void reportAll(const Findings &findings, DiagKind kind, StringRef rule);

  ModuleOp program;
  DiagnosticSink &sink;
  llvm::StringSet<> visited;
  Findings ops, types, lateUses;
};

} // namespace

/// Why a type of an element has no form here; empty where it has one.
static std::string whyNotElement(Type element) {
  std::string text;
  llvm::raw_string_ostream(text) << element;
  if (isa<ComplexType>(element))
    return "complex numbers ('" + text + "')";
  if (quant::QuantizedType quantised = quantisedTypeOf(element))
    return dtypeOf(quantised) && dtypeOfStorage(quantised)
               ? ""
               : "the quantised type '" + text + "'";
  return dtypeOf(element) ? "" : "the element type '" + text + "'";
}

void ProgramCheck::checkType(Type type, Location loc) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (std::string why = whyNotElement(tensor.getElementType()); !why.empty())
      note(types, why, loc);
    return;
  }
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type part : tuple.getTypes())
      checkType(part, loc);
    return;
  }
  if (auto token = dyn_cast<OpaqueType>(type);
      token && token.getTypeData() == "token")
    return;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  note(types, "'" + text + "'", loc);
}

void ProgramCheck::follow(StringAttr callee) {
  if (!callee)
    return;
  if (auto function = program.lookupSymbol<func::FuncOp>(callee.getValue()))
    visit(function);
}

/// MLIR's verifier doesn't ask it of operations that nobody registered.
static bool isThereAt(Value value, Operation &user) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return value.getParentRegion()->isAncestor(user.getParentRegion());
  Operation *around = op->getBlock()->findAncestorOpInBlock(user);
  return around && op->isBeforeInBlock(around);
}

void ProgramCheck::checkOrder(Operation &op) {
  for (Value operand : op.getOperands())
    if (!isThereAt(operand, op))
      return note(lateUses, "'" + op.getName().getStringRef().str() + "'",
                  op.getLoc());
}

void ProgramCheck::check(Operation &op) {
  checkOrder(op);
  for (Type type : op.getResultTypes())
    checkType(type, op.getLoc());
  for (Region &region : op.getRegions())
    for (BlockArgument argument : region.getArguments())
      checkType(argument.getType(), op.getLoc());
  if (auto call = dyn_cast<func::CallOp>(op))
    return follow(StringAttr::get(op.getContext(), call.getCallee()));
  StringRef name = op.getName().getStringRef();
  if (isa<func::ReturnOp>(op) || name == "stablehlo.return")
    return;
  if (auto symbol =
          dyn_cast_or_null<FlatSymbolRefAttr>(op.getAttr("decomposition")))
    follow(symbol.getAttr());
  if (!findScalarRow(name) && !hloTable().contains(name))
    note(ops, "'" + name.str() + "'", op.getLoc());
}

void ProgramCheck::visit(func::FuncOp function) {
  if (!visited.insert(function.getName()).second || function.isExternal())
    return;
  for (BlockArgument argument : function.getArguments())
    checkType(argument.getType(), function.getLoc());
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function)
      check(*op);
  });
}

void ProgramCheck::reportAll(const Findings &findings, DiagKind kind,
                             StringRef rule) {
  for (const auto &[what, finding] : findings) {
    std::string more =
        finding.count > 1
            ? ", here and in " + std::to_string(finding.count - 1) +
                  (finding.count == 2 ? " other place" : " other places")
            : "";
    (void)sink.error(kind, spanOf(finding.first), what + rule + more);
  }
}

LogicalResult ProgramCheck::report() {
  unsigned before = sink.errorCount();
  reportAll(ops, DiagKind::IngressUnsupportedOp,
            " can't be imported; `lh-run ops stablehlo` lists what can");
  reportAll(types, DiagKind::IngressUnsupportedType, " are not supported");
  reportAll(lateUses, DiagKind::IngressUndefinedValue,
            " uses a value that isn't there yet");
  return success(sink.errorCount() == before);
}

LogicalResult lh::checkProgram(ModuleOp program, func::FuncOp entry,
                               DiagnosticSink &sink) {
  ProgramCheck check(program, sink);
  check.visit(entry);
  return check.report();
}
