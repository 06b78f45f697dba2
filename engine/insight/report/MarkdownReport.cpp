// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run's results as Markdown, for the pages of CI systems.
#include "insight/report/MarkdownReport.h"

#include "core/support/Utf8.h"
#include "insight/report/ResultCodes.h"
#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

std::string lh::markdownCell(StringRef text) {
  std::string cell;
  for (char c : repairedUtf8(text)) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      cell += ' ';
    else if (c == '<')
      cell += "&lt;";
    else if (c == '>')
      cell += "&gt;";
    else if (c == '&')
      cell += "&amp;";
    else if (c == '|')
      cell += "&#124;";
    else if (StringRef("\\`*_[]()#!~@$").contains(c))
      cell += std::string("\\") + c;
    else
      cell += c;
  }
  return cell;
}

/// What failed, then what is worth knowing, then what passed.
static unsigned rank(StringRef code) {
  return isFailure(code) ? 0 : code == "PASS" ? 2 : 1;
}

static std::string rowOf(const RunRecord &record, size_t index) {
  const ResultRecord &result = record.results[index];
  ResultFigures figures = figuresOf(record, index);
  std::string row;
  llvm::raw_string_ostream stream(row);
  stream << "| " << resultCode(record, index) << " | "
         << markdownCell(resultName(result.key)) << " | ";
  if (figures.runSeconds)
    stream << durationText(*figures.runSeconds);
  constexpr size_t longest = 500;
  stream << " | " << markdownCell(StringRef(result.reason).take_front(longest))
         << " |\n";
  return row;
}

static std::string headOf(const RunRecord &record) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "### " << markdownCell(record.plan.manifest) << "\n\n";
  if (record.interrupted)
    stream << "**Interrupted: these results are partial.**\n\n";
  stream << countsText(record) << " in " << durationText(record.seconds)
         << "\n\n"
         << "| | result | time | why |\n| --- | --- | --- | --- |\n";
  return text;
}

std::string lh::markdownReport(const RunRecord &record, size_t limit) {
  std::vector<size_t> order(record.results.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::stable_sort(order, [&](size_t left, size_t right) {
    return rank(resultCode(record, left)) < rank(resultCode(record, right));
  });
  std::string text = headOf(record);
  constexpr size_t lastLine = 80;
  for (size_t i = 0; i < order.size(); ++i) {
    std::string row = rowOf(record, order[i]);
    if (text.size() + row.size() + lastLine > limit)
      return text + "\n" + std::to_string(order.size() - i) +
             " further results are left out for want of room.\n";
    text += row;
  }
  return text;
}
