// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What failed, as GitHub shows it beside a file's lines.
#ifndef LH_INSIGHT_REPORT_ANNOTATIONS_H
#define LH_INSIGHT_REPORT_ANNOTATIONS_H

#include "core/plan/RunRecord.h"

namespace lh {

/// GitHub shows as many of a kind for a step.
constexpr size_t mostAnnotations = 10;

/// Workflow commands, a line each: an error at the line that declares the
/// bubble that failed (or at what its diagnostic or expectation says), a
/// warning for what was skipped. At most `limit` of each kind, the last telling
/// how many there are. Files below `folder` are named relative to it.
std::string githubAnnotations(const RunRecord &record, StringRef folder,
                              size_t limit = mostAnnotations);

} // namespace lh

#endif // LH_INSIGHT_REPORT_ANNOTATIONS_H
