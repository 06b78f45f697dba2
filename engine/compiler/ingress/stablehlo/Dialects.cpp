// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dialects without operations, which only read.
#include "compiler/ingress/stablehlo/Dialects.h"

#include "compiler/ingress/stablehlo/Syntax.h"
#include "compiler/ingress/stablehlo/TextReader.h"
#include "compiler/ingress/stablehlo/VhloReader.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"

using namespace lh;
using namespace mlir;

namespace {

/// What the dialects that are read as text have in common.
class TextDialect : public Dialect {
public:
  TextDialect(StringRef name, MLIRContext *context, TypeID id)
      : Dialect(name, context, id) {
    allowUnknownOperations();
    allowUnknownTypes();
  }

  std::optional<ParseOpHook> getParseOperationHook(StringRef) const override {
    return ParseOpHook(readShortForm);
  }
  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    return readAttribute(parser);
  }
  /// Tokens alone: `!stablehlo.token`.
  Type parseType(DialectAsmParser &parser) const override {
    StringRef mnemonic;
    if (parser.parseKeyword(&mnemonic))
      return {};
    return OpaqueType::get(StringAttr::get(getContext(), getNamespace()),
                           mnemonic);
  }
};

struct StablehloDialect : TextDialect {
  explicit StablehloDialect(MLIRContext *context)
      : TextDialect(getDialectNamespace(), context,
                    TypeID::get<StablehloDialect>()) {}
  static constexpr llvm::StringLiteral getDialectNamespace() {
    return "stablehlo";
  }
};

struct ChloDialect : TextDialect {
  explicit ChloDialect(MLIRContext *context)
      : TextDialect(getDialectNamespace(), context,
                    TypeID::get<ChloDialect>()) {}
  static constexpr llvm::StringLiteral getDialectNamespace() { return "chlo"; }
};

/// What StableHLO's own tests compare with.
struct CheckDialect : TextDialect {
  explicit CheckDialect(MLIRContext *context)
      : TextDialect(getDialectNamespace(), context,
                    TypeID::get<CheckDialect>()) {}
  static constexpr llvm::StringLiteral getDialectNamespace() { return "check"; }
};

} // namespace

void lh::loadStablehlo(MLIRContext &context) {
  context.loadDialect<func::FuncDialect, quant::QuantDialect, StablehloDialect,
                      ChloDialect, CheckDialect>();
  loadVhlo(context);
}
