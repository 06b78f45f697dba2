// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words that manifests have for enumerators.
#ifndef LH_CORE_MANIFEST_WORDS_H
#define LH_CORE_MANIFEST_WORDS_H

#include "core/manifest/Manifest.h"

#include "llvm/ADT/STLExtras.h"

namespace lh {

/// The word of each enumerator, in their order.
template <typename Enum> constexpr int wordsOf = 0;
template <>
inline constexpr StringRef wordsOf<ParameterType>[] = {"bool", "int", "float",
                                                       "string", "path"};
template <>
inline constexpr StringRef wordsOf<Reference::Scope>[] = {
    "params", "let", "target", "case", "sweep"};
template <>
inline constexpr StringRef wordsOf<Operator>[] = {
    "+", "-",  "*",   "/",  "%",   "-", "==",  "!=",  "<",      "<=",
    ">", ">=", "and", "or", "not", "?", "min", "max", "ceildiv"};
template <>
inline constexpr StringRef wordsOf<IngressKind>[] = {"onnx", "mlir", "command",
                                                     "stablehlo"};
template <>
inline constexpr StringRef wordsOf<EmitFormat>[] = {
    "mlir", "llvm-ir", "assembly", "object", "shared-library",
    "ptx",  "cubin",   "hsaco",    "spirv",  "zebin"};
template <>
inline constexpr StringRef wordsOf<InputSet>[] = {"drawn", "exact", "ordered",
                                                  "specials"};
template <>
inline constexpr StringRef wordsOf<OracleMode>[] = {
    "auto", "exact", "bound", "ratio", "tolerance", "proof"};
template <>
inline constexpr StringRef wordsOf<SparsePattern>[] = {"uniform", "banded",
                                                       "power-law"};

template <typename Enum> StringRef wordOf(Enum value) {
  return wordsOf<Enum>[static_cast<size_t>(value)];
}

/// The enumerator of `word`; nothing when it is none of the words.
template <typename Enum> std::optional<Enum> parseWord(StringRef word) {
  const StringRef *found = llvm::find(wordsOf<Enum>, word);
  if (found == std::end(wordsOf<Enum>))
    return std::nullopt;
  return static_cast<Enum>(found - std::begin(wordsOf<Enum>));
}

} // namespace lh

#endif // LH_CORE_MANIFEST_WORDS_H
