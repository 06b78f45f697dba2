// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices of how ops are computed, for people and for programs.
#include "insight/report/ChoiceText.h"

#include "core/support/VisibleText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

std::string lh::numbersText(const OpChoice &choice) {
  std::string text;
  for (const auto &[name, value] : choice.numbers)
    text += (text.empty() ? "" : ", ") + name + " = " + value;
  return text;
}

std::string lh::chosenOpText(const OpChoice &choice) {
  std::string text = choice.op;
  if (!choice.sizes.empty())
    text += " " + choice.sizes;
  if (!choice.name.empty())
    text += " at " + choice.name;
  else if (choice.where.isKnown())
    text += " at " + llvm::sys::path::filename(choice.where.file).str() + ":" +
            std::to_string(choice.where.line);
  return text;
}

std::vector<std::string> lh::choiceLines(ArrayRef<OpChoice> choices) {
  constexpr size_t mostNamed = 4;
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const OpChoice &choice : choices) {
    std::string numbers = numbersText(choice);
    std::string title = choice.strategy +
                        (choice.rule.empty() ? "" : " by " + choice.rule) +
                        (numbers.empty() ? "" : ", " + numbers);
    auto group = llvm::find_if(
        groups, [&](const auto &other) { return other.first == title; });
    if (group == groups.end())
      group = groups.insert(group, {title, {}});
    group->second.push_back(chosenOpText(choice));
  }
  std::vector<std::string> lines;
  for (auto &[title, ops] : groups) {
    std::string line = title + ": ";
    size_t more = ops.size() - std::min(ops.size(), mostNamed);
    ops.resize(ops.size() - more);
    line += llvm::join(ops, ", ");
    if (more > 0)
      line += " and " + std::to_string(more) + " more";
    lines.push_back(visibleLine(line));
  }
  return lines;
}
