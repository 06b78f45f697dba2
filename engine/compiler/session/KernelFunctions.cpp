// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the functions that call a kernel's.
#include "compiler/session/KernelFunctions.h"

#include "compiler/gaps/Marks.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace lh;

namespace {

/// A matrix, or a row of numbers, that a kernel's function takes.
struct Operand {
  StringRef name;
  StringRef element;
  unsigned rank = 2;

  bool hasStride() const { return rank > 1; }
  bool isWritten() const { return name == "c"; }
  /// "?x?xf32"
  std::string shape() const {
    std::string sizes;
    for (unsigned i = 0; i < rank; ++i)
      sizes += "?x";
    return sizes + element.str();
  }
  std::string tensor() const { return "tensor<" + shape() + ">"; }
  std::string buffer() const {
    StringRef outer = rank == 3 ? "?, ?, " : rank == 2 ? "?, " : "";
    return "memref<" + shape() + ", strided<[" + outer.str() +
           "1], offset: ?>>";
  }
  /// A buffer that is passed without its sizes.
  std::string address() const {
    return "memref<" + element.str() + ", strided<[], offset: ?>>";
  }
};

/// Writes the functions for one pattern.
class FunctionWriter {
public:
  FunctionWriter(const KernelSpec &kernel, StringRef pattern, StringRef symbol)
      : kernel(kernel), pattern(pattern),
        symbol(symbol), operands{{"a", kernel.types.left},
                                 {"b", kernel.types.right, 3},
                                 {"c", kernel.types.sum}} {
    if (pattern.contains("bias"))
      operands.push_back({"d", kernel.types.sum, 1});
  }

  std::string write() {
    writeDeclaration();
    writeCall();
    writeOnTensors();
    return std::move(text);
  }

private:
  /// "a, b, c" of what `part` says of each operand.
  template <typename Part> std::string list(Part part) const {
    return llvm::join(llvm::map_range(operands, part), ", ");
  }
  std::string name() const { return (kernel.name + "." + pattern).str(); }
  std::string callee() const { return kernelSymbol(kernel, symbol); }
  void line(const Twine &words) { text += (words + "\n").str(); }

  void writeDeclaration();
  void writeAddress(const Operand &operand);
  void writeCall();
  void writeView(const Operand &operand);
  void writeOnTensors();
  std::string mark() const;

  const KernelSpec &kernel;
  StringRef pattern, symbol;
  llvm::SmallVector<Operand, 4> operands;
  std::string text;
};

} // namespace

void FunctionWriter::writeDeclaration() {
  line("llvm.func @\"" + callee() + "\"(i64, i64, i64, " +
       list([](const Operand &each) {
         return std::string(each.hasStride() ? "!llvm.ptr, i64" : "!llvm.ptr");
       }) +
       ") attributes {" + kernelCallMark + " = {}}");
}

/// The operand's address as a pointer, its stride as i64.
void FunctionWriter::writeAddress(const Operand &operand) {
  std::string x = operand.name.str();
  std::string type = operand.address();
  line("  %" + x + "0 = memref.extract_aligned_pointer_as_index %" + x + " : " +
       type + " -> index");
  line("  %" + x + "base, %" + x +
       "offset = memref.extract_strided_metadata %" + x + " : " + type +
       " -> memref<" + operand.element + ">, index");
  line("  %" + x + "2 = arith.index_cast %" + x + "0 : index to i64");
  line("  %" + x + "3 = arith.index_cast %" + x + "offset : index to i64");
  line("  %" + x + "4 = llvm.inttoptr %" + x + "2 : i64 to !llvm.ptr");
  line("  %" + x + "ptr = llvm.getelementptr %" + x + "4[%" + x +
       "3] : (!llvm.ptr, i64) -> !llvm.ptr, " + operand.element);
  if (operand.hasStride())
    line("  %" + x + "ld = arith.index_cast %ld" + x + " : index to i64");
}

void FunctionWriter::writeCall() {
  auto argument = [](const Operand &each) {
    return "%" + each.name.str() + ": " + each.address() +
           (each.hasStride() ? ", %ld" + each.name.str() + ": index" : "");
  };
  line("func.func private @\"" + name() +
       ".call\"(%m: index, %n: index, %k: index, " + list(argument) +
       ") attributes {no_inline, " + kernelCallMark + " = {}} {");
  for (StringRef size : {"m", "n", "k"})
    line("  %" + size + "0 = arith.index_cast %" + size + " : index to i64");
  for (const Operand &operand : operands)
    writeAddress(operand);
  line("  llvm.call @\"" + callee() + "\"(%m0, %n0, %k0, " +
       list([](const Operand &each) {
         return "%" + each.name.str() + "ptr" +
                (each.hasStride() ? ", %" + each.name.str() + "ld" : "");
       }) +
       ") : (i64, i64, i64, " + list([](const Operand &each) {
         return std::string(each.hasStride() ? "!llvm.ptr, i64" : "!llvm.ptr");
       }) +
       ") -> ()");
  line("  return");
  line("}");
}

/// The operand's buffer, and that without its sizes, which `call` takes.
void FunctionWriter::writeView(const Operand &operand) {
  std::string x = operand.name.str();
  std::string many = ":" + std::to_string(operand.rank);
  std::string indices;
  for (unsigned i = 0; i < 2 * operand.rank; ++i)
    indices += ", index";
  line("  %" + x + "view = bufferization.to_buffer %" + x +
       (operand.isWritten() ? "" : " read_only") + " : " + operand.tensor() +
       " to " + operand.buffer());
  line("  %" + x + "base, %" + x + "offset, %" + x + "size" + many + ", %" + x +
       "stride" + many + " = memref.extract_strided_metadata %" + x +
       "view : " + operand.buffer() + " -> memref<" + operand.element +
       ">, index" + indices);
  line("  %" + x + "at = memref.reinterpret_cast %" + x + "base to offset: [%" +
       x + "offset], sizes: [], strides: [] : memref<" + operand.element +
       "> to " + operand.address());
}

std::string FunctionWriter::mark() const {
  std::string terms =
      kernel.sum.most ? ", terms = " + std::to_string(*kernel.sum.most) : "";
  return (kernelCallMark + " = {computes = \"" + pattern +
          "\", multiples = array<i64: " + Twine(kernel.rows.multiple) + ", " +
          Twine(kernel.columns.multiple) + ", " + Twine(kernel.sum.multiple) +
          ">" + terms + ", types = [" + kernel.types.left + ", " +
          kernel.types.right + ", " + kernel.types.sum + "]}")
      .str();
}

void FunctionWriter::writeOnTensors() {
  line("func.func private @\"" + name() + "\"(" + list([](const Operand &each) {
         return "%" + each.name.str() + ": " + each.tensor();
       }) +
       ") -> " + operands[2].tensor() + " attributes {" + mark() + "} {");
  for (const Operand &operand : operands)
    writeView(operand);
  line("  func.call @\"" + name() + ".call\"(%asize#0, %csize#1, %asize#1, " +
       list([](const Operand &each) {
         std::string x = each.name.str();
         return "%" + x + "at" +
                (each.hasStride()
                     ? ", %" + x + "stride#" + std::to_string(each.rank - 2)
                     : "");
       }) +
       ") : (index, index, index, " + list([](const Operand &each) {
         return each.address() + (each.hasStride() ? ", index" : "");
       }) +
       ") -> ()");
  line("  %written = bufferization.to_tensor %cview restrict writable : " +
       operands[2].buffer() + " to " + operands[2].tensor());
  line("  return %written : " + operands[2].tensor());
  line("}");
}

std::string lh::kernelSymbol(const KernelSpec &kernel, StringRef symbol) {
  const auto *source = std::get_if<CSource>(&kernel.body);
  bool isIr = source ? source->links.empty()
                     : std::holds_alternative<LlvmCode>(kernel.body);
  return isIr ? (kernel.name + "." + symbol).str() : symbol.str();
}

std::string lh::kernelFunctions(const KernelSpec &kernel) {
  std::string text;
  for (const auto &[pattern, symbol] : kernel.functions)
    text += FunctionWriter(kernel, pattern, symbol.value).write();
  return text;
}

static constexpr StringRef formWords[] = {"unknown", "bitcode", "object",
                                          "library"};
static constexpr StringRef formKey = "form", bytesKey = "bytes",
                           pathKey = "path", functionsKey = "functions";

static mlir::Attribute resourceOf(StringRef name, StringRef bytes,
                                  mlir::MLIRContext &context) {
  mlir::AsmResourceBlob blob =
      mlir::HeapAsmResourceBlob::allocateAndCopyInferAlign(
          llvm::ArrayRef<char>(bytes.data(), bytes.size()));
  auto type = mlir::RankedTensorType::get({static_cast<int64_t>(bytes.size())},
                                          mlir::IntegerType::get(&context, 8));
  return mlir::DenseI8ResourceElementsAttr::get(type, name, std::move(blob));
}

/// What one entry of the mark holds.
static mlir::Attribute attributeOf(const KernelSpec &kernel,
                                   const KernelCode &code,
                                   mlir::Builder builder) {
  llvm::SmallVector<mlir::NamedAttribute> facts;
  auto add = [&](StringRef key, mlir::Attribute value) {
    facts.push_back(builder.getNamedAttr(key, value));
  };
  add(formKey,
      builder.getStringAttr(formWords[static_cast<size_t>(code.form)]));
  std::set<std::string> symbols;
  for (const auto &[pattern, symbol] : kernel.functions)
    symbols.insert(kernelSymbol(kernel, symbol.value));
  llvm::SmallVector<StringRef> names(symbols.begin(), symbols.end());
  add(functionsKey, builder.getStrArrayAttr(names));
  if (code.path.empty())
    add(bytesKey, resourceOf(kernel.name, code.bytes, *builder.getContext()));
  else
    add(pathKey, builder.getStringAttr(code.path));
  return builder.getDictionaryAttr(facts);
}

void lh::addKernel(mlir::ModuleOp schedule, const KernelSpec &kernel,
                   const KernelCode &code) {
  mlir::MLIRContext &context = *schedule.getContext();
  auto functions = mlir::parseSourceString<mlir::ModuleOp>(
      kernelFunctions(kernel), &context);
  for (mlir::Operation &function :
       llvm::make_early_inc_range(*functions->getBody()))
    function.moveBefore(schedule.getBody(), schedule.getBody()->end());
  if (code.form == KernelCode::Form::Unknown)
    return;
  mlir::Builder builder(&context);
  schedule->setAttr(kernelCodeMark,
                    builder.getDictionaryAttr({builder.getNamedAttr(
                        kernel.name, attributeOf(kernel, code, builder))}));
}

/// One entry of the mark; nothing where it isn't one.
static std::optional<KernelBody> bodyOf(mlir::NamedAttribute entry) {
  auto facts = llvm::dyn_cast<mlir::DictionaryAttr>(entry.getValue());
  if (!facts)
    return std::nullopt;
  KernelBody body{entry.getName().str(), {}, {}};
  if (auto form = facts.getAs<mlir::StringAttr>(formKey))
    if (const auto *word = llvm::find(formWords, form.getValue());
        word != std::end(formWords))
      body.code.form = static_cast<KernelCode::Form>(word - formWords);
  if (auto path = facts.getAs<mlir::StringAttr>(pathKey))
    body.code.path = path.str();
  auto bytes = facts.getAs<mlir::DenseI8ResourceElementsAttr>(bytesKey);
  mlir::AsmResourceBlob *blob =
      bytes ? bytes.getRawHandle().getBlob() : nullptr;
  if (blob)
    body.code.bytes.assign(blob->getData().begin(), blob->getData().end());
  if (auto functions = facts.getAs<mlir::ArrayAttr>(functionsKey))
    for (StringRef name : functions.getAsValueRange<mlir::StringAttr>())
      body.functions.push_back(name.str());
  return body;
}

std::vector<KernelBody> lh::kernelBodies(mlir::ModuleOp module) {
  std::vector<KernelBody> bodies;
  if (auto mark = module->getAttrOfType<mlir::DictionaryAttr>(kernelCodeMark))
    for (mlir::NamedAttribute entry : mark)
      if (std::optional<KernelBody> body = bodyOf(entry))
        bodies.push_back(std::move(*body));
  return bodies;
}
