// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VHLO's attributes and types by their codes in bytecode (VhloBytecode.cpp of
// openxla/stablehlo, v1.20), as builtin ones.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_VHLODECODER_H
#define LH_COMPILER_INGRESS_STABLEHLO_VHLODECODER_H

#include "core/support/Diagnostic.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Builders.h"

namespace lh {

/// Behind what is not known.
inline constexpr StringRef ofNewerFile =
    "; the file was written by a newer StableHLO";

/// Decodes one attribute or type. What can't be read gives null, after an
/// error.
class VhloDecoder {
public:
  VhloDecoder(mlir::DialectBytecodeReader &reader, mlir::MLIRContext *context)
      : reader(reader), context(context), b(context) {}

  mlir::Attribute attribute();
  mlir::Type type();

private:
  template <size_t N> mlir::Attribute word(const char *const (&words)[N]);
  mlir::Attribute flag();
  mlir::Attribute array();
  mlir::Attribute dictionary();
  mlir::Attribute floating();
  mlir::Attribute integer();
  mlir::Attribute text();
  mlir::Attribute tensor();
  mlir::Attribute typeAttribute();
  mlir::Attribute bounds();
  mlir::Attribute outputAlias();
  mlir::Attribute accuracy();
  mlir::Attribute mesh(uint64_t code);

  mlir::Type integerType(unsigned bits, bool isUnsigned);
  mlir::Type functionType();
  mlir::Type complexType();
  mlir::Type tensorType(bool hasEncoding);
  mlir::Type unrankedType();
  mlir::Type bufferType();
  mlir::Type tupleType();
  mlir::Type numberType(uint64_t code);
  mlir::Type quantisedType(bool perAxis);

  template <typename T> T refuse(const Twine &message) {
    reader.emitError(message);
    return T();
  }

  mlir::DialectBytecodeReader &reader;
  mlir::MLIRContext *context;
  mlir::Builder b;
};

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_VHLODECODER_H
