// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads back what JsonReport writes.
#ifndef LH_INSIGHT_REPORT_RECORDREADER_H
#define LH_INSIGHT_REPORT_RECORDREADER_H

#include "core/support/SourceStore.h"
#include "insight/report/SavedRun.h"

namespace lh {

/// What is kept of a record. Outcomes: not what only pages show, what each step
/// does and where that is written, and the space of pipelines, which are most
/// of it.
enum class RecordParts { All, Outcomes };

/// The record in the file `path`. Indices in the result are in range, and a
/// step's parent stands before it. Fails with an error at the place in the file
/// that isn't as it should be: `report-bad-record`, or `report-record-version`
/// when the record is of another schema. Keys that it doesn't know are left.
FailureOr<SavedRun> readRecord(StringRef path, SourceStore &sources,
                               DiagnosticSink &sink,
                               RecordParts parts = RecordParts::All);

/// Visits the outcomes of the run record `place`, or of all in the folder of
/// that name and those in it, one by one: there may be more than memory holds.
/// Folders that repeat a failure are left out. Fails with errors about files
/// that are none; the others are visited all the same.
LogicalResult readRecords(StringRef place, llvm::vfs::FileSystem &files,
                          DiagnosticSink &sink,
                          llvm::function_ref<void(const SavedRun &)> visit);

} // namespace lh

#endif // LH_INSIGHT_REPORT_RECORDREADER_H
