// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns of text for people.
#include "insight/report/TextTable.h"

#include "core/support/VisibleText.h"

#include "llvm/Support/Format.h"

#include <algorithm>

using namespace lh;

static std::string numberText(const char *form, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(form, value);
  return text;
}

std::string lh::threeDigits(double value) {
  return numberText(value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
}

std::string lh::percentText(double share) {
  return numberText("%.1f %%", share * 100);
}

void lh::printTable(ArrayRef<Cells> table, size_t names,
                    llvm::raw_ostream &stream) {
  std::vector<Cells> lines(table.begin(), table.end());
  for (Cells &cells : lines)
    for (std::string &cell : cells)
      cell = visibleLine(cell);
  std::vector<size_t> widths;
  for (const Cells &cells : lines)
    for (size_t i = 0; i < cells.size(); ++i) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], cells[i].size());
    }
  for (const Cells &cells : lines) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string fill(widths[i] - cells[i].size(), ' ');
      line += i == 0 ? "" : "  ";
      line += i < names ? cells[i] + fill : fill + cells[i];
    }
    stream << StringRef(line).rtrim() << '\n';
  }
}
