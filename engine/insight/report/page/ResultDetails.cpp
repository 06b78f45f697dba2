// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be said of one result: its path, and its numbers.
#include "insight/report/page/Blobs.h"
#include "insight/report/page/Html.h"
#include "insight/report/page/Sections.h"

#include "core/support/Shell.h"
#include "insight/report/Summary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace lh;
using llvm::raw_ostream;

/// The steps as boxes as wide as they took long, then each with its time.
static void writePath(const PageData &data, size_t number, raw_ostream &out) {
  const SavedResult &result = data.result(number);
  size_t run = data.results[number].run;
  double total = 0;
  for (StepId id : result.steps)
    total += data.step({run, id}).seconds;
  if (result.steps.empty())
    return;
  out << "<h4>Path <small>" << result.steps.size() << " steps, "
      << timeText(total) << "</small></h4><div class=\"path\">";
  for (StepId id : result.steps) {
    const SavedStep &step = data.step({run, id});
    double share = total > 0 ? step.seconds / total * 100 : 0;
    out << "<a href=\"#bubble-" << data.bubbleOf[run][id] << "\" class=\""
        << cssClass(enumName(step.status))
        << "\" style=\"--w:" << llvm::format("%.1f", share) << "%\"><b>"
        << Html{step.bubble} << "</b> <span>" << timeText(step.seconds)
        << "</span></a>";
  }
  out << "</div>\n";
  for (StepId id : result.steps) {
    const SavedStep &step = data.step({run, id});
    if (step.reason.empty() && step.log.empty())
      continue;
    out << "<p class=\"bad\">" << Html{step.bubble} << ": "
        << enumName(step.status) << ' ' << Html{step.reason} << "</p>";
    if (!step.log.empty())
      out << "<pre class=\"log\">" << Html{step.log} << "</pre>";
  }
}

static std::string bucketName(size_t bucket) {
  if (bucket + 1 == ulpBuckets)
    return "specials that don't match";
  if (bucket + 2 == ulpBuckets)
    return "more than 32,768";
  if (bucket < 3)
    return std::to_string(bucket);
  return countText((int64_t{1} << (bucket - 2)) + 1) + " to " +
         countText(int64_t{1} << (bucket - 1));
}

/// Counts on a logarithmic scale: one wrong element is seen among a million.
static void writeHistogram(const CompareResult &result, raw_ostream &out) {
  constexpr int width = 18, height = 70, base = 74;
  int64_t most =
      *std::max_element(result.ulpHistogram.begin(), result.ulpHistogram.end());
  if (most == 0)
    return;
  out << "<figure><svg class=\"histogram\" viewBox=\"0 0 "
      << width * int(ulpBuckets) << " 92\" role=\"img\" "
      << "aria-label=\"Elements by how far off they are\">";
  double scale = std::log1p(static_cast<double>(most));
  for (size_t i = 0; i < ulpBuckets; ++i) {
    int64_t count = result.ulpHistogram[i];
    int x = int(i) * width;
    if (count > 0) {
      double tall = std::max(2.0, std::log1p(static_cast<double>(count)) /
                                      scale * height);
      out << "<rect class=\""
          << (i == 0                ? "exact"
              : i + 1 == ulpBuckets ? "special"
                                    : "off")
          << "\" x=\"" << x + 1 << "\" y=\""
          << llvm::format("%.1f", base - tall) << "\" width=\"" << width - 2
          << "\" height=\"" << llvm::format("%.1f", tall) << "\"><title>"
          << countText(count) << " elements: " << bucketName(i)
          << "</title></rect>";
    }
    static constexpr const char *labels[ulpBuckets] = {
        "0",   "1", "2",  "", "8",  "", "32",  "", "128", "",
        "512", "",  "2k", "", "8k", "", "32k", "", "!"};
    out << "<text x=\"" << x + width / 2 << "\" y=\"87\">" << labels[i]
        << "</text>";
  }
  out << "</svg><figcaption>Elements by distance in representable values "
         "(log scale)</figcaption></figure>\n";
}

static std::string ulpText(int64_t ulp) {
  return ulp == std::numeric_limits<int64_t>::max() ? "\xE2\x88\x9E"
                                                    : countText(ulp);
}

static void writeStatistics(const CompareResult &result, raw_ostream &out) {
  auto row = [&](StringRef name, const std::string &text) {
    out << "<tr><th scope=\"row\">" << name << "</th><td class=\"num\">" << text
        << "</td></tr>";
  };
  out << "<table class=\"facts\"><tbody>";
  row("elements", countText(result.elements));
  row("outside", countText(result.mismatches));
  row("max abs", numberText(result.maxAbs));
  row("mean abs", numberText(result.meanAbs));
  row("99 % abs", numberText(result.p99Abs));
  row("max rel", numberText(result.maxRel));
  row("99 % rel", numberText(result.p99Rel));
  row("max ULP", ulpText(result.maxUlp));
  out << "</tbody></table><table class=\"facts\"><tbody>";
  row("relative L2", numberText(result.relativeL2));
  row("cosine", numberText(result.cosine));
  row("expected", numberText(result.minExpected) + " \xE2\x80\xA6 " +
                      numberText(result.maxExpected));
  row("of allowed", allowedText(result.worstShare));
  row("atol that passes", numberText(result.smallestAtol));
  row("rtol that passes", numberText(result.smallestRtol));
  row("NaN, theirs",
      countText(result.nanActual) + ", " + countText(result.nanExpected));
  row("inf, theirs",
      countText(result.infActual) + ", " + countText(result.infExpected));
  out << "</tbody></table>";
}

static void writeWorst(const CompareResult &result, raw_ostream &out) {
  if (result.worst.empty())
    return;
  out << "<table class=\"worst\"><caption>Worst elements</caption><thead><tr>"
         "<th>At</th><th>Is</th><th>Expected</th><th>ULP</th><th>Of "
         "allowed</th></tr></thead><tbody>";
  for (const WorstElement &element : result.worst) {
    out << "<tr><td>[";
    for (size_t i = 0; i < element.index.size(); ++i)
      out << (i ? ", " : "") << element.index[i];
    out << "]</td><td class=\"num\">" << llvm::format("%.9g", element.actual)
        << "</td><td class=\"num\">" << llvm::format("%.9g", element.expected)
        << "</td><td class=\"num\">" << ulpText(element.ulp)
        << "</td><td class=\"num\">" << allowedText(element.share)
        << "</td></tr>";
  }
  out << "</tbody></table>\n";
}

static void writeOutput(const OutputComparison &output, raw_ostream &out) {
  const CompareResult &result = output.result;
  out << "<section class=\"output\"><h4>" << Html{output.output}
      << " <small>against " << Html{output.against} << ", by "
      << enumName(output.criterion) << "</small> ";
  writeVerdict(result.passed ? ResultStatus::Passed : ResultStatus::Failed,
               out);
  out << "</h4>";
  for (const std::string &warning : output.warnings)
    out << "<p class=\"warn\">" << Html{warning} << "</p>";
  if (!result.mismatch.empty()) {
    out << "<p class=\"bad\">" << Html{result.mismatch} << "</p></section>\n";
    return;
  }
  if (isElementwise(output.criterion)) {
    writeHistogram(result, out);
    out << "<div class=\"columns\">";
    writeStatistics(result, out);
    out << "</div>";
    writeWorst(result, out);
  }
  if (!output.basis.empty()) {
    out << "<details><summary>How it was decided</summary><ul>";
    for (const std::string &line : output.basis)
      out << "<li>" << Html{line} << "</li>";
    out << "</ul></details>";
  }
  out << "</section>\n";
}

static void writeArithmetic(const ArithmeticCount &count, raw_ostream &out) {
  if (std::optional<double> share = count.vectorisedShare())
    out << "<span>vectorised <b>" << numberText(*share * 100)
        << "&thinsp;% of arithmetic</b></span> ";
  if (std::optional<double> share = count.instructionShare())
    out << "<span>on vectors <b>" << numberText(*share * 100)
        << "&thinsp;% of instructions</b></span> ";
  if (!count.unknownCalls.empty())
    out << "<span>arithmetic unknown in <b>" << Html{unknownCallees(count)}
        << "</b></span> ";
}

/// A command with what it is for.
static void writeCommand(StringRef what, const std::string &command,
                         raw_ostream &out) {
  if (command.empty())
    return;
  if (!what.empty())
    out << "<p>" << what << "</p>";
  out << "<div class=\"copy\"><pre><code>" << Html{command}
      << "</code></pre></div>\n";
}

/// What can be done about it.
static void writeCommands(const PageData &data, size_t number,
                          raw_ostream &out) {
  const SavedResult &result = data.result(number);
  writeCommand("", result.again, out);
  writeCommand("Which step spoils the numbers:", result.bisect, out);
  for (StepId id : result.steps) {
    const std::string &folder =
        data.step({data.results[number].run, id}).reproducer;
    if (!folder.empty())
      writeCommand("The failing step alone, made smaller:",
                   "lh-run reduce " + shellWord(folder), out);
  }
}

static void writeDetail(const PageData &data, size_t number, raw_ostream &out) {
  const SavedResult &result = data.result(number);
  out << "<article class=\"drawer\" id=\"result-" << number << "\"><header><h3>"
      << Html{resultName(result.key)} << "</h3> ";
  writeVerdict(result.status, out);
  out << "</header>\n";
  if (!result.reason.empty())
    out << "<p class=\"reason\">" << Html{result.reason} << "</p>\n";
  out << "<p class=\"line\">";
  if (result.runSeconds)
    out << "<span>run <b>" << timeText(*result.runSeconds) << "</b></span> ";
  if (result.arithmetic)
    writeArithmetic(*result.arithmetic, out);
  std::optional<double> share;
  if (result.kernels)
    share = result.kernels->share();
  if (share) {
    std::string names = kernelNames(*result.kernels);
    out << "<span>in matrix kernels <b>" << numberText(*share * 100)
        << "&thinsp;% of multiply-adds</b>"
        << Html{names.empty() ? "" : " (" + names + ")"} << "</span> ";
  }
  if (auto rightly = result.classifiedRightly)
    out << "<span>classified rightly <b>" << countText(rightly->rightly)
        << " of " << countText(rightly->of) << "</b></span>";
  out << "</p>";
  writeCommands(data, number, out);
  writePath(data, number, out);
  for (const OutputComparison &output : result.comparisons)
    writeOutput(output, out);
  out << "</article>\n";
}

void lh::writeResultDetails(const PageData &data, Blobs &blobs,
                            raw_ostream &out) {
  constexpr size_t mostPlain = 40;        // read without JavaScript
  constexpr size_t perBlob = 50;          // results that are unpacked together
  constexpr size_t mostBlobs = 5'000'000; // of the page, compressed
  std::vector<size_t> plain, packed;
  for (size_t i = 0; i < data.results.size(); ++i) {
    bool isFirst = data.results.size() <= mostPlain ||
                   data.result(i).status == ResultStatus::Failed;
    (isFirst && plain.size() < mostPlain ? plain : packed).push_back(i);
  }
  out << "<section id=\"details\"><h2>Results in detail</h2>\n";
  for (size_t i : plain)
    writeDetail(data, i, out);
  size_t lost = 0;
  for (size_t begin = 0; begin < packed.size(); begin += perBlob) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    size_t end = std::min(begin + perBlob, packed.size());
    for (size_t i = begin; i < end; ++i)
      writeDetail(data, packed[i], stream);
    // The id says which results are inside.
    std::string id = "pack-" + std::to_string(packed[begin]) + "-" +
                     std::to_string(packed[end - 1]);
    if (!blobs.add(id, text, mostBlobs))
      lost += end - begin;
  }
  if (!packed.empty())
    out << "<p class=\"note\">" << countText(int64_t(packed.size() - lost))
        << " more are packed in this file; JavaScript opens them.</p>\n";
  if (lost > 0)
    out << "<p class=\"note\">The page has no room for the details of "
        << countText(int64_t(lost))
        << " results; reports of fewer cases have them.</p>\n";
  out << "</section>\n";
}
