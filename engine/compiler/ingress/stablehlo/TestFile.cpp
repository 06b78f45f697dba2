// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes tests apart into programs, inputs and expected outputs.
#include "compiler/ingress/stablehlo/TestFile.h"

#include "compiler/ingress/emit/Scalars.h"
#include "compiler/ingress/stablehlo/Constants.h"
#include "compiler/ingress/stablehlo/StablehloImporter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace lh;
using namespace mlir;

namespace {

/// A part of a file, as it stands there.
struct Part {
  std::string text;
  unsigned firstLine = 1;
};

/// One check: which of its operands is tested, and what that must be.
struct Check {
  Operation *op;
  unsigned actual;
  DenseElementsAttr expected; ///< null: not known before the run
};

} // namespace

static std::vector<Part> partsOf(StringRef contents) {
  std::vector<Part> parts(1);
  unsigned line = 0;
  for (StringRef text : llvm::split(contents, '\n')) {
    ++line;
    if (text.trim() == "// -----") {
      parts.push_back({"", line + 1});
      continue;
    }
    parts.back().text += text;
    parts.back().text += '\n';
  }
  return parts;
}

/// The constant that `value` is, through calls of functions that return some.
static DenseElementsAttr constantOf(ModuleOp module, Value value,
                                    unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 4)
    return {};
  if (op->getName().getStringRef() == "stablehlo.constant")
    return dyn_cast_or_null<DenseElementsAttr>(op->getAttr("value"));
  auto call = dyn_cast<func::CallOp>(op);
  auto callee =
      call ? module.lookupSymbol<func::FuncOp>(call.getCallee()) : nullptr;
  if (!callee || !callee.getBody().hasOneBlock() ||
      callee.getNumArguments() != 0 || callee.getBody().front().empty())
    return {};
  Operation *end = &callee.getBody().front().back();
  auto index = cast<OpResult>(value).getResultNumber();
  if (index >= end->getNumOperands())
    return {};
  return constantOf(module, end->getOperand(index), depth + 1);
}

static std::optional<Check> checkOf(ModuleOp module, Operation &op) {
  StringRef name = op.getName().getStringRef();
  auto target = dyn_cast_or_null<StringAttr>(op.getAttr("call_target_name"));
  auto symbol =
      dyn_cast_or_null<FlatSymbolRefAttr>(op.getAttr("call_target_name"));
  StringRef called = target   ? target.getValue()
                     : symbol ? symbol.getValue()
                              : StringRef();
  bool isCheck =
      name.starts_with("check.expect") ||
      (name == "stablehlo.custom_call" && called.starts_with("check."));
  if (!isCheck || op.getNumOperands() == 0)
    return std::nullopt;
  Check check{&op, 0, {}};
  if (op.getNumOperands() > 1)
    check.expected = constantOf(module, op.getOperand(1));
  if (op.getNumOperands() > 1 && !check.expected) {
    // `check.eq` has the expected value first.
    check.expected = constantOf(module, op.getOperand(0));
    check.actual = check.expected ? 1 : 0;
  }
  if (op.getNumOperands() == 1)
    check.expected = dyn_cast_or_null<DenseElementsAttr>(op.getAttr("value"));
  return check;
}

static std::optional<Tensor> tensorOf(DenseElementsAttr value, Type type) {
  auto shaped = cast<ShapedType>(type);
  std::optional<DType> dtype = dtypeOf(shaped.getElementType());
  DenseElementsAttr kept = dtype && !quantisedTypeOf(type)
                               ? asKept(value, *dtype)
                               : DenseElementsAttr();
  if (!kept || kept.getType().getShape() != shaped.getShape())
    return std::nullopt;
  Tensor tensor(*dtype, shaped.getShape().vec());
  size_t width = byteSize(*dtype);
  std::byte *to = tensor.data();
  auto add = [&](const APInt &bits) {
    std::memcpy(to, bits.getRawData(), width);
    to += width;
  };
  if (isa<FloatType>(kept.getElementType()))
    for (const APFloat &number : kept.getValues<APFloat>())
      add(number.bitcastToAPInt());
  else
    for (const APInt &number : kept.getValues<APInt>())
      add(number);
  return tensor;
}

namespace {

/// One function of one part, which becomes @main.
class TestMaker {
public:
  TestMaker(ModuleOp module, func::FuncOp function)
      : module(module), function(function) {}

  std::optional<HloTest> make();

private:
  bool takeInputs(HloTest &test);
  void takeChecks(HloTest &test);
  void dropOthers();

  ModuleOp module;
  func::FuncOp function;
  SmallVector<Check> checks;
};

} // namespace

/// What @inputs returns. False where it can't be handed in.
bool TestMaker::takeInputs(HloTest &test) {
  Block &body = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body)) {
    auto call = dyn_cast<func::CallOp>(op);
    if (!call || call.getCallee() != "inputs")
      continue;
    for (Value result : call.getResults()) {
      DenseElementsAttr value = constantOf(module, result);
      auto tensor =
          value ? tensorOf(value, result.getType()) : std::optional<Tensor>();
      if (!tensor)
        return false;
      test.inputs.push_back(std::move(*tensor));
      result.replaceAllUsesWith(
          body.addArgument(result.getType(), call.getLoc()));
    }
    call.erase();
  }
  return true;
}

void TestMaker::takeChecks(HloTest &test) {
  SmallVector<Value> results;
  Operation *end = &function.getBody().front().back();
  // Some checks give a truth value, which the function returns.
  if (!checks.empty())
    end->setOperands({});
  for (const Check &check : checks) {
    Value actual = check.op->getOperand(check.actual);
    results.push_back(actual);
    auto tensor = check.expected ? tensorOf(check.expected, actual.getType())
                                 : std::optional<Tensor>();
    if (tensor)
      test.expected.push_back(std::move(*tensor));
    else
      test.unjudged = "what it expects is no constant of the file";
    if (check.op->use_empty())
      check.op->erase();
  }
  if (!checks.empty())
    end->setOperands(results);
  function.setType(FunctionType::get(module.getContext(),
                                     function.getBody().getArgumentTypes(),
                                     end->getOperandTypes()));
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  if (!test.unjudged.empty())
    test.expected.clear();
}

/// Other tests of the part, and what only gives constants.
void TestMaker::dropOthers() {
  for (auto other : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (other == function)
      continue;
    if (other.isPublic() || other.getName() == "inputs" ||
        other.getName() == "expected") {
      auto uses = SymbolTable::getSymbolUses(other, module);
      if (uses && uses->empty())
        other.erase();
    }
  }
}

/// What the importer takes as the end of a function.
static bool endsWithReturn(Block &block) {
  return !block.empty() &&
         (isa<func::ReturnOp>(block.back()) ||
          block.back().getName().getStringRef() == "stablehlo.return");
}

std::optional<HloTest> TestMaker::make() {
  HloTest test;
  if (!endsWithReturn(function.getBody().front())) {
    // As it is: the importer says what is wrong with it.
    function.setName("main");
    test.unjudged = "it doesn't end with a return";
    llvm::raw_string_ostream(test.program) << module;
    return test;
  }
  test.name = function.getName() == "main" ? "" : function.getName().str();
  function.walk([&](Operation *op) {
    if (op->getParentOp() == function)
      if (std::optional<Check> check = checkOf(module, *op))
        checks.push_back(*check);
  });
  if (checks.empty() && function.getName() != "main")
    return std::nullopt;
  if (checks.empty())
    test.unjudged = "it checks nothing";
  if (!takeInputs(test))
    test.inputs.clear();
  takeChecks(test);
  // Calls of @expected, and constants that only a check has used.
  for (Operation &op : llvm::make_early_inc_range(
           llvm::drop_begin(llvm::reverse(function.getBody().front()))))
    if (op.use_empty() && (isa<func::CallOp>(op) ||
                           op.getName().getStringRef() == "stablehlo.constant"))
      op.erase();
  dropOthers();
  function.setName("main");
  llvm::raw_string_ostream out(test.program);
  module.print(out, OpPrintingFlags().printGenericOpForm());
  return test;
}

/// Tests that their authors don't run: `// RUN-DISABLED(inaccurate): ...`.
static std::string whyDisabled(StringRef contents) {
  size_t at = contents.find("RUN-DISABLED");
  if (at == StringRef::npos)
    return "";
  StringRef rest =
      contents.substr(at).take_until([](char c) { return c == '\n'; });
  StringRef reason = rest.split('(').second.split(')').first;
  return "its authors don't run it" +
         (reason.empty() ? "" : " (" + reason.str() + ")");
}

FailureOr<std::vector<HloTest>> lh::readHloTests(const std::string &path,
                                                 MLIRContext &context,
                                                 DiagnosticSink &sink) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return sink.error(DiagKind::IngressUnreadableModel, {path},
                      "cannot read the test: " + file.getError().message());
  StringRef contents = (*file)->getBuffer();
  std::string disabled = whyDisabled(contents);
  std::vector<HloTest> tests;
  for (const Part &part : partsOf(contents)) {
    CollectingSink problems;
    auto module =
        readStablehloText(part.text, path, part.firstLine, context, problems);
    if (failed(module)) {
      // A test that fails where it is imported, and says why there.
      tests.push_back({"line-" + std::to_string(part.firstLine),
                       part.text,
                       {},
                       {},
                       "it can't be read"});
      continue;
    }
    SmallVector<std::string> names;
    for (auto function : (*module)->getOps<func::FuncOp>())
      if (!function.isExternal() && function.isPublic() &&
          function.getBody().hasOneBlock() &&
          (function.getNumArguments() == 0 || function.getName() == "main"))
        names.push_back(function.getName().str());
    for (const std::string &name : names) {
      OwningOpRef<ModuleOp> copy = (*module)->clone();
      auto function = copy->lookupSymbol<func::FuncOp>(name);
      std::optional<HloTest> test = TestMaker(*copy, function).make();
      if (!test)
        continue;
      // Several parts may have a @main.
      if (test->name.empty() && part.firstLine > 1)
        test->name = "line-" + std::to_string(part.firstLine);
      if (!disabled.empty()) {
        test->unjudged = disabled;
        test->expected.clear();
      }
      tests.push_back(std::move(*test));
    }
  }
  return tests;
}
