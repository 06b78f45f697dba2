// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One self-contained HTML page of what runs came to.
#include "insight/report/page/Page.h"

#include "insight/report/page/Assets.h"
#include "insight/report/page/Blobs.h"
#include "insight/report/page/Html.h"
#include "insight/report/page/Sections.h"

#include "insight/map/Svg.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SHA256.h"

#include <functional>

using namespace lh;
using llvm::raw_ostream;

using Fillers = std::map<StringRef, std::function<void(raw_ostream &)>>;

/// Puts something in the place of each {{name}}; what is put in isn't looked
/// at again.
static void fill(StringRef skeleton, const Fillers &fillers, raw_ostream &out) {
  while (!skeleton.empty()) {
    auto [before, rest] = skeleton.split("{{");
    out << before;
    auto [name, after] = rest.split("}}");
    if (auto filler = fillers.find(name); filler != fillers.end())
      filler->second(out);
    skeleton = after;
  }
}

/// Only this script may run, wherever others might have got in.
static std::string hashOf(StringRef script) {
  std::array<uint8_t, 32> hash =
      llvm::SHA256::hash(llvm::arrayRefFromStringRef(script));
  return "'sha256-" + llvm::encodeBase64(hash) + "'";
}

static std::string titleOf(const PageData &data) {
  std::set<std::string> names;
  for (const SavedRun &run : data.runs)
    names.insert(run.manifest);
  std::string title;
  for (const std::string &name : names)
    title += (title.empty() ? "" : ", ") + name;
  return title;
}

static void warnOfSnapshots(const PageData &data, DiagnosticSink &sink) {
  for (const SavedRun &run : data.runs) {
    size_t missing = 0;
    const SavedStep *first = nullptr;
    for (const SavedStep &step : run.steps) {
      bool isLost =
          !step.snapshot.empty() && !llvm::sys::fs::exists(step.snapshot);
      missing += isLost;
      if (isLost && !first)
        first = &step;
    }
    if (first)
      sink.warning(DiagKind::ReportMissingSnapshot, {run.record, 0, 0, 0},
                   Twine(missing) +
                       " snapshots are not where the record says, "
                       "the first at '" +
                       first->snapshot +
                       "'; keep the folder beside the record");
  }
}

std::string lh::reportPage(std::vector<SavedRun> runs, DiagnosticSink &sink) {
  PageData data(std::move(runs));
  warnOfSnapshots(data, sink);
  Blobs blobs;
  // The module's texts come first where there isn't room for everything.
  std::string bubbles;
  llvm::raw_string_ostream bubbleStream(bubbles);
  writeBubbleDetails(data, blobs, bubbleStream);
  Fillers fillers;
  fillers["script-hash"] = [&](raw_ostream &out) {
    out << hashOf(assets::pageScript);
  };
  fillers["title"] = [&](raw_ostream &out) { out << Html{titleOf(data)}; };
  fillers["style"] = [&](raw_ostream &out) {
    out << mapStyles() << assets::pageStyle;
  };
  fillers["script"] = [&](raw_ostream &out) { out << assets::pageScript; };
  fillers["summary"] = [&](raw_ostream &out) { writeSummary(data, out); };
  fillers["failures"] = [&](raw_ostream &out) { writeFailures(data, out); };
  fillers["map"] = [&](raw_ostream &out) { writeMap(data, {}, out); };
  fillers["results"] = [&](raw_ostream &out) { writeResults(data, out); };
  fillers["bubbles"] = [&](raw_ostream &out) { writeBubbles(data, out); };
  fillers["timeline"] = [&](raw_ostream &out) { writeTimeline(data, out); };
  fillers["bench"] = [&](raw_ostream &out) { writeBench(data, out); };
  fillers["profiles"] = [&](raw_ostream &out) { writeProfiles(data, out); };
  fillers["bubble-details"] = [&](raw_ostream &out) {
    out << bubbles;
    writeStationDetails(data, out);
  };
  fillers["result-details"] = [&](raw_ostream &out) {
    writeResultDetails(data, blobs, out);
  };
  fillers["blobs"] = [&](raw_ostream &out) { blobs.write(out); };
  std::string page;
  llvm::raw_string_ostream stream(page);
  fill(assets::pageSkeleton, fillers, stream);
  return page;
}
