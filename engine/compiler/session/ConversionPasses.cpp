// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which upstream passes turn a dialect into something else: their names tell.
#include "compiler/session/ConversionPasses.h"

#include "compiler/session/PassPipeline.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

/// "convert-vector-to-llvm" is from vector; "convert-scf-to-openmp" isn't from
/// openmp; "lower-affine" is from affine.
static bool isFrom(StringRef pass, StringRef dialect) {
  llvm::SmallVector<StringRef> words;
  pass.split(words, '-');
  const auto *to = llvm::find(words, "to");
  StringRef verb = words.front();
  bool hasVerb = verb == "convert" || verb == "lower" || verb == "finalize" ||
                 verb == "expand" || verb == "sparse" || verb == "legalize";
  if (to == words.end() && !hasVerb)
    return false;
  const auto *first = hasVerb ? words.begin() + 1 : words.begin();
  return first < to && std::find(first, to, dialect) != to;
}

std::vector<std::string> lh::passesFrom(StringRef dialect) {
  std::vector<std::string> passes;
  for (StringRef pass : registeredPassNames())
    if (isFrom(pass, dialect))
      passes.push_back(pass.str());
  return passes;
}
