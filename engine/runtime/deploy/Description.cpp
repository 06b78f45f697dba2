// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a library's description.
#include "runtime/deploy/Description.h"

#include "core/json/Json.h"
#include "core/support/Version.h"

using namespace lh;

static Json describe(const TensorSignature &tensor) {
  Json shape = Json::array();
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] >= 0)
      shape.push_back(tensor.shape[i]);
    else if (i < tensor.symbols.size() && !tensor.symbols[i].empty())
      shape.push_back(tensor.symbols[i]);
    else
      shape.push_back(nullptr);
  }
  return {{"name", tensor.name},
          {"type", dtypeName(tensor.dtype).str()},
          {"shape", shape}};
}

std::string lh::describeLibrary(const LibraryFacts &facts) {
  Json inputs = Json::array(), outputs = Json::array();
  for (const TensorSignature &input : facts.entry->inputs())
    inputs.push_back(describe(input));
  for (const TensorSignature &result : facts.entry->results)
    outputs.push_back(describe(result));
  Json weights = {{"bytes", facts.weightsBytes}};
  weights["file"] =
      facts.weightsFile.empty() ? Json(nullptr) : Json(facts.weightsFile);
  Json json = {{"library", 1},
               {"name", facts.name},
               {"made_by", versionText()},
               {"inputs", inputs},
               {"outputs", outputs},
               {"weights", weights},
               {"target",
                {{"name", facts.target->name},
                 {"triple", facts.triple},
                 {"features", facts.features}}},
               {"needs", facts.needs}};
  if (facts.device)
    json["target"]["gpu"] = facts.device->chip;
  return printJson(json);
}
