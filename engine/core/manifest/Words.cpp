// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words that manifests have for enumerators.
#include "core/manifest/Words.h"

using namespace lh;

StringRef lh::wordOf(EmitFormat format) {
  switch (format) {
  case EmitFormat::Mlir:
    return "mlir";
  case EmitFormat::LlvmIr:
    return "llvm-ir";
  case EmitFormat::Assembly:
    return "assembly";
  case EmitFormat::Object:
    return "object";
  case EmitFormat::SharedLibrary:
    return "shared-library";
  case EmitFormat::Ptx:
    return "ptx";
  case EmitFormat::Cubin:
    return "cubin";
  case EmitFormat::Hsaco:
    return "hsaco";
  }
  return "";
}

StringRef lh::wordOf(InputSet set) {
  switch (set) {
  case InputSet::Drawn:
    return "drawn";
  case InputSet::Exact:
    return "exact";
  case InputSet::Ordered:
    return "ordered";
  case InputSet::Specials:
    return "specials";
  }
  return "";
}

StringRef lh::wordOf(Operator op) {
  // By the enumerators' order.
  static constexpr StringRef words[] = {
      "+", "-",  "*",   "/",  "%",   "-", "==",  "!=",  "<",      "<=",
      ">", ">=", "and", "or", "not", "?", "min", "max", "ceildiv"};
  return words[static_cast<size_t>(op)];
}
