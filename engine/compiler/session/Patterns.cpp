// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads PDL, refuses what MLIR would abort on, and applies it.
#include "compiler/session/Patterns.h"

#include "compiler/ingress/mlir/TextDepth.h"
#include "compiler/session/MlirDiagnostics.h"
#include "core/support/LlvmTools.h"

#include "mlir/Conversion/PDLToPDLInterp/PDLToPDLInterp.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Program.h"

using namespace lh;
namespace pdl = mlir::pdl;
using ModuleRef = mlir::OwningOpRef<mlir::ModuleOp>;

/// PDL's text, from a file in PDLL.
static FailureOr<std::string> translated(const PatternsAction &action,
                                         const CommandFunction &translate,
                                         DiagnosticSink &sink) {
  std::string versioned = llvmName("mlir-pdll");
  bool isThere = static_cast<bool>(llvm::sys::findProgramByName(versioned));
  std::string program = isThere ? versioned : "mlir-pdll";
  if (!translate)
    return sink.error(DiagKind::IrCommandFailed, action.where,
                      "'" + program +
                          "' translates PDLL, and is an external program; it "
                          "runs only with --allow-exec. What '" +
                          program +
                          " -x=mlir' prints, in a file, needs no program");
  CollectingSink found;
  auto text = translate({program, "-x=mlir", action.file}, "", found);
  for (Diagnostic &diagnostic : found.take()) {
    if (!diagnostic.where.isKnown())
      diagnostic.where = action.where;
    sink.emit(std::move(diagnostic));
  }
  return text;
}

static ModuleRef parsed(const PatternsAction &action,
                        mlir::MLIRContext &context,
                        const CommandFunction &translate,
                        DiagnosticSink &sink) {
  if (!action.isPdll()) {
    if (failed(checkTextDepth(action.file, sink)))
      return nullptr;
    return mlir::parseSourceFile<mlir::ModuleOp>(action.file, &context);
  }
  FailureOr<std::string> text = translated(action, translate, sink);
  if (failed(text))
    return nullptr;
  return mlir::parseSourceString<mlir::ModuleOp>(*text, &context, action.file);
}

/// The function of C++ that `op` calls; empty: none.
static StringRef nativeNameOf(mlir::Operation *op) {
  if (auto rewrite = llvm::dyn_cast<pdl::ApplyNativeRewriteOp>(op))
    return rewrite.getName();
  if (auto constraint = llvm::dyn_cast<pdl::ApplyNativeConstraintOp>(op))
    return constraint.getName();
  auto rewrite = llvm::dyn_cast<pdl::RewriteOp>(op);
  return rewrite && rewrite.getName() ? *rewrite.getName() : StringRef();
}

/// MLIR would abort on such, or do something else.
static LogicalResult checkContents(mlir::ModuleOp module,
                                   DiagnosticSink &sink) {
  LogicalResult result = success();
  auto refuse = [&](mlir::Operation *op, const Twine &what) {
    result = sink.error(DiagKind::IrBadPatterns, spanOf(op->getLoc()), what);
  };
  for (mlir::Operation &op : module.getOps())
    if (!llvm::isa<pdl::PatternOp, mlir::SymbolOpInterface>(op))
      refuse(&op, "'" + op.getName().getStringRef() +
                      "' is neither a pattern ('pdl.pattern') nor a function "
                      "that one may call");
  module.walk([&](mlir::Operation *op) {
    if (StringRef name = nativeNameOf(op); !name.empty())
      refuse(op, "there is no native function '" + name +
                     "': patterns of a file have none");
  });
  if (module.getBody()->empty())
    result = sink.error(DiagKind::IrBadPatterns, spanOf(module.getLoc()),
                        "the file has no pattern ('pdl.pattern') and no "
                        "function");
  return result;
}

/// The code that PDL becomes refers to names of operations, which are others
/// once their dialects are loaded.
static void loadDialectsOf(mlir::ModuleOp patterns) {
  patterns.walk([](pdl::OperationOp op) {
    if (std::optional<StringRef> name = op.getOpName())
      op.getContext()->getOrLoadDialect(name->split('.').first);
  });
}

/// Whether PDL's own lowering takes the patterns; MLIR aborts where it doesn't.
static bool canBeLowered(mlir::ModuleOp patterns) {
  ModuleRef copy = patterns.clone();
  mlir::PassManager manager(patterns.getContext(),
                            mlir::ModuleOp::getOperationName());
  manager.addPass(mlir::createConvertPDLToPDLInterpPass());
  return succeeded(manager.run(*copy));
}

FailureOr<std::unique_ptr<Patterns>>
Patterns::read(const PatternsAction &action, mlir::MLIRContext &context,
               const CommandFunction &translate, DiagnosticSink &sink) {
  unsigned before = sink.errorCount();
  MlirDiagnostics caught(context, DiagKind::IrBadPatterns, {action.file});
  ModuleRef module = parsed(action, context, translate, sink);
  caught.flushTo(sink);
  if (!module && sink.errorCount() == before)
    (void)sink.error(DiagKind::IrBadPatterns, {action.file},
                     "the file is no MLIR module");
  if (!module || failed(checkContents(*module, sink)))
    return failure();
  auto read = std::make_unique<Patterns>();
  read->where = action.where;
  read->functions = module->clone();
  for (mlir::Operation &op :
       llvm::make_early_inc_range(read->functions->getOps()))
    if (llvm::isa<pdl::PatternOp>(op))
      op.erase();
  for (mlir::Operation &op : llvm::make_early_inc_range(module->getOps()))
    if (!llvm::isa<pdl::PatternOp>(op))
      op.erase();
  if (module->getBody()->empty())
    return read; // functions alone, which PDL's lowering can't do with
  loadDialectsOf(*module);
  bool isLowered = canBeLowered(*module);
  caught.flushTo(sink);
  if (!isLowered)
    return sink.error(DiagKind::IrBadPatterns, {action.file},
                      "PDL can't be made to run these patterns");
  mlir::RewritePatternSet set(&context);
  set.add(mlir::PDLPatternModule(std::move(module)));
  read->rewrites = mlir::FrozenRewritePatternSet(std::move(set));
  return read;
}

LogicalResult Patterns::addFunctions(mlir::ModuleOp module,
                                     DiagnosticSink &sink) const {
  LogicalResult result = success();
  mlir::SymbolTable symbols(module);
  mlir::ModuleOp own = functions.get();
  for (auto symbol : own.getOps<mlir::SymbolOpInterface>()) {
    if (mlir::Operation *there = symbols.lookup(symbol.getName())) {
      result = sink.error(DiagKind::IrPatternsFailed, spanOf(symbol.getLoc()),
                          "the module has '@" + symbol.getName() +
                              "' already; give one of them another name",
                          {{spanOf(there->getLoc()), "the module's"}});
      continue;
    }
    mlir::Operation *copy = symbol->clone();
    llvm::cast<mlir::SymbolOpInterface>(copy).setPrivate();
    symbols.insert(copy);
  }
  return result;
}

LogicalResult Patterns::applyTo(mlir::ModuleOp module,
                                DiagnosticSink &sink) const {
  if (failed(addFunctions(module, sink)))
    return failure();
  // Each operation that is made may be matched again.
  int64_t most = 10000;
  module.walk([&](mlir::Operation *) { most += 100; });
  mlir::GreedyRewriteConfig config;
  config.setMaxNumRewrites(most);
  config.enableFolding(false);
  config.enableConstantCSE(false);
  config.setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
  if (succeeded(mlir::applyPatternsGreedily(module, rewrites, config)))
    return success();
  return sink.error(DiagKind::IrPatternsFailed, where,
                    "the patterns came to no end in " + Twine(most) +
                        " rewrites: one of them makes what it, or another "
                        "one, matches again");
}
