// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the engine writes in the form of users' files, by the table of keys.
#include "core/manifest/ManifestText.h"

#include "core/manifest/Values.h"

#include "llvm/ADT/STLExtras.h"

#include "llvm/ADT/StringExtras.h"

using namespace lh;

YamlNode lh::documentOf(const Manifest &manifest) {
  return writeKeys(&manifest, manifestMapping());
}

YamlNode lh::documentOf(const BubbleFile &file) {
  return writeKeys(&file, bubbleFileMapping());
}

YamlNode lh::documentOf(const TargetSpec &target) {
  TargetSpec written = target;
  std::erase_if(written.facts, [](const auto &fact) {
    return !fact.second.where.isKnown(); // from the command line
  });
  return writeKeys(&written, targetMapping());
}

YamlNode lh::documentOf(const KernelSpec &kernel) {
  return writeKeys(&kernel, kernelMapping());
}

YamlNode lh::documentOf(const TunedSpec &tuned) {
  return writeKeys(&tuned, tunedMapping());
}

Expression lh::literal(Value value) { return {{std::move(value)}, {}}; }

std::vector<Expression> lh::literals(ArrayRef<std::string> texts) {
  std::vector<Expression> expressions;
  for (const std::string &text : texts)
    expressions.push_back(literal(text));
  return expressions;
}

std::vector<Located<std::string>> lh::unlocated(ArrayRef<std::string> names) {
  std::vector<Located<std::string>> result;
  for (const std::string &name : names)
    result.push_back({name, {}});
  return result;
}

std::string lh::nameFrom(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) || c == '-' || c == '_' ? c : '-';
  return name;
}

void lh::addEdges(Manifest &manifest, ArrayRef<std::string> bubbles) {
  for (size_t i = 1; i < bubbles.size(); ++i) {
    bool isThere = llvm::any_of(manifest.edges, [&](const EdgeDecl &edge) {
      return edge.from.value == bubbles[i - 1] && edge.to.value == bubbles[i];
    });
    if (!isThere)
      manifest.edges.push_back({{bubbles[i - 1], {}}, {bubbles[i], {}}});
  }
}
