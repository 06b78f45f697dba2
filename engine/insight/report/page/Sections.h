// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the page. Each writes HTML that reads without JavaScript;
// page.js only hides, opens, sorts and filters what is there.
#ifndef LH_INSIGHT_REPORT_PAGE_SECTIONS_H
#define LH_INSIGHT_REPORT_PAGE_SECTIONS_H

#include "insight/report/page/PageData.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

/// Compressed pieces that page.js unpacks when they are asked for.
class Blobs;

/// What the runs come to: counts, a bar, where they came from.
void writeSummary(const PageData &data, llvm::raw_ostream &out);

/// Failures, those alike in one group.
void writeFailures(const PageData &data, llvm::raw_ostream &out);

/// What a map shows besides the data's results.
struct MapMarks {
  bool links = true; ///< stations lead to their drawers
  std::set<PipelineName> slower;
  /// If the one passes, the other breaks.
  std::vector<std::pair<PipelineName, PipelineName>> opposed;
};

/// The map with results on it; nothing where no record tells of a manifest.
void writeMap(const PageData &data, const MapMarks &marks,
              llvm::raw_ostream &out);

/// Drawers for the map's stations that stand for several bubbles.
void writeStationDetails(const PageData &data, llvm::raw_ostream &out);

/// A square per result, by pipeline and target; then a table of all.
void writeResults(const PageData &data, llvm::raw_ostream &out);

/// What can be said of each result: failed ones and a few more as they are, the
/// others compressed.
void writeResultDetails(const PageData &data, Blobs &blobs,
                        llvm::raw_ostream &out);

/// A table of all bubbles.
void writeBubbles(const PageData &data, llvm::raw_ostream &out);

/// A drawer for each bubble: what it does, how long, what it matched, how it
/// changed the module.
void writeBubbleDetails(const PageData &data, Blobs &blobs,
                        llvm::raw_ostream &out);

/// Which step ran when, a picture for each run.
void writeTimeline(const PageData &data, llvm::raw_ostream &out);

/// Bars with whiskers for what was measured; nothing when nothing was.
void writeBench(const PageData &data, llvm::raw_ostream &out);

/// A bar for each node of what was profiled, and the nodes under the machine's
/// roofs; nothing when nothing was.
void writeProfiles(const PageData &data, llvm::raw_ostream &out);

/// "✓ passed" as a coloured word.
void writeVerdict(ResultStatus status, llvm::raw_ostream &out);

/// The text of a link to a result, or to a bubble, and where it goes.
void writeResultLink(const PageData &data, size_t result,
                     llvm::raw_ostream &out);
void writeBubbleLink(const PageData &data, size_t bubble,
                     llvm::raw_ostream &out);

} // namespace lh

#endif // LH_INSIGHT_REPORT_PAGE_SECTIONS_H
