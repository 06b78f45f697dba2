// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dialect without operations that reads VHLO's bytecode.
#include "compiler/ingress/stablehlo/VhloReader.h"

#include "compiler/ingress/stablehlo/VhloAttributes.h"
#include "compiler/ingress/stablehlo/VhloDecoder.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace lh;
using namespace mlir;

namespace {

struct VhloInterface : BytecodeDialectInterface {
  explicit VhloInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    return VhloDecoder(reader, getContext()).attribute();
  }
  Type readType(DialectBytecodeReader &reader) const override {
    return VhloDecoder(reader, getContext()).type();
  }
};

struct VhloDialect : Dialect {
  explicit VhloDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<VhloDialect>()) {
    allowUnknownOperations();
    allowUnknownTypes();
    addInterfaces<VhloInterface>();
  }
  static constexpr llvm::StringLiteral getDialectNamespace() { return "vhlo"; }
};

/// Since StableHLO 0.15 attributes come as properties: one after the other,
/// without their names.
struct VhloProperties
    : BytecodeOpInterface::ExternalModel<VhloProperties, Operation *> {
  static LogicalResult readProperties(DialectBytecodeReader &reader,
                                      OperationState &state);
  void writeProperties(Operation *, DialectBytecodeWriter &) const {}
};

} // namespace

LogicalResult VhloProperties::readProperties(DialectBytecodeReader &reader,
                                             OperationState &state) {
  StringRef name = state.name.stripDialect();
  const VhloAttributes *row =
      llvm::find_if(vhloAttributes(),
                    [&](const VhloAttributes &of) { return of.op == name; });
  if (row == vhloAttributes().end())
    return reader.emitError("the attributes of '")
           << state.name << "' are not known here" << ofNewerFile;
  NamedAttrList fields;
  for (StringRef field : llvm::split(row->names, ' ')) {
    Attribute value;
    if (failed(reader.readAttribute(value)))
      return failure();
    fields.append(field, value);
  }
  state.propertiesAttr = fields.getDictionary(reader.getContext());
  return success();
}

void lh::loadVhlo(MLIRContext &context) {
  if (context.getLoadedDialect<VhloDialect>())
    return;
  context.loadDialect<VhloDialect>();
  for (const VhloAttributes &row : vhloAttributes())
    OperationName(("vhlo." + row.op).str(), &context)
        .attachInterface<VhloProperties>();
}
