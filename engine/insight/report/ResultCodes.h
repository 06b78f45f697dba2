// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results in the words of LLVM's lit.
#ifndef LH_INSIGHT_REPORT_RESULTCODES_H
#define LH_INSIGHT_REPORT_RESULTCODES_H

#include "core/plan/RunRecord.h"

namespace lh {

/// PASS; FAIL; XFAIL (failed as announced); XPASS (passed, though a failure is
/// announced); TIMEOUT (a step took too long); UNSUPPORTED (this machine or the
/// manifest rules it out); SKIPPED (the run ended before it); UNRESOLVED
/// (unverified, where the manifest allows it; else FAIL). What is emitted is a
/// PASS: lit has no word for it.
StringRef resultCode(const RunRecord &record, size_t result);

/// Whether the code fails the run: FAIL, XPASS, TIMEOUT.
bool isFailure(StringRef code);

/// The record as `lit -o` writes one: a test per result.
std::string litReport(const RunRecord &record);

} // namespace lh

#endif // LH_INSIGHT_REPORT_RESULTCODES_H
