// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of operators, from the table of converters.
#include "compiler/ingress/onnx/OnnxSupport.h"

#include "compiler/ingress/onnx/OpTable.h"

#include <algorithm>

using namespace lh;

namespace {
struct Refusal {
  StringRef name, reason;
};
} // namespace

static constexpr StringRef strings = "it works on strings";
static constexpr StringRef training = "it trains";

static constexpr Refusal refusals[] = {
    {"ImageDecoder", "it decodes image files"},
    {"RegexFullMatch", strings},
    {"StringConcat", strings},
    {"StringNormalizer", strings},
    {"StringSplit", strings},
    {"ai.onnx.preview.training.Adagrad", training},
    {"ai.onnx.preview.training.Adam", training},
    {"ai.onnx.preview.training.Gradient", training},
    {"ai.onnx.preview.training.Momentum", training},
};

StringRef lh::refusalOf(StringRef name) {
  for (const Refusal &refusal : refusals)
    if (refusal.name == name)
      return refusal.reason;
  if (name.starts_with("ai.onnx.ml."))
    return "the domain of classical machine learning isn't imported";
  return "";
}

static std::string typesOf(const OpRow &row, StringRef name) {
  if (row.minInputs == 0 && !(row.rules & ~OpRule::Sequences))
    return "";
  std::string text = row.rules & OpRule::Sequences ? "any, sequences" : "any";
  if (row.rules & OpRule::Float)
    text = "float";
  else if (row.rules & OpRule::Integer)
    text = "integer";
  else if (row.rules & OpRule::Bool)
    text = "bool";
  else if (row.rules & OpRule::Numeric)
    text = "float, integer";
  bool takesSmall = takesSmallTypes(name) && !(row.rules & OpRule::Bool);
  return takesSmall ? text + ", small" : text;
}

std::vector<OnnxOperator> lh::listOnnxOperators() {
  std::vector<OnnxOperator> list;
  makeOpTable().forEach([&](StringRef name, ArrayRef<OpRow> rows) {
    if (isPrivateOperator(name))
      return;
    OnnxOperator &entry = list.emplace_back();
    entry.name = name.str();
    for (const OpRow &row : rows)
      entry.versions.push_back(row.since);
    std::sort(entry.versions.begin(), entry.versions.end());
    entry.types = typesOf(rows.back(), name);
  });
  for (const Refusal &refusal : refusals)
    list.push_back({refusal.name.str(), {}, "", refusal.reason.str()});
  std::sort(list.begin(), list.end(),
            [](const OnnxOperator &a, const OnnxOperator &b) {
              return a.name < b.name;
            });
  return list;
}
