// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the functions that call a kernel's.
#include "compiler/session/KernelFunctions.h"

#include "compiler/gaps/Marks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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
  /// Its buffer; of B, which is a panel, that of the panel's matrix.
  std::string matrix() const {
    Operand one = *this;
    one.rank = std::min(rank, 2U);
    return one.buffer();
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
    if (!isMlir()) {
      writeDeclaration();
      writeCall();
    }
    writeOnTensors();
    return std::move(text);
  }

  /// What the function must be in a body of MLIR text.
  std::string typeOnBuffers() const {
    return "(" + list([](const Operand &each) { return each.matrix(); }) +
           ") -> ()";
  }

private:
  bool isMlir() const { return std::holds_alternative<MlirCode>(kernel.body); }
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
  void writeAddressOf(const Operand &operand);
  void writeCallOnBuffers();
  void writeCallOnAddresses();
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

void FunctionWriter::writeView(const Operand &operand) {
  std::string x = operand.name.str();
  line("  %" + x + "view = bufferization.to_buffer %" + x +
       (operand.isWritten() ? "" : " read_only") + " : " + operand.tensor() +
       " to " + operand.buffer());
}

/// The buffer without its sizes, which `call` takes.
void FunctionWriter::writeAddressOf(const Operand &operand) {
  std::string x = operand.name.str();
  std::string many = ":" + std::to_string(operand.rank);
  std::string indices;
  for (unsigned i = 0; i < 2 * operand.rank; ++i)
    indices += ", index";
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
  return (kernelCallMark + " = {name = \"" + kernel.name + "\", computes = \"" +
          pattern +
          "\", multiples = array<i64: " + Twine(kernel.rows.multiple) + ", " +
          Twine(kernel.columns.multiple) + ", " + Twine(kernel.sum.multiple) +
          ">" + terms + ", types = [" + kernel.types.left + ", " +
          kernel.types.right + ", " + kernel.types.sum + "]}")
      .str();
}

void FunctionWriter::writeCallOnAddresses() {
  for (const Operand &operand : operands)
    writeAddressOf(operand);
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
}

void FunctionWriter::writeCallOnBuffers() {
  const Operand &panel = operands[1];
  line("  %one = arith.constant 1 : index");
  line("  %two = arith.constant 2 : index");
  line("  %terms = memref.dim %bview, %one : " + panel.buffer());
  line("  %width = memref.dim %bview, %two : " + panel.buffer());
  line("  %bmatrix = memref.subview %bview[0, 0, 0] [1, %terms, %width] "
       "[1, 1, 1] : " +
       panel.buffer() + " to " + panel.matrix());
  line("  func.call @\"" + callee() + "\"(" + list([](const Operand &each) {
         return "%" + each.name.str() + (each.rank == 3 ? "matrix" : "view");
       }) +
       ") : " + typeOnBuffers());
}

void FunctionWriter::writeOnTensors() {
  line("func.func private @\"" + name() + "\"(" + list([](const Operand &each) {
         return "%" + each.name.str() + ": " + each.tensor();
       }) +
       ") -> " + operands[2].tensor() + " attributes {" + mark() + "} {");
  for (const Operand &operand : operands)
    writeView(operand);
  if (isMlir())
    writeCallOnBuffers();
  else
    writeCallOnAddresses();
  line("  %written = bufferization.to_tensor %cview restrict writable : " +
       operands[2].buffer() + " to " + operands[2].tensor());
  line("  return %written : " + operands[2].tensor());
  line("}");
}

std::string lh::kernelSymbol(const KernelSpec &kernel, StringRef symbol) {
  const auto *source = std::get_if<CSource>(&kernel.body);
  bool isIr = source ? source->links.empty()
                     : std::holds_alternative<LlvmCode>(kernel.body) ||
                           std::holds_alternative<MlirCode>(kernel.body);
  return isIr ? (kernel.name + "." + symbol).str() : symbol.str();
}

std::string lh::kernelFunctions(const KernelSpec &kernel) {
  std::string text;
  for (const auto &[pattern, symbol] : kernel.functions)
    text += FunctionWriter(kernel, pattern, symbol.value).write();
  return text;
}

std::string lh::typeOnBuffers(const KernelSpec &kernel, StringRef pattern) {
  return FunctionWriter(kernel, pattern, "").typeOnBuffers();
}
