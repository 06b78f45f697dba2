// Walks a module once and compares what is there with a contract.
#include "ir/FormChecker.h"

#include "ir/FileChecker.h"
#include "ir/MlirDiagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/StringExtras.h"

using namespace lh;

namespace {
/// What a module contains: each name with the place where it came first.
class Inventory {
public:
  using Places = std::map<std::string, mlir::Location>;

  explicit Inventory(mlir::ModuleOp module, bool intoGpuModules) {
    module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (!intoGpuModules && op->getName().getStringRef() == "gpu.module")
        return mlir::WalkResult::skip();
      // The module itself is the frame of the payload, not part of it.
      if (op != module)
        add(op);
      return mlir::WalkResult::advance();
    });
  }

  Places dialects, ops, types;
  std::optional<mlir::Location> dynamicShape;

private:
  void add(mlir::Operation *op) {
    note(dialects, op->getName().getDialectNamespace(), op);
    note(ops, op->getName().getStringRef(), op);
    for (mlir::Type type : op->getResultTypes())
      addType(type, op);
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (mlir::Type type : block.getArgumentTypes())
          addType(type, op);
  }

  void addType(mlir::Type type, mlir::Operation *op) {
    if (llvm::isa<mlir::TensorType>(type))
      note(types, "tensor", op);
    if (llvm::isa<mlir::BaseMemRefType>(type))
      note(types, "memref", op);
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      note(types, vector.isScalable() ? "scalable-vector" : "vector", op);
    auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
    if (shaped && !shaped.hasStaticShape() && !dynamicShape)
      dynamicShape = op->getLoc();
  }

  static void note(Places &places, StringRef name, mlir::Operation *op) {
    places.try_emplace(name.str(), op->getLoc());
  }
};

class FormChecker {
public:
  FormChecker(const FormDecl &form, StringRef what, DiagnosticSink &sink)
      : form(form), what(what), sink(sink) {}

  LogicalResult check(const Inventory &found) {
    if (form.dialectsOnly)
      checkOnly(found.dialects, *form.dialectsOnly);
    checkNone(found.dialects, form.dialectsNone, "dialect");
    checkSome(found.dialects, form.dialectsSome, "dialect");
    checkNone(found.ops, form.opsNone, "op");
    checkSome(found.ops, form.opsSome, "op");
    checkNone(found.types, form.typesNone, "type");
    checkSome(found.types, form.typesSome, "type");
    if (form.shapes == "static" && found.dynamicShape)
      broken("static shapes", "found a dynamic one", found.dynamicShape);
    return failure(failedAny);
  }

private:
  void checkOnly(const Inventory::Places &found, ArrayRef<std::string> only) {
    for (const auto &[name, where] : found)
      if (name != "builtin" && !llvm::is_contained(only, name))
        broken("only the dialects '" + llvm::join(only, "', '") + "'",
               "found '" + name + "'", where);
  }

  void checkNone(const Inventory::Places &found, ArrayRef<std::string> none,
                 StringRef sort) {
    for (const std::string &name : none)
      if (auto it = found.find(name); it != found.end())
        broken("no " + sort + " '" + name + "'", "found one", it->second);
  }

  void checkSome(const Inventory::Places &found, ArrayRef<std::string> some,
                 StringRef sort) {
    for (const std::string &name : some)
      if (!found.count(name))
        broken("some " + sort + " '" + name + "'", "found none", std::nullopt);
  }

  void broken(const Twine &wanted, const Twine &seen,
              std::optional<mlir::Location> where) {
    failedAny = true;
    std::vector<DiagnosticNote> notes;
    if (where) {
      std::string names = namesIn(*where);
      notes.push_back(
          {spanOf(*where),
           "the first is here" + (names.empty() ? "" : ": " + names)});
    }
    (void)sink.error(DiagKind::IrBrokenContract, form.where,
                     seen + "; the bubble " + what + " " + wanted,
                     std::move(notes));
  }

  const FormDecl &form;
  StringRef what;
  DiagnosticSink &sink;
  bool failedAny = false;
};
} // namespace

/// True when a clause is about device code.
static bool namesGpu(const FormDecl &form) {
  auto isGpu = [](StringRef name) {
    return name.starts_with("gpu") || name.starts_with("nvvm") ||
           name.starts_with("rocdl");
  };
  return llvm::any_of(form.dialectsSome, isGpu) ||
         llvm::any_of(form.dialectsNone, isGpu) ||
         llvm::any_of(form.opsSome, isGpu) || llvm::any_of(form.opsNone, isGpu);
}

LogicalResult lh::checkForm(mlir::ModuleOp module, const FormDecl &form,
                            StringRef what, DiagnosticSink &sink) {
  LogicalResult result =
      FormChecker(form, what, sink).check(Inventory(module, namesGpu(form)));
  if (form.checkFile && failed(checkText(module, *form.checkFile, sink)))
    return failure();
  return result;
}
