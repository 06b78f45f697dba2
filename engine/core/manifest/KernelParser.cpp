// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to KernelSpec.
#include "core/manifest/KernelParser.h"

#include "core/manifest/KeyTable.h"
#include "core/manifest/Values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace lh;

Located<std::string> &lh::bodyFile(KernelSpec &kernel) {
  return std::visit(
      [](auto &body) -> Located<std::string> & { return body.file; },
      kernel.body);
}

const Located<std::string> &lh::bodyFile(const KernelSpec &kernel) {
  return std::visit(
      [](const auto &body) -> const Located<std::string> & {
        return body.file;
      },
      kernel.body);
}

/// Rows and columns are cut into tiles of the largest size, which must be one
/// that a call may have.
static void checkTile(const KernelSpec &kernel, const KernelExtent &extent,
                      StringRef key, DiagnosticSink &sink) {
  if (*extent.most % extent.multiple != 0)
    (void)sink.error(DiagKind::ManifestBadValue, SourceSpan{kernel.file},
                     "'sizes." + key + "': the largest size, " +
                         Twine(*extent.most) + ", is no multiple of " +
                         Twine(extent.multiple));
}

/// What modules call a kernel and its functions by.
static void checkNames(const KernelSpec &kernel, DiagnosticSink &sink) {
  if (!isValidName(kernel.name) || kernel.name == noKernel)
    (void)sink.error(DiagKind::ManifestBadName, SourceSpan{kernel.file},
                     "'" + kernel.name +
                         "' can't be a kernel's name, which its file gives it");
  std::set<std::string> named;
  for (const auto &[pattern, symbol] : kernel.functions) {
    if (!named.insert(symbol.value).second)
      (void)sink.error(DiagKind::ManifestBadName, symbol.where,
                       "'" + symbol.value +
                           "' computes another pattern already");
    if (!llvm::all_of(symbol.value,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; }) ||
        symbol.value.empty() || llvm::isDigit(symbol.value[0]))
      (void)sink.error(DiagKind::ManifestBadName, symbol.where,
                       "'" + symbol.value +
                           "' can't be a function's name in C");
  }
}

FailureOr<KernelSpec> lh::parseKernel(StringRef text, StringRef file,
                                      DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  FailureOr<YamlNode> document =
      readDocument(text, file, kernelMapping(), sink);
  if (failed(document))
    return failure();
  KernelSpec kernel;
  kernel.name = llvm::sys::path::stem(file).str();
  kernel.file = file.str();
  readKeys(*document, kernelMapping(), &kernel, sink);
  if (sink.errorCount() == errors) {
    checkTile(kernel, kernel.rows, "m", sink);
    checkTile(kernel, kernel.columns, "n", sink);
    checkNames(kernel, sink);
  }
  if (sink.errorCount() != errors)
    return failure();
  return kernel;
}
