// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What became of many jobs, for people.
#include "insight/ci/Merge.h"

#include "insight/report/MarkdownReport.h"
#include "insight/report/TerminalReport.h"
#include "insight/report/page/Assets.h"
#include "insight/report/page/Html.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace lh;
using llvm::raw_ostream;

static bool isWrong(JobState state) {
  return state == JobState::Failed || state == JobState::Lost ||
         state == JobState::Missing || state == JobState::Damaged;
}

/// The page's styles know verdicts of results.
static StringRef toneOf(JobState state) {
  return state == JobState::Passed ? "passed"
         : isWrong(state)          ? "failed"
                                   : "skipped";
}

static void writeLink(StringRef target, StringRef text, raw_ostream &out) {
  if (!target.empty())
    out << " <a href=\"" << Html{target.str()} << "\">" << text << "</a>";
}

static void writeTiles(const JobCounts &counts, raw_ostream &out) {
  out << "<ul class=\"tiles\">";
  for (const auto &[state, count] : counts)
    out << "<li class=\"" << toneOf(state) << "\"><a href=\"#"
        << (isWrong(state) ? "wrong" : "all") << "\"><b>"
        << countText(int64_t(count)) << "</b> <span>" << enumName(state)
        << "</span></a></li>";
  out << "</ul>\n";
}

static void writeLinks(const MergedRow &row, raw_ostream &out) {
  writeLink(row.page, "page", out);
  writeLink(row.record, "record", out);
  writeLink(row.log, "log", out);
}

/// Jobs that are wrong in the same way, the first of them in full.
static void writeAlike(ArrayRef<const MergedRow *> rows, size_t shown,
                       raw_ostream &out) {
  const MergedRow &first = *rows.front();
  out << "<tr><td class=\"bad\">" << enumName(first.state) << "</td><td>"
      << Html{first.title};
  if (rows.size() > 1) {
    out << "<details><summary>and " << rows.size() - 1
        << " more</summary><table>";
    for (const MergedRow *row : rows.drop_front().take_front(shown)) {
      out << "<tr><td>" << Html{row->title} << "<td>";
      writeLinks(*row, out);
      out << '\n';
    }
    out << "</table></details>";
  }
  out << "</td><td>" << Html{first.reason} << "</td><td>" << Html{first.host}
      << "</td><td>";
  writeLinks(first, out);
  out << "</td></tr>\n";
}

/// At most so many jobs: who sees more looks at reasons, not at jobs.
static void writeWrong(ArrayRef<MergedRow> rows, raw_ostream &out) {
  constexpr size_t most = 1000;
  std::map<std::pair<JobState, std::string>, std::vector<const MergedRow *>>
      groups;
  size_t count = 0;
  for (const MergedRow &row : rows)
    if (isWrong(row.state) && ++count)
      groups[{row.state, row.reason}].push_back(&row);
  if (groups.empty())
    return;
  out << "<section id=\"wrong\"><h2>What is wrong</h2>\n<table><thead><tr><th>"
         "state</th><th>job</th><th>why</th><th>host</th><th></th></tr></thead>"
         "<tbody>\n";
  size_t room = most;
  for (const auto &[kind, members] : groups) {
    if (room == 0)
      break;
    writeAlike(members, room - 1, out);
    room -= std::min(room, members.size());
  }
  out << "</tbody></table>\n";
  if (count > most)
    out << "<p class=\"note\">" << count - most
        << " more are among all jobs below.</p>\n";
  out << "</section>\n";
}

namespace {
/// The jobs of a manifest for a target.
struct Cell {
  size_t passed = 0, wrong = 0, other = 0;
};
} // namespace

static void writeCell(const Cell &cell, raw_ostream &out) {
  out << "<td>";
  StringRef gap;
  for (auto [count, tone, word] :
       {std::tuple(cell.wrong, "failed", "\xE2\x9C\x97"),
        std::tuple(cell.passed, "passed", "\xE2\x9C\x93"),
        std::tuple(cell.other, "skipped", "\xE2\x80\x93")})
    if (count > 0) {
      out << gap << "<span class=\"verdict " << tone << "\">" << word << ' '
          << count << "</span>";
      gap = " ";
    }
  out << "</td>";
}

/// Where in the space of pipelines things are wrong. A page is longer than it
/// is wide: of manifests and targets those are rows that are more.
static void writeMatrix(ArrayRef<MergedRow> rows, raw_ostream &out) {
  std::set<std::string> manifests, targets;
  for (const MergedRow &row : rows) {
    manifests.insert(row.manifest);
    targets.insert(row.target);
  }
  bool hasTargetsBelow = targets.size() > manifests.size();
  std::map<std::string, std::map<std::string, Cell>> cells;
  for (const MergedRow &row : rows) {
    Cell &cell = hasTargetsBelow ? cells[row.target][row.manifest]
                                 : cells[row.manifest][row.target];
    ++(isWrong(row.state)              ? cell.wrong
       : row.state == JobState::Passed ? cell.passed
                                       : cell.other);
  }
  const std::set<std::string> &across = hasTargetsBelow ? manifests : targets;
  out << "<section><h2>Manifests and targets</h2>\n<div "
         "style=\"overflow-x:auto\"><table><thead><tr><th></th>";
  for (const std::string &name : across)
    out << "<th>" << Html{name} << "</th>";
  out << "</tr></thead><tbody>\n";
  for (auto &[name, row] : cells) {
    out << "<tr><th style=\"white-space:nowrap\">" << Html{name} << "</th>";
    for (const std::string &other : across)
      writeCell(row[other], out);
    out << "</tr>\n";
  }
  out << "</tbody></table></div></section>\n";
}

/// Why jobs could not run, each reason once: those of a target have one.
static void writeNotRun(ArrayRef<MergedRow> rows, raw_ostream &out) {
  std::map<std::string, std::vector<const MergedRow *>> groups;
  for (const MergedRow &row : rows)
    if (toneOf(row.state) == "skipped")
      groups[row.reason].push_back(&row);
  if (groups.empty())
    return;
  out << "<section><h2>What could not run</h2>\n<table><thead><tr><th>jobs"
         "</th><th>why</th><th>the first</th></tr></thead><tbody>\n";
  for (const auto &[reason, members] : groups)
    out << "<tr><td>" << members.size() << "</td><td>" << Html{reason}
        << "</td><td>" << Html{members.front()->title} << "</td></tr>\n";
  out << "</tbody></table></section>\n";
}

/// Folded: a browser lays out what is opened.
static void writeAll(ArrayRef<MergedRow> rows, raw_ostream &out) {
  std::map<std::string, std::vector<const MergedRow *>> groups;
  for (const MergedRow &row : rows)
    groups[row.manifest].push_back(&row);
  out << "<section id=\"all\"><h2>All jobs</h2>\n";
  for (const auto &[manifest, members] : groups) {
    JobCounts counts;
    for (const MergedRow *row : members)
      ++counts[row->state];
    out << "<details><summary>" << Html{manifest} << ": " << countsText(counts)
        << "</summary><table>\n";
    for (const MergedRow *row : members) {
      out << "<tr><td class=\"" << toneOf(row->state) << "\">"
          << enumName(row->state) << "<td>" << Html{row->title} << "<td>"
          << timeText(row->seconds) << "<td>";
      writeLink(row->record, "record", out);
      out << '\n';
    }
    out << "</table></details>\n";
  }
  out << "</section>\n";
}

std::string lh::mergedPage(StringRef title, ArrayRef<MergedRow> rows,
                           const JobCounts &counts) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
         "'none'; style-src 'unsafe-inline'\"><meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\"><title>"
      << Html{title.str()} << "</title><style>" << assets::pageStyle
      << "summary { cursor: pointer; padding: .3rem 0; }\n"
         "th { text-align: left; }\n"
         "td, th { vertical-align: top; padding: .15rem .8rem .15rem 0; }\n"
         "</style></head><body><main>\n<h2>"
      << Html{title.str()} << "</h2>\n";
  writeTiles(counts, out);
  writeWrong(rows, out);
  writeMatrix(rows, out);
  writeNotRun(rows, out);
  writeAll(rows, out);
  out << "</main></body></html>\n";
  return text;
}

std::string lh::mergedMarkdown(ArrayRef<MergedRow> rows,
                               const JobCounts &counts, size_t limit) {
  std::string text = "### " + countsText(counts) + "\n";
  bool isFirst = true;
  for (const MergedRow &row : rows) {
    if (!isWrong(row.state))
      continue;
    std::string line =
        isFirst ? "\n| | job | why |\n| --- | --- | --- |\n" : "";
    line += "| " + enumName(row.state).str() + " | " + markdownCell(row.title) +
            " | " + markdownCell(row.reason) + " |\n";
    constexpr size_t lastLine = 80;
    if (text.size() + line.size() + lastLine > limit)
      return text + "\nFurther jobs are left out for want of room.\n";
    text += line;
    isFirst = false;
  }
  return text;
}
