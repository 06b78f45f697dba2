// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses Einsum's equation.
#include "compiler/ingress/onnx/ops/EinsumEquation.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace lh;
using namespace mlir;

/// One comma-separated term: letters, and where the ellipsis stands.
struct EinsumTerm {
  Labels letters;
  std::optional<size_t> ellipsis;
};

static FailureOr<EinsumTerm> parseTerm(const NodeContext &node,
                                       StringRef text) {
  EinsumTerm term;
  while (!text.empty()) {
    if (text.consume_front("...")) {
      if (term.ellipsis)
        return node.error("a term of the equation has two ellipses");
      term.ellipsis = term.letters.size();
      continue;
    }
    if (!llvm::isAlpha(text.front()))
      return node.error("unexpected '" + text.take_front() +
                        "' in the equation");
    term.letters.push_back(text.front());
    text = text.drop_front();
  }
  return term;
}

/// The term with its ellipsis spelled out as `count` labels.
static Labels spell(const EinsumTerm &term, int64_t count) {
  Labels labels = term.letters;
  if (!term.ellipsis)
    return labels;
  Labels dims;
  for (int64_t k = count; k-- > 0;)
    dims.push_back(ellipsisLabel + static_cast<Label>(k));
  labels.insert(labels.begin() + static_cast<ptrdiff_t>(*term.ellipsis),
                dims.begin(), dims.end());
  return labels;
}

static Labels implicitOutput(const EinsumEquation &equation) {
  std::map<Label, int> counts; // ordered: letters by their code
  for (const Labels &labels : equation.inputs)
    for (Label label : labels)
      ++counts[label];
  Labels output, letters;
  for (auto [label, count] : counts) {
    if (label >= ellipsisLabel)
      output.insert(output.begin(), label);
    else if (count == 1)
      letters.push_back(label);
  }
  output.append(letters);
  return output;
}

static LogicalResult checkOutput(const NodeContext &node,
                                 const EinsumEquation &equation) {
  for (auto [position, label] : llvm::enumerate(equation.output)) {
    std::string name = label < ellipsisLabel
                           ? std::string(1, static_cast<char>(label))
                           : "...";
    if (llvm::is_contained(ArrayRef(equation.output).take_front(position),
                           label))
      return node.error("the output has '" + name + "' twice");
    bool isKnown = llvm::any_of(equation.inputs, [&](const Labels &labels) {
      return llvm::is_contained(labels, label);
    });
    if (!isKnown)
      return node.error("the output has '" + name + "', which no input has");
  }
  return success();
}

static LogicalResult parseInputs(const NodeContext &node, StringRef text,
                                 ArrayRef<int64_t> ranks,
                                 EinsumEquation &equation,
                                 int64_t &ellipsisRank) {
  SmallVector<StringRef> terms;
  text.split(terms, ',');
  if (terms.size() != ranks.size())
    return node.error("the equation has " + Twine(terms.size()) +
                      " terms for " + Twine(ranks.size()) + " inputs");
  for (auto [i, termText] : llvm::enumerate(terms)) {
    FailureOr<EinsumTerm> term = parseTerm(node, termText);
    if (failed(term))
      return failure();
    auto letters = static_cast<int64_t>(term->letters.size());
    int64_t rest = ranks[i] - letters;
    if (rest < 0 || (rest > 0 && !term->ellipsis))
      return node.error("term '" + termText + "' does not fit input " +
                            Twine(i) + " of rank " + Twine(ranks[i]),
                        DiagKind::IngressShapeMismatch);
    ellipsisRank = std::max(ellipsisRank, term->ellipsis ? rest : 0);
    equation.inputs.push_back(spell(*term, rest));
  }
  return success();
}

FailureOr<EinsumEquation> lh::parseEinsum(const NodeContext &node,
                                          StringRef text,
                                          ArrayRef<int64_t> ranks) {
  std::string dense = text.str();
  llvm::erase_if(dense, [](char c) { return llvm::isSpace(c); });
  size_t arrow = StringRef(dense).find("->");
  EinsumEquation equation;
  int64_t ellipsisRank = 0;
  if (failed(parseInputs(node, StringRef(dense).take_front(arrow), ranks,
                         equation, ellipsisRank)))
    return failure();
  if (arrow == StringRef::npos) {
    equation.output = implicitOutput(equation);
    return equation;
  }
  FailureOr<EinsumTerm> output =
      parseTerm(node, StringRef(dense).drop_front(arrow + 2));
  if (failed(output))
    return failure();
  equation.output = spell(*output, ellipsisRank);
  if (failed(checkOutput(node, equation)))
    return failure();
  return equation;
}
