// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of measured choices, written by the tuner.
#include "cli/TunedFile.h"

#include "core/manifest/ManifestText.h"
#include "core/manifest/TunedParser.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

FailureOr<TunedSpec> lh::readTunedFile(const std::string &file,
                                       SourceStore &sources,
                                       DiagnosticSink &sink) {
  std::string path = absolutePath(file, workingDirectory());
  FailureOr<StringRef> text = sources.load(path, {}, sink);
  if (failed(text))
    return failure();
  return parseTuned(*text, path, sink);
}

/// Products before paths, by their loops and sizes.
static auto orderOf(const TunedEntry &entry) {
  const auto *product = std::get_if<ProductKey>(&entry.about);
  const auto *path = std::get_if<TunedPath>(&entry.about);
  return std::tuple(entry.about.index(), product ? product->loops : "",
                    product ? product->sizes : std::vector<int64_t>(),
                    path ? path->pipeline + " " + path->caseName : "");
}

LogicalResult lh::writeTunedFile(const std::string &file, StringRef target,
                                 std::vector<TunedEntry> entries,
                                 SourceStore &sources, DiagnosticSink &sink) {
  std::string path = absolutePath(file, workingDirectory());
  TunedSpec spec;
  spec.target = target.str();
  if (isFile(sources.fileSystem(), path)) {
    FailureOr<TunedSpec> known = readTunedFile(file, sources, sink);
    if (failed(known))
      return failure();
    if (known->target != target)
      return sink.error(DiagKind::GraphTunedForeign, SourceSpan{path},
                        "these choices are for the target '" + known->target +
                            "'; those for '" + target +
                            "' belong into a file of their own");
    spec = std::move(*known);
  }
  for (TunedEntry &entry : entries) {
    llvm::erase_if(spec.entries, [&](const TunedEntry &old) {
      return old.about == entry.about;
    });
    spec.entries.push_back(std::move(entry));
  }
  llvm::stable_sort(spec.entries, [](const auto &a, const auto &b) {
    return orderOf(a) < orderOf(b);
  });
  YamlNode document = documentOf(spec);
  for (YamlNode &entry : document.find("tuned")->items)
    entry.isBlock = true;
  return writeFileAtomically(path, yamlText(document), {}, sink);
}
