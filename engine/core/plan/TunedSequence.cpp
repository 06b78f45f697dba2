// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measured choices as a transform sequence.
#include "core/plan/TunedSequence.h"

#include "core/graph/Evaluate.h"
#include "core/manifest/ValueText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace lh;

namespace {

/// An entry about a product, and what it is about.
struct ProductChoice {
  const TunedEntry *entry;
  const ProductKey *product;
  const StrategyDecl *strategy;
};

class Writer {
public:
  explicit Writer(std::string &text) : out(text) {}

  void module(ArrayRef<ProductChoice> choices);

private:
  void declarations(ArrayRef<ProductChoice> choices);
  void table(ArrayRef<ProductChoice> choices);
  void matcher(size_t index, const ProductChoice &choice);
  void setter(size_t index, const ProductChoice &choice);
  void place(const TunedEntry &entry);
  void text(StringRef words) {
    out << '"', out.write_escaped(words), out << '"';
  }
  void list(ArrayRef<int64_t> numbers) {
    out << "array<i64";
    for (size_t i = 0; i < numbers.size(); ++i)
      out << (i == 0 ? ": " : ", ") << numbers[i];
    out << '>';
  }

  llvm::raw_string_ostream out;
};

} // namespace

static constexpr StringRef opType = "!transform.any_op";

void Writer::place(const TunedEntry &entry) {
  out << " loc(";
  text(entry.where.file.empty() ? StringRef("tuned") : entry.where.file);
  out << ':' << std::max(entry.where.line, 1U) << ':'
      << std::max(entry.where.column, 1U) << ')';
}

void Writer::declarations(ArrayRef<ProductChoice> choices) {
  std::set<StringRef> names;
  for (const ProductChoice &choice : choices)
    if (names.insert(choice.strategy->matches.value).second)
      out << "  transform.named_sequence private @"
          << choice.strategy->matches.value << "(" << opType
          << " {transform.readonly})\n";
}

/// The first that fits holds.
void Writer::table(ArrayRef<ProductChoice> choices) {
  out << "  transform.named_sequence @tuned(%root: " << opType
      << " {transform.readonly}) {\n"
         "    %ops = transform.structured.match interface{LinalgOp} in %root : "
         "("
      << opType << ") -> " << opType
      << "\n    %done = transform.foreach_match restrict_root in %ops\n"
         "        @tuned_has_choice -> @tuned_keep";
  for (size_t i = 0; i < choices.size(); ++i)
    out << ",\n        @tuned_is_" << i << " -> @tuned_set_" << i;
  out << " : (" << opType << ") -> " << opType;
  place(*choices.front().entry);
  out << "\n    transform.yield\n  }\n"
      << "  transform.named_sequence @tuned_has_choice(%op: " << opType
      << " {transform.readonly}) -> " << opType
      << " {\n    %any = transform.lh.match.choice %op [] : (" << opType
      << ") -> !transform.any_param\n    transform.yield %op : " << opType
      << "\n  }\n  transform.named_sequence @tuned_keep(%op: " << opType
      << " {transform.readonly}) {\n    transform.yield\n  }\n";
}

void Writer::matcher(size_t index, const ProductChoice &choice) {
  const ProductKey &product = *choice.product;
  out << "  transform.named_sequence @tuned_is_" << index << "(%op: " << opType
      << " {transform.readonly}) -> " << opType
      << " {\n    %sizes:4 = transform.lh.match.product %op loops [";
  text(product.loops);
  out << "] {any_body, sizes = ";
  list(product.sizes);
  out << ", element_types = [";
  for (size_t i = 0; i < product.types.size(); ++i)
    out << (i == 0 ? "" : ", ") << product.types[i];
  out << "]" << (product.fromWeights ? ", right_known" : ", right_varies");
  if (!product.steps.empty()) {
    out << ", windows, steps = ";
    list(product.steps);
  }
  out << "} : " << opType;
  place(*choice.entry);
  out << "\n    transform.yield %op : " << opType << "\n  }\n";
}

/// "measured 1.19x (x86-avx512.yaml:12)".
static std::string ruleOf(const TunedEntry &entry) {
  std::string rule;
  llvm::raw_string_ostream out(rule);
  if (entry.gain)
    out << llvm::format("measured %.2fx (", entry.gain->median);
  else
    out << "as written (";
  out << llvm::sys::path::filename(entry.where.file) << ':' << entry.where.line
      << ')';
  return rule;
}

void Writer::setter(size_t index, const ProductChoice &choice) {
  out << "  transform.named_sequence @tuned_set_" << index << "(%op: " << opType
      << " {transform.readonly}) {\n    transform.include @"
      << choice.strategy->matches.value << " failures(propagate) (%op) : ("
      << opType << ") -> ()";
  place(*choice.entry);
  out << "\n    %choice = transform.param.constant #dlti.map<\"rule\" = ";
  text(ruleOf(*choice.entry));
  for (const auto &[name, value] : choice.entry->use) {
    out << ", ";
    text(name);
    out << " = ";
    if (const auto *words = std::get_if<std::string>(&value))
      text(*words);
    else
      out << valueText(value);
  }
  out << "> -> !transform.any_param\n"
         "    transform.annotate %op \"lh.choice\" = %choice : "
      << opType << ", !transform.any_param\n    transform.yield\n  }";
  place(*choice.entry);
  out << '\n';
}

void Writer::module(ArrayRef<ProductChoice> choices) {
  out << "module attributes {transform.with_named_sequence} {\n";
  declarations(choices);
  table(choices);
  for (const auto &[index, choice] : llvm::enumerate(choices)) {
    matcher(index, choice);
    setter(index, choice);
  }
  out << "}\n";
}

std::string lh::tunedSequence(const StrategySpace &space,
                              const TargetSpec &target,
                              ArrayRef<TunedSpec> tuned) {
  std::vector<ProductChoice> choices;
  std::map<std::string, Value> facts;
  for (const TunedSpec &spec : tuned) {
    if (spec.target != target.name)
      continue;
    if (facts.empty())
      facts = factValues(target);
    for (const TunedEntry &entry : spec.entries) {
      const auto *product = std::get_if<ProductKey>(&entry.about);
      const auto name = entry.use.find("strategy");
      if (!product || name == entry.use.end())
        continue;
      const StrategyDecl *strategy =
          findStrategy(space, valueText(name->second));
      if (strategy && whyNoStrategy(space, *strategy, facts).empty())
        choices.push_back({&entry, product, strategy});
    }
  }
  std::string text;
  if (!choices.empty())
    Writer(text).module(choices);
  return text;
}
