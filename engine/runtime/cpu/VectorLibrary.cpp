// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one file that knows libmvec.
#include "runtime/cpu/VectorLibrary.h"

#include "compiler/gaps/Marks.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Target/TargetMachine.h"

#include <deque>

using namespace lh;

/// Its names in the vector function ABI of x86 begin so.
static constexpr StringRef functionPrefix = "_ZGV";
static constexpr StringRef glibcs = "LIBMVEC", none = "none";

namespace {
/// A function of numbers, of which glibc 2.35 has versions for vectors.
struct VectorFunction {
  StringRef name; ///< that of double
  bool isIntrinsic = true;
  unsigned arguments = 1;
};

/// How many numbers a version takes; the letter of its instructions in the
/// names of the ABI.
struct Width {
  unsigned bytes;
  char letter;
};

/// What LLVM's vectorizers are told of the library. LLVM's own table (22.1.8)
/// has exp, log, pow, sin, cos and tan, none of them for AVX-512.
class FunctionTable {
public:
  explicit FunctionTable(bool hasAvx512);
  ArrayRef<llvm::VecDesc> rows() const { return table; }

private:
  void add(const VectorFunction &function, bool isDouble, Width width);
  StringRef keep(std::string text) {
    return texts.emplace_back(std::move(text));
  }

  std::deque<std::string> texts; ///< which the rows point to
  std::vector<llvm::VecDesc> table;
};
} // namespace

static constexpr VectorFunction functions[] = {
    {"acos"},         {"acosh", false},
    {"asin"},         {"asinh", false},
    {"atan"},         {"atan2", true, 2},
    {"atanh", false}, {"cbrt", false},
    {"cos"},          {"cosh"},
    {"erf", false},   {"erfc", false},
    {"exp"},          {"exp10"},
    {"exp2"},         {"expm1", false},
    {"log"},          {"log10"},
    {"log1p", false}, {"log2"},
    {"pow", true, 2}, {"sin"},
    {"sinh"},         {"tan"},
    {"tanh"},         {"hypot", false, 2}};
static constexpr Width widths[] = {{16, 'b'}, {32, 'd'}, {64, 'e'}};

FunctionTable::FunctionTable(bool hasAvx512) {
  for (Width width : ArrayRef(widths).drop_back(hasAvx512 ? 0 : 1))
    for (const VectorFunction &function : functions)
      for (bool isDouble : {false, true})
        add(function, isDouble, width);
}

void FunctionTable::add(const VectorFunction &function, bool isDouble,
                        Width width) {
  unsigned lanes = width.bytes / (isDouble ? 8 : 4);
  std::string name = (function.name + (isDouble ? "" : "f")).str();
  std::string shape =
      "N" + std::to_string(lanes) + std::string(function.arguments, 'v');
  StringRef vectors =
      keep("_ZGV" + std::string(1, width.letter) + shape + "_" + name);
  StringRef variant = keep("_ZGV_LLVM_" + shape);
  auto addRow = [&](StringRef scalar) {
    table.emplace_back(scalar, vectors, llvm::ElementCount::getFixed(lanes),
                       /*Masked=*/false, variant, std::nullopt);
  };
  addRow(keep(std::move(name)));
  if (function.isIntrinsic)
    addRow(
        keep(("llvm." + function.name + (isDouble ? ".f64" : ".f32")).str()));
}

LogicalResult lh::noteVectorLibrary(mlir::ModuleOp module, llvm::Module &code,
                                    const llvm::TargetMachine &machine,
                                    const SourceSpan &where,
                                    DiagnosticSink &sink) {
  auto mark = module->getAttrOfType<mlir::StringAttr>(vectorLibraryMark);
  if (!mark || mark.getValue() == none)
    return success();
  if (mark.getValue() != glibcs || !code.getTargetTriple().isX86())
    return sink.error(DiagKind::BackendCompileFailed, where,
                      "'lh.vector_library' is '" + mark.getValue() +
                          "'; generated code may call no other library of "
                          "vector functions than 'LIBMVEC', on x86");
  bool hasAvx512 = machine.getMCSubtargetInfo()->checkFeatures("+avx512f");
  code.addModuleFlag(llvm::Module::Error, vectorLibraryMark, hasAvx512);
  return success();
}

llvm::TargetLibraryInfoImpl lh::libraryInfo(const llvm::Module &code) {
  llvm::TargetLibraryInfoImpl info(code.getTargetTriple());
  auto *hasAvx512 = llvm::mdconst::extract_or_null<llvm::ConstantInt>(
      code.getModuleFlag(vectorLibraryMark));
  if (!hasAvx512)
    return info;
  static const FunctionTable avx2(false), avx512(true);
  info.addVectorizableFunctions((hasAvx512->isZero() ? avx2 : avx512).rows());
  return info;
}

bool lh::callsVectorLibrary(const llvm::Module &code) {
  return llvm::any_of(code, [](const llvm::Function &function) {
    return function.isDeclaration() &&
           function.getName().starts_with(functionPrefix);
  });
}

std::string lh::openVectorLibrary() {
  std::string why;
  if (!llvm::sys::DynamicLibrary::LoadLibraryPermanently("libmvec.so.1", &why))
    return "";
  return "it calls glibc's library of vector functions: " + why;
}
