// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bounds that comparisons allow, as manifests and targets write them.
#include "core/manifest/ToleranceReader.h"

#include "core/manifest/NodeValues.h"

using namespace lh;

ToleranceDecl lh::readTolerance(const YamlNode &node) {
  return {numberOf(node, "atol"), numberOf(node, "rtol"),
          integerOf(node, "ulp"), node.where};
}

std::map<std::string, ToleranceDecl> lh::readPerDtype(const YamlNode &node) {
  std::map<std::string, ToleranceDecl> bounds;
  if (const YamlNode *dtypes = node.find("dtypes"))
    for (size_t i = 0; i < dtypes->keys.size(); ++i)
      bounds[dtypes->keys[i].value] = readTolerance(dtypes->items[i]);
  return bounds;
}
